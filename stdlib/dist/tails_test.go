package dist

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// A tailCase has the log probabilities of a value no greater than x, and of a greater one.
type tailCase struct {
	X, Below, Above float64
	Theta           []float64
}

// Values from mpmath at 420 digits, rounded to double.
func TestTailCases(t *testing.T) {
	text, err := os.ReadFile("testdata/tails.json")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string][]tailCase{}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, d def.Dist) {
		if (d.LogCDF == nil) != (d.LogCCDF == nil) || (d.LogCDF == nil) == (d.NoCDF == "") {
			t.Fatal("a distribution has both of LogCDF and LogCCDF, or says in NoCDF why not")
		}
		if d.LogCDF == nil {
			return
		}
		if len(cases[d.Name]) < 5 {
			t.Errorf("%d cases, at least 5 are needed", len(cases[d.Name]))
		}
		for _, c := range cases[d.Name] {
			if got := tailAt(d.LogCDF, c.X, c.Theta); !near(got, c.Below, 2e-12) {
				t.Errorf("log P(X ≤ %v | %v) = %v, want %v (relative error %.1e)", c.X, c.Theta, got, c.Below,
					math.Abs(got/c.Below-1))
			}
			if got := tailAt(d.LogCCDF, c.X, c.Theta); !near(got, c.Above, 2e-12) {
				t.Errorf("log P(X > %v | %v) = %v, want %v (relative error %.1e)", c.X, c.Theta, got, c.Above,
					math.Abs(got/c.Above-1))
			}
		}
	})
}

func tailAt(f func(*def.Batch) float64, x float64, theta []float64) float64 {
	return f(&def.Batch{N: 1, X: def.Scalar(x), Theta: args(theta)})
}

// eachTail calls f with random values and parameters of each distribution that has tails, and with the two
// tails.
func eachTail(t *testing.T, f func(t *testing.T, d def.Dist, x float64, theta []float64)) {
	each(t, func(t *testing.T, d def.Dist) {
		if d.LogCDF == nil {
			return
		}
		r := rand.New(rand.NewPCG(71, 72))
		for range 60 {
			theta := drawTheta(d, r)
			x := drawX(d, r, theta)
			if d.Support == def.Interval { // a step of a difference stays inside
				theta[1] = theta[0] + 4
				x = theta[0] + 2
			}
			if !slices.Contains(d.Atoms, x) {
				x = apart(d, x, theta)
			}
			f(t, d, x, theta)
		}
	})
}

// The two tails sum to 1.
func TestTailsSum(t *testing.T) {
	eachTail(t, func(t *testing.T, d def.Dist, x float64, theta []float64) {
		if sum := math.Exp(tailAt(d.LogCDF, x, theta)) + math.Exp(tailAt(d.LogCCDF, x, theta)); math.Abs(sum-
			1) > 1e-12 {
			t.Errorf("%s: the tails sum to %v", label(x, theta), sum)
		}
	})
}

// The derivative of the distribution function is the density, and its steps are the probabilities of a count.
func TestTailsAndDensity(t *testing.T) {
	eachTail(t, func(t *testing.T, d def.Dist, x float64, theta []float64) {
		p := math.Exp(logp(d, x, theta))
		if d.Discrete {
			step := math.Exp(tailAt(d.LogCDF, x, theta)) - math.Exp(tailAt(d.LogCDF, x-1, theta))
			if math.Abs(step-p) > 1e-12+1e-10*p {
				t.Errorf("%s: the distribution function rises by %v, the probability is %v", label(x, theta),
					step, p)
			}
			return
		}
		if slices.Contains(d.Atoms, x) {
			before := math.Exp(tailAt(d.LogCDF, math.Nextafter(x, math.Inf(-1)), theta))
			if step := math.Exp(tailAt(d.LogCDF, x, theta)) - before; math.Abs(step-p) > 1e-12 {
				t.Errorf("%s: the distribution function rises by %v, the probability is %v", label(x, theta),
					step, p)
			}
			return
		}
		b := sample{d: d, n: 1, x: def.Scalar(x), theta: args(theta)}.block(true)
		up := d.LogCDF(b)
		if slope := b.DX[0] * math.Exp(up); math.Abs(slope-p) > 1e-9*p {
			t.Errorf("%s: the slope of the distribution function is %v, the density %v", label(x, theta),
				slope, p)
		}
		down := d.LogCCDF(b)
		if slope := -b.DX[0] * math.Exp(down); math.Abs(slope-p) > 1e-9*p {
			t.Errorf("%s: the slope of its complement is %v, the density %v", label(x, theta), slope, p)
		}
	})
}

// Partials of both tails in every real parameter against finite differences.
func TestTailPartials(t *testing.T) {
	eachTail(t, func(t *testing.T, d def.Dist, x float64, theta []float64) {
		for name, f := range map[string]func(*def.Batch) float64{"cdf": d.LogCDF, "ccdf": d.LogCCDF} {
			b := sample{d: d, n: 1, x: def.Scalar(x), theta: args(theta)}.block(true)
			if lp := f(b); math.IsInf(lp, 0) {
				continue
			}
			for k, p := range d.Params {
				if p.Integral {
					if b.DTheta[k][0] != 0 {
						t.Errorf("%s: %s is data, but its partial is %v", label(x, theta), p.Name,
							b.DTheta[k][0])
					}
					continue
				}
				checkPartial(t, d, name+" "+p.Name, x, theta, b.DTheta[k][0], theta[k], p.Domain,
					func(v float64) float64 {
						moved := append([]float64(nil), theta...)
						moved[k] = v
						return tailAt(f, x, moved)
					})
			}
		}
	})
}

// Outside the support a tail is 0 or 1 with partials 0, and with a parameter outside its domain it is NaN.
func TestTailEnds(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if d.LogCDF == nil {
			return
		}
		theta := drawTheta(d, rand.New(rand.NewPCG(73, 74)))
		lower, upper := d.Support.Bounds(theta)
		for _, end := range []struct {
			x          float64
			below, abo float64
		}{{lower - 1, math.Inf(-1), 0}, {upper + 1, 0, math.Inf(-1)}} {
			if math.IsInf(end.x, 0) {
				continue
			}
			b := sample{d: d, n: 1, x: def.Scalar(end.x), theta: args(theta)}.block(true)
			if got := d.LogCDF(b); got != end.below || b.DX[0] != 0 || b.DTheta[0][0] != 0 {
				t.Errorf("%s: log P(X ≤ x) = %v with partials %v, %v", label(end.x, theta), got, b.DX[0],
					b.DTheta)
			}
			if got := d.LogCCDF(b); got != end.abo || b.DX[0] != 0 || b.DTheta[0][0] != 0 {
				t.Errorf("%s: log P(X > x) = %v with partials %v, %v", label(end.x, theta), got, b.DX[0],
					b.DTheta)
			}
		}
		for k, p := range d.Params {
			bad := append([]float64(nil), theta...)
			bad[k] = -1
			if p.Domain == def.RealLine {
				bad[k] = math.NaN()
			}
			for _, x := range []float64{lower - 1, 1} {
				if got := tailAt(d.LogCDF, x, bad); !math.IsInf(x, 0) && !math.IsNaN(got) {
					t.Errorf("%s: log P(X ≤ x) = %v, not NaN", label(x, bad), got)
				}
			}
		}
	})
}
