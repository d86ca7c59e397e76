package diag

// The codes of the loader of party programs: V04xx.
const (
	BadAux          Code = "V0401"
	BadSend         Code = "V0402"
	WrongDigest     Code = "V0403"
	NotParty        Code = "V0404"
	WrongRole       Code = "V0405"
	WrongPeer       Code = "V0406"
	UnlistedChannel Code = "V0407"
	ChannelShape    Code = "V0408"
	Unsent          Code = "V0409"
	BadManifest     Code = "V0410"
	MissingChannel  Code = "V0411"
	BareCut         Code = "V0412"
)
