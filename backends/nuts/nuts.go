// Package nuts is the no-U-turn sampler: exact inference on any target, in one process or across parties.
// Every party keeps its own part of positions, momenta, metric and subtrees; every decision follows from sums
// of scalars over the parties, so that one loop over the blocks and one process per party give the same bits.
//
// Methods: Hoffman and Gelman (2014), "The No-U-Turn sampler"; Betancourt (2017), "A conceptual introduction
// to Hamiltonian Monte Carlo" (multinomial sampling and the generalised criterion); Stan's extra checks
// across the halves of a tree; warm-up from draws and gradients as in nutpie (Seyboldt,
// Carlson and Carpenter 2024, "Preconditioning Hamiltonian Monte Carlo by minimizing Fisher divergence"),
// which also chooses between centred and non-centred coordinates of hierarchies.
package nuts

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
)

// Names of the settings.
const (
	Chains       = "chains"
	Warmup       = "warmup"
	Draws        = "draws"
	targetAccept = "target-accept"
	maxDepth     = "max-depth"
	metricForm   = "metric"
	coordinates  = "coordinates"
	initial      = "init"
	superchains  = "superchains"
)

// motion is that of trajectories with a form of metric.
func motion(form string) density.Motion {
	switch form {
	case "dense":
		return density.ByClient
	case "auto":
		return density.Adapted
	}
	return density.ByColumn
}

// lowRank is the form of a metric that is diagonal but for ridges.
const lowRank = "low-rank"

// jointMetric is that of one metric of low rank over the coordinates of all parties.
const jointMetric = "joint"

// scalarsOf is how many scalars a state has at most that are added up.
func scalarsOf(s backends.Settings) int {
	n := criteria + perCriterion*(s.Int(maxDepth)+1)
	if s.Text(metricForm) == jointMetric {
		n += mostRidges
	}
	return n
}

// Algorithm describes NUTS. One kernel is one chain; the setting Chains is for whoever makes the kernels,
// over Envs from density.Chain.
func Algorithm() backends.Algorithm {
	return backends.Algorithm{
		Name: "nuts",
		Doc: "The no-U-turn sampler: draws from the exact posterior of the model as transformed; " +
			"each leapfrog step is one evaluation of the joint density over the parties.",
		Transforms: stdlib.Transforms(),
		Gives:      backends.Markov,
		Encrypts:   true,
		Spanning: "--" + metricForm + " " + jointMetric + ", with two round trips a leapfrog, and totals " +
			"from which a client can compute columns of others (vflc audit with it says which)",
		Settings: append([]backends.Setting{
			{Name: Chains, Doc: "number of Markov chains", Default: 4, Near: 64, Min: 1,
				Role: backends.Chains},
			{Name: Warmup, Doc: "warm-up transitions per chain", Default: 1000, Near: 8,
				Role: backends.Warmup},
			{Name: Draws, Doc: "draws per chain", Default: 1000, Near: 14, Min: 1, Role: backends.Draws},
			{Name: targetAccept, Doc: "target acceptance statistic of step size adaptation", Default: 0.8,
				Min: 0.01, Max: 0.999, Role: backends.TargetAccept},
			{Name: maxDepth, Doc: "largest number of doublings of a trajectory (maximum tree depth)",
				Default: 10, Min: 1, Max: 20, Role: backends.MaxDepth},
			{Name: metricForm,
				Doc: "form of each party's metric; auxiliary variables always have a diagonal one; " +
					"low-rank: diagonal but for the directions, far longer or shorter than others, that " +
					"the warm-up finds; auto: dense for a party with at most 128 parameters, or 72 where " +
					"priors depend on one another (none with init), and for the parameters beside many " +
					"effects; else low-rank, which is diag where the warm-up finds no such direction " +
					"(diag with init); joint: low-rank over the coordinates of all parties, by sums " +
					"from which parties can compute columns of others; a step takes two round trips",
				Default: "auto", Choices: []string{"auto", "diag", "dense", lowRank, jointMetric}},
			{Name: coordinates,
				Doc: "coordinates of effects whose prior's scale is a parameter, and of intercepts: auto " +
					"lets the warm-up choose between centred and non-centred, and takes an " +
					"intercept of the server relative to the mean of what else is added to it, and " +
					"many effects to what is expected of them given the others; declared " +
					"keeps those of the model", Default: "auto", Choices: []string{"auto", "declared"}},
			{Name: initial,
				Doc: "begin near an approximation of the posterior: that of a backend, which is fitted " +
					"first, or of a run in a folder. Chains then warm up together, in few transitions, and " +
					"share round trips; with defaults for that", Default: "", Role: backends.Initial},
			{Name: superchains,
				Doc: "with --init: starting points, each a draw from the approximation, widened, that as " +
					"many chains share; R-hat is nested over them", Default: 4, Min: 2,
				Role: backends.Superchains},
		}, backends.OnShortWire()...),
		Recentres: func(s map[string]any) bool {
			return s[coordinates] == "auto"
		},
		Exchanges: exchanges,
		Forecast:  forecast,
		New: func(env density.Env, s backends.Settings) (backends.Kernel, error) {
			k, err := newChain(env, s)
			if err != nil {
				return nil, err
			}
			return k, nil
		},
	}
}

// exchanges are those of a chain: every leapfrog adds the scalars of the state before, and a trajectory ends
// with those of its last state alone.
func exchanges(s backends.Settings) []density.Use {
	if s.Plan.Encrypted {
		return overEncrypted(s)
	}
	use := density.Use{
		Often: "every evaluation", Auxiliaries: density.Drawn, Least: 2,
		Most: scalarsOf(s),
		Scalars: "log density and kinetic energy, products of momenta, and at the start the squared length of " +
			"the gradient, a log-Jacobian, how many parameters there are, whether the density may have " +
			"several modes, and whether starting values or effects keep chains from climbing to one",
		Motion: motion(s.Text(metricForm)), DenseMost: denseLimit,
	}
	var out []density.Use
	if s.Text(metricForm) == jointMetric {
		use.Scalars += ", and products of its gradient with its rows of directions that span the parties"
		search := use
		search.Exchange, search.Often = density.Summing, "each search for such directions in the warm-up"
		search.Least, search.Most = leastDraws*(2*leastDraws+1), acrossProducts
		search.Scalars = "products of its scaled draws and gradients with one another"
		out = append(out, search)
	}
	for _, x := range []*density.Exchange{density.Evaluation, density.Pipeline, density.Summing} {
		use.Exchange = x
		out = append(out, use)
	}
	return out
}
