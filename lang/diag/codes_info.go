package diag

// The codes of what vflc check --info reports of models that are right: V09xx.
const (
	HardBounds  Code = "V0901" // a prior that is flat between ends that data cannot move
	FarConstant Code = "V0902" // a constant that is very large or very small
	SpikedPrior Code = "V0903" // a prior that is infinite at an end of its support
	LooseBound  Code = "V0904" // a bound outside the support of the distribution
	FlatPrior   Code = "V0905" // an improper prior
	NoInfluence Code = "V0906" // a parameter that reaches no likelihood
)
