package sfvi

import (
	"fmt"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/sfvi/nested"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
)

// usualSolves are the steps by quadrature within which most fits end, and usualSteps those with fixed draws.
var (
	// of all fits, five where the likelihood is not log-concave
	usualSolves = backends.Range{Least: 6, Most: 50}
	usualSteps  = backends.Range{Least: 10, Most: 400}
	usualNested = backends.Range{Least: 8, Most: 45}
	usualLayers = backends.Range{Least: 20, Most: 150}
	// round trips, of which cross products take one for each column
	usualSecret = backends.Range{Least: 50, Most: 500}
)

// jointColumns are those of a linear system for half as many columns as there are draws: right sides and
// directions, products, and solutions.
const jointColumns = 3 * quadrature.MostBatch / 2

// forecast is that of the estimator, which Choose has settled. Draws that correct the approximation cross in
// few messages: half an evaluation each, and the first of them decide whether the rest is needed.
func forecast(s backends.Settings) backends.EvaluationForecast {
	var f backends.EvaluationForecast
	if s.Plan.Encrypted {
		return backends.EvaluationForecast{Sequential: usualSecret, All: usualSecret, Rounds: usualSecret,
			Basis: "as fits of encrypted rows usually take, keys included"}
	}
	switch s.Text(estimator) {
	case auto: // the parties have not met, and any of the four may be
		by := func(name string) backends.EvaluationForecast { return forecast(s.With(estimator, name)) }
		exact, fixed, sampled := by(byQuadrature), by(byFixedDraws), by(bySampling)
		f = sampled
		f.Rounds.Least = exact.Rounds.Least
		f.Sequential.Least, f.All.Least = exact.Sequential.Least, exact.All.Least
		f.Columns = max(exact.Columns, fixed.Columns, by(byNesting).Columns)
		f.Basis = fmt.Sprintf("by quadrature %s, over a grid of hyperparameters %s, with fixed draws %s, "+
			"with draws that change %s",
			exact.Rounds, usualNested, fixed.Rounds, sampled.Rounds)
		return f
	case byQuadrature:
		f = backends.EvaluationForecast{Sequential: usualSolves, All: usualSolves.Times(2),
			Columns: jointColumns, Vectors: quadrature.Vectors,
			Basis: "as fits by quadrature usually take"}
	case byNesting:
		f = backends.EvaluationForecast{Sequential: usualNested, All: usualNested,
			Columns: nested.MostColumns,
			Basis:   "as fits over a grid of hyperparameters usually take"}
		f.Rounds = f.Sequential
		return f
	case byLastLayer:
		f = backends.EvaluationForecast{Sequential: usualLayers, All: usualLayers, Columns: jointColumns,
			Basis: "as fits of last layers usually take"}
	case byFixedDraws:
		f = backends.EvaluationForecast{Sequential: usualSteps, All: usualSteps.Times(s.Int(stepDraws)),
			Basis: "as fits with fixed draws usually take"}
		f.Columns = f.All.Most
	default:
		n := s.Int(iterations)
		f = backends.EvaluationForecast{Sequential: backends.Range{Least: n / 10,
			Most: n}.Times(s.Int(restarts)),
			Basis: fmt.Sprintf("%d iterations, or fewer where the ELBO is at rest before", n)}
		f.All = f.Sequential
		f.Sequential.Most += 2 * (s.Int(elboDraws)/batchOf + 1) // of the final ELBO, and verdicts
		f.All.Most += s.Int(elboDraws)
	}
	if f.Rounds = f.Sequential; corrected(s) {
		f.All.Most += s.Int(draws) / 2
		f.Columns += min(s.Int(draws), quadrature.MostBatch)
	}
	return f
}
