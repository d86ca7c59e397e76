// Package soul is stochastic optimisation by unadjusted Langevin: it maximises L(z, γ) = log ∫ p(y, z, θ, γ)
// dθ over the auxiliary variables z and the server's parameters γ, with gradients averaged over Langevin
// chains of the clients' θ given z (Fisher's identity), and then draws θ given the maximum. Such draws are
// conditional: narrower than the posterior of θ.
//
// Method: De Bortoli, Durmus, Pereyra and Fernandez Vidal (2021), "Efficient stochastic optimisation by
// unadjusted Langevin Monte Carlo"; for vertically partitioned data Hassan, Sutton, Mira and Mengersen,
// "Scalable vertical federated learning via data augmentation and amortized inference", appendix. Averaging
// of iterates: Polyak and Juditsky (1992). Where the paper is corrected, docs/inference.md derives it.
package soul

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
)

// Names of the settings.
const (
	iterations  = "iterations"
	inner       = "inner"
	innerChains = "inner-chains"
	draws       = "draws"
	mala        = "mala"
	tolerance   = "tolerance"
)

// Algorithm describes SOUL.
func Algorithm() backends.Algorithm {
	return backends.Algorithm{
		Name: "soul",
		Doc: "Stochastic optimisation by unadjusted Langevin: the most probable auxiliary variables " +
			"and server parameters, the clients' parameters integrated out; then draws of the clients' " +
			"parameters given these, which are narrower than their posterior. A client sends its auxiliary " +
			"variables once for many steps of its own.",
		Transforms: stdlib.NoisyTransforms(),
		Settings: append([]backends.Setting{
			{Name: iterations, Doc: "largest number of iterations", Default: 20000, Min: 10,
				Role: backends.Iterations},
			{Name: inner, Doc: "Langevin steps per chain in an iteration, and between two draws", Default: 10,
				Min: 1},
			{Name: innerChains, Doc: "Langevin chains per client", Default: 4, Min: 1, Role: backends.Chains},
			{Name: draws, Doc: "draws per chain", Default: 1000, Min: 1, Role: backends.Draws},
			{Name: mala,
				Doc: "add a Metropolis correction to Langevin steps (MALA), which removes " +
					"their discretisation error", Default: false},
			{Name: tolerance,
				Doc: "stop when the gradient relative to that at the start, and the relative error of the " +
					"result, are both below this", Default: 0.01, Min: 1e-9},
		}, backends.OnTheWire()...),
		Gives:     backends.Conditional,
		Weights:   backends.ServerWeights,
		Exchanges: exchanges,
		Forecast:  forecast,
		New: func(env density.Env, s backends.Settings) (backends.Kernel, error) {
			k, err := newKernel(env, s)
			if err != nil {
				return nil, err
			}
			return k, nil
		},
	}
}

// exchanges are those of a fit: plain evaluations at the start, in which z is the cut, and where steps are
// measured, near the iterate; then one for many Langevin steps, at the iterate.
func exchanges(backends.Settings) []density.Use {
	count := density.Use{Least: scalars, Most: scalars,
		Scalars: "products of gradients, moves and adjoints, and counts of parameters, " +
			"columns and rejected steps"}
	use := func(x *density.Exchange, often string, z density.Auxiliaries) density.Use {
		u := count
		u.Exchange, u.Often, u.Auxiliaries = x, often, z
		return u
	}
	return []density.Use{
		use(density.Evaluation, "at the start", density.AtCut),
		use(density.Evaluation, "when steps are measured", density.Maximised),
		use(density.LocalStepping, "every iteration", density.Maximised),
		use(density.Summing, "every iteration", density.Maximised),
	}
}
