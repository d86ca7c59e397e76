package diag

// The codes of ownership, cuts and transforms: V03xx; from V0390 on, warnings.
const (
	ClientData       Code = "V0301"
	ForeignPrior     Code = "V0302"
	ServerName       Code = "V0303"
	LetOwner         Code = "V0305"
	PowerResponse    Code = "V0306"
	PowerData        Code = "V0307"
	PowerNotAdditive Code = "V0308"
	LetsTooLarge     Code = "V0309"
	GenerateOwner    Code = "V0310"
	OpenNoise        Code = "V0311" // rho is left to the unknown number of members of a family
	PowerFactor      Code = "V0312"
	PowerJoint       Code = "V0313" // a likelihood of all rows together
	SplitResponse    Code = "V0314" // a left side of several parties
	MemberResponse   Code = "V0315" // a response of every member of a family
	TwoResponses     Code = "V0316" // a response at a client, where one party evaluates or releases all of them
	CoordinatorData  Code = "V0317" // data of the server in a likelihood that another party evaluates
	MembersAtHome    Code = "V0318" // what each member of a family contributes, at a client with a response
	ServerMoved      Code = "V0319" // a warning: the party with the responses is the server
	NoCut            Code = "V0320" // no place in a client's expression takes noise
	RecurCut         Code = "V0321" // what a client has in the step of a recursion of another party
	OdeForm          Code = "V0350" // how a differential equation is written
	OdeReads         Code = "V0351" // what it reads of the time and of its state
	OdeTimes         Code = "V0352" // times that are no data, do not increase, or begin too early
	LabelLeak        Code = "V0390"
	SeparateCuts     Code = "V0391"
	NoiseChanged     Code = "V0392" // a factor or a mixture of elements around cuts
	FactorInCuts     Code = "V0393" // a shared parameter multiplied into cuts
	CutVariants      Code = "V0394" // cuts of one client that differ by a shared factor
	NoiseAverages    Code = "V0396" // rows that share a level share a value, and noise averages over them
)

// Discrete parameters that the compiler sums out.
const (
	LatentType   Code = "V0345" // of a type or a distribution without few states
	LatentParty  Code = "V0346" // what another party has depends on one
	LatentRows   Code = "V0347" // rows depend on states of others
	LatentStates Code = "V0348" // too many combinations of states
	LatentClause Code = "V0349" // a statement that cannot be added up over states
)
