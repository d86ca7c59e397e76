package diag

// The codes of what is asked of a finished run's predictions, and of what a check of priors and columns
// finds: V0870 to V0879.
const (
	NotAColumn    Code = "V0870" // no column, several of that name, or a value that it does not have
	NoCentre      Code = "V0871" // group effects without a location
	NoExpectation Code = "V0872" // a response without a formula of its expectation or predictor
	BadContrast   Code = "V0873" // a text that is no contrast
	Collinear     Code = "V0876" // warning: columns of which some are nearly combinations of others
	AbsurdPrior   Code = "V0877" // warning: priors that imply what no data look like
)
