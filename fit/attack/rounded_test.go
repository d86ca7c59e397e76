package attack

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/tests/brief"
)

// roundedChains are those of a sum that is masked on a short wire of some step.
func roundedChains(dense, wander bool, step, rho float64) (out []*Recorder) {
	plan := planOf(plantedRows, rho, rho, rho)
	plan.Exact, plan.Wire = rho == 0, model.Wire{Masked: true, Fixed: true, Short: true}
	for k := range 4 {
		r, w := NewRecorder(plan), newWalker(uint64(k), dense)
		w.step, w.rho = step, rho*math.Sqrt(3)
		w.show(r, 400, wander)
		out = append(out, r)
	}
	return out
}

// wireStep is the step that the wire has for the walkers: their adjoints have a norm of about 6.
const wireStep = 1.0 / (1 << 9)

// From totals that are rounded as a short wire does, and 16 times as finely, all 13 directions and the
// clients follow, and from the finer ones single columns where the metric is diagonal; from points at random,
// rounded likewise, none.
func TestRoundedTotalsAreSeparated(t *testing.T) {
	for k, dense := range []bool{true, false} {
		for j, step := range []float64{wireStep, wireStep / 16} {
			if !brief.Share(2, k, j) {
				continue
			}
			s := separations(roundedChains(dense, false, step, 0), plantedTruth)[0]
			var sizes []int
			single := 0
			for _, g := range s.Groups {
				sizes, single = append(sizes, g.Directions), single+len(g.Single)
				if !(g.Within >= 0.99) || !(g.Round >= 0.99) {
					t.Errorf("step %v, dense %t, %s: %v of the directions in its columns, %v of a round",
						step, dense, g.Party, g.Within, g.Round)
				}
			}
			if s.Directions != 13 || s.Dimensions != 13 || dense && !slices.Equal(sizes, planted) ||
				!dense && (len(sizes) != 13 || step < wireStep && single != 13) {
				t.Errorf("step %v, dense %t: %d of %d directions, groups %v, %d single columns: %s", step,
					dense, s.Directions, s.Dimensions, sizes, single, s.Missing)
			}
		}
		if s := separations(roundedChains(dense, true, wireStep, 0), plantedTruth)[0]; s.Directions != 0 ||
			s.Missing == "" {
			t.Errorf("points at random: %+v", s)
		}
	}
}

// Noise of z comes off rounded totals as it does off exact ones; of points at random there is no law.
func TestNoiseComesOffRoundedTotals(t *testing.T) {
	for _, wander := range []bool{false, true} {
		s := separations(roundedChains(true, wander, wireStep/16, 1), plantedTruth)[0]
		want := map[bool]int{false: 13, true: 0}[wander]
		if s.Directions != want || wander && s.Missing == "" {
			t.Errorf("at random %t: %+v", wander, s)
		}
		for _, g := range s.Groups {
			if !(g.Within >= 0.99) {
				t.Errorf("%s: %v of its directions are in its columns", g.Party, g.Within)
			}
		}
	}
}

// roundedRows are totals at random parameters of some columns of each of two clients, rounded to a grid, as
// entries.
func roundedRows(random *rand.Rand, columns [2][][]float64, n, count int, step float64) (out [][]float64) {
	for range count {
		e := make([]float64, header+n)
		for _, client := range columns {
			cut := make([]float64, n)
			for _, c := range client {
				b := random.NormFloat64()
				for i, x := range c {
					cut[i] += b * x
				}
			}
			for i, v := range cut {
				e[header+i] += step * math.RoundToEven(v/step)
			}
		}
		e[3] = 2 * roundingOf(e[header:])
		out = append(out, e)
	}
	return out
}

// The rank of rounded totals is that of the columns, also where those of a client have two values, so that
// the rounding of many rows is alike. Totals that have nothing in common have none, nor has rounding alone:
// the control.
func TestRankOfRoundedTotals(t *testing.T) {
	const n, count, step = 400, 64, 1.0 / 256
	random := rand.New(rand.NewPCG(7, 8))
	columnsOf := func(k int, twos bool) (out [][]float64) {
		for range k {
			c := make([]float64, n)
			for i := range c {
				if c[i] = random.NormFloat64(); twos {
					c[i] = float64(random.IntN(2))
				}
			}
			out = append(out, c)
		}
		return out
	}
	for _, c := range []struct {
		sizes [2]int
		twos  bool
		want  int
	}{{[2]int{3, 4}, false, 7}, {[2]int{3, 1}, true, 4}, {[2]int{2, 3}, true, 5}, {[2]int{1, 1}, true, 2},
		{[2]int{n, 3}, false, 0}, {[2]int{n, n}, false, 0}} {
		columns := [2][][]float64{columnsOf(c.sizes[0], c.twos && c.sizes[0] == 1), columnsOf(c.sizes[1],
			c.twos)}
		rows := roundedRows(random, columns, n, count, step)
		if got := len(spanBeyond(rows, n)); got != c.want {
			t.Errorf("%+v: %d dimensions", c, got)
		}
		if v, want := rows[0][3], 2*step*step/12; v != want {
			t.Errorf("%+v: rounding has variance %v, which the totals show as %v", c, want, v)
		}
	}
	alone := make([][]float64, count) // rounding of what does not differ but by dither
	for k := range alone {
		alone[k] = make([]float64, header+n)
		for i := range n {
			alone[k][header+i] = step * (random.Float64() - 0.5) * math.Sqrt2
		}
		alone[k][3] = 2 * step * step / 12
	}
	if got := len(spanBeyond(alone, n)); got != 0 {
		t.Errorf("rounding alone: %d dimensions", got)
	}
}
