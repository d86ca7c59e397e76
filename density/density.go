// Package density is what an inference algorithm sees of a model: blocks, one per party that lives in its
// process, and an Env that evaluates the joint density over them. An algorithm need not know whether the
// other parties are blocks of the same process or organisations across a network.
//
// Env and Block are what every algorithm and every report of its draws needs, and random-walk Metropolis
// needs no more. What some algorithms need in addition is an interface of its own, a capability: an algorithm
// looks it up when it is made, by As, Require or one of the functions that have a fallback. An implementation
// need not have all capabilities. The package depends on nothing.
package density

import "context"

// Env evaluates the joint density over the blocks of this process and, over the transport if there is one,
// the other parties. Slices indexed by block follow Blocks(). Nothing here allocates after the first call.
type Env interface {
	// Blocks returns one Block for each party of this process, in party order. It returns the same slice each
	// time.
	Blocks() []Block
	// Density is one forward and backward sweep of the protocol at theta[b]: grad[b] is overwritten with
	// ∂/∂θ_b and lp[b] with the log density of block b without auxiliary terms. A value that is not finite is
	// returned as it is; err is a failure of a peer or of the protocol.
	Density(ctx context.Context, theta [][]float64, coords Coordinates, grad [][]float64, lp []float64) error
	// Sum adds k scalars over all parties in party order: part[b][k] → total[k], the same bits at every
	// party.
	Sum(ctx context.Context, part [][]float64, total []float64) error
	// Private returns a stream of block b that no other party can predict. Each call returns a new stream at
	// round 0: the same name gives the same numbers, so keep it.
	Private(b int, name string) Stream
	// Shared returns a stream that all parties have in common, under the same rules.
	Shared(name string) Stream
	// Cause is what was not finite in the last evaluation, as far as this process knows; the zero Cause where
	// all was.
	Cause() Cause
	// Augmented reports whether any party, of this process or another, has auxiliary variables.
	Augmented() bool
	// Work returns the counts of what was done, which further evaluations change. An algorithm adds
	// evaluations that it makes by LocalDensity.
	Work() *Work
	// Values maps a draw to the reported parameters values[b] on their declared scale, with shared parameters
	// taken from the same draw, and to what is generated from them. It moves slot Here of every block to the
	// draw. It is needed to report draws, not by algorithms.
	Values(ctx context.Context, d Draw, values [][]float64) error
	// ReadsAuxiliaries reports whether Values needs the auxiliary variables of the draw.
	ReadsAuxiliaries() bool
}

// Coordinates is how an algorithm parameterises auxiliary variables. Env.Density calls Value for all blocks
// that have them, and later Adjoint, each once per block and in any order; calls for different blocks may be
// made at the same time, from several goroutines. All vectors but early have length AuxLen of the block.
type Coordinates interface {
	// Value sets z from the cut values g of block b.
	Value(b int, g, z []float64)
	// Adjoint receives adj = ∂/∂z of everything the other parties evaluate, and own = ∂/∂g of the block's own
	// density. It sets w, the seeds on g that are pulled back to θ, and may add to early, the gradient of the
	// shared parameters that the cuts depend on: its length is DifferentiableCuts.Early of the block, often
	// 0.
	Adjoint(b int, adj, own, w, early []float64)
}
