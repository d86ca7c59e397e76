package diag

// The codes of models that a way of fitting refuses: V067x.
const (
	NoFixedDraws Code = "V0671" // a density that is not evaluated at draws that stay the same
	NoLocalSteps Code = "V0672" // nothing to step by between two round trips
	NoCoupling   Code = "V0673" // noise of different clients that cannot be correlated
)
