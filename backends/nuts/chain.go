package nuts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// attempts is how many starting points are tried, as Stan does, and mostSteep how many of them are passed
// over for their gradient.
const (
	attempts  = 100
	mostSteep = 20
)

// steepest is the greatest |gradient| from which a chain begins if it has the choice: with a greater one
// 1/|gradient| is beyond the least inverse mass, and the warm-up may be over before the chain has come from
// there.
const steepest = 1 / leastMass

// A chain is a kernel: one Markov chain, over the parties of this process.
type chain struct {
	env      density.Env
	pipeline density.Pipelined
	settings backends.Settings
	parties  []*party
	pool     *pool
	tuner    tuner
	tree     tree
	lp       []float64
	theta    [][]float64 // by block, at the point being evaluated
	scalars  [][]float64 // of each block, as laid out in tree.go
	part     [][]float64 // those that are to be summed
	total    []float64

	// between two steps
	now      *point
	eps      float64 // step size
	done     int     // transitions
	searches int     // momenta drawn to find a step size
	bad      int     // evaluations that were not finite
	unsolved int     // of these, in sampling, where a differential equation had no solution
	last     backends.Transition
	rise     float64 // of the log density in the newest transition
	spread   float64 // what StepInfo calls Across

	choices density.Stream

	warmup int             // transitions
	draws  int             // transitions after them
	depth  int             // most doublings
	places density.Chained // nil: nobody watches trajectories
	place  density.PathPoint
	// parties are apart, so that a state is begun before the one before it has joined the trajectory
	speculative bool
	proceed     func() bool // decide

	beside density.Spreading // nil: parties are gone through in turn
	doing  func(k *chain, b int)
	move   move
	across *across // nil: no ridges span the parties
}

// A move is a leapfrog in the making, with the pairs of subtrees that its state completes.
type move struct {
	from, next *point
	p, half    *jointVector // momenta
	by         stride
	turning    bool // an evaluation goes to next: noise with unit masses is not there yet
	pairs      []pair
	products   int // the first scalar of its gradient's products with ridges across parties
}

// each does something for every party by itself: do must not be a closure, which would be allocated.
func (k *chain) each(do func(k *chain, b int)) {
	if k.beside == nil {
		for b := range k.parties {
			do(k, b)
		}
		return
	}
	k.doing = do
	k.beside.Each(k)
}

// Block implements density.BlockTask.
func (k *chain) Block(b int) { k.doing(k, b) }

func newChain(env density.Env, s backends.Settings) (*chain, error) {
	if err := errors.Join(checkInitial(s), checkMetric(env.Blocks(), s)); err != nil {
		return nil, err
	}
	env, err := evaluated(env, s)
	if err != nil {
		return nil, err
	}
	k := &chain{env: env, pipeline: density.AsPipelined(env), settings: s, eps: 1, warmup: s.Int(Warmup),
		draws: s.Int(Draws), depth: s.Int(maxDepth)}
	k.speculative = k.pipeline.Apart()
	k.places, _ = density.As[density.Chained](env)
	k.choices = env.Shared("nuts tree")
	k.proceed = k.decide
	k.beside = density.AsSpreading(env)
	blocks, depth := env.Blocks(), k.depth
	noises, slopes := newNoises(blocks, s)
	for b, aux := range newAuxiliaries(blocks, s) {
		k.parties = append(k.parties, newParty(env, b, aux, noises[b], s))
	}
	k.pool = newPool(k.parties, adjointsOf(slopes), mostPoints, vectorsFor(depth))
	k.now = k.pool.point()
	k.tree.waiting = make([]subtree, 0, depth+1)
	k.move.pairs = make([]pair, 0, depth+1)
	k.lp = make([]float64, len(blocks))
	k.theta = make([][]float64, len(blocks))
	k.across = newAcross(k)
	scalars := scalarsOf(s)
	k.total = make([]float64, scalars)
	for range blocks {
		k.scalars = append(k.scalars, make([]float64, scalars))
	}
	k.part = slices.Clone(k.scalars)
	k.tuner = newTuner(k)
	return k, nil
}

// checkMetric refuses a metric that the warm-up cannot find, or that takes the memory of a matrix of all
// parameters of a party.
func checkMetric(blocks []density.Block, s backends.Settings) error {
	form := s.Text(metricForm)
	if form == jointMetric && s.Plan.Encrypted {
		return fmt.Errorf("--%s %s adds up products of draws and of gradients, which encrypted rows do not "+
			"have: --%s auto", metricForm, form, metricForm)
	}
	if (form == lowRank || form == jointMetric) && !warmsAlone(s) {
		return fmt.Errorf("--%s %s is found from draws and gradients of chains that warm up alone: it "+
			"takes no --%s", metricForm, form, initial)
	}
	most, keeps := ridgesLimit, "keeps draws"
	if form == "dense" {
		most, keeps = MostDense, "is a matrix for each chain"
	} else if form != lowRank && form != jointMetric {
		return nil
	}
	for _, b := range blocks {
		if b.Dim() > most {
			return fmt.Errorf("--%s %s %s of at most %d parameters of a party, and %s "+
				"has %d: --%s diag or auto", metricForm, form, keeps, most, b.Party(), b.Dim(), metricForm)
		}
	}
	return nil
}

// Init looks for a starting point where density and gradient are finite and the gradient is no more than
// steepest, or else for the least steep of the finite ones, and for a first step size.
func (k *chain) Init(ctx context.Context) error {
	several, err := k.multimodal(ctx)
	if err == nil && several {
		several, err = k.screen(ctx)
	}
	switch {
	case err != nil:
		return err
	case several:
		return k.tuner.begin(ctx)
	}
	least, best, steep := math.Inf(1), uint64(0), 0
	for attempt := range uint64(attempts) {
		ok, err := k.start(ctx, attempt)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		squares := k.total[startSquares]
		if squares <= steepest*steepest {
			return k.tuner.begin(ctx)
		}
		if squares < least {
			least, best = squares, attempt
		}
		if steep++; steep == mostSteep {
			break
		}
	}
	if steep > 0 {
		if _, err := k.start(ctx, best); err != nil {
			return err
		}
		return k.tuner.begin(ctx)
	}
	return backends.NotFinite(k.env, false,
		"nuts: the log density or its gradient is not finite at any of %d starting points", attempts)
}

// start goes to a starting point and evaluates it. What is at the point of an attempt does not depend on
// other attempts.
func (k *chain) start(ctx context.Context, attempt uint64) (ok bool, err error) {
	for b, s := range k.parties {
		s.begin(attempt, k.now.q.at[b], s.noise.of(k.now.q))
		if k.settings.Plan.Encrypted {
			narrow(k.now.q.at[b], attempt)
		}
		density.Place(k.env, b, k.now.q.theta[b])
		if s.shear != nil {
			s.shear.order(k.now.q.theta[b])
		}
		if s.intercepts != nil {
			s.intercepts.begin(k.env, b)
		}
	}
	return k.evaluateStart(ctx)
}

// refer takes the current point to the references.
func (k *chain) refer() {
	for b, s := range k.parties {
		s.metric.refer(b, k.now)
	}
}

// The scalars of a starting point: the log density, the squared length of its gradient, and of the
// coordinates log|∂θ/∂u| and how many there are.
const (
	startDensity = iota
	startSquares
	startJacobian
	startNumbers
	startScalars
)

// evaluateStart evaluates the current point, and leaves its scalars in k.total.
func (k *chain) evaluateStart(ctx context.Context) (ok bool, err error) {
	k.move.next, k.move.turning = k.now, false
	if err := k.evaluate(ctx, k.now); err != nil {
		return false, err
	}
	for b, s := range k.parties {
		s.complete(b, k.now.g)
		squares := s.noise.squares(k.now.q, k.now.g.adjoints)
		for _, g := range k.now.g.at[b] {
			squares += float64(g * g)
		}
		copy(k.scalars[b], []float64{startDensity: k.logDensity(b), startSquares: squares,
			startJacobian: s.logJacobian(), startNumbers: float64(s.dim())})
	}
	if err := k.sum(ctx, startScalars); err != nil {
		return false, err
	}
	k.now.lp = k.total[startDensity]
	if !finite(k.now.lp) || !finite(k.total[startSquares]) || !finite(k.total[startJacobian]) {
		k.bad++
		return false, nil
	}
	return true, nil
}

// evaluate sets the gradient at a point; logDensity is then what each block adds to the log density.
func (k *chain) evaluate(ctx context.Context, at *point) error {
	k.evaluateAt(at)
	return k.env.Density(ctx, k.theta, k, at.g.theta, k.lp)
}

// evaluateAt prepares an evaluation at a point.
func (k *chain) evaluateAt(at *point) {
	for b, s := range k.parties {
		s.at(at.q.at[b], at.g.at[b])
		k.theta[b] = s.theta
	}
}

func (k *chain) logDensity(b int) float64 { return k.lp[b] + k.parties[b].lp }

// Value implements density.Coordinates.
func (k *chain) Value(b int, g, z []float64) {
	s := k.parties[b]
	s.lp = s.aux.value(s.e, g, z) + s.noise.value(&k.move, g, z)
}

// Adjoint implements density.Coordinates.
func (k *chain) Adjoint(b int, adj, own, w, _ []float64) {
	s := k.parties[b]
	s.aux.adjoint(s.e, s.gradient, adj, own, w)
	s.noise.adjoint(k.move.next.g.adjoints, adj, own, w)
}

// sum adds the first n scalars of every party.
func (k *chain) sum(ctx context.Context, n int) error {
	k.cutScalars(n)
	return k.env.Sum(ctx, k.part, k.total[:n])
}

// cutScalars sets the number of scalars of every block that are to be summed to n.
func (k *chain) cutScalars(n int) {
	if len(k.part[0]) == n {
		return
	}
	for b, p := range k.scalars {
		k.part[b] = p[:n]
	}
}

// Step makes one transition.
func (k *chain) Step(ctx context.Context) (backends.StepInfo, error) {
	if err := k.transition(ctx); err != nil {
		return backends.StepInfo{}, err
	}
	k.done++
	if k.done <= k.warmup {
		if err := k.tuner.learn(ctx); err != nil {
			return backends.StepInfo{}, err
		}
	}
	return k.info(), nil
}

func (k *chain) info() backends.StepInfo {
	i := backends.StepInfo{Phase: "warmup", Iteration: k.done, Iterations: k.warmup, NonFinite: k.bad,
		Unsolved: k.unsolved, Across: k.spread, Transition: k.last}
	if k.done > k.warmup {
		i.Phase, i.Iteration, i.Iterations, i.Draws = "sampling", k.done-k.warmup, k.draws, k.done-k.warmup
	}
	i.Done = k.done >= k.warmup+k.draws
	return i
}

// Draw implements backends.Kernel: the kernel keeps the newest draw alone.
func (k *chain) Draw(_ int, theta [][]float64) {
	for b, t := range theta {
		s := k.parties[b]
		copy(t, s.place(k.now.q.theta[b]))
		if s.intercepts != nil {
			s.intercepts.declare(t, k.now.g.means[b])
		}
	}
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// errStep is the error where no step size was found.
var errStep = errors.New("nuts: no step size is small enough: the density may not be continuous, " +
	"or its gradient be wrong")

// search finds a step size from eps at which one leapfrog crosses a log acceptance, by doubling or halving
// (Stan's initial search). Each trial has a momentum of its own. limit is the largest step size that makes
// sense.
func (k *chain) search(ctx context.Context, eps, crossing, limit float64) (float64, error) {
	rising, err := k.trial(ctx, eps, crossing)
	if err != nil {
		return 0, err
	}
	for {
		if rising {
			eps *= 2
		} else {
			eps /= 2
		}
		switch up, err := k.trial(ctx, eps, crossing); {
		case err != nil:
			return 0, err
		case up != rising:
			return eps, nil
		case eps >= limit:
			return limit, nil
		case eps < math.SmallestNonzeroFloat64*1e16:
			return 0, errStep
		}
	}
}

// trial reports whether one leapfrog from the current point has a log acceptance above crossing.
func (k *chain) trial(ctx context.Context, eps, crossing float64) (bool, error) {
	defer k.pool.reset(k.now)
	p := k.pool.get()
	for b, s := range k.parties {
		s.search.Round(uint64(k.searches))
		s.draw(b, k.now, p, s.search)
	}
	k.searches++
	if err := k.spreadAcross(ctx, p); err != nil {
		return false, err
	}
	next, _, err := k.leapfrog(ctx, k.now, p, eps)
	if err != nil {
		return false, err
	}
	if err := k.sumState(ctx, criteria); err != nil {
		return false, err
	}
	return k.logWeight(next) > crossing, nil
}
