package diag

// The codes of runs across processes: V0607 to V0609, V0674 to V0679, V0695 and V081x what does not fit
// between parties or is not to be had across them, V068x a party's policy, V069x ledgers, V0825 to V0838 who
// the parties are and what they send, V085x what a party publishes.
const (
	OtherManifest  Code = "V0678" // a manifest or program that is not the server's
	OtherVersion   Code = "V0679"
	OtherRun       Code = "V0695" // the folder holds another run
	OtherSettings  Code = "V0674" // settings or a key that the party does not take
	BadWiring      Code = "V0675" // outlines or a wiring that are not those of the programs
	BadControl     Code = "V0676" // a message that the agreement of the parties does not have
	EndedElsewhere Code = "V0677" // another party has ended the run

	// a folder that is not the part of the run where the chains of the others begin
	OtherOrigin Code = "V0607"

	OtherTask      Code = "V0810" // programs or parties of another task: a fit, a prediction, …
	FittedByOthers Code = "V0811" // encoders that only other parties have

	PolicyRecord Code = "V0812" // a server that keeps what it receives
	FreeText     Code = "V0814" // a text in a message in which there may be codes alone
	NotApart     Code = "V0815" // what is for one process with the data of all parties
	NeedsParties Code = "V0816" // one party's part of a run, where all parties are needed
	NotRecorded  Code = "V0813" // a part of a run of which nothing was recorded

	BadPolicy        Code = "V0681" // no TOML, or a key or value that a policy does not have
	PolicyProgram    Code = "V0682" // programs that are not listed, or not signed
	PolicyTransform  Code = "V0683" // transform or noise
	PolicyRounds     Code = "V0684"
	PolicyRows       Code = "V0685" // too few rows, or too few in a category
	PolicyMasks      Code = "V0686" // contributions without masks, or with too few others
	PolicyDifference Code = "V0687" // nearly the rows of an earlier run
	PolicyTerms      Code = "V0688" // key, peers, expiry
	PolicyValue      Code = "V0689" // a number beyond its bound

	LedgerChanged   Code = "V0691"
	LedgerCut       Code = "V0692"
	LedgersDiffer   Code = "V0693"
	LedgerOffScript Code = "V0694" // a message that the session's script does not have
	LedgerManifest  Code = "V0698" // a manifest beside ledgers that is not the run's

	BadProject         Code = "V0825" // a project file, or what a project is made of
	BadIdentity        Code = "V0826" // a party's folder: keys, certificate, project
	CertificateRefused Code = "V0827"
	RequestRefused     Code = "V0828"
	BadAddress         Code = "V0829" // what is listened on, or connected to
	OtherParty         Code = "V0830" // a command, programs or a project of another party
	BadPrograms        Code = "V0831" // files of programs that are not there
	PacketRefused      Code = "V0832" // a packet that is forged, altered, repeated or of nobody
	ValueRefused       Code = "V0833" // numbers that are not finite, and were not announced as such
	PayloadTooSmall    Code = "V0834" // NATS servers that take no packets of the size that a run needs
	OffScript          Code = "V0835" // a message that the session does not have at this place
	SubjectRefused     Code = "V0836" // the NATS server does not allow a subject
	NotConfirmed       Code = "V0841" // a run that the owner of a party without a policy has not confirmed
	AlreadyJoined      Code = "V0838" // another process of the same party
	ExposedMetrics     Code = "V0842" // metrics that other machines reach without a token, or with a short one
	NotWell            Code = "V0843" // a party's part of a run that a probe finds failed, ended or stuck
	// a server that has told clients unlike things, or sent them unlike numbers
	UnlikeAnswers Code = "V0839"

	PolicyFolds  Code = "V0608" // folds that follow from what the party has alone
	FoldsUnknown Code = "V0609" // folds that follow from what no party has, or several

	PolicyRelease  Code = "V0855" // results that the policy does not let others see
	Unpublishable  Code = "V0856" // a run of which nothing can be published
	BadPublication Code = "V0857" // a file that is not what its party has published of this run
)
