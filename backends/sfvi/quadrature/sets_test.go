package quadrature

import (
	"math"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

type sharing struct{ density.Env }

func (sharing) Shared(name string) density.Stream {
	return vector.NewGenerator(vector.SharedKey(3), name)
}

// A further set has the mean and the covariance of the first, whatever the number of its columns, is the same
// in every coordinate's order of evaluation, and no draw of it is nearly one of the first.
func TestSetsHaveOneCovariance(t *testing.T) {
	k, noise := &Kernel{env: sharing{}}, vector.NewGenerator(vector.SharedKey(4), "noise")
	for _, m := range []int{40, 75, 250} {
		const d = 4
		columns := make([]float64, (1+m)*d)
		noise.Round(uint64(m))
		noise.FillNormals(columns)
		other := k.turned(columns, d, 2)
		second := func(of []float64, i, j int) (sum float64) {
			for c := 1; c <= m; c++ {
				sum += (of[c*d+i] - columns[i]) * (of[c*d+j] - columns[j])
			}
			return sum / float64(m)
		}
		for i := range d {
			if other[i] != columns[i] {
				t.Errorf("%d columns: the mean is %v, was %v", m, other[i], columns[i])
			}
			for j := range d {
				if a, b := second(columns, i, j), second(other, i, j); math.Abs(a-b) > 1e-12 {
					t.Errorf("%d columns: a covariance of %v, was %v", m, b, a)
				}
			}
			one := make([]float64, 1+m) // the coordinate alone
			for c := range one {
				one[c] = columns[c*d+i]
			}
			for c, v := range k.turned(one, 1, 2) {
				if v != other[c*d+i] {
					t.Fatalf("%d columns: coordinate %d alone is %v, with others %v", m, i, v, other[c*d+i])
				}
			}
		}
		for a := 1; a <= m; a++ {
			for b := 1; b <= m; b++ {
				near := 0.0
				for i := range d {
					near = max(near, min(math.Abs(columns[a*d+i]-other[b*d+i]),
						math.Abs(columns[a*d+i]+other[b*d+i]-2*columns[i])))
				}
				if near < 1e-6 {
					t.Errorf("%d columns: draw %d is draw %d of the first set", m, b, a)
				}
			}
		}
	}
}
