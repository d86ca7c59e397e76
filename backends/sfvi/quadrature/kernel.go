// Package quadrature is variational inference without sampling: q is Gaussian and each row enters its
// likelihood through one predictor, or a few, so that the ELBO is an integral in as many dimensions for each
// row, and closed forms. It is maximised by natural gradients, with the quadratic function around the iterate
// solved at each party.
//
// Methods: Khan and Lin (2017), "Conjugate-computation variational inference"; Walker and Ni (2011),
// "Anderson acceleration for fixed-point iterations"; Papandreou and Yuille (2010), "Gaussian sampling by
// local perturbations", for draws of the joint Gaussian.
package quadrature

import (
	"context"
	"errors"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/density"
)

// Options is what a user may choose.
type Options struct {
	Start      int    // number of the starting point; see party.disperse
	Guide      string // form of q(z | θ)
	Theta      string // of q(θ): fullrank, meanfield or joint
	Iterations int
	Tolerance  float64 // of the ELBO
	Draws      int
	AtClients  bool   // the clients evaluate the likelihood
	Crossing   bool   // cuts cross themselves
	Weigh      bool   // draws, by log p − log q, which tells how close the approximation is
	Correct    bool   // the draws are those that are weighed
	Unfit      error  // why draws that should be corrected are not; nil: there is no reason
	Heading    string // of a saved state
}

// Forms of q(θ) beside a Gaussian with a full covariance for each party.
const (
	MeanField = "meanfield"
	Joint     = "joint"
)

// The phases of a run.
const (
	fitting = iota
	evaluating
	done
)

// A Kernel is one fit.
type Kernel struct {
	options Options
	env     density.Env
	relay   density.Relaying
	parties []*party
	server  *server // nil at a client's process
	phase   int
	iter    int
	verdict int
	damping float64
	elbo    float64
	rise    float64 // of the ELBO in the last iteration
	reached bool    // the ELBO rises no more
	mix     []float64
	shared  int // elements that the server sends
	sums    int // of contributions
	size    int // draws in a batch, of all sets
	// of these, those that cross, and how many sets of as many there are where their covariance is exact
	crossing, sets int
	exact          bool // it is
	first          int  // of them, whose weights decide whether the others are made
	rows           int
	ratios         []float64
	solves         int // round trips of the linear system
	solved         bool
	failure        error
	noise          []density.Stream // of draws
	noiseOf        []float64        // totals of describeNoise, once they are known
	weights        weights          // while a batch of draws is evaluated
	// and the sums of all draws, where they are needed together: by sum at the server, by membership at a
	// client
	held   [][]float64
	sent   []float64 // and what the server sends with them
	vain   bool      // the first weights of a batch said that no more would correct the draws
	scales []float64 // of each draw and its reflection
	normal bool      // the approximation is the posterior

	proposing bool // the draws are those that are weighed
	convex    bool // the log density of a row is convex somewhere, so that there may be several modes
}

// New prepares a fit. The error names what does not fit.
func New(env density.Env, o Options) (*Kernel, error) {
	k := &Kernel{options: o, env: env, mix: make([]float64, coefficients), first: importance.FirstWeights}
	var err error
	if k.relay, err = density.Require[density.Relaying](env); err != nil {
		return nil, err
	}
	all := &rules{}
	for _, b := range env.Blocks() {
		lin, err := Applies(b, o.AtClients, o.Crossing)
		if err != nil {
			return nil, err
		}
		p := newParty(b, lin, &o, all)
		k.parties = append(k.parties, p)
		if b.Index() == 0 {
			k.server = newServer(p, &o, lin.Clients, all)
			k.shared = len(lin.Sends.Offset)
		} else {
			k.shared = lin.Received
		}
	}
	if r, ok := density.As[resting](env); ok {
		r.Rest()
	}
	for b, p := range k.parties {
		k.noise = append(k.noise, env.Private(b, "sfvi draw"))
		k.sums = len(p.lin.Sums)
		k.rows = slices.Max(p.lin.Sums)
	}
	k.crossing = batchSize(k.rows, o.Draws)
	k.size, k.sets = k.crossing, k.furtherSets()
	k.scales = importance.Scales(env, k.crossing*k.sets/2)
	if err := k.expandable(); err != nil {
		return nil, err
	}
	k.noiseOf = make([]float64, perSum*k.sums)
	return k, nil
}

// described is how many scalars tell of the noise of the sums.
func (k *Kernel) described() int {
	if k.options.AtClients && k.evaluated() {
		return perSum * k.sums
	}
	return 0
}

// Init implements backends.Kernel: it needs no evaluation.
func (k *Kernel) Init(context.Context) error {
	for b, p := range k.parties {
		phi := p.start(k.options.Start, k.env.Private(b, "sfvi start"), func(mean []float64) {
			density.Place(k.env, b, mean)
		})
		if b == 0 && k.server != nil && k.server.globals != nil {
			copy(k.server.globals.mean, phi)
		}
		copy(p.now.theta, p.trail.last().theta)
	}
	return nil
}

// Step does one iteration, or evaluates the fit.
func (k *Kernel) Step(ctx context.Context) (backends.StepInfo, error) {
	var err error
	switch k.phase {
	case fitting:
		var ends []error
		if _, ends, err = Together(ctx, []*Kernel{k}); err == nil {
			err = ends[0]
		}
	case evaluating:
		if err = k.evaluate(ctx); err == nil {
			k.phase = done
		}
	}
	return k.info(), err
}

// advance ends the fit where the ELBO rises no more, or where there were as many iterations as are allowed.
func (k *Kernel) advance() {
	k.iter++
	k.reached = k.verdict == finish
	switch {
	case !k.reached && k.iter < k.options.Iterations:
	case k.evaluated():
		k.phase = evaluating
	default:
		k.phase = done
	}
}

// Failed reports whether a party of this process could not go on. It stays where it is then, since the others
// cannot know: they learn it when fits from different starting points are compared, and a first fit ends at
// once.
func (k *Kernel) Failed() bool {
	return slices.ContainsFunc(k.parties, func(p *party) bool { return p.failed })
}

// failing is the reason why the fit cannot go on.
func (k *Kernel) failing() error {
	k.fail(!k.Failed())
	return k.failure
}

func (k *Kernel) fail(ok bool) {
	if !ok && k.failure == nil {
		k.failure = &backends.FitError{Err: errors.New("sfvi: a linear system of the fit by quadrature has " +
			"no solution in double precision: the density or the data are not finite, columns are of sizes " +
			"too unlike (zscore them), or data that do not determine a parameter leave " +
			"it to an improper prior")}
	}
}

func (k *Kernel) info() backends.StepInfo {
	now := backends.MonteCarloMean{Value: k.elbo, N: 1}
	i := backends.StepInfo{Phase: "fit", Iteration: k.iter, Iterations: k.options.Iterations,
		Fit: backends.VariationalFit{Trace: now, Traced: k.phase != done || !k.evaluated()}}
	if k.phase == fitting {
		return i
	}
	i.Iterations = k.iter
	i.Fit.Judged, i.Fit.Converged, i.Fit.Rising = true, k.reached, !k.reached
	i.Fit.Drift = backends.MonteCarloMean{Value: k.rise, N: 1}
	if k.phase == evaluating {
		return i
	}
	if k.evaluated() {
		i.Phase, i.Iteration, i.Iterations = backends.Evaluation, 1, 1
	}
	if i.Done, i.Draws, i.Fit.Final = true, k.draws(), now; k.vain {
		i.Fit.Weighed = len(k.ratios)
	}
	return i
}

// evaluated reports whether the fit ends with an evaluation.
func (k *Kernel) evaluated() bool { return k.joint() || k.options.Weigh }

// batched reports whether the draws are those of the evaluation.
func (k *Kernel) batched() bool { return k.joint() || k.options.Correct }

// draws is how many draws there are.
func (k *Kernel) draws() int {
	if k.batched() {
		return k.size
	}
	return k.options.Draws
}
