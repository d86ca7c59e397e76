package nuts

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/runtime/vector"
)

// definite draws a positive definite matrix of a moderate condition number.
func definite(t *rapid.T, n int, name string) []float64 {
	b := rapid.SliceOfN(rapid.Float64Range(-1, 1), n*n, n*n).Draw(t, name)
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			if i == j {
				a[i*n+j] = 0.3
			}
			for k := range n {
				a[i*n+j] += b[i*n+k] * b[j*n+k]
			}
		}
	}
	return a
}

func times(n int, a, b []float64) []float64 {
	c := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}

func distance(a, b []float64) float64 {
	worst := 0.0
	for i, v := range a {
		worst = math.Max(worst, math.Abs(v-b[i]))
	}
	return worst
}

// many makes a matrix the covariance of so many draws that nothing is shrunk.
func many(n int, a []float64) *covariance {
	c := newCovariance(n)
	c.N = 1 << 40
	for i, v := range a {
		c.Products[i] = v * float64(c.N-1)
	}
	return c
}

// The dense Fisher metric is the geometric mean: M⁻¹·cov(gradients)·M⁻¹ = cov(draws), whatever the scales;
// and its root squares to M.
func TestDenseFisherIsTheGeometricMean(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(rt, "n")
		a, b := definite(rt, n, "draws"), definite(rt, n, "gradients")
		d, diagonal := newDense(n), make([]float64, n)
		for i := range diagonal {
			diagonal[i] = math.Sqrt(a[i*n+i] / b[i*n+i])
		}
		d.fromFisher(diagonal, many(n, a), many(n, b), 0)
		if off := distance(times(n, times(n, d.inverse, b), d.inverse), a); !(off < 1e-8) {
			rt.Errorf("M⁻¹BM⁻¹ differs from A by %g", off)
		}
		identity := make([]float64, n*n)
		transpose := make([]float64, n*n)
		for i := range n {
			identity[i*n+i] = 1
			for j := range n {
				transpose[i*n+j] = d.root[j*n+i]
			}
		}
		if off := distance(times(n, d.inverse, times(n, d.root, transpose)), identity); !(off < 1e-8) {
			rt.Errorf("M⁻¹RRᵀ differs from the identity by %g", off)
		}
	})
}

// A covariance that is not positive definite leaves the metric as it was.
func TestSingularCovarianceIsIgnored(t *testing.T) {
	d := newDense(2)
	copy(d.inverse, []float64{3, 1, 1, 2})
	before := append([]float64{}, d.inverse...)
	d.set([]float64{1, 1, 1, 1})
	d.fromFisher([]float64{1, 1}, many(2, []float64{1, 0, 0, 1}), many(2, []float64{1, 2, 2, 1}), 0)
	d.fromFisher([]float64{1, 1}, many(2, []float64{1, math.NaN(), math.NaN(), 1}),
		many(2, []float64{1, 0, 0, 1}), 0)
	if distance(d.inverse, before) != 0 {
		t.Errorf("the metric became %v", d.inverse)
	}
}

// The diagonal Fisher metric of draws and gradients of a normal is its variance, however few the draws; a
// coordinate without either stays as it is.
func TestDiagonalFisherOfANormal(t *testing.T) {
	m := newMetric(3, shape{})
	m.set(2, 7)
	e := newEstimate(3, 0)
	for _, z := range []float64{-1, 0.5, 2} {
		e.add([]float64{5 * z, 0.01 * z, 1}, []float64{-z / 5, -z / 0.01, 0})
	}
	m.fromFisher(&e, true, 0)
	for i, want := range []float64{25, 1e-4, 7} {
		if math.Abs(m.inverse[i]/want-1) > 1e-12 {
			t.Errorf("inverse mass %d is %v, want %v", i, m.inverse[i], want)
		}
	}
	m.set(0, 0)
	m.set(1, math.Inf(1))
	if m.inverse[0] != leastMass || m.inverse[1] != mostMass {
		t.Errorf("masses are not bounded: %v", m.inverse)
	}
}

// vectorOf is a vector of one block, of a metric over some coordinates.
func vectorOf(m *metric) *jointVector {
	whole, dim := make([]float64, len(m.inverse)+m.extra()), len(m.inverse)
	return &jointVector{at: [][]float64{whole[:dim:dim]}, theta: [][]float64{whole[:dim:dim]},
		extra: [][]float64{whole[dim:]}, whole: [][]float64{whole}}
}

func pointOf(m *metric) *point { return &point{q: vectorOf(m), g: vectorOf(m), v: vectorOf(m)} }

// Momenta have the covariance M, and pᵀM⁻¹p is the dimension in the mean. Tolerances are five standard errors
// of 20,000 draws.
func TestMomentaHaveTheMetricsCovariance(t *testing.T) {
	const draws = 20000
	full := newMetric(3, shape{dense: 2})
	full.set(2, 0.25)
	full.full.set([]float64{2, 0.6, 0.6, 1})
	low := newMetric(3, shape{ridged: 2})
	low.set(0, 2)
	low.set(2, 0.25)
	ridge(&low, 5, []float64{0.6, 0.8})
	for name, m := range map[string]metric{"dense": full, "low rank": low} {
		var inverse [9]float64
		for j := range 3 {
			for i, v := range inverseTimes(&m, j) {
				inverse[3*i+j] = v
			}
		}
		det := inverse[0]*inverse[4] - inverse[1]*inverse[1]
		want := [9]float64{inverse[4] / det, -inverse[1] / det, 0, -inverse[1] / det, inverse[0] / det, 0, 0,
			0, 4}
		s := vector.NewGenerator(vector.SharedKey(1), "momenta")
		p, g := vectorOf(&m), vectorOf(&m)
		var cov [9]float64
		twice := 0.0
		for range draws {
			twice += m.draw(0, p, g, s) / draws
			for i := range 9 {
				cov[i] += p.at[0][i/3] * p.at[0][i%3] / draws
			}
		}
		for i, w := range want {
			if se := math.Sqrt((want[i/3*4]*want[i%3*4] + w*w) / draws); math.Abs(cov[i]-w) > 5*se {
				t.Errorf("%s: covariance %d is %v, want %v ± %v", name, i, cov[i], w, se)
			}
		}
		if se := math.Sqrt(2.0 * 3 / draws); math.Abs(twice-3) > 5*se {
			t.Errorf("%s: mean of p·v is %v, want 3 ± %v", name, twice, se)
		}
	}
}
