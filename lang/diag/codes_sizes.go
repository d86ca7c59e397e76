package diag

// The codes of binding data to a model: V056x, V0541 and V0542.
const (
	SizeConflict Code = "V0561"
	MemberCount  Code = "V0562"
	BeyondData   Code = "V0563"
	BadSupport   Code = "V0564"
	// an observation, or data as an argument, that a distribution does not allow
	OutsideSupport  Code = "V0565"
	DifferentLevels Code = "V0566" // the largest codes of a level differ between parties
	NoiseOfResponse Code = "V0567" // warning: rho is not small compared with a response
	NoVariation     Code = "V0541" // warning: constant or dependent columns, or a constant response
	UnscaledColumn  Code = "V0542" // warning: a column on another scale than the prior of its coefficient
	CannotEvaluate  Code = "V0569"
)
