package soul

import (
	"fmt"

	"github.com/vflc/vflc/backends"
)

// fewIterations are those after which no fit ends: the start, a climb to its first check, as many that are
// averaged, and the evaluation.
const fewIterations = unsteady + restingFor + 2*firstCheck + evaluatedFor

// forecast is by the bound on iterations, each of them an exchange. Measuring steps and deciding to stop take
// some more, and draws none.
func forecast(s backends.Settings) backends.EvaluationForecast {
	n := s.Int(iterations)
	usual := backends.Range{Least: min(fewIterations, n), Most: n + n/10 + evaluatedFor + attempts}
	return backends.EvaluationForecast{
		Sequential: usual, All: usual, Rounds: usual,
		Basis: fmt.Sprintf("at most %d iterations, and those that measure steps and the result", n),
	}
}
