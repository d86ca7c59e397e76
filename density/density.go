// Package density is what an inference algorithm knows of a model: blocks, one per party that lives in its process, and an Env that
// evaluates the joint density over them. Whether the other parties are blocks of the same process or organisations across a network is
// not the algorithm's business. The package depends on nothing.
package density

import "context"

// A Cut is the place where a client's contribution enters a computation of another party; z = cut + noise of sd Rho crosses there.
type Cut struct {
	Name   string
	Offset int // of its first element in the block's vectors g and z
	Rows   int
	Cols   int // elements of g are column-major: g[Offset + col*Rows + row]
	Rho    float64
	Group  int // index of the sum it enters; equal at every party
	// Label is the response as a 0/1 or count vector of length Rows where this party holds it (shared), else nil: an input of amortised guides.
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

// A Block is one party's share of the joint density: a log density of its unconstrained parameters θ (length Dim), given what it receives.
// The terms log N(z; g, ρ²) of auxiliary variables belong to the algorithm, which chooses their coordinates; a block never counts them.
type Block interface {
	Party() string // "registry", "lab[3]"
	Index() int    // 0 for the server, then clients in order: the party order in which everything is summed
	Dim() int
	Cuts() []Cut
	AuxLen() int  // total length of the cuts
	Affine() bool // every cut is affine in θ
	// Hierarchical says that the prior of a parameter depends on other parameters: the density then bends more in some places than in others.
	Hierarchical() bool
	Early() int // how many elements of shared parameters the cuts depend on (class C); 0 for most models
	// Cut evaluates the cuts at θ in a slot, with the shared parameters last received, and writes them to g.
	Cut(slot Slot, theta, g []float64)
	// Pull adds Jᵀw to grad (length Dim) and, where early is not nil, to early (length Early), J the Jacobian of the cuts at the slot's point.
	Pull(slot Slot, w, grad, early []float64)
	// Local evaluates the block's own log density at theta, given what the block received in the last Density, without asking anybody: it moves slot
	// Here to theta, writes the cuts to g and the derivative of the density by the cuts to own (both of length AuxLen), and returns the density.
	Local(theta, g, own []float64) float64
	// Gradient follows Local. It overwrites grad with the gradient of the block's own density plus what the seeds w on the cuts bring, w including
	// own; and, where received is not nil (else length Received), received with the derivative by everything that the block received.
	Gradient(w, grad, received []float64)
	// Received is how many elements the block receives from other parties in one Density.
	Received() int
	// Jacobian says whether the block's density counts the log-Jacobian of the map from θ to the declared scale of the parameters, as it does at first.
	// With it the density is one of θ, to be sampled; without it a function of θ whose maximum is the mode on the declared scale.
	Jacobian(on bool)
	// Shape of the parameters on their declared scale, as reported.
	Params() []Param
}

// A Param describes a reported parameter.
type Param struct {
	Name   string // "beta_a", "lab[4].beta"
	Owner  string // "hospital_a", "lab[4]", "server", "shared"
	Dims   []int
	Offset int // of its first element in the block's vector of values
	Len    int
}

// Coordinates is how an algorithm parameterises auxiliary variables. Env.Density calls Value and Adjoint once per block that has cuts, in party order.
type Coordinates interface {
	// Value sets z from the cut values g of block b.
	Value(b int, g, z []float64)
	// Adjoint receives adj = ∂/∂z of everything the other parties evaluate, and own = ∂/∂g of the block's own density, and sets w, the
	// seeds on g that are pulled back to θ. It may add to early (length Early, nil if none), the block's gradient of class C parameters.
	Adjoint(b int, adj, own, w, early []float64)
}

// A Resident is a Coordinates whose clients evaluate their own density more than once between what they receive and what they answer. When Env.Density
// is given one, it calls Stay in place of its own evaluation of every block but the server's, and leaves theta and grad of these blocks alone.
// Value is then called with a g that holds nothing, and Adjoint with own, w and early nil: it takes adj, and seeds are the business of Stay.
type Resident interface {
	Coordinates
	// Stay is called once everything that the density of block b depends on has been received. It evaluates by Block.Local and Block.Gradient
	// wherever it likes, sets answer (length Received) to the derivatives that the others are to have, means over its evaluations for
	// example, and returns what becomes lp[b].
	Stay(b int, answer []float64) float64
}

// A Tally is scalars that the parties add up on their way to an evaluation.
type Tally struct {
	Part  [][]float64 // by block
	Total []float64   // what Env.Sum would make of Part
	// Go is called once, when Total is there. It says whether the evaluation is wanted, and says the same at every party.
	Go func() bool
}

// Env evaluates the joint density over the blocks of this process and, over the transport if there is one, the other parties.
// Slices indexed by block follow Blocks(). Nothing here allocates after the first call.
type Env interface {
	Blocks() []Block
	// Density is one forward and backward sweep of the protocol at theta[b]: grad[b] is overwritten with ∂/∂θ_b and lp[b] with the log
	// density of block b without auxiliary terms. A value that is not finite is returned as it is; err is a failure of a peer or of the protocol.
	Density(ctx context.Context, theta [][]float64, coords Coordinates, grad [][]float64, lp []float64) error
	// Proceed is Sum and then, where t.Go wants it, Density, in as many exchanges as Density alone: what is added travels up with z, and the totals come
	// with the answer. So where parties are apart, what coords.Value reads and theta must stand before the call; elsewhere Go may still set them.
	Proceed(ctx context.Context, t Tally, theta [][]float64, coords Coordinates, grad [][]float64, lp []float64) error
	// Apart says that other parties are not in this process, so that an exchange costs more than an evaluation in vain.
	Apart() bool
	// Totals is the exchange of `--guide-inputs total`: with centre[b] the noise-free cut values of block b, total[b] receives, per cut element, the sum
	// over the members of its group plus the mean of the server's own additive part as given at the server in base (nil elsewhere or for zero):
	// base[b] of the server's block holds one vector per group, in the order of Cut.Group.
	Totals(ctx context.Context, centre, base, total [][]float64) error
	// Sum adds k scalars over all parties in party order: part[b][k] → total[k], the same bits at every party.
	Sum(ctx context.Context, part [][]float64, total []float64) error
	// Values maps theta[b] to the reported parameters values[b] on their declared scale, with shared parameters taken from the same draw.
	// It moves slot Here of every block to theta[b].
	Values(ctx context.Context, theta, values [][]float64) error
	// Private returns a stream of block b that no other party can predict; Shared one that all parties have in common. Each call
	// returns a new stream at round 0: the same name gives the same numbers, so keep it.
	Private(b int, name string) Stream
	Shared(name string) Stream
	// Why names the variable or term whose density was not finite in the last Density, for messages; "" if all were.
	Why() string
	// Work counts what was done.
	Work() *Work
}

// A Windowed is an Env whose rows are divided into windows.
type Windowed interface {
	Env
	// Windows is their number; 0: the rows are not divided.
	Windows() int
	// Window returns the Env over the rows of window k alone, counted from 0, and these rows, numbered in the whole from 0 and ascending. It has the same
	// parties, parameters, streams and counts of work; its cuts have the window's rows. In it a likelihood over rows is scaled by the number of windows,
	// so that the mean of the windows' densities is the density over all rows. It returns the same Env each time.
	Window(k int) (Env, []int)
}

// Work counts evaluations and what crossed between parties.
type Work struct {
	Gradients int64 `json:"gradients"`
	Rounds    int64 `json:"rounds"`
	Bytes     int64 `json:"bytes"`
}
