package nuts

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Sums of weights keep their ratios whatever the energies, in thousands too: they agree with sums of
// logarithms. Weights below the normal numbers lose digits, all of a subtree that has next to none of the
// trajectory's weight and is not accepted: its states' shares are not compared.
func TestWeightsKeepTheirRatios(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tr := tree{weight: 1}
		logSum, logSub := 0.0, math.Inf(-1)
		for _, logWeight := range rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-900, 3000),
			rapid.Float64Range(-3, 3)), 1, 20).Draw(rt, "log weights") {
			w := tr.scaled(logWeight, math.Exp(logWeight))
			tr.subtreeWeight += w
			logSub = logAdd(logSub, logWeight)
			if got, want := w/tr.subtreeWeight, math.Exp(logWeight-logSub); tr.subtreeWeight > 1e-290 &&
				math.Abs(got-want) > 1e-9 {
				rt.Fatalf("share of the newest is %v, want %v", got, want)
			}
			if got, want := tr.subtreeWeight/(tr.weight+tr.subtreeWeight),
				1/(1+math.Exp(logSum-logSub)); math.Abs(got-want) > 1e-9 {
				rt.Fatalf("share of the subtree is %v, want %v", got, want)
			}
			if rapid.Bool().Draw(rt, "accept") {
				tr.weight += tr.subtreeWeight
				logSum = logAdd(logSum, logSub)
				tr.subtreeWeight, logSub = 0, math.Inf(-1)
			}
		}
	})
}

func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
