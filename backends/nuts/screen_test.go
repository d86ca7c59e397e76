package nuts

import (
	"math"
	"testing"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/tests/testmodel"
)

// onTheRight counts the chains of two narrow normal modes, the right one so much lower, that begin in the
// right half. Where there are equations each begins less than one for each coordinate below its mode.
func onTheRight(t *testing.T, lower float64, equations bool) (right int) {
	t.Helper()
	const sd = 0.2
	d := testmodel.Density{Dims: []int{3}, Equations: equations, Log: func(x, grad []float64) float64 {
		var lp [2]float64
		for k, centre := range []float64{-1.2, 1.2} {
			for _, v := range x {
				lp[k] -= 0.5 * (v - centre) * (v - centre) / (sd * sd)
			}
		}
		lp[1] -= lower
		total := portable.LogSumExp(lp[:])
		for i, v := range x {
			grad[i] = -(math.Exp(lp[0]-total)*(v+1.2) + math.Exp(lp[1]-total)*(v-1.2)) / (sd * sd)
		}
		return total
	}}
	for seed := range uint64(40) {
		k := begun(t, d, seed, nil)
		below := -k.now.lp
		if k.now.q.at[0][0]+k.now.q.at[0][1]+k.now.q.at[0][2] > 0 {
			right++
			below -= lower
		}
		if equations && below > 3+1e-9 {
			t.Errorf("seed %d begins %v below its mode", seed, below)
		}
	}
	return right
}

// Chains of a density with a differential equation begin at the mode that has the mass, and at both of two
// that are as high, within four standard deviations of half of them. Others begin as near to the one as to
// the other.
func TestStartsAreScreened(t *testing.T) {
	if n := onTheRight(t, 30, true); n > 1 {
		t.Errorf("%d of 40 chains begin at the mode with a share of exp(-30)", n)
	}
	if n := onTheRight(t, 0, true); n < 8 || n > 32 {
		t.Errorf("%d of 40 chains begin at one of two equal modes", n)
	}
	if n := onTheRight(t, 30, false); n < 8 || n > 32 {
		t.Errorf("%d of 40 chains without an equation begin at the right", n)
	}
}
