package diag

// The codes of models that a maximising backend refuses: V061x.
const (
	NoMaximum     Code = "V0611" // a scale that may go to 0
	InfinitePrior Code = "V0612"
	NoAuxiliaries Code = "V0613" // nothing to maximise over
)
