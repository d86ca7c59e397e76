// Package laplace approximates a posterior whose rows stay encrypted by a Gaussian over the parameters of all
// parties, with the curvature at the mode and the mean of the nearest one, and corrects it by weights.
// Nothing crosses that has a number a row, and few sums over rows are decrypted (density.Encrypting).
//
// A party knows the derivatives by its own coefficients alone. At first each steps by its own block of the
// curvature, B_k = c·X_kᵀX_k + P_k for the mean curvature c of the likelihood at the start, and the parties
// mix their latest steps by coefficients that follow from products f_iᵀBf_j, sums over parties. Near the
// mode, or where that is slow, the curvature of all parties is decrypted to the server once: from then on the
// server answers gradients with Newton's steps, of which each party receives its own part, and knows how far
// the mode is in posterior standard deviations. No party learns another's coefficients: the server knows
// deviations from a mode that it does not know. Gradients at pairs of points around the mode lead to the
// mean.
//
// What each party learns: a client the gradients by its own coefficients, products of steps added up over
// parties, its own deviations of draws, and the weights of all; the server the parts of the products, the
// curvature of all parties, the gradients near the mode and log p at draws. Of a client with one column or
// two such products show the server the steps, and so the coefficients; of one with more what they were in
// the norm of its columns.
//
// Methods: Tierney and Kadane (1986), "Accurate approximations for posterior moments and marginal densities";
// Anderson (1965) and Walker and Ni (2011), "Anderson acceleration for fixed-point iterations"; updates of
// the curvature by Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright 2006, section 6.1).
package laplace

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/importance"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
)

// Options is what a user may choose.
type Options struct {
	Iterations int    // most evaluations, no more than MostEvaluations
	Draws      int    // from the approximation
	Correct    bool   // draws by weights, as many as the budget of decrypted numbers allows
	Weights    int    // most of these
	Nested     bool   // priors may depend on hyperparameters
	Heading    string // of a saved state
}

// MostEvaluations is how many evaluations a run has at most: a fit that takes more finds nothing.
const MostEvaluations = 60

// The phases of a run.
const (
	mixing = iota
	stepping
	seeking // the mean
	drawing
	weighing
	done
)

// A Kernel is one fit.
type Kernel struct {
	options Options
	env     density.Env
	secret  density.Encrypting
	parties []*party
	server  *server // nil at a client's process
	rows    int
	clients int
	dims    int // parameters of all parties
	phase   int

	curvature   float64 // mean of the likelihood's, at the start
	scale       float64 // curvature of all rows, in units of the predictor by which it changes
	evaluations int
	halved      int // steps of the first phase that went too far
	mix         mixer
	beyond      error   // of the last evaluation, which was out of range; nil: it was not
	averaged    int     // pairs of points over which the gradient was averaged
	opening     bool    // the curvature is decrypted before the next step
	asked       bool    // the server has the precisions of the priors
	decrement   float64 // of the last evaluation: twice the rise of log p that its step promises
	converged   bool
	unfinished  string // why not, where more evaluations would not help
	failure     error
	owner       int   // the party with effects whose prior depends on hyperparameters; −1: none has
	receives    int   // elements of the server's hyperparameters that it receives
	hypers      []int // hyperparameters of each party

	pairs    int       // of draws, one the other's reflection
	weights  int       // of draws that are weighed
	weighed  int       // so far
	tooLong  bool      // it is their bytes that allow no weights
	scales   []float64 // of each pair, as proposed
	evidence float64   // of the approximation
	valued   bool      // it is known
	ratios   []float64
	normal   bool // the approximation is the posterior
	vain     bool // the first weights said that no more would correct the draws
	proposed bool // the draws are those that are weighed
	noise    []density.Stream
}

// New prepares a fit. The error names what does not fit.
func New(env density.Env, o Options) (*Kernel, error) {
	k := &Kernel{options: o, env: env, evidence: math.NaN(), owner: -1}
	k.options.Iterations = min(o.Iterations, MostEvaluations)
	var err error
	if k.secret, err = density.Require[density.Encrypting](env); err != nil {
		return nil, err
	}
	columns := k.secret.Columns()
	k.hypers = make([]int, len(columns))
	k.clients = len(columns) - 1
	for _, c := range columns {
		k.dims += c
	}
	for b, block := range env.Blocks() {
		p, err := newParty(block, columns[block.Index()], o.Nested)
		if err != nil {
			return nil, err
		}
		k.parties, k.rows = append(k.parties, p), p.n
		k.noise = append(k.noise, env.Private(b, "sfvi draw"))
		if block.Index() == 0 {
			k.server = newServer(p, columns)
		}
	}
	k.pairs = max(1, o.Draws/2)
	k.scales = importance.Scales(env, k.pairs)
	return k, nil
}

// applies returns the linear form of a block, or the reason why a fit of encrypted rows is not possible with
// it.
func applies(b density.Block) (*density.Linear, error) {
	l, err := density.Linearised(b)
	if err == nil {
		err = quadrature.Suits(b, l, false, true)
	}
	if err != nil {
		return nil, err
	}
	refuse := func(format string, args ...any) (*density.Linear, error) {
		return nil, fmt.Errorf("%s: encrypted rows: "+format, append([]any{b.Party()}, args...)...)
	}
	switch {
	case b.AuxLen() > 0:
		return refuse("contributions cross without noise, which transform exact declares")
	case len(l.Sums) != 1 || b.Index() == 0 && len(l.Rows) != 1 || b.Index() > 0 && len(l.Members) != 1:
		return refuse("there is one likelihood, of one sum that every client contributes to once")
	case l.Received > 0 || len(l.Sends.Offset) > 0:
		return refuse("no party receives a parameter of another: declare it at the party that uses it")
	}
	return l, nil
}

// Init implements backends.Kernel. The server tells the mean curvature at its start.
func (k *Kernel) Init(ctx context.Context) error {
	for b, p := range k.parties {
		if b == 0 && k.server != nil {
			k.curvature, k.scale = k.server.start()
		}
		theta := make([]float64, p.block.Dim())
		p.scatter(p.theta, theta)
		density.Place(k.env, b, theta)
		for i, at := range p.index() {
			p.theta[i] = theta[at]
		}
		p.begin(theta)
	}
	if err := k.introduce(ctx); err != nil {
		return err
	}
	if err := k.secret.Consult(ctx, beginning{k}); err != nil {
		return err
	}
	if c := k.curvature; !(c > 0 && c <= math.MaxFloat64) {
		return &backends.FitError{Err: errors.New("sfvi: the likelihood has no curvature where the " +
			"server's own parameters fit the response best without the clients: the response, offsets or " +
			"columns are not finite, or leave nothing to fit")}
	}
	for _, p := range k.parties {
		if p.block.Index() > 0 && !p.precondition(k.curvature) {
			return p.undetermined()
		}
	}
	return nil
}

// beginning is how the server tells the mean curvature, and that of all rows in units of the predictor.
type beginning struct{ *Kernel }

func (beginning) Size(_, _ int) (up, down, all int)         { return 0, 0, 2 }
func (beginning) Ask(int, []float64)                        {}
func (k beginning) Counsel(_, _ [][]float64, all []float64) { all[0], all[1] = k.curvature, k.scale }
func (k beginning) Take(_ int, _ []float64, told []float64) { k.curvature, k.scale = told[0], told[1] }

// Step does one evaluation, or part of what follows the last.
func (k *Kernel) Step(ctx context.Context) (backends.StepInfo, error) {
	var err error
	switch k.phase {
	case mixing:
		err = k.stepByBlocks(ctx)
	case stepping:
		err = k.stepTogether(ctx)
	case seeking:
		err = k.average(ctx)
	case drawing:
		err = k.deviate(ctx)
	case weighing:
		err = k.weigh(ctx)
	}
	return k.info(), err
}

// evaluate finds the gradients of log p at the parties' points.
func (k *Kernel) evaluate(ctx context.Context) error {
	var cut, grad [][]float64
	for _, p := range k.parties {
		p.contribute()
		cut, grad = append(cut, p.cut), append(grad, p.grad)
	}
	k.evaluations++
	err := k.secret.Slopes(ctx, k.globals(), cut, grad)
	if k.beyond = nil; errors.Is(err, density.ErrRange) {
		k.beyond = err
		return nil
	}
	if err != nil {
		return err
	}
	for _, p := range k.parties {
		p.addPrior()
	}
	return nil
}

// globals are the server's parameters beside the predictor, where this process is the server's.
func (k *Kernel) globals() []float64 {
	if k.server == nil {
		return nil
	}
	return k.server.theta[k.server.c:]
}

func (k *Kernel) info() backends.StepInfo {
	i := backends.StepInfo{Phase: "fit", Iteration: k.evaluations, Iterations: k.options.Iterations}
	if k.phase < drawing {
		return i
	}
	i.Iterations = k.evaluations
	i.Fit.Judged, i.Fit.Converged, i.Fit.Rising = true, k.converged, !k.converged
	i.Fit.Drift = backends.MonteCarloMean{Value: 0.5 * k.decrement, N: 1}
	if k.phase != done {
		return i
	}
	i.Phase, i.Iteration, i.Iterations = backends.Evaluation, 1, 1
	i.Done, i.Draws = true, 2*k.pairs
	if k.valued {
		i.Fit.Final = backends.MonteCarloMean{Value: k.evidence, N: 1}
	}
	if k.vain {
		i.Fit.Weighed = len(k.ratios)
	}
	return i
}
