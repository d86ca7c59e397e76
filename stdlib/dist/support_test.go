package dist

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// outside lists points at which a distribution has no density.
func outside(d def.Dist, theta []float64) []float64 {
	return slices.DeleteFunc(outsideOf(d.Support, theta), func(x float64) bool {
		return slices.Contains(d.Atoms, x)
	})
}

func outsideOf(s def.Support, theta []float64) []float64 {
	inf := math.Inf(1)
	points := []float64{math.NaN(), -inf}
	switch s {
	case def.Positive:
		points = append(points, -1, -1e-300)
	case def.UnitInterval:
		points = append(points, -0.1, 0, 1, 1.1, inf)
	case def.Interval:
		points = append(points, theta[0]-100, theta[1]+100, inf)
	case def.FromFirst:
		points = append(points, theta[0]-100, min(0, theta[0]-3), inf)
	case def.Circle:
		points = append(points, -3.2, 3.2, 100, inf)
	case def.ZeroOne:
		points = append(points, 0.5, -1, 2, 1e-300, inf)
	case def.Naturals:
		points = append(points, -1, 0.5, 3.0000001, inf)
	case def.WholeInterval:
		points = append(points, theta[0]-100, theta[1]+100, 0.5, inf)
	case def.UpToN:
		points = append(points, -1, 0.5, theta[0]+1000, inf)
	}
	return points
}

// bad lists values that a parameter must not have.
func bad(p def.Param) []float64 {
	points := []float64{math.NaN()}
	switch {
	case p.Integral && p.Domain == def.RealLine:
		points = append(points, 2.5, math.Inf(1), math.Inf(-1))
	case p.Integral:
		points = append(points, -1, 2.5, math.Inf(1))
	case p.Domain == def.Positive:
		points = append(points, 0, -1, math.Inf(-1))
	case p.Domain == def.NonNegative:
		points = append(points, -1, -1e-300, math.Inf(-1))
	case p.Domain == def.UnitInterval:
		points = append(points, -0.1, 1.1, math.Inf(1))
	}
	return points
}

// One bad value among good ones, in every place where loops differ: the block has no density, of its elements
// only the bad one has none, and no output is infinite.
func TestNoDensity(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(17, 18))
		for vectors := range 1 << (len(d.Params) + 1) {
			good := newSample(d, 70, vectors, r)
			theta := make([]float64, len(good.theta))
			for k, a := range good.theta {
				theta[k] = a.At(66)
			}
			for _, v := range outside(d, theta) {
				expectNone(t, good, &good.x, v)
			}
			for k, p := range d.Params {
				for _, v := range bad(p) {
					expectNone(t, good, &good.theta[k], v)
				}
			}
		}
	})
}

// expectNone puts v into element 66 of the argument, or into all if it has one value for all.
func expectNone(t *testing.T, s sample, a *def.BlockArg, v float64) {
	t.Helper()
	at := 66 * a.Step
	before := a.V[at]
	a.V[at] = v
	defer func() { a.V[at] = before }()
	for _, lp := range []bool{false, true} {
		b := s.block(lp)
		if got := s.d.LogDensity(b); !math.IsInf(got, -1) {
			t.Fatalf("%v for %v in element 66: sum %v, want -Inf", v, s.x.At(66), got)
		}
		for i, got := range b.LP {
			if (i == 66 || a.Step == 0) && !math.IsInf(got, -1) || i != 66 && a.Step == 1 && !finite(got) {
				t.Fatalf("%v in element 66: LP[%d] = %v", v, i, got)
			}
		}
		for k, d := range append([][]float64{b.DX}, b.DTheta...) {
			for i := range d {
				if math.IsInf(d[i], 0) {
					t.Fatalf("%v in element 66: partial %d of element %d is infinite", v, k-1, i)
				}
			}
		}
	}
}

// The carrier does not turn what has no density into a number.
func TestCarrierOutside(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		if d.Carrier == nil {
			return
		}
		theta := drawTheta(d, rand.New(rand.NewPCG(1, 2)))
		for _, x := range outside(d, theta) {
			if got := logp(d, x, theta); !math.IsInf(got, -1) {
				t.Errorf("%s: %v", label(x, theta), got)
			}
		}
	})
}

// Limits at which a naive formula gives NaN.
func TestLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		d     def.Dist
		x     float64
		theta []float64
		want  float64
	}{
		{PoissonLog(), 0, []float64{-inf}, 0},
		{PoissonLog(), 1, []float64{-inf}, -inf},
		{PoissonLog(), 5, []float64{1000}, -inf},
		{BernoulliLogit(), 1, []float64{inf}, 0},
		{BernoulliLogit(), 0, []float64{inf}, -inf},
		{BinomialLogit(), 4, []float64{4, inf}, 0},
		{BinomialLogit(), 0, []float64{4, -inf}, 0},
		{BinomialLogit(), 3, []float64{4, inf}, -inf},
		{NegBinomial2Log(), 0, []float64{-inf, 2}, 0},
		{Bernoulli(), 1, []float64{1}, 0},
		{Binomial(), 0, []float64{4, 0}, 0},
		{Binomial(), 4, []float64{4, 1}, 0},
		{Binomial(), 1, []float64{4, 0}, -inf},
		{Geometric(), 0, []float64{1}, 0},
		{Geometric(), 2, []float64{1}, -inf},
		{Weibull(), 0, []float64{1, 2}, -math.Ln2},
		{Weibull(), 0, []float64{0.5, 2}, -inf}, // no finite density
		{ChiSquare(), 0, []float64{2}, -math.Ln2},
		{LogLogistic(), 0, []float64{2, 1}, -math.Ln2},
		{Pareto(), 2, []float64{2, 1}, -math.Ln2},
		{Bernoulli(), 0, []float64{1}, -inf},
		{Bernoulli(), 0, []float64{0}, 0},
		{Poisson(), 0, []float64{0}, 0},
		{Poisson(), 1, []float64{0}, -inf},
		{Poisson(), 0, []float64{inf}, -inf},
		{Exponential(), 0, []float64{2}, math.Ln2},
		{Gamma(), 0, []float64{1, 2}, math.Ln2},
		{Gamma(), 0, []float64{1.5, 2}, -inf},
		{Gamma(), 0, []float64{0.5, 2}, -inf}, // no finite density
		{Beta(), 0, []float64{1, 2}, math.Ln2},
		{Beta(), 1, []float64{2, 1}, math.Ln2},
		{Beta(), 0, []float64{2, 1}, -inf},
		{Beta(), 1, []float64{1, 0.5}, -inf},
		{Uniform(), 2, []float64{1, 2}, 0},
		{Normal(), inf, []float64{inf, 1}, -inf},
		{Normal(), 0, []float64{0, inf}, -inf},
		{Cauchy(), 0, []float64{0, inf}, -inf},
	} {
		for _, n := range []int{1, 3} {
			x, theta := make([]float64, n), make([]def.BlockArg, len(c.theta))
			for i := range x {
				x[i] = c.x
			}
			for k, v := range c.theta {
				theta[k] = def.Scalar(v)
			}
			last := make([]float64, n)
			for i := range last {
				last[i] = c.theta[len(theta)-1]
			}
			theta[len(theta)-1] = def.Vector(last)
			got := c.d.LogDensity(&def.Batch{N: n, X: def.Vector(x), Theta: theta})
			if want := float64(n) * c.want; !near(got, want, 1e-15) {
				t.Errorf("%s %s: %v, want %v", c.d.Name, label(c.x, c.theta), got, want)
			}
		}
	}
}
