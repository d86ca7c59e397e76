package nuts

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Sums of weights keep their ratios whatever the energies, in thousands too: they agree with sums of logarithms.
func TestWeightsKeepTheirRatios(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tr := tree{sum: 1}
		logSum, logSub := 0.0, math.Inf(-1)
		for _, gain := range rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-900, 3000), rapid.Float64Range(-3, 3)), 1, 20).Draw(rt, "gains") {
			w := tr.scaled(gain, math.Exp(gain))
			tr.subSum += w
			logSub = logAdd(logSub, gain)
			if got, want := w/tr.subSum, math.Exp(gain-logSub); math.Abs(got-want) > 1e-9 {
				rt.Fatalf("share of the newest is %v, want %v", got, want)
			}
			if got, want := tr.subSum/(tr.sum+tr.subSum), 1/(1+math.Exp(logSum-logSub)); math.Abs(got-want) > 1e-9 {
				rt.Fatalf("share of the subtree is %v, want %v", got, want)
			}
			if rapid.Bool().Draw(rt, "graft") {
				tr.sum += tr.subSum
				logSum = logAdd(logSum, logSub)
				tr.subSum, logSub = 0, math.Inf(-1)
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
