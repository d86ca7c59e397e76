package dist

// Reasons why a row takes several times as long as one of bernoulli_logit, which is one exponential, for more
// than one distribution: the vector functions that a row needs. docs/performance.md has their times.
const (
	oneLgamma  = "a log gamma function and its derivative in each row"
	twoLgammas = "two log gamma functions and their derivatives in each row; of parameters that are one " +
		"number for all rows there is one of each for all"
	oneLogPhi = "log Phi and its slope in each row, and the quotient that it is of: an exponential, a " +
		"logarithm, a polynomial of degree 23 and three divisions"
	exponentials = "an exponential for each category of each row, forward and back, and a logarithm"
	zerosApart   = "rows that are 0 have an exponential and a log(1 + exp) of their own, and predictors " +
		"are divided between them and the others, and joined again"
	oneBoxCox = "log(1 + xi z)/xi and its slopes in each row: a logarithm, a polynomial of degree 10 and four " +
		"divisions, forward and back"
	studentForm = "a logarithm of 1 + z² and three divisions in each row, forward and back"
)

// Reasons why the probability of an interval has no vector form.
const (
	incompleteGamma = "the incomplete gamma function has no vector form"
	incompleteBeta  = "the incomplete beta function has no vector form"
	movingEnds      = "an end of the support is a parameter"
	fewCounts       = "it has few values"
	sumOfCounts     = "it sums over the values"
	wholeNumbers    = "intervals of whole numbers are computed one row after another"
)
