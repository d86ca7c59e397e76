// Package lastlayer fits models in which contributions of clients are networks h(x; φ)·w: hidden layers φ,
// and a last layer w with a normal prior. The parties find the mode of φ, w integrated out as if the others
// were known. Then φ stays there, the values h of the last hidden layer are columns of data, and w has with
// all other parameters the posterior of a generalised linear model, which another kernel fits.
//
// For the mode the server tells adjoint and curvature of the likelihood in each row of the sums. A client
// maximises its own density plus the quadratic function of its contribution that these give, the curvature
// multiplied so that clients that move at once do not go too far, by steps of its own: one round trip,
// whatever its network is. Where the joint density falls all go back, and the curvature is doubled.
//
// Methods: MacKay (1992), "A practical Bayesian framework for backpropagation networks"; the last layer
// alone: Snoek et al. (2015), "Scalable Bayesian optimization using deep neural networks"; Kristiadi, Hein
// and Hennig (2020), "Being Bayesian, even just a bit, fixes overconfidence in ReLU networks"; Daxberger et
// al. (2021), "Laplace redux".
package lastlayer

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
)

// Options is what a user may choose, and what the fit is made of.
type Options struct {
	Iterations int     // most round trips to the mode
	Tolerance  float64 // rise of the log density, in nats, below which the mode is reached
	Heading    string  // of a saved state
	// Climbing brings what crosses at the cuts; adjoint and curvature of the likelihood come back.
	Climbing *density.Exchange
	// Given makes the kernel of the model that is left where the hidden layers are known.
	Given func(density.Env) (Given, error)
}

// Given is a kernel of a generalised linear model across parties.
type Given interface {
	backends.Kernel
	backends.Weighted
}

// Scalars and Answers are how many numbers a client adds and the server answers in a round trip to the mode.
const (
	Scalars = 3
	Answers = 4
)

// What the server decides of a point.
const (
	goOn = iota
	goBack
	finish
	abandon
)

// A Kernel is one fit.
type Kernel struct {
	options Options
	env     density.Env
	relay   density.Relaying
	parties []*party
	server  *server // nil at a client's process

	trips   int
	verdict int
	damping float64
	value   float64 // what is maximised, at the best point so far
	hidden  int     // parameters of hidden layers of all parties
	reached bool
	given   Given // nil: the mode is being looked for
	done    bool
}

var errNoNetwork = errors.New("no client's contribution has hidden layers")

// New prepares a fit. The error names what does not fit.
func New(env density.Env, o Options) (*Kernel, error) {
	k := &Kernel{options: o, env: env, damping: 1, value: math.Inf(-1)}
	var err error
	if k.relay, err = density.Require[density.Relaying](env); err != nil {
		return nil, Refuse(errors.New("no client contributes to another party's computation"))
	}
	for b, block := range env.Blocks() {
		p, err := newParty(block)
		if err != nil {
			return nil, Refuse(err)
		}
		p.noise = env.Private(b, "sfvi start")
		k.parties = append(k.parties, p)
		if block.Index() == 0 {
			k.server = newServer(p)
		}
	}
	return k, nil
}

// Refuse makes a reason why a model does not suit a refusal; nil stays nil.
func Refuse(err error) error {
	if err == nil {
		return nil
	}
	return &backends.Refusal{Code: diag.NoLastLayer, Err: fmt.Errorf("--estimator last-layer: %w", err),
		Out: "--estimator auto, or --backend nuts"}
}

// Init implements backends.Kernel: hidden layers begin at a draw from their priors, as far as these are
// normal, and everything else at 0, or where the user wants it.
func (k *Kernel) Init(context.Context) error {
	for b, p := range k.parties {
		p.start(0)
		density.Place(k.env, b, p.theta)
		copy(p.base, p.theta)
	}
	return nil
}

// Step makes one round trip to the mode, or a Step of the fit given the hidden layers.
func (k *Kernel) Step(ctx context.Context) (backends.StepInfo, error) {
	if k.given != nil {
		i, err := k.given.Step(ctx)
		k.done = i.Done
		return k.told(i), err
	}
	if err := k.climb(ctx); err != nil {
		return backends.StepInfo{}, err
	}
	i := k.told(backends.StepInfo{Phase: "fit", Iterations: k.options.Iterations})
	i.Fit.Trace = backends.MonteCarloMean{Value: k.value, N: 1}
	if k.verdict == finish {
		return i, k.begin(ctx)
	}
	return i, nil
}

// told adds the round trips to the mode to what a Step tells.
func (k *Kernel) told(i backends.StepInfo) backends.StepInfo {
	if i.Phase != backends.Evaluation {
		i.Iteration += k.trips
		if k.given != nil {
			i.Iterations += k.trips
		}
	}
	i.Fit.Converged = i.Fit.Converged && k.reached
	return i
}

// begin begins the fit given the hidden layers, with everything else at the mode.
func (k *Kernel) begin(ctx context.Context) error {
	if err := k.hold(); err != nil {
		return err
	}
	return k.given.Init(ctx)
}

// hold makes the kernel of the model given the hidden layers.
func (k *Kernel) hold() (err error) {
	e := &featured{Env: k.env}
	for _, p := range k.parties {
		e.blocks = append(e.blocks, p.featured())
		e.starts = append(e.starts, []density.Init{{Values: p.base}})
	}
	k.given, err = k.options.Given(e)
	return err
}

// A featured is an Env whose hidden layers are data.
type featured struct {
	density.Env
	blocks []density.Block
	starts [][]density.Init
}

func (e *featured) Unwrap() density.Env         { return e.Env }
func (e *featured) Blocks() []density.Block     { return e.blocks }
func (e *featured) Starts(b int) []density.Init { return e.starts[b] }

// Draw implements backends.Kernel.
func (k *Kernel) Draw(id int, theta [][]float64) {
	for b, p := range k.parties {
		copy(theta[b], p.base)
	}
	if k.given == nil {
		return
	}
	k.given.Draw(id, theta)
	for b, p := range k.parties {
		for _, i := range p.hidden() {
			theta[b][i] = p.base[i]
		}
	}
}

// Auxiliary implements backends.Kernel: there are no auxiliary variables.
func (k *Kernel) Auxiliary(context.Context, int, [][]float64) error { return nil }

// Ratios implements backends.Weighted: of the densities given the hidden layers.
func (k *Kernel) Ratios() []float64 {
	if !k.done {
		return nil
	}
	return k.given.Ratios()
}

// Propose implements backends.Weighted.
func (k *Kernel) Propose(on bool) { k.given.Propose(on) }

// Correctable implements backends.Weighted.
func (k *Kernel) Correctable() (bool, error) {
	if k.given == nil {
		return false, nil
	}
	return k.given.Correctable()
}

// Unfinished implements backends.Unfinished.
func (k *Kernel) Unfinished() (reason, wayOut string) {
	if k.reached {
		return "", ""
	}
	return fmt.Sprintf("after %d round trips the log density still rose: the hidden "+
		"layers are not at their mode", k.trips), "more --iterations"
}

// Held implements backends.Holding.
func (k *Kernel) Held() string {
	return "the hidden layers are at their mode: these are draws of the posterior of all other parameters " +
		"given the features, the values of the last hidden layer. " +
		"Intervals of predictions leave out how uncertain the features are, and another " +
		"mode has other features"
}
