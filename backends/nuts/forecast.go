package nuts

import (
	"fmt"

	"github.com/vflc/vflc/backends"
)

// fewLeapfrogs and manyLeapfrogs are the steps of a transition between which the means of most models lie:
// those of trees of depth 2 and 5.
const fewLeapfrogs, manyLeapfrogs = 3, 31

// forecast is by the usual numbers of steps: how many a model needs is known after its warm-up. Chains of a
// run travel together, each in its own lane.
func forecast(s backends.Settings) backends.EvaluationForecast {
	most := 1<<s.Int(maxDepth) - 1
	usual := backends.Range{Least: min(fewLeapfrogs, most), Most: min(manyLeapfrogs, most)}
	trajectory := usual.Times(s.Int(Warmup) + s.Int(Draws))
	if s.Text(metricForm) == jointMetric {
		trajectory = trajectory.Times(2) // the scalars of a state are added up before the next is evaluated
	}
	all, kept := trajectory.Times(s.Int(Chains)), s.Int(Chains)*s.Int(Draws)
	return backends.EvaluationForecast{
		Sequential: trajectory, All: all,
		Rounds: backends.Range{Least: all.Least + kept, Most: all.Most + kept}, // one more for each draw
		Basis: fmt.Sprintf("%d to %d steps a transition, as is usual; at most %d", usual.Least, usual.Most,
			most),
	}
}
