package nuts

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/stdlib/linear"
)

// A chain has arrived after three transitions in a row that raise the log density by less than ten for each
// coordinate.
func TestArrival(t *testing.T) {
	var a arrival
	const kinetic = 2.0 // of four coordinates
	for i, step := range []struct {
		rise       float64
		calm, done bool
	}{{1e6, false, false}, {39, true, false}, {-3, true, false}, {41, false, false}, {0, true, false},
		{-50, true, false}, {39, true, true}} {
		if calm := a.note(step.rise, kinetic); calm != step.calm || a.done != step.done {
			t.Errorf("transition %d: calm %t, arrived %t", i, calm, a.done)
		}
	}
}

// The first inverse mass is one over the root of the |gradient| and its mean. Under way it follows a gradient
// that falls, by a factor of four at most, and one that grows at once.
func TestMetricUnderWay(t *testing.T) {
	m := newMetric(4, shape{})
	m.fromGradient([]float64{-100, 100, 0, 4}, false)
	first := func(g float64) float64 { return 1 / math.Sqrt(51*g) }
	want := [][]float64{{first(100), first(100), 1, first(4)},
		{4 * first(100), 1 / math.Sqrt(50.525*200), 1 / math.Sqrt(50.525*2), 4 * first(4)}}
	for i, w := range want {
		for j := range w {
			if math.Abs(m.inverse[j]-w[j]) > 1e-15 {
				t.Errorf("metric %d: inverse mass %d is %v, want %v", i, j, m.inverse[j], w[j])
			}
		}
		m.fromGradient([]float64{0, 200, 2, 0.1}, true)
	}
}

// Where draws have a greater variance than gradients suggest, the inverse mass is a share of it. Of two
// normals with unit variances and correlation 0.9 a gradient has the variance 1/(1 − 0.81), so that √(1 −
// 0.81) = 0.44 is less than a half. A dense metric is the covariance, and stays as it is.
func TestInverseMassIsAShareOfTheVariance(t *testing.T) {
	const rho, points = 0.9, 400
	precision := 1 / (1 - rho*rho)
	m, e := newMetric(2, shape{}), newEstimate(2, 2)
	for i := range points { // on a circle, mapped to the covariance
		v, u := math.Sincos(2 * math.Pi * float64(i) / points)
		x, y := math.Sqrt2*u, math.Sqrt2*(rho*u+math.Sqrt(1-rho*rho)*v)
		e.add([]float64{x, y}, []float64{-precision * (x - rho*y), -precision * (y - rho*x)})
	}
	variance := points / (points - 1.0)
	for _, c := range []struct{ share, want float64 }{{0, math.Sqrt(1 - rho*rho)},
		{0.4, math.Sqrt(1 - rho*rho)}, {0.5, 0.5 * variance}} {
		m.fromFisher(&e, true, c.share)
		if math.Abs(m.inverse[0]/c.want-1) > 1e-12 {
			t.Errorf("share %v: inverse mass %v, want %v", c.share, m.inverse[0], c.want)
		}
	}
	d := newDense(2)
	d.fromFisher(m.inverse, e.drawMatrix, e.gradMatrix, 0.5)
	for i, want := range []float64{1, rho, rho, 1} {
		if math.Abs(d.inverse[i]-want) > 4*unseen/points {
			t.Errorf("dense inverse mass %d is %v, want %v", i, d.inverse[i], want)
		}
	}
}

// The dense metric has at least a share of the variance of draws along every direction: M⁻¹ − share·A is
// positive semidefinite.
func TestDenseMetricIsAShareOfTheCovariance(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(rt, "n")
		a, b := definite(rt, n, "draws"), definite(rt, n, "gradients")
		d, diagonal := newDense(n), make([]float64, n)
		for i := range diagonal {
			diagonal[i] = math.Sqrt(a[i*n+i] / b[i*n+i])
		}
		d.fromFisher(diagonal, many(n, a), many(n, b), 0.5)
		rest := make([]float64, n*n)
		for i, v := range a {
			rest[i] = d.inverse[i] - 0.5*v
		}
		for i := range n {
			rest[i*n+i] += 1e-8 * d.inverse[i*n+i]
		}
		if !linear.CholeskyRows(rest, n, 0) {
			rt.Errorf("M⁻¹ is less than half the covariance of draws along some direction")
		}
	})
}

// A chain that has come to shorter steps at the end of the warm-up keeps them; else the mean of those tried
// is taken.
func TestSettled(t *testing.T) {
	f := &fisher{step: stepSize{Target: 0.8}}
	f.step.Restart(1)
	for range 300 {
		f.step.Learn(0.8)
	}
	if got := f.settled(); got != f.step.Final() {
		t.Errorf("the step size is %v, its mean %v", got, f.step.Final())
	}
	for range 6 {
		f.step.Learn(0)
	}
	if got := f.settled(); got != f.step.Current() || got >= slower*f.step.Final() {
		t.Errorf("where nothing is accepted the step size is %v, the last %v, the mean %v", got,
			f.step.Current(), f.step.Final())
	}
}
