package laplace

import "github.com/vflc/vflc/density"

// Usual numbers of evaluations in a run: those of each party's own steps, and those of the server's.
const (
	usualOwn      = 6
	usualTogether = 2
	usualPairs    = 2 // of points around the mode
)

// Exchanges are those of a run with at most so many evaluations and weights, and what becomes known in each.
func Exchanges(iterations, weights int) []density.Use {
	iterations = min(iterations, MostEvaluations)
	opens := func(sums density.Sums, number int) [2]density.Decryption {
		return [2]density.Decryption{{Sums: sums, Number: number}}
	}
	const answers = "log p − log q of draws, whether these need weights, whether more would be in vain, and the evidence"
	return []density.Use{
		{
			Exchange: density.Consulting, Often: "once, at the start", Openings: opens(density.Told, 2), Times: 1, MostTimes: 1,
			Answers: "mean curvature of its likelihood without the clients", LeastAnswers: 2, MostAnswers: 2,
		},
		{
			Exchange: density.EncryptedSlopes, Often: "every evaluation", Openings: opens(density.OwnGradients, 0),
			Times: usualOwn + usualTogether + 2*usualPairs, MostTimes: iterations,
		},
		{
			Exchange: density.EncryptedSlopes, Often: "every evaluation, where the scale of the likelihood is a parameter", Openings: opens(density.Told, 1), MostTimes: iterations,
		},
		{
			Exchange: density.Summing, Often: "every evaluation far from the mode", Openings: opens(density.Parts, (usualOwn+2)/2),
			Times: usualOwn, MostTimes: min(usualOwn, iterations), Least: 1, Most: room,
			Scalars: "products of its latest steps, in the norm of its own curvature",
		},
		{
			Exchange: density.Summing, Often: "every further one", Openings: opens(density.Parts, room),
			MostTimes: max(0, iterations-usualOwn), Least: 1, Most: room,
			Scalars: "products of its latest steps, in the norm of its own curvature",
		},
		{
			Exchange: density.EncryptedCurvatures, Often: "once near the mode, and again where that is elsewhere than it seemed",
			Openings: opens(density.CrossProducts, 0), Times: 1, MostTimes: mostOpened,
		},
		{
			Exchange: density.Consulting, Often: "every evaluation near the mode, and once after cross products",
			Openings: [2]density.Decryption{{Sums: density.Gradients}, {Sums: density.Told, Number: 2}},
			Times:    usualTogether + 1, MostTimes: iterations + mostOpened,
			Answers: "what to do next, and how far the mode is", LeastAnswers: 2, MostAnswers: 2,
		},
		{
			Exchange: density.Consulting, Often: "for every pair of points around the mode, and once after that",
			Openings: [2]density.Decryption{{Sums: density.Gradients}, {Sums: density.Told, Number: 1}},
			Times:    usualPairs + 1, MostTimes: mostPairs + 1,
			Answers: "whether there is another pair", LeastAnswers: 1, MostAnswers: 1,
		},
		{
			Exchange: density.Consulting, Often: "once, at the mean", Openings: opens(density.Covariances, 0), Times: 1, MostTimes: 1,
		},
		{
			Exchange: density.EncryptedLogLik, Often: "once, at the end, the first weights and then the others",
			Openings: opens(density.Totals, 1), Times: weights + 1, MostTimes: weights + 1,
		},
		{
			Exchange: density.EncryptedLogLik, Often: "for every weight, where the scale of the likelihood is a parameter", Openings: opens(density.Told, 1), MostTimes: weights + 1,
		},
		{
			Exchange: density.Consulting, Often: "after weights", Openings: opens(density.Told, 1), Times: weights + 3, MostTimes: weights + 3,
			Answers: answers, LeastAnswers: 3, MostAnswers: weights + 3,
		},
	}
}
