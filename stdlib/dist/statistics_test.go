package dist

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// What moves with a parameter is linear in the statistic that the parameter names, an integral parameter
// multiplying what has no statistic: two values determine it for a third.
func TestLinearIn(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(39, 40))
		for k, p := range d.Params {
			for range 100 {
				if p.LinearIn == nil {
					break
				}
				theta, moved := drawTheta(d, r), drawTheta(d, r)[k]
				var stat, trials, change, slope [3]float64
				size := 0.0
				for i := range stat {
					trials[i] = 1
					for j, q := range d.Params {
						if q.Integral {
							theta[j] = float64(1 + r.IntN(40))
							trials[i] = theta[j]
						}
					}
					x := drawX(d, r, theta)
					stat[i] = p.LinearIn.Of(x, theta)
					other := slices.Clone(theta)
					other[k] = moved
					change[i] = logp(d, x, other) - logp(d, x, theta)
					slope[i] = partialAt(d, x, other, k)
					size = max(size, math.Abs(logp(d, x, other)), math.Abs(logp(d, x, theta)),
						math.Abs(slope[i]))
				}
				// (stat, trials, change) are three vectors in a plane.
				minor := func(i, j int) float64 { return stat[i]*trials[j] - stat[j]*trials[i] }
				scale := math.Abs(minor(0, 1)) + math.Abs(minor(1, 2)) + math.Abs(minor(0, 2))
				for _, v := range [][3]float64{change, slope} {
					if got := v[0]*minor(1, 2) - v[1]*minor(0, 2) + v[2]*minor(0,
						1); math.Abs(got) > 1e-12*(1+size)*scale {
						t.Fatalf("%s: %v is off by %v of %v", p.Name, v, got, size*scale)
					}
				}
			}
		}
	})
}

// A statistic depends on the parameters that it names, and on no other.
func TestStatisticsAreFixed(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(41, 42))
		for _, p := range d.Params {
			if p.LinearIn == nil {
				continue
			}
			theta := drawTheta(d, r)
			x := drawX(d, r, theta)
			if d.Discrete {
				x++
			}
			for j := range theta {
				other := slices.Clone(theta)
				other[j] *= 1.5
				differs := p.LinearIn.Of(x, theta) != p.LinearIn.Of(x, other)
				if differs != slices.Contains(p.LinearIn.Fixed, j) {
					t.Errorf("%s depends on %s: %v", p.LinearIn.Name, d.Params[j].Name, differs)
				}
			}
		}
	})
}

// partialAt is the derivative of the log density by one parameter.
func partialAt(d def.Dist, x float64, theta []float64, k int) float64 {
	by := make([][]float64, len(theta))
	by[k] = []float64{0}
	d.LogDensity(&def.Batch{N: 1, X: def.Scalar(x), Theta: args(theta), DTheta: by})
	return by[k][0]
}
