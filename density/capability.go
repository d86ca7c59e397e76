package density

import (
	"context"
	"fmt"
	"reflect"
)

// A Wrapper is an Env around another that leaves its evaluations as they are. The capabilities of the inner
// Env are then those of the wrapper, but for those that the wrapper itself implements because it changes
// them. A wrapper that changes evaluations must not be a Wrapper: lookups would go past it.
type Wrapper interface {
	Env
	// Unwrap returns the inner Env.
	Unwrap() Env
}

// As finds a capability of an Env: the Env itself, or the next one that it wraps, as a T. It reports whether
// there is one. Algorithms look up when they are made, not in every step.
func As[T any](env Env) (T, bool) {
	for {
		if found, ok := env.(T); ok {
			return found, true
		}
		w, ok := env.(Wrapper)
		if !ok {
			var none T
			return none, false
		}
		env = w.Unwrap()
	}
}

// Require is As with an error that names the capability that is missing.
func Require[T any](env Env) (T, error) {
	found, ok := As[T](env)
	if !ok {
		return found, fmt.Errorf("density: an Env of type %T does not implement %v", env,
			reflect.TypeFor[T]())
	}
	return found, nil
}

// Must is Require for callers that have made the Env themselves. It panics where the capability is missing.
func Must[T any](env Env) T {
	found, err := Require[T](env)
	if err != nil {
		panic(err.Error())
	}
	return found
}

// RequireOf returns a Block as a T, or an error that names the party and the capability that is missing.
func RequireOf[T any](b Block) (T, error) {
	found, ok := b.(T)
	if !ok {
		return found, fmt.Errorf("density: the block of %s, of type %T, does not implement %v", b.Party(), b,
			reflect.TypeFor[T]())
	}
	return found, nil
}

// A Decision is scalars that the parties add up, and what follows from their totals: whether the next
// evaluation is made.
type Decision struct {
	Part  [][]float64 // by block
	Total []float64   // what Env.Sum would make of Part
	// Wanted is called once, when Total is complete. It reports whether the evaluation is wanted, and reports
	// the same at every party.
	Wanted func() bool
}

// Pipelined is an Env that adds scalars and evaluates in one exchange.
type Pipelined interface {
	// Proceed is Sum and then, where d.Wanted reports so, Density, in as many exchanges as Density alone: the
	// scalars travel up with z, and the totals come with the answer. So where parties are apart, what
	// coords.Value reads and theta must stand before the call; elsewhere d.Wanted may still set them.
	Proceed(ctx context.Context, d Decision, theta [][]float64, coords Coordinates, grad [][]float64,
		lp []float64) error
	// Apart reports whether other parties are not in this process, so that an exchange costs more than an
	// evaluation in vain.
	Apart() bool
}

// AsPipelined returns the Env's own pipeline or, as a fallback, one that calls Sum and then Density and does
// not count as apart.
func AsPipelined(env Env) Pipelined {
	if p, ok := As[Pipelined](env); ok {
		return p
	}
	return inTurn{env}
}

// inTurn is the pipeline of an Env that has none.
type inTurn struct{ env Env }

func (e inTurn) Proceed(ctx context.Context, d Decision, theta [][]float64, coords Coordinates,
	grad [][]float64, lp []float64) error {
	if err := e.env.Sum(ctx, d.Part, d.Total); err != nil || !d.Wanted() {
		return err
	}
	return e.env.Density(ctx, theta, coords, grad, lp)
}

func (inTurn) Apart() bool { return false }

// A BlockTask is something that is done for every block by itself. Block is called once for each of them,
// from several goroutines.
type BlockTask interface{ Block(b int) }

// Spreading is an Env that can do what an algorithm does for every block by itself side by side, each block
// mostly where it is evaluated.
type Spreading interface {
	// Spreads reports whether blocks have enough work for that, and there are cores to share it.
	Spreads() bool
	// Each does a task for all blocks of this process and returns when it is done.
	Each(t BlockTask)
}

// AsSpreading returns the Env's own means, or nil where it has none or does not spread.
func AsSpreading(env Env) Spreading {
	if s, ok := As[Spreading](env); ok && s.Spreads() {
		return s
	}
	return nil
}

// LocalSteps is the algorithm's part in an evaluation in which clients take steps of their own. Each method
// is called once for every client in this process, in the order of their declaration; Send and Receive only
// where the block has cuts.
type LocalSteps interface {
	// Send sets z (length AuxLen), the auxiliary variables that the client sends. Nothing has been evaluated
	// yet.
	Send(b int, z []float64)
	// Answer is called once everything that the density of block b depends on has been received. It evaluates
	// wherever it likes, by the block's LocalDensity, sets answer (length LocalDensity.Received) to the
	// derivatives that the others are to have, means over its evaluations for example, and returns what
	// becomes lp[b].
	Answer(b int, answer []float64) float64
	// Receive takes adj = ∂/∂z of everything the other parties evaluate (length AuxLen).
	Receive(b int, adj []float64)
}

// LocallyStepped is an Env whose clients can evaluate their own density several times between what they
// receive and what they answer, given their auxiliary variables: it may panic where the cuts themselves
// cross.
type LocallyStepped interface {
	// StepLocally is Density with every evaluation of a client's block left to steps: it sets grad[b] and
	// lp[b] of the server's block as Density does, at theta[b], and lp[b] of a client's block to what steps
	// returns. It neither reads theta[b] nor sets grad[b] of a client's block.
	StepLocally(ctx context.Context, theta [][]float64, steps LocalSteps, grad [][]float64,
		lp []float64) error
}

// Windowed is an Env whose rows are divided into windows.
type Windowed interface {
	// Windows is their number; 0: the rows are not divided.
	Windows() int
	// Window returns the Env over the rows of window k alone, counted from 0, and these rows, numbered in the
	// whole from 0 and ascending. It has the same parties, parameters, streams and counts of work; its cuts
	// have the window's rows. In it a likelihood over rows is scaled by the number of windows, so that the
	// mean of the windows' densities is the density over all rows. It returns the same Env each time, and may
	// return one Env for several windows: Turn says which of them it is of. The labels of its cuts are those
	// of any such window.
	Window(k int) (Env, []int)
	// Turn makes the next evaluations of the Env of window k those of that window.
	Turn(k int)
}

// A Draw is one draw of an algorithm, by block.
type Draw struct {
	Theta [][]float64
	// Z are the auxiliary variables; nil where Env.ReadsAuxiliaries reports that they are not needed.
	Z [][]float64
	// Streams, at the round of the draw, are for quantities that are drawn. They may be nil where none is.
	Streams []Stream
}

// Replay makes an evaluation that the process that saved the state had made: it is neither counted nor shown
// again.
func Replay(env Env, evaluate func() error) error {
	work := env.Work()
	counted := *work
	if r, ok := As[Chained](env); ok {
		r.Replay(true)
		defer r.Replay(false)
	}
	err := evaluate()
	*work = counted
	return err
}

// A PathPoint is the place of a point in the trajectories of a chain.
type PathPoint struct {
	Trajectory int  // its number
	Start      int  // the number that its start had in the trajectory before
	Point      int  // its own number, negative backward in time: the start has 0
	Settled    bool // the warm-up is over: metric and step size stay as they are
}

// Work counts evaluations and what crossed between parties.
type Work struct {
	Gradients int64 `json:"gradients"`
	// Iterations are those of the algorithm, which whoever reports a fit fills in.
	Iterations int64 `json:"iterations"`
	Rounds     int64 `json:"rounds"`
	// Sequential are the rounds in which a party waits for the answer of another before it goes on: what a
	// run costs where messages take long. Values that are only told are none, and chains that run at the same
	// time count once.
	Sequential int64 `json:"sequential_rounds"`
	Bytes      int64 `json:"bytes"`
}

// Plus returns the sum of two counts.
func (w Work) Plus(o Work) Work {
	return Work{Gradients: w.Gradients + o.Gradients, Rounds: w.Rounds + o.Rounds,
		Sequential: w.Sequential + o.Sequential, Bytes: w.Bytes + o.Bytes}
}

// Beside returns the sum of the counts of two runs at the same time.
func (w Work) Beside(o Work) Work {
	sum := w.Plus(o)
	sum.Sequential = max(w.Sequential, o.Sequential)
	return sum
}

// Minus returns the difference of two counts.
func (w Work) Minus(o Work) Work {
	return Work{Gradients: w.Gradients - o.Gradients, Rounds: w.Rounds - o.Rounds,
		Sequential: w.Sequential - o.Sequential, Bytes: w.Bytes - o.Bytes}
}
