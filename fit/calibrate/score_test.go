package calibrate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/vflc/vflc/portable"
)

// Quantiles of the standard normal distribution (R: qnorm), and far in the tail its own distribution
// function.
func TestQuantile(t *testing.T) {
	for p, want := range map[float64]float64{0.5: 0, 0.25: -0.6744897501960817, 0.025: -1.959963984540054,
		1e-10: -6.361340902404056} {
		if got := quantile(math.Log(p)); math.Abs(got-want) > 1e-14*max(1, -want) {
			t.Errorf("quantile of %g: %.16g, want %.16g", p, got, want)
		}
	}
	for _, logP := range []float64{-1, -50, -1e4, -1e6} {
		if got := portable.LogPhi(quantile(logP)); math.Abs(got/logP-1) > 1e-12 {
			t.Errorf("log Φ of the quantile is %g, want %g", got, logP)
		}
	}
}

// irwinHall is the probability that the sum of n uniforms is at most x.
func irwinHall(n int, x float64) float64 {
	sum, binomial, factorial := 0.0, 1.0, 1.0
	for k := 0; float64(k) <= x; k++ {
		sum += binomial * math.Pow(x-float64(k), float64(n)) * float64(1-2*(k%2))
		binomial *= float64(n-k) / float64(k+1)
	}
	for k := 2; k <= n; k++ {
		factorial *= float64(k)
	}
	return sum / factorial
}

// Sums of uniforms, whose distribution is known, and of squares of normals, which have that of χ²: tail
// probabilities within a few per cent, in tails and for few values too.
func TestTails(t *testing.T) {
	const m = 20_001
	flat := make(law, m)
	for i := range flat {
		flat[i] = ((float64(i) + 0.5) / m) - 0.5
	}
	near := func(what string, z, want, tolerance float64) {
		t.Helper()
		if got := portable.Phi(-z); math.Abs(got/want-1) > tolerance {
			t.Errorf("%s: tail %.4g, want %.4g", what, got, want)
		}
	}
	for n, tolerance := range map[int]float64{2: 0.08, 5: 0.02, 10: 0.01} {
		for _, x := range []float64{0.05, 0.2, 0.35, 0.4999, 0.5} { // of the mean: the lower tail
			near("uniforms", -flat.deviate(x-0.5, n), irwinHall(n, float64(n)*x), tolerance)
			near("uniforms", flat.deviate(0.5-x, n), irwinHall(n, float64(n)*x), tolerance)
		}
	}
	if got, want := portable.LogPhi(-flat.deviate(0.5, 7)), 7*math.Log(1.0/m); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("all at the end: log probability %g, want %g", got, want)
	}
	a := normals(m)
	square := standardised(a, func(a float64) float64 { return a * a })
	for n, tolerance := range map[int]float64{2: 0.08, 5: 0.05, 20: 0.02} {
		for _, ratio := range []float64{0.4, 0.7, 0.95, 1, 1.05, 1.5, 2} { // of the sum of squares to n
			mean := (ratio - 1) / math.Sqrt2
			upper := mathext.GammaIncRegComp(float64(n)/2, float64(n)*ratio/2)
			near("squares", square.deviate(mean, n), upper, tolerance)
			near("squares", -square.deviate(mean, n), 1-upper, tolerance)
		}
	}
}
