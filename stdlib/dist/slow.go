package dist

// Reasons why a row takes several times as long as one of the fastest likelihoods, for more than one distribution.
const (
	lgammaByRow  = "a log gamma function and its derivative in each row, up to three of them; one for all rows where they have one shape"
	normalByRow  = "log Phi and its slope in each row: an exponential, a logarithm and a polynomial of degree 23"
	exponentials = "an exponential for each category of each row, forward and back"
	zerosApart   = "rows that are 0 and the others have formulas of their own, so that rows are divided and joined again"
	severalByRow = "several vector functions in each row, forward and back"
)
