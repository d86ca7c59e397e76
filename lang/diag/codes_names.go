package diag

// The codes of the phase that resolves names, types and shapes: V02xx; from V0290 on, warnings.
const (
	UnknownName       Code = "V0201"
	DeclaredTwice     Code = "V0202"
	UsedEarly         Code = "V0203"
	UnboundSize       Code = "V0204"
	NotSize           Code = "V0205"
	UnknownType       Code = "V0206"
	UnknownParty      Code = "V0207"
	UnknownDist       Code = "V0208"
	UnknownFunc       Code = "V0209"
	BadArguments      Code = "V0210"
	Broadcast         Code = "V0211"
	BadProduct        Code = "V0212"
	ArgShape          Code = "V0213"
	WrongElement      Code = "V0214"
	DiscreteParameter Code = "V0215"
	MustBeData        Code = "V0216"
	LeftSide          Code = "V0217"
	BadIndex          Code = "V0218"
	LetType           Code = "V0219"
	NotLocationScale  Code = "V0220"
	BadBounds         Code = "V0221"
	RandomCondition   Code = "V0222"
	NotConst          Code = "V0223"
	BadTransform      Code = "V0224"
	BadFrom           Code = "V0225"
	NotFamily         Code = "V0226"
	FamilyIndex       Code = "V0227"
	MemberSize        Code = "V0228"
	Misplaced         Code = "V0229"
	BadConstant       Code = "V0230" // a constant that an argument of a distribution cannot be
	BadLevels         Code = "V0231"
	BadDensity        Code = "V0240" // a density function that the distribution does not have
	DensityName       Code = "V0241"
	BadMixture        Code = "V0242"
	BadClause         Code = "V0243" // of truncate and censor
	// a distribution that does not go with the declared set of vectors or matrices
	WrongStructure Code = "V0232"
	Orientation    Code = "V0233" // a vector beside a matrix that is neither a row nor a column
	DotNeeded      Code = "V0234" // a quotient of arrays without a dot
	BadMissing     Code = "V0235" // what is done about missing cells
	DrawnGenerated Code = "V0237" // a generated quantity that cannot be drawn
	BadInitial     Code = "V0250" // no kind of initial values of a weight
	BadWeight      Code = "V0251" // a weight that is not real, or has bounds
	RecurForm      Code = "V0280"
	RecurIndex     Code = "V0281"
	RecurRange     Code = "V0282"
	Unused         Code = "V0290"
	Improper       Code = "V0291"
	CountedTwice   Code = "V0292" // a likelihood or a column twice
	LinearArgument Code = "V0293" // a linear predictor where a probability, a rate or a scale stands
	// warning: an end of a likelihood's values that parameters move, and nothing ties to the data
	MovingEnd      Code = "V0260"
	FunctionDomain Code = "V0295" // a parameter that may be outside the domain of a function
	MixturePerRow  Code = "V0294"
	Intercept      Code = "V0296" // a number added to a predictor that data know up to a number
)
