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
	BadRange          Code = "V0244" // a range that is none
	BadElements       Code = "V0245" // a comprehension whose elements make no array
	BeyondIndex       Code = "V0246" // an element of an index array outside of what it indexes
	UnknownCategory   Code = "V0247" // a category that a level does not have
	MisplacedText     Code = "V0248" // a text that is not compared with a level
	// a distribution that does not go with the declared set of vectors or matrices
	WrongStructure Code = "V0232"
	Orientation    Code = "V0233" // a vector beside a matrix that is neither a row nor a column
	BadMissing     Code = "V0235" // what is done about missing cells
	DrawnGenerated Code = "V0237" // a generated quantity that cannot be drawn
	BadInitial     Code = "V0250" // no kind of initial values of a weight
	BadWeight      Code = "V0251" // a weight that is not real, or has bounds
	// distributions that a model declares
	BadDistribution   Code = "V0252"
	DistributionScope Code = "V0253" // a name that its body does not see
	DistributionBody  Code = "V0254" // what its body cannot hold
	ValueUnused       Code = "V0255" // the density does not depend on the value
	DistributionCycle Code = "V0256"
	BadGenerator      Code = "V0257"
	NotADensity       Code = "V0258" // warning: its parts contradict each other
	RecurForm         Code = "V0280"
	RecurIndex        Code = "V0281"
	RecurRange        Code = "V0282"
	Unused            Code = "V0290"
	Improper          Code = "V0291"
	CountedTwice      Code = "V0292" // a likelihood or a column twice
	LinearArgument    Code = "V0293" // a linear predictor where a probability, a rate or a scale stands
	// warning: an end of a likelihood's values that parameters move, and nothing ties to the data
	MovingEnd      Code = "V0260"
	MisplacedBy    Code = "V0261" // `by` elsewhere than behind the value of a function that has groups
	BadGroups      Code = "V0262" // what is no value of rows, or no groups of them
	FunctionDomain Code = "V0295" // a parameter that may be outside the domain of a function
	MixturePerRow  Code = "V0294"
	Intercept      Code = "V0296" // a number added to a predictor that data know up to a number
)
