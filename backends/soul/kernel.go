package soul

import (
	"context"
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
)

// The phases of a run.
const (
	resting    = iota // at the start: the gradient there, and its noise
	climbing          // constant steps
	settling          // decaying steps, averaged
	evaluating        // at the average: the gradient there
	sampling          // θ given the average
	done
)

const (
	attempts   = 50 // initial values tried
	unsteady   = 5  // iterations at a new place before the chains count
	restingFor = 20 // iterations of the resting phase that count
	// the climb is held against itself first after so many iterations, then each time these have doubled
	firstCheck   = 200
	longestClimb = 3    // the climb takes 1/longestClimb of all iterations at most
	evaluatedFor = 250  // iterations of the evaluation
	batches      = 10   // of the evaluation
	patience     = 1000 // iterations without a finite gradient before a fit is given up
	scalars      = 7    // that are summed over the parties at once
)

// A kernel is one run, over the parties of this process.
type kernel struct {
	env      density.Env
	stepped  density.LocallyStepped
	work     *density.Work
	settings backends.Settings
	parties  []*party
	theta    [][]float64
	grad     [][]float64
	lp       []float64
	part     [][]float64
	total    []float64
	plain    plain
	survey

	phase    int
	iter     int // iterations of the fit
	planned  int // in all, at most
	local    int // iterations of the phase
	check    int // iterations at which the parties meet next
	climbed  int // K₀
	averaged int
	seen     int    // of these at the last look
	compared int    // iterations at the last comparison of the climb
	counts   [3]int // iterations of each of its windows
	lost     int    // iterations in a row without a finite gradient at a party of this process
	bad      int
	draws    int // of a chain
	stale    bool
	memory   []int   // of the Env before the last iteration's exchange, which a resumed run makes again
	square   float64 // of the gradient at the start, in the metric
	noise    float64 // the same of the noise of one iteration's gradient
	mode     backends.Mode
}

func newKernel(env density.Env, s backends.Settings) (*kernel, error) {
	stepped, err := density.Require[density.LocallyStepped](env)
	if err != nil {
		return nil, fmt.Errorf("soul: %w", err)
	}
	blocks := env.Blocks()
	k := &kernel{env: env, stepped: stepped, work: env.Work(), settings: s, lp: make([]float64, len(blocks)),
		total: make([]float64, scalars)}
	k.planned = s.Int(iterations)
	for b, block := range blocks {
		p, err := newParty(env, b, s)
		if err != nil {
			return nil, fmt.Errorf("soul: %w", err)
		}
		k.parties = append(k.parties, p)
		k.theta = append(k.theta, nil)
		k.grad = append(k.grad, make([]float64, block.Dim()))
		k.part = append(k.part, make([]float64, scalars))
	}
	k.plain.kernel = k
	k.check = min(firstCheck, k.planned/longestClimb)
	return k, nil
}

// Init looks for a start where density and gradient are finite, with every z at its cut, and measures
// curvature there.
func (k *kernel) Init(ctx context.Context) error {
	if err := k.find(ctx); err != nil {
		return err
	}
	for attempt := range uint64(attempts) {
		ok, err := k.try(ctx, attempt)
		if err != nil {
			return err
		}
		if ok {
			return k.curvature(ctx, true)
		}
	}
	return backends.NotFinite(k.env, false,
		"soul: the log density or its gradient is not finite at any of %d initial values", attempts)
}

func (k *kernel) unusable() error {
	return backends.NotFinite(k.env, true,
		"soul: the curvature of the density in the server's parameters is not finite")
}

func (k *kernel) try(ctx context.Context, attempt uint64) (bool, error) {
	for b, p := range k.parties {
		p.start(attempt, func(theta []float64) { density.Place(k.env, b, theta) })
	}
	k.plain = plain{kernel: k, start: true}
	if err := k.evaluate(ctx); err != nil {
		return false, err
	}
	for b, p := range k.parties {
		clear(k.part[b])
		if !finite(k.lp[b] + square(k.grad[b]) + square(p.adjoint)) {
			k.part[b][0] = 1
		}
		copy(p.old, p.x)
		copy(p.followed, p.x)
	}
	err := k.env.Sum(ctx, k.part, k.total)
	return k.total[0] == 0, err
}

// Send implements density.LocalSteps: z is the iterate.
func (k *kernel) Send(b int, z []float64) { copy(z, k.parties[b].x) }

// Answer implements density.LocalSteps: a client's Langevin chains make the steps of an iteration.
func (k *kernel) Answer(b int, answer []float64) float64 {
	return k.parties[b].runChains(k.settings.Int(inner), answer)
}

// Receive implements density.LocalSteps.
func (k *kernel) Receive(b int, adj []float64) { k.parties[b].setGradient(adj) }

// gradient estimates the gradient of L at the current point: the chains move on for it.
func (k *kernel) gradient(ctx context.Context) error {
	for b, p := range k.parties {
		k.theta[b] = p.theta
		p.tuning = k.phase < evaluating
	}
	k.memory = density.Remember(k.env, k.memory)
	if err := k.stepped.StepLocally(ctx, k.theta, k, k.grad, k.lp); err != nil {
		return err
	}
	k.count()
	bad := false
	for b, p := range k.parties {
		if p.server() {
			copy(p.grad, k.grad[b])
		}
		bad = bad || !finite(square(p.grad))
	}
	if !bad {
		k.lost = 0
	} else if k.lost++; k.lost == patience {
		return backends.NotFinite(k.env, true, "soul: the gradient was not finite in %d iterations in a row",
			patience)
	}
	return nil
}

// count counts an iteration's evaluations of the clients' own densities, which all make side by side, as so
// many gradients.
func (k *kernel) count() {
	k.work.Gradients += int64(k.settings.Int(inner) * k.settings.Int(innerChains))
}

// Step does one iteration, or makes one draw of each chain.
func (k *kernel) Step(ctx context.Context) (backends.StepInfo, error) {
	var err error
	switch k.phase {
	case resting:
		err = k.rest(ctx)
	case climbing:
		err = k.climb(ctx)
	case settling:
		err = k.settle(ctx)
	case evaluating:
		err = k.evaluateMode(ctx)
	case sampling:
		err = k.sample(ctx)
	}
	return k.info(), err
}

func (k *kernel) enter(phase int) { k.phase, k.local = phase, 0 }

// shareOf is the step of a party in its metric. With γ beside z the metric, being that of each alone, may be
// J+1 times as great as that of both together in the direction in which all move at once: shares J/(J+1) and
// 1/(J+1) keep the sum of both below 1.
func (k *kernel) shareOf(p *party) float64 {
	j := float64(k.members)
	switch {
	case k.gamma == 0 || k.members == 0:
		return 1
	case p.server():
		return 1 / (j + 1)
	}
	return j / (j + 1)
}

// sum leaves in total what the parties put in part.
func (k *kernel) sum(ctx context.Context, of func(p *party, part []float64)) error {
	for b, p := range k.parties {
		clear(k.part[b])
		k.part[b][scalars-1] = float64(p.bad)
		of(p, k.part[b])
	}
	if err := k.env.Sum(ctx, k.part, k.total); err != nil {
		return err
	}
	k.bad = int(k.total[scalars-1])
	return nil
}
