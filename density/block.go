package density

// A Block is one party's share of the joint density: a log density of its unconstrained parameters θ (length
// Dim), given what it receives. The terms log N(z; g, ρ²) of auxiliary variables belong to the algorithm,
// which chooses their coordinates; a block never counts them.
type Block interface {
	// Party is the party's name: "registry", "lab[3]".
	Party() string
	// Index is 0 for the server, then 1, 2, … for the clients: the party order, in which everything is
	// summed.
	Index() int
	// Dim is the number of unconstrained parameters.
	Dim() int
	// Params describes the parameters on their declared scale, as reported.
	Params() []Parameter
	// Cuts describes the cuts at which an auxiliary variable crosses: none for the server, and none of any
	// party where the cuts themselves cross, which are no concern of an algorithm.
	Cuts() []Cut
	// Hierarchical reports whether the prior of a parameter depends on other parameters: the density then
	// bends more in some places than in others.
	Hierarchical() bool
	// Weights lists the coordinates of θ that are weights, in ascending order: they have no prior, and an
	// algorithm finds the point of them that maximises its objective. StartWeights sets these coordinates of
	// theta to initial values, drawn from the current round of a stream of the party's own.
	Weights() []int
	StartWeights(theta []float64, from Stream)
	// Jacobian sets whether the density counts the log-Jacobian of the map from θ to the declared scale, as
	// it does at first. With it the density is one of θ, to be sampled; without it a function of θ whose
	// maximum is the mode on the declared scale.
	Jacobian(on bool)
	// AuxLen is the total length of the cuts.
	AuxLen() int
	// Cut evaluates the cuts at θ in a slot, with the shared parameters last received, and writes them to g
	// (length AuxLen). Where AuxLen is 0 there is nothing to evaluate: Cut then does nothing, and the slot
	// stays where it is.
	Cut(slot Slot, theta, g []float64)
}

// Multimodal is a block that knows of a reason for several modes in its density.
type Multimodal interface {
	// Multimodal reports whether an evaluation solves differential equations, adds up the components of a
	// mixture for rows of data, or has a likelihood whose location is a curved function of parameters.
	Multimodal() bool
	// Bounded reports whether the density has a bound as a function of coordinates in which all effects
	// (Recentring) are standard: whether these are all parameters whose priors depend on others.
	Bounded() bool
}

// A Cut is the place where a client's contribution enters a computation of another party; z = cut + noise of
// sd Rho crosses there, or the cut itself where Rho is 0.
type Cut struct {
	Name   string
	Offset int // of its first element in the block's vectors g and z
	Rows   int
	Cols   int // elements of g are column-major: g[Offset + col*Rows + row]
	Rho    float64
	Group  int // index of the sum it enters; equal at every party
	// Members is how many parties send to that sum; equal at every party. A block knows it, the plan that
	// blocks are made from need not.
	Members int
	// Label is the response as a 0/1 or count vector of length Rows where this party holds it (shared), else
	// nil: an input of amortised guides.
	Label []float64
}

// Len is the number of elements of the cut.
func (c Cut) Len() int { return c.Rows * c.Cols }

// Slot selects one of a block's two evaluation states.
type Slot int

// Slots: the point of the current evaluation, and the centre of a guide.
const (
	Here Slot = iota
	Centre
)

// A Parameter describes a reported parameter.
type Parameter struct {
	Name   string // "beta_a", "lab[4].beta"
	Owner  string // "hospital_a", "lab[4]", "server", "shared"
	Dims   []int
	Offset int // of its first element in the block's vector of values
	Len    int
	Weight bool // a weight: a point estimate
	// Generated marks a generated quantity, which is computed or drawn from the parameters.
	Generated bool
}

// DifferentiableCuts is a Block whose cuts can be differentiated apart from its density. J is the Jacobian of
// the cuts at the point where Cut evaluated them last in the slot, and w are weights on the cuts (length
// AuxLen). Blocks without cuts need not have it.
type DifferentiableCuts interface {
	// Affine reports whether every cut is affine in θ.
	Affine() bool
	// Early is how many elements of shared parameters the cuts depend on; 0 for most models.
	Early() int
	// CutAt is Cut that returns an array of the block's own, which it overwrites at the next evaluation in
	// the slot.
	CutAt(slot Slot, theta []float64) []float64
	// SeedAt is an array (length AuxLen) from which Pull in the slot begins where it is given as w, so that
	// nothing is copied.
	SeedAt(slot Slot) []float64
	// Pull adds Jᵀw by the block's own parameters to grad (length Dim).
	Pull(slot Slot, w, grad []float64)
	// PullEarly adds Jᵀw by the shared parameters that the cuts depend on to early (length Early).
	PullEarly(slot Slot, w, early []float64)
}

// LocalDensity is the Block of a client that can evaluate its own density without an exchange, given what it
// received in the last evaluation.
type LocalDensity interface {
	// Local moves slot Here to θ, writes the cuts to g and the derivative of the density by the cuts to own
	// (both of length AuxLen), and returns the log density.
	Local(theta, g, own []float64) float64
	// Gradient follows Local. It overwrites grad (length Dim) with the gradient of the block's own density
	// plus what the seeds w on the cuts (length AuxLen) contribute, w including own.
	Gradient(w, grad []float64)
	// Received is how many elements the block receives from other parties in one evaluation.
	Received() int
	// ReceivedGradient follows Gradient. It overwrites received (length Received) with the derivative, of
	// what Gradient differentiates, by everything that the block received.
	ReceivedGradient(received []float64)
}

// A BlockRole is what a block's cuts enter, and what it receives.
type BlockRole struct {
	Parties int      // of the model
	Cuts    int      // elements of all cuts, those that cross themselves included
	Members []Member // the sums that they enter
	// the sums that the block receives; Offset and Len are their range among what it receives
	Receives []Member
	Sums     []int // lengths of all sums
	// Shared is how many parameters of one party others of the model receive.
	Shared int
}

// Standalone is a Block whose density can be evaluated without an exchange wherever what it receives is
// known: at the server also. Vectors over cuts have length BlockRole.Cuts in the methods of LocalDensity, for
// cuts that cross themselves too.
type Standalone interface {
	Block
	LocalDensity
	BlockRole() BlockRole
	// SetReceived sets everything that the block receives (length Received), laid out as in ReceivedGradient.
	SetReceived(received []float64)
}
