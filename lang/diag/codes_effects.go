package diag

// The codes of what is asked of a finished run's predictions, and of what a check of priors and columns
// finds: V0870 to V0879.
const (
	NotAColumn    Code = "V0870" // no column, several of that name, or a value that it does not have
	NoCentre      Code = "V0871" // group effects without a location
	NoExpectation Code = "V0872" // a response without a formula of its expectation or predictor
	BadContrast   Code = "V0873" // a text that is no contrast
)
