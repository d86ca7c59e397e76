package diag

// The codes of models that a way of fitting refuses: V0667 and V067x.
const (
	NoFixedDraws Code = "V0671" // a density that is not evaluated at draws that stay the same
	NoLocalSteps Code = "V0672" // nothing to step by between two round trips
	NotCorrected Code = "V0667" // draws that weights cannot correct
	NoCoupling   Code = "V0673" // noise of different clients that cannot be correlated
)
