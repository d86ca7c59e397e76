// Package backends is the contract between inference algorithms and those who run them: what an algorithm is
// called, what a user may set, and how a kernel of it is driven. What an algorithm sees of a model is in
// package density.
package backends

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib/def"
)

// An Algorithm is one inference algorithm: its name, what it runs on, what a user may set, and how a run of
// it begins.
type Algorithm struct {
	Name       string          // as in --backend
	Doc        string          // Markdown: what it does, and whose method it is
	Transforms []def.Transform // those it runs on
	Settings   []Setting       // what a user may set, in the order of the documentation
	Gives      Kind            // what a kernel gives, and so how it is run and summarised
	Weights    Estimated       // the weights that it estimates
	Example    string          // settings that show it, as on the command line; "": none
	OfRows     bool            // it exchanges moments of single rows: cuts have a number for each
	Encrypts   bool            // it can do with sums over rows that stay encrypted: see density.Encrypting
	// settings with which its approximation is closer to the posterior, as on the command line; "": none
	Closer string
	// Spanning are settings with which parameters of different parties move along what correlates them, as on
	// the command line, and their price. They may help where StepInfo.Across is large: how many times the
	// variance of a party's parameters is that given those of other parties, in the direction where that is
	// most; of the party with the second most, where this process has several.
	Spanning string
	// Precedes reports whether an approximation with these settings has no settings that bring it closer, and
	// chains begin from its draws; nil: none is so.
	Precedes func(settings map[string]any) bool
	// Recentres reports whether a run with these settings, as its record has them, chooses between centred
	// and non-centred coordinates itself; nil: none does.
	Recentres func(settings map[string]any) bool
	// Exchanges lists the exchanges that a run with these settings makes where parties are apart, and what
	// crosses in them: the audit is derived from it.
	Exchanges func(Settings) []density.Use
	// Hinders are the reasons for which the block of a party excludes what Choose might choose. It is called
	// while the party has its data.
	Hinders func(density.Block, Settings) Hindrances
	// Choose settles what a user left to the algorithm, given the number of parties and the first reasons of
	// Hinders among them, and says what was chosen and why; "" where there was no choice. Every party that is
	// given the same chooses the same. The error, a Refusal, is why what a user chose does not suit all
	// parties together. nil, as Hinders: nothing is ever left to it.
	Choose func(parties int, hindered Hindrances, s Settings) (Settings, string, error)
	// Forecast says how much a run with these settings exchanges, before it; nil: nothing is said.
	Forecast func(Settings) EvaluationForecast
	// New prepares a run: it allocates everything and evaluates nothing. An error names a setting that does
	// not fit the model.
	New func(density.Env, Settings) (Kernel, error)
}

// Hindrances are the reasons for which something is not chosen, by the name that it has among the choices of
// a setting. What has none is not excluded.
type Hindrances map[string]error

// Add notes a reason, unless it is nil or there is one.
func (h Hindrances) Add(name string, reason error) {
	if reason != nil && h[name] == nil {
		h[name] = reason
	}
}

// Names lists what is excluded, in order.
func (h Hindrances) Names() []string { return slices.Sorted(maps.Keys(h)) }

// A Kind is what the kernels of an algorithm give.
type Kind int

// The kinds.
const (
	// Approximation: one kernel fits an approximation of the posterior. After its last Step any number of
	// independent draws may be taken.
	Approximation Kind = iota
	// Markov: each kernel is one Markov chain. A run makes as many as it wants chains, each over an Env of
	// its own (see density.Chain), and takes every draw after its Step.
	Markov
	// Conditional: one kernel maximises over some of the variables and then draws the others given these, one
	// draw of each of several chains in turn: draw id is of chain id modulo their number. Draws are taken
	// after their Step.
	Conditional
)

// Estimated are the weights, parameters without a prior, of which an algorithm finds the point that makes its
// objective greatest.
type Estimated int

// The weights that an algorithm estimates.
const (
	NoWeights     Estimated = iota // none: it draws every parameter
	ServerWeights                  // the server's, and shared ones
	AllWeights
)

// A Kernel is one run of an algorithm over the blocks of this process, in lockstep with the kernels of the
// other parties' processes. Slices indexed by block follow Env.Blocks. A kernel never reads one block's state
// to change another's: what parties must know of one another goes through Env.Sum, and whatever all must
// decide alike is decided from its totals.
type Kernel interface {
	// Init finds a starting point with a finite density. Its error names the term that was not finite.
	Init(ctx context.Context) error
	// Step does one unit of work: an iteration, a transition, or a batch of evaluations. It allocates
	// nothing. An error is a failure of a peer or of the protocol, or a density that is never finite; after
	// it the kernel may be saved no more.
	Step(ctx context.Context) (StepInfo, error)
	// Draw copies draw id (0 ≤ id < Info.Draws) into theta[b], unconstrained. A sampler keeps only the newest
	// draw, so every draw must be taken after the Step that made it; a variational kernel gives any of them
	// at any time after it is done.
	Draw(id int, theta [][]float64)
	// Auxiliary sets z[b], of length AuxLen, to the auxiliary variables of a draw, after Draw and Env.Values
	// of it: cuts depend on shared parameters, which Values has brought. Each party has its own alone. Where
	// they are maximised over they are the same for all draws.
	Auxiliary(ctx context.Context, id int, z [][]float64) error
	// Save writes the complete state of this process's blocks, between two Steps; Load restores it into a
	// kernel that was made with the same settings over the same blocks, instead of Init. What follows is the
	// same bits as without the interruption.
	Save(w io.Writer) error
	Load(r io.Reader) error
}

// A WarmStarter is a kernel that can begin where another run ended.
type WarmStarter interface {
	// WarmStart reads what a kernel of the same algorithm over the same blocks has saved, instead of Init;
	// settings may differ. The error says where it does not fit.
	WarmStart(ctx context.Context, r io.Reader) error
}

// A Start is where chains begin that share one starting point, near an approximation of the posterior. Slices
// are by block of this process: each party has its own part alone.
type Start struct {
	Draws [][][]float64    // of θ from the approximation, independent; the same for all chains of a run
	At    int              // the draw that the starting point is taken from
	Noise []density.Stream // for auxiliary variables at the starting point
}

// A Joint is a kernel of a Markov chain that can begin near an approximation and warm up together with the
// other chains of a run in this process.
type Joint interface {
	Kernel
	// Begin sets the starting point, instead of Init.
	Begin(ctx context.Context, from Start) error
	// Learn adapts all chains alike after each transition of their warm-up. It is called for the first chain,
	// with the chains of the run in their order; what it decides for all parties follows from totals, and
	// what it decides for one from that party's parts of the chains.
	Learn(all []Kernel)
}

// A Hamiltonian is a kernel that moves with a mass matrix.
type Hamiltonian interface {
	// StepSize is that which it has found.
	StepSize() float64
	// InverseMetric is the elements for θ of block b's part of the inverse mass matrix, which has no others,
	// and whether those outside its diagonal are 0.
	InverseMetric(b int) (at func(i, j int) float64, diagonal bool)
}

// A Weighted is a kernel whose draws are of an approximation, and that has weighed draws of a proposal q near
// it.
type Weighted interface {
	// Ratios returns log p − log q, up to a constant, at independent draws from q: −Inf where it was not
	// finite. The totals over the parties are the same at each of them. It is nil before Info.Done.
	Ratios() []float64
	// Propose makes draw id the draw from q that ratio id is of, or one of the approximation again, as at
	// first.
	Propose(bool)
	// Correctable reports whether ratio id is that of the proposed draw id, of everything that a draw has,
	// and weights are wanted: then they correct the draws. Where they are wanted and cannot, the error says
	// why and what could.
	Correctable() (bool, error)
}

// A Revealing is a kernel that tells what a curious server computes of contributions at draws that never
// cross themselves, in the process of that server.
type Revealing interface {
	// Reveal takes a round trip, once the server has answered it: what a client sent, or all clients together
	// where client is 0, column by column over all rows of all sums, and what was answered. It is called for
	// all together first; a client's part is nil where sums hide it. It returns the contributions at draws
	// that follow, up to a constant in each row where they were hidden; nil: none do.
	Reveal(x *density.Exchange, client int, sent, answered [][]float64) (cuts [][]float64)
}

// An Unfinished is a kernel that knows why its fit ended before it had converged, and what could help; ""
// where it has, or where more iterations could.
type Unfinished interface {
	Unfinished() (reason, wayOut string)
}

// A Restarted is a kernel that fits from several starting points and keeps the best.
type Restarted interface {
	// Restarts returns the final ELBOs of the fits that are done, in their order; the same at every party. It
	// is nil where there is one fit.
	Restarts() []MonteCarloMean
	// Search returns what the fits found, once all are done; its zero value where there is one fit.
	Search() Search
	// Select makes the approximation of a place the one that draws are from, as the first is.
	Select(place int) error
}

// A Search is what several fits from different starting points found; the same at every party.
type Search struct {
	Wanted int // fits that should have converged
	// that were made: others take the places of those that failed, where they can
	Fits        int
	Unconverged int              // of these, ended before they had converged
	Failed      int              // of these, ended in an error or at draws that are not finite
	Places      int              // where the others ended, the best first for Select
	Modes       []MonteCarloMean // final ELBOs of the places where a fit converged, the best first
}

// Converged is how many of the fits did.
func (s *Search) Converged() int { return s.Fits - s.Unconverged - s.Failed }

// Evaluation is the phase after a fit in which its result is evaluated: its iterations are not those of the
// fit.
const Evaluation = "evaluate"

// StepInfo says where a kernel stands after a Step.
type StepInfo struct {
	Phase      string // "fit", Evaluation, "warmup", "sampling": for progress lines
	Iteration  int    // of this phase, counted from 1
	Iterations int    // of this phase, as planned; it may shrink
	Done       bool   // no further Step is needed
	Draws      int    // how many draws there are by now
	// evaluations whose density or gradient was not finite, so far; they changed nothing
	NonFinite  int
	Unsolved   int            // of these, in sampling, where a differential equation had no solution here
	Across     float64        // of Markov chains, of this process alone: see Algorithm.Spanning; 0: not known
	Fit        VariationalFit // of variational algorithms
	Transition Transition     // of Markov chains
	Mode       Mode           // of algorithms that maximise
}

// A Transition is one step of a Markov chain that is corrected for its discretisation: its statistics beside
// the draw.
type Transition struct {
	LogDensity float64 // of the draw, unconstrained, auxiliary variables included
	Energy     float64 // of the draw and its momentum
	Accept     float64 // mean acceptance statistic of its leapfrogs
	StepSize   float64
	Depth      int  // of the tree
	Leapfrogs  int  // that belong to the tree
	Divergent  bool // an error of the energy ended the tree
}

// Mode is what is known of a maximum. Every number comes from totals over the parties, so all of them hold
// the same.
type Mode struct {
	// Gradient is the length of the gradient at the result relative to its length at the start, from fresh
	// draws, its own noise taken off.
	Gradient  MonteCarloMean
	Converged bool // it is as small as was asked for
	// Iterations is how many led to the result.
	Iterations int
}

// VariationalFit is the state of a variational fit. Every number comes from totals over the parties, so all
// of them hold the same.
type VariationalFit struct {
	// Smooth is the mean of the ELBO's integrand over the latest iterations, one draw each: free, and behind
	// by half its window.
	Smooth MonteCarloMean
	// Trace is the ELBO at the iterate of this Step from independent draws; Traced says that this Step made
	// one (a row of elbo.csv).
	Trace  MonteCarloMean
	Traced bool
	// Drift is how much Smooth rose from the third to the fourth quarter of the iterations so far.
	Drift MonteCarloMean
	// Judged is whether the iterations are done and were enough to judge convergence by: then Converged is
	// the judgement, and the others are what it is from.
	Judged, Converged bool
	// Gradient is the root mean square, over the parameters of q, of the mean gradient of the last iterations
	// in its own standard errors: about 1 or less at an optimum. The fit has not converged where it is above
	// GradientBound.
	Gradient, GradientBound float64
	// how many standard deviations of q still changed by more than 5 %; 0 where it has converged
	Drifting int
	// Drift is more than 0.1 nat plus two standard errors; false where it has converged
	Rising bool
	// BestAt is the iteration after which rows that were held out were predicted best, to which a fit
	// returns; 0: none are held out. Converged then says that iterations enough followed without a better
	// one.
	BestAt int
	// HeldOut is the log density of these rows there.
	HeldOut float64
	// Weighed is how many draws were weighed where their weights say that no number of them would be
	// corrected; 0: all were.
	Weighed int
	// Final is the ELBO of the fitted approximation, when Info.Done.
	Final MonteCarloMean
	// Evidence reports that it is the logarithm of the mean importance weight, and so of the marginal
	// likelihood.
	Evidence bool
}

// Best is the best estimate of the ELBO so far.
func (f VariationalFit) Best() MonteCarloMean {
	switch {
	case f.Final.N > 0:
		return f.Final
	case f.Smooth.N > 0:
		return f.Smooth
	}
	return f.Trace
}

// An MonteCarloMean is a Monte Carlo mean of N draws with its standard error. N = 0: there is none yet.
type MonteCarloMean struct {
	Value, SE float64
	N         int
}
