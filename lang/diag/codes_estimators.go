package diag

// The codes of models that a way of fitting refuses: V0667 to V0672, V0858 and V0859.
const (
	NoFixedDraws Code = "V0671" // a density that is not evaluated at draws that stay the same
	NoLocalSteps Code = "V0672" // nothing to step by between two round trips
	NotCorrected Code = "V0667" // draws that weights cannot correct
	NotEncrypted Code = "V0668" // what cannot be computed of encrypted rows
	TooFewRows   Code = "V0669" // encrypted rows that too many sums would be decrypted of
	AloneRows    Code = "V0670" // encrypted columns of which a combination is a row, or few
	NotNested    Code = "V0858" // a model that is not normal given few hyperparameters
	NoLastLayer  Code = "V0859" // a model without hidden layers that can be held at a mode
)
