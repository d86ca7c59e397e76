// Package sfvi is structured federated variational inference: it fits q(θ, z, γ) = q(γ) Π_j q(θ_j) q(z_j |
// θ_j) by stochastic gradient ascent on the evidence lower bound (ELBO). Every party holds and updates its
// own factors; what crosses between parties is z and its adjoint. Without clients it is automatic
// differentiation variational inference.
//
// Methods: Hassan, Salomone and Mengersen (2023), "Federated variational inference methods for structured
// latent variable models"; Hassan, Sutton, Mira and Mengersen, "Scalable vertical federated learning via data
// augmentation and amortized inference"; gradients: Roeder, Wu and Duvenaud (2017), "Sticking the landing";
// optimiser: Kingma and Ba (2015), "Adam"; averaging of iterates: Polyak and Juditsky (1992), and for
// variational inference Dhaka et al. (2020), "Robust, accurate stochastic optimization for variational
// inference".
package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
)

// Names of the settings.
const (
	iterations  = "iterations"
	estimator   = "estimator"
	guideForm   = "guide"
	guideInputs = "guide-inputs"
	thetaGuide  = "theta-guide"
	minibatch   = "minibatch"
	rate        = "lr"
	schedule    = "schedule"
	tolerance   = "tolerance"
	draws       = "draws"
	correct     = "correct"
	elboDraws   = "elbo-draws"
	elboEvery   = "elbo-every"
	stepDraws   = "draws-per-step"
	localSteps  = "local-steps"
	restarts    = "restarts"
	heldOut     = "held-out"
)

// Algorithm describes SFVI.
func Algorithm() backends.Algorithm {
	return backends.Algorithm{
		Name: "sfvi",
		Doc: "Structured federated variational inference: a Gaussian approximation of the " +
			"posterior. Where the ELBO can be integrated by quadrature, parties exchange means and " +
			"variances of their contributions, in tens of round trips; elsewhere it is fitted by " +
			"stochastic gradients, and they exchange noisy contributions and their adjoints, " +
			"one draw per iteration.",
		Transforms: stdlib.Transforms(),
		Settings: append([]backends.Setting{
			{Name: iterations, Doc: "largest number of iterations", Default: 50000, Near: 400, Min: 10,
				Role: backends.Iterations},
			{Name: estimator,
				Doc: "how the ELBO is evaluated: quadrature, in tens of round trips, for affine " +
					"contributions with normal priors and a likelihood of one predictor a row, or of " +
					"several under exact; nested: no ELBO but a grid over at most four hyperparameters and " +
					"a Gaussian at each of its points, in about fifteen; fixed: by draws that stay the " +
					"same, in a few hundred; sampled; auto: the first of these that applies; last-layer: " +
					"networks, with hidden layers at their mode and quadrature over all else", Default: auto,
				Choices: []string{auto, byQuadrature, byFixedDraws, bySampling, byNesting, byLastLayer}},
			{Name: stepDraws,
				Doc: "with fixed draws: how many, all in one message; an even number; unless it is set, as " +
					"many more than 64 as the parameters of a party need, to 1024", Default: 64, Min: 4},
			{Name: guideForm,
				Doc: "form of the guide of auxiliary variables, q(z | θ)", Default: "structured",
				Choices: guideNames(), Auxiliary: true},
			{Name: guideInputs,
				Doc: "input of the amortized guide besides the client's own contribution: the " +
					"response (y); by default in the power model alone",
				Default: "", Choices: []string{"", "y"}, Auxiliary: true},
			{Name: thetaGuide,
				Doc: "form of q(θ); joint: one Gaussian over all parties, by quadrature; auto: joint by " +
					"quadrature where that is possible, else fullrank for a party with at most 200 " +
					"dimensions (50 where its contributions are not affine), else meanfield",
				Default: "auto", Choices: []string{auto, fullRank, "meanfield", "joint"}},
			{Name: localSteps,
				Doc: "steps of every party between two round trips; beyond the first they use adjoint and " +
					"curvature of the likelihood as of the last message", Default: 1, Min: 1},
			{Name: minibatch,
				Doc: "largest number of rows per iteration; rows are divided at random into windows, and " +
					"an iteration uses one; 0: all rows", Default: 0, Min: 0, Role: backends.Minibatch},
			{Name: heldOut,
				Doc: "of a model with weights, share of the rows, at random, that are not fitted: the fit " +
					"returns to where it predicted them best, and ends when it has not predicted them " +
					"better for as long again; 0: fit all rows", Default: 0.2, Max: 0.9,
				Role: backends.HeldOut},
			{Name: restarts,
				Doc: "fits from so many starting points, of which the one with the best ELBO is kept, and " +
					"the number of modes that they found is said; 1: five where there may be several " +
					"modes, for which a fit by quadrature and one of a model of one party look, and else one",
				Default: 1, Near: 4, Min: 1, Max: mostRestarts},
			{Name: rate, Doc: "step size of Adam", Default: 1e-3, Near: 0.05, Min: 1e-12,
				Role: backends.Rate},
			{Name: schedule, Doc: "schedule of the step size; cosine ends at a hundredth of lr", Default: "constant", Near: "cosine",
				Choices: []string{"constant", "cosine"}},
			{Name: tolerance,
				Doc: "with a constant step size: stop when the change of the ELBO over the last half of " +
					"the fit, plus two standard errors, is below this, in nats; 0: never", Default: 0.01},
			{Name: correct,
				Doc: "correct the draws by importance sampling; auto: where that is possible; true: or end " +
					"with the reason why it is not", Default: auto, Choices: []string{auto, yes, no}},
			{Name: draws, Doc: "draws from the approximation", Default: 10000, Min: 1, Role: backends.Draws},
			{Name: elboDraws, Doc: "draws for the estimate of the final ELBO", Default: 4000, Near: 20,
				Min: 2},
			{Name: elboEvery, Doc: "iterations between two points of the ELBO trace", Default: 500, Min: 1},
		}, backends.OnTheWire()...),
		Gives:    backends.Approximation,
		Encrypts: true,
		OfRows:   true,
		Weights:  backends.AllWeights,
		Example:  "--guide noncentered",
		Closer: "--estimator nested, for a hierarchy, or last-layer, for a network; --theta-guide " +
			"joint, else fullrank; --guide structured",
		Precedes:  func(s map[string]any) bool { return s[estimator] == byNesting },
		Exchanges: exchanges,
		Hinders:   hinders,
		Choose:    choose,
		Forecast:  forecast,
		New:       newFit,
	}
}

// sampledExchanges are those of a fit by sampling and of its evaluation.
func sampledExchanges(s backends.Settings) []density.Use {
	use := density.Use{
		Often: "every evaluation", Auxiliaries: density.Drawn, Least: 1, Most: 2*batchOf + verdicts,
		Scalars: "terms of log p − log q, whether the gradient was finite, squared lengths of draws at the " +
			"end, and once how far the mean gradient and the sds of q(θ) are from rest and how many " +
			"dimensions it has, in four numbers",
	}
	if s.Transform.CutsCross() && s.Plan.Minibatch == 0 {
		use.Motion = quadrature.Motion(s.Text(thetaGuide))
	}
	if s.Plan.Minibatch > 0 {
		use.Often = "every evaluation, of the rows of a window or of all"
	}
	kinds := []*density.Exchange{density.Evaluation, density.Pipeline, density.Summing}
	var stepping []density.Use
	if s.Int(localSteps) > 1 {
		kinds = []*density.Exchange{density.Evaluation, density.Summing}
		stepping = []density.Use{{
			Exchange: steppingExchange, Often: "every iteration", Least: 3, Most: 2 + mostSums,
			LeastAnswers: 3, MostAnswers: 2 + mostSums, LeastColumns: 2, MostColumns: 2,
			Scalars: "term of log p − log q, how many steps were not finite, and which sums its cuts enter",
			Answers: "totals of these",
		}}
	}
	var out []density.Use
	for _, x := range kinds {
		use.Exchange = x
		out = append(out, use)
	}
	if !s.Transform.AtClients() && s.Plan.Minibatch == 0 {
		use.Exchange, use.Often, use.LeastColumns, use.MostColumns = drawingExchange,
			"every point of the trace of the ELBO, and at the end"+quadrature.InPieces, 2, batchOf
		use.LeastAnswers, use.MostAnswers, use.Answers = use.Least, use.Most, "their totals"
		out = append(out, use)
	}
	return append(out, stepping...)
}

// mostSums is how many sums a model has at most, as the list of exchanges has it.
const mostSums = 1000
