package attack

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/runtime/session"
)

// Totals at draws whose covariance by client changes from period to period separate; where it does not
// change, or draws are few, nothing is claimed.
func TestPlantedPeriodsSeparate(t *testing.T) {
	plan := planOf(plantedRows, 0, 0)
	plan.Exact, plan.Wire.Masked, plan.Wire.Fixed = true, true, true
	columns, _ := plantedColumns()
	for _, c := range []struct {
		totals     int
		changes    bool
		directions int
	}{{1 << 17, true, 4}, {1 << 15, false, 0}, {60, true, 0}} {
		r, random := NewRecorder(plan), rand.New(rand.NewPCG(61, 62))
		z := make([]float64, 4)
		for k := range c.totals {
			for i := range z {
				z[i] = random.NormFloat64()
			}
			period := 0
			if c.changes {
				period = bits.Len(uint(k))
			}
			total := make([]float64, plantedRows)
			for j := range z {
				v := float64(1+period*(j+2)%5) * z[j]
				if j%2 == 1 { // the second column of a client goes with the first
					v += 0.5 * float64(period*3%4) * z[j-1]
				}
				for i, x := range columns[j] {
					total[i] += v * x
				}
			}
			r.Sent(session.AllRows, [][][]float64{{}}, [][]float64{total})
			r.Answered([][]float64{total}, [][][]float64{{}})
		}
		truth := func(party, _ int) (t Truth) {
			t.Mean = make([]float64, plantedRows)
			for _, k := range []int{2*party - 2, 2*party - 1} {
				t.Draws = append(t.Draws, columns[k])
			}
			sum := make([]float64, plantedRows)
			for i := range sum {
				sum[i] = columns[2*party-2][i] + columns[2*party-1][i]
			}
			t.Draws = append(t.Draws, sum)
			return t
		}
		all := relayed(r, nil, truth)
		found := 0
		if len(all) > 0 {
			found = all[0].Directions
			for _, g := range all[0].Groups {
				if !(g.Within > 0.98) {
					t.Errorf("%+v: %+v", c, g)
				}
			}
		}
		if found != c.directions {
			t.Errorf("%+v: %+v", c, all)
		}
	}
}
