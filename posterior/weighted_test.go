package posterior

import (
	"math"
	"testing"
)

// Equal weights give what independent draws give; a weight of k/n counts a draw k times.
func TestSummariseWeighted(t *testing.T) {
	fill := func(values ...float64) *Draws {
		d := NewDraws([]Variable{{Name: "x"}}, 1, len(values))
		for _, v := range values {
			d.Append(0, []float64{v})
		}
		return d
	}
	values := []float64{3, -1, 4, 1, 5, 9, 2, 6}
	weights := make([]float64, len(values))
	for i := range weights {
		weights[i] = 1 / float64(len(values))
	}
	got, want := SummariseWeighted(fill(values...), weights)[0], SummariseIndependent(fill(values...))[0]
	for _, pair := range [][2]Number{{got.Mean, want.Mean}, {got.SD, want.SD}, {got.MCSE, want.MCSE},
		{got.Q50, want.Q50}} {
		if math.Abs(float64(pair[0]-pair[1])) > 1e-12 {
			t.Errorf("equal weights: %+v, want %+v", got, want)
			break
		}
	}
	// the probability of less than 3 is .3
	ties := SummariseWeighted(fill(1, 2, 3, 3), []float64{0.1, 0.2, 0.4, 0.3})[0]
	if want := 0.3 * 0.7 / (0.01*0.49 + 0.04*0.49 + 0.25*0.09); ties.Q95 != 3 ||
		math.Abs(float64(ties.ESSTail)-min(want, 0.1*0.9/(0.01*0.81+0.29*0.01))) > 1e-9 {
		t.Errorf("draws of which the greatest are equal: %+v, want at most %g effective draws in the tails",
			ties, want)
	}
	if same := SummariseWeighted(fill(0.3, 0.3, 0.3), []float64{0.1, 0.2, 0.7})[0]; same.Mean != 0.3 ||
		same.SD != 0 || same.Q5 != 0.3 || same.Q95 != 0.3 {
		t.Errorf("equal draws: %+v", same)
	}
	few := SummariseWeighted(fill(2, 7), []float64{0.75, 0.25})[0]
	if few.Mean != 3.25 || few.Q5 != 2 || few.Q95 != 7 {
		t.Errorf("weights ¾ and ¼ of 2 and 7: %+v", few)
	}
}
