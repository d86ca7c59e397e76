package diag

// The codes of formulas, y ~ glm(FAMILY, FORMULA, …): V086x.
const (
	BadFormula    Code = "V0860" // an operator, a number or a function that a formula does not have there
	FormulaName   Code = "V0861" // a variable that is no column of data, or no category where one groups
	AcrossParties Code = "V0862" // a term of columns of two parties
	BadFamily     Code = "V0863" // a family without a linear predictor, or what it lacks
	RawColumn     Code = "V0864" // a default prior of a column that is not standardised
	PriorOfNone   Code = "V0865" // a prior of something that the formula does not have
	GLMElsewhere  Code = "V0866" // glm that is not behind the `~` of a likelihood
)
