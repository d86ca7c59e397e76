package laplace

import "github.com/vflc/vflc/density"

// Usual and greatest numbers of evaluations in a run: those of each party's own steps, and those of the server's.
const (
	usualOwn      = 6
	usualTogether = 2
)

// Exchanges are those of a run with at most so many evaluations and weights, and what becomes known in each.
func Exchanges(iterations, weights int) []density.Use {
	own := func(s density.Sums) [2]density.Opening { return [2]density.Opening{{Sums: s}} }
	number := func(s density.Sums, n int) density.Opening { return density.Opening{Sums: s, Number: n} }
	return []density.Use{
		{Exchange: density.Consulting, Often: "once, at the start", Answers: "mean curvature of its likelihood without the clients", LeastAnswers: 1, MostAnswers: 1,
			Openings: [2]density.Opening{number(density.Told, 1)}, Times: 1, MostTimes: 1},
		{Exchange: density.EncryptedSlopes, Often: "every evaluation", Openings: own(density.OwnGradients), Times: usualOwn + usualTogether, MostTimes: iterations},
		{Exchange: density.Summing, Often: "every evaluation far from the mode", Least: 1, Most: room, Scalars: "products of its latest steps, in the norm of its own curvature",
			Openings: [2]density.Opening{number(density.Parts, room)}, Times: usualOwn, MostTimes: iterations},
		{Exchange: density.EncryptedCurvatures, Often: "once near the mode, and again where that is elsewhere than it seemed", Openings: own(density.CrossProducts), Times: 1, MostTimes: mostOpened},
		{Exchange: density.Consulting, Often: "every evaluation near the mode, and once after cross products", Answers: "what to do next, and how far the mode is", LeastAnswers: 2, MostAnswers: 2,
			Openings: [2]density.Opening{{Sums: density.Gradients}, number(density.Told, 2)}, Times: usualTogether + 1, MostTimes: iterations + mostOpened},
		{Exchange: density.Consulting, Often: "once, at the mode", Openings: own(density.Covariances), Times: 1, MostTimes: 1},
		{Exchange: density.EncryptedLogLik, Often: "once, at the end, the first weights and then the others", Openings: [2]density.Opening{number(density.Totals, 1)}, Times: weights + 1, MostTimes: weights + 1},
		{Exchange: density.Consulting, Often: "after weights", Answers: "log p − log q of draws, whether these need weights, whether more would be in vain, and the evidence", LeastAnswers: 3, MostAnswers: weights + 3,
			Openings: [2]density.Opening{number(density.Told, 1)}, Times: weights + 1, MostTimes: weights + 1},
	}
}
