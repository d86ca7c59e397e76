// Package nested fits hierarchies whose parameters are normal given a few hyperparameters, such as scales of
// effects, by a grid over these and a Gaussian at each point of it.
//
// Given hyperparameters φ the predictors of all rows are normal before the data are seen, with a covariance
// C(φ) of low rank that is a combination of a few matrices. The parties add up the products of these with
// vectors that all of them know, from which the server has C at every φ. What follows takes it no message
// over rows: the mode of the predictors at φ, the Gaussian there and the marginal likelihood of φ by
// Laplace's method; only densities of the clients' hyperparameters and coefficients of their matrices are
// asked for, many values of φ in a message. Draws of φ follow from a grid around the mode of that marginal,
// as pilot draws of the server correct it.
// Draws of all parameters given φ begin at each party's prior and are moved by one vector of the server's
// (Matheron's rule), and are weighed by the exact joint density: that of their priors cancels.
//
// Methods: Rue, Martino and Chopin (2009), "Approximate Bayesian inference for latent Gaussian models by
// using integrated nested Laplace approximations"; Wilson et al. (2021), "Pathwise conditioning of Gaussian
// processes"; Vehtari et al. (2024), "Pareto smoothed importance sampling".
package nested

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/portable"
)

// Options is what a user may choose.
type Options struct {
	Draws   int
	Correct bool   // draws by their weights
	Heading string // of a saved state
}

// The phases of a run. Each Step of one is one round trip.
const (
	greeting = iota // how many latent elements and hyperparameters there are
	sending         // random values of what clients receive, where they receive some
	ranking         // how many matrices
	spanning        // their products with vectors, in pieces
	asking          // densities of hyperparameters at values of these
	drawing
	done
	failed
	parted // the posterior has several modes
)

const (
	mostPoints = 256 // values of the hyperparameters in a message
	mostParams = 800 // latent elements of all parties
	greeted    = 3 + mostHyper
	header     = 5 // numbers before the points that are told
)

// A Kernel is one fit.
type Kernel struct {
	options Options
	env     density.Env
	relay   density.Relaying // nil where there are no clients
	parties []*party
	server  *server // nil at a client's process
	clients int
	rows    int
	// latent elements, hyperparameters, pivots and what is received of each party, in their order
	dims     []int
	hypers   []int
	pivots   []int
	received []int
	scales   []int     // how many of what is received are no latent elements
	shared   int       // latent elements of the server that clients receive
	with     []float64 // vectors, column by column
	columns  int       // of them

	phase, trips int
	piece        int       // of spanning
	count        int       // points of the next message
	points       []float64 // these
	heard        []float64 // the last answer
	drawn        int       // draws so far
	origin       int       // draws before, of which none is kept
	ratios       []float64
	plain        []int   // draws of the approximation among them
	proposing    bool    // the draws are those that are weighed
	height       float64 // log marginal density at the best value so far
	effective    float64
	vain         bool
	failure      error
	curious      curious
}

// New prepares a fit. The error names what does not fit.
func New(env density.Env, o Options) (*Kernel, error) {
	k := &Kernel{options: o, env: env, height: math.Inf(-1)}
	for b, block := range env.Blocks() {
		p, err := newParty(block, env.Private(b, "sfvi draw"))
		if err != nil {
			return nil, err
		}
		k.parties = append(k.parties, p)
		k.clients, k.rows = p.cond.Clients, p.rows
		if block.Index() == 0 {
			k.server = newServer(p, k, env, b)
		}
	}
	if k.clients > 0 {
		var err error
		if k.relay, err = density.Require[density.Relaying](env); err != nil {
			return nil, err
		}
	}
	n := k.clients + 1
	k.dims, k.hypers, k.pivots, k.received, k.scales = make([]int, n), make([]int, n), make([]int, n),
		make([]int, n), make([]int, n)
	return k, nil
}

// Init implements backends.Kernel: hyperparameters begin at 0 in coordinates without bounds, or where the
// user wants it. Those of a client are told less by numbers of its own.
func (k *Kernel) Init(context.Context) error {
	for b, p := range k.parties {
		theta := make([]float64, p.block.Dim())
		density.Place(k.env, b, theta)
		if p.block.Index() > 0 {
			k.env.Private(b, "nested coordinates").FillNormals(p.shift)
		}
		for i, at := range p.cond.Hyper {
			p.hyper[i] = theta[at]
		}
	}
	return nil
}

// exchange is a round trip, or the server's part alone where there are no clients.
func (k *Kernel) exchange(ctx context.Context, x *density.Exchange, size density.RelaySize,
	by density.Relayed) error {
	if k.trips++; k.relay != nil {
		return k.relay.Relay(ctx, x, size, by)
	}
	vectors := func(columns int) [][]float64 { return [][]float64{make([]float64, k.rows*columns)} }
	by.Answer(vectors(size.Columns), make([]float64, size.Scalars), vectors(size.Down()),
		make([]float64, size.Answers))
	return ctx.Err()
}

// Step makes one round trip.
func (k *Kernel) Step(ctx context.Context) (backends.StepInfo, error) {
	var err error
	switch k.phase {
	case greeting:
		err = k.exchange(ctx, Numbers, density.RelaySize{Scalars: greeted*k.clients + k.sums(),
			Answers: greeted * (k.clients + 1)}, greetings{k})
		if err == nil {
			greetings{k}.take()
			if err = k.fits(); err == nil && k.phase == ranking {
				err = k.settle()
			}
		}
	case sending:
		if err = k.exchange(ctx, Numbers, density.RelaySize{Answers: (1 + probes) * sum(k.received)},
			sendings{k}); err == nil {
			k.points, k.phase = append(k.points[:0], k.heard...), ranking
			if err = k.link(); err == nil {
				err = k.settle()
			}
		}
	case ranking:
		if err = k.exchange(ctx, Numbers, density.RelaySize{Scalars: k.clients, Answers: k.clients + 1},
			rankings{k}); err == nil {
			rankings{k}.take()
		}
	case spanning:
		err = k.span(ctx)
	case asking:
		if err = k.exchange(ctx, Numbers, density.RelaySize{Scalars: k.replies(), Answers: k.answers()},
			inquiry{k}); err == nil {
			k.listen()
		}
	case drawing:
		n := k.count * k.each()
		size := density.RelaySize{Columns: n, Scalars: k.replies(), Answers: k.answers() + n*(1+k.shared)}
		if err = k.exchange(ctx, Drawing, size, draws{k}); err == nil {
			draws{k}.take()
		}
	}
	return k.info(), cmp.Or(err, k.failure)
}

// sums is how many sums of contributions there are.
func (k *Kernel) sums() int {
	if k.clients == 0 {
		return 0
	}
	return len(k.parties[0].cond.Sums)
}

// replies is how many numbers clients tell of the points of a message.
func (k *Kernel) replies() int { return k.count * (1 + k.clientPivots()) }

// each is how many draws share a value of the hyperparameters: few enough that means of these, which are
// spread evenly over the lattice, are as exact as if they were independent. It is fewer where a message holds
// no more.
func (k *Kernel) each() int {
	n := 4
	if sum(k.hypers) > 2 {
		n = 2
	}
	return max(1, min(n, k.most(n)))
}

// most is how many of so many columns one message takes. With many clients that is more than in other fits:
// many small matrices cross there.
func (k *Kernel) most(columns int) int {
	if k.relay == nil {
		return columns
	}
	return min(columns, k.relay.Piece(columns)*max(1, k.clients/8))
}

// told is how many numbers a value of the hyperparameters is told by: for each client what it receives that
// follows from the server's, and its own.
func (k *Kernel) told() (n int) { return sum(k.scales) + sum(k.hypers[1:]) }

func sum(v []int) (n int) {
	for _, x := range v {
		n += x
	}
	return n
}

// answers is how many numbers follow from a message: what is next, how many points, the height, the effective
// draws, whether draws begin anew, and these points.
func (k *Kernel) answers() int { return header + mostPoints*k.told() }

func (k *Kernel) clientPivots() int { return sum(k.pivots[1:]) }

// fits is the reason why there are too many parameters.
func (k *Kernel) fits() error { return Refuse(unfit(sum(k.hypers), sum(k.dims))) }

// Refuse makes a reason why a model does not suit a refusal; nil stays nil.
func Refuse(err error) error {
	if err == nil {
		return nil
	}
	return &backends.Refusal{Code: diag.NotNested, Err: fmt.Errorf("--estimator nested: %w", err),
		Out: "--estimator auto, or --backend nuts"}
}

func unfit(hyper, latent int) error {
	if hyper > mostHyper {
		return fmt.Errorf("the parties have %d hyperparameters together, and a grid has at most %d", hyper,
			mostHyper)
	}
	if latent > mostParams {
		return fmt.Errorf("the parties have %d parameters given the hyperparameters, and the "+
			"server solves for %d at most", latent, mostParams)
	}
	return nil
}

// link takes which elements of what clients receive are latent at the server.
func (k *Kernel) link() error {
	flags := k.points[:sum(k.received)]
	k.points, k.shared = k.points[len(flags):], 0
	for _, v := range flags {
		k.shared = max(k.shared, int(v))
	}
	for j, n := range k.received {
		k.scales[j] = 0
		for _, v := range flags[:n] {
			if v == 0 {
				k.scales[j]++
			}
		}
		for _, p := range k.parties {
			if p.block.Index() == j && j > 0 {
				if err := p.declare(flags[:n], k.shared); err != nil {
					return Refuse(err)
				}
			}
		}
		flags = flags[n:]
	}
	return nil
}

// settle prepares what follows from the numbers of latent elements.
func (k *Kernel) settle() error {
	dims := sum(k.dims)
	k.columns = dims + dims/2 + 8
	k.spread()
	for b, p := range k.parties {
		if err := k.prepare(p, k.env.Private(b, "nested probes")); err != nil {
			return Refuse(err)
		}
	}
	return nil
}

// spread draws the vectors that all parties know.
func (k *Kernel) spread() {
	from := k.env.Shared("nested vectors")
	k.with = make([]float64, k.columns*k.rows)
	for c := range k.columns {
		from.Round(uint64(c))
		from.FillNormals(k.with[c*k.rows:][:k.rows])
	}
}

// prepare finds the pivots of a party.
func (k *Kernel) prepare(p *party, from density.Stream) error {
	j := p.block.Index()
	if p.vary() {
		all, at := sum(k.received), sum(k.received[:j])
		var received [][]float64
		for i := range probes {
			if all == 0 || j == 0 {
				received = append(received, nil)
				continue
			}
			received = append(received, k.points[i*all+at:][:k.received[j]])
		}
		if err := p.decompose(k.with, received, from); err != nil {
			return err
		}
	} else if p.move(nil, nil); !p.proper {
		return fmt.Errorf("%s: a prior is no proper normal distribution: it is flat", p.block.Party())
	}
	k.pivots[j] = len(p.parts.points)
	return nil
}

// info describes the state.
func (k *Kernel) info() backends.StepInfo {
	i := backends.StepInfo{Phase: "fit", Iteration: k.trips, Iterations: k.trips + 5}
	i.Fit.Trace, i.Fit.Traced = backends.MonteCarloMean{Value: k.height, N: 1}, k.phase == asking
	if k.phase != done {
		return i
	}
	i.Phase, i.Iteration, i.Iterations = backends.Evaluation, 1, 1
	i.Done, i.Draws = true, k.drawn
	i.Fit.Judged, i.Fit.Converged = true, true
	i.Fit.Final, i.Fit.Evidence = evidence(k.ratios), true
	if k.vain {
		i.Fit.Weighed = len(k.ratios)
	}
	return i
}

// evidence is the logarithm of the mean weight, of which the ELBO is a lower bound.
func evidence(ratios []float64) backends.MonteCarloMean {
	top, sum, squares, n := slices.Max(ratios), 0.0, 0.0, float64(len(ratios))
	if top-top != 0 {
		return backends.MonteCarloMean{}
	}
	for _, r := range ratios {
		w := portable.Exp(r - top)
		sum, squares = sum+w, squares+float64(w*w)
	}
	return backends.MonteCarloMean{Value: top + portable.Log(sum/n),
		SE: math.Sqrt(max(0, squares/(sum*sum)-1/n)),
		N:  len(ratios)}
}

// Draw implements backends.Kernel.
func (k *Kernel) Draw(id int, theta [][]float64) {
	for b, p := range k.parties {
		n := p.block.Dim()
		if id < k.drawn {
			at := id
			if !k.proposing && k.phase == done {
				at = k.plain[id]
			}
			copy(theta[b], p.sample[at*n:][:n])
			continue
		}
		x := make([]float64, p.d) // interrupted: the prior given the hyperparameters at the start
		if p.proper {
			p.start(id, x)
		}
		p.put(x, theta[b])
	}
}

// Auxiliary implements backends.Kernel.
func (k *Kernel) Auxiliary(_ context.Context, _ int, z [][]float64) error {
	for _, of := range z {
		if len(of) > 0 {
			return Refuse(errIntegrated)
		}
	}
	return nil
}

// Ratios implements backends.Weighted.
func (k *Kernel) Ratios() []float64 {
	if k.phase != done {
		return nil
	}
	return k.ratios
}

// Propose implements backends.Weighted. Draws of the approximation are those that are weighed, chosen by
// their weights where none of these is large: some were drawn from far beyond the lattice.
func (k *Kernel) Propose(on bool) { k.proposing = on }

// choose chooses draws of the approximation: systematically, by weights of which none is more than the mean
// times the root of their number (Ionides 2008).
func (k *Kernel) choose() {
	n := len(k.ratios)
	top := slices.Max(k.ratios)
	weights, total := make([]float64, n), 0.0
	for i, r := range k.ratios {
		if r-r == 0 {
			weights[i] = portable.Exp(r - top)
		}
		total += weights[i]
	}
	bound, sum := total/math.Sqrt(float64(n)), 0.0
	for i, w := range weights {
		weights[i] = min(w, bound)
		sum += weights[i]
	}
	k.plain = k.plain[:0]
	below := 0.0
	for i, w := range weights {
		for below += w; len(k.plain) < n && sum*(float64(len(k.plain))+0.5) < below*float64(n); {
			k.plain = append(k.plain, i)
		}
	}
	for len(k.plain) < n { // no weight is finite, or rounding
		k.plain = append(k.plain, len(k.plain))
	}
}

// Correctable implements backends.Weighted.
func (k *Kernel) Correctable() (bool, error) { return k.options.Correct, nil }

// fail makes an error the kernel's, unless it has one.
func (k *Kernel) fail(text string) {
	if k.failure == nil {
		k.failure = &backends.FitError{Err: errors.New(text)}
	}
}
