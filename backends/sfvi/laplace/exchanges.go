package laplace

import (
	"slices"

	"github.com/vflc/vflc/density"
)

// Usual numbers of evaluations in a run: those of each party's own steps, and those of the server's.
const (
	usualOwn      = 6
	usualTogether = 2
	usualPairs    = 2 // of points around the mode
)

// What becomes known in an evaluation, when the server answers with a step, once about the mean, in each of
// the pairs of evaluations around the mode, and with the draws.
var (
	evaluated = []density.Decryption{{Sums: density.OwnGradients}, announced(1)}
	stepped   = []density.Decryption{{Sums: density.Gradients}, {Sums: density.Steps}, told(2)}
	seeked    = []density.Decryption{{Sums: density.Steps}, told(1)}
	paired    = []density.Decryption{{Sums: density.Gradients}, {Sums: density.Steps}, told(1)}
	crossed   = density.Decryption{Sums: density.CrossProducts}
	drawn     = density.Decryption{Sums: density.Covariances}
	deviated  = density.Decryption{Sums: density.Deviations}
	declared  = density.Decryption{Sums: density.Declared}
)

func told(n int) density.Decryption { return density.Decryption{Sums: density.Told, Number: n} }
func announced(n int) density.Decryption {
	return density.Decryption{Sums: density.Announced, Number: n}
}

// affords reports whether so much may still become known, and the draws after it.
func (k *Kernel) affords(lists ...[]density.Decryption) bool {
	return k.secret.Affords(append(slices.Concat(lists...), k.withDraws()...)...)
}

// withDraws is what becomes known with the draws.
func (k *Kernel) withDraws() []density.Decryption {
	if k.owner < 0 {
		return []density.Decryption{drawn}
	}
	return []density.Decryption{drawn, deviated}
}

// Exchanges are those of a run with at most so many evaluations and weights, and what becomes known in each;
// nested: where priors depend on hyperparameters.
func Exchanges(iterations, weights int, nested bool) []density.Use {
	out := exchanges(iterations, weights)
	if !nested {
		return out
	}
	return append(out, density.Use{
		Exchange: density.Consulting, Often: "once or twice, at the start",
		Openings: [3]density.Decryption{declared}, Times: 1, MostTimes: 2, LeastAnswers: 1,
		MostAnswers: mostTold,
		Answers: "which party has effects whose prior depends on hyperparameters, " +
			"and the density of these",
	}, density.Use{
		Exchange: density.Consulting, Often: "once, at the mean, where priors depend on parameters",
		Openings: [3]density.Decryption{deviated}, Times: 1, MostTimes: 1,
	})
}

func exchanges(iterations, weights int) []density.Use {
	iterations = min(iterations, MostEvaluations)
	opens := func(list ...density.Decryption) (out [3]density.Decryption) {
		copy(out[:], list)
		return out
	}
	const answers = "log p − log q of draws, whether these need weights, whether more would be " +
		"in vain, and the evidence"
	return []density.Use{
		{ // with bounds of columns, and the predictor around which polynomials are
			Exchange: density.Consulting, Often: "once, at the start",
			Openings: opens(told(3), density.Decryption{Sums: density.Outlined, Number: 2}), Times: 1,
			MostTimes: 1,
			Answers:   "mean curvature of its likelihood without the clients", LeastAnswers: 2,
			MostAnswers: 2,
		},
		{
			Exchange: density.EncryptedSlopes, Often: "every evaluation", Openings: opens(evaluated...),
			Times: usualOwn + usualTogether + 2*usualPairs, MostTimes: iterations,
		},
		{
			Exchange: density.Summing, Often: "every evaluation far from the mode",
			Openings: opens(density.Decryption{Sums: density.Parts, Number: room,
				Usual: usualOwn * (usualOwn + 1) / 2}),
			Times: usualOwn, MostTimes: iterations, Least: 1, Most: room,
			Scalars: "products of its latest steps, in the norm of its own curvature",
		},
		{
			Exchange: density.EncryptedCurvatures,
			Often:    "once near the mode, and again where that is elsewhere than it seemed",
			Openings: opens(crossed), Times: 1, MostTimes: mostOpened,
		},
		{
			Exchange: density.Consulting,
			Often:    "every evaluation near the mode, and once after cross products",
			Openings: opens(stepped...),
			Times:    usualTogether + 1, MostTimes: iterations + mostOpened,
			Answers: "what to do next, and how far the mode is", LeastAnswers: 2, MostAnswers: 2,
		},
		{
			Exchange: density.Consulting, Often: "once, before points around the mode",
			Openings: opens(seeked...),
			Times:    1, MostTimes: 1, Answers: "whether there is a pair of points", LeastAnswers: 1,
			MostAnswers: 1,
		},
		{
			Exchange: density.Consulting, Often: "after every pair of points around the mode",
			Openings: opens(paired...),
			Times:    usualPairs, MostTimes: mostPairs,
			Answers: "whether there is another pair", LeastAnswers: 1, MostAnswers: 1,
		},
		{
			Exchange: density.Consulting, Often: "once, at the mean", Openings: opens(drawn), Times: 1,
			MostTimes: 1,
		},
		{
			Exchange: density.EncryptedLogLik,
			Often:    "once, at the end, the first weights and then the others",
			Openings: opens(density.Decryption{Sums: density.Totals, Number: 1}, announced(3)),
			Times:    weights + 1, MostTimes: weights + 1,
		},
		{
			Exchange: density.Consulting, Often: "after weights", Openings: opens(told(1)),
			Times: weights + 3, MostTimes: weights + 6,
			Answers: answers, LeastAnswers: 3, MostAnswers: weights + 3,
		},
	}
}
