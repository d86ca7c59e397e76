package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// covariance is a random positive definite matrix.
func covariance(r *rand.Rand, k int) []float64 {
	l, a := random(r, k*k), make([]float64, k*k)
	for i := range l {
		l[i] /= math.Sqrt(float64(k))
	}
	for i := range k {
		l[i+k*i] = 1 + math.Abs(l[i+k*i])
		for j := i + 1; j < k; j++ {
			l[i+k*j] = 0
		}
	}
	TimesOwnTranspose(a, l, k)
	return a
}

// The factor of L Lᵀ is L, in place too; the inverse times the matrix is 1.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{1, 2, 3, 5, 8, 11, 17, 40, 101} { // those above 16 by blocks
		a := covariance(r, k)
		l, again, inv := make([]float64, k*k), make([]float64, k*k), make([]float64, k*k)
		if !Cholesky(l, a, k) || !CholeskyFactor(l, k) {
			t.Fatal("no factor")
		}
		TimesOwnTranspose(again, l, k)
		Inverse(inv, l, k)
		for i := range k {
			for j := range k {
				if !(math.Abs(again[i+k*j]-a[i+k*j]) <= 1e-12*float64(k)) {
					t.Errorf("L Lᵀ has %v, want %v", again[i+k*j], a[i+k*j])
				}
				sum := 0.0
				for m := range k {
					sum += inv[i+k*m] * a[m+k*j]
				}
				if want := map[bool]float64{true: 1}[i == j]; !(math.Abs(sum-want) <= 1e-9) {
					t.Errorf("the inverse times the matrix has %v, want %v", sum, want)
				}
			}
		}
		same := append([]float64(nil), a...)
		Cholesky(same, same, k)
		for i := range l {
			if same[i] != l[i] {
				t.Errorf("in place: %v, want %v", same[i], l[i])
			}
		}
	}
	if Cholesky(make([]float64, 4), []float64{1, 2, 2, 1}, 2) || PositiveDefinite([]float64{1, 0.1, 0, 1},
		2) || CholeskyFactor([]float64{1, 0, 0, -1}, 2) {
		t.Error("a matrix that is not positive definite, not symmetric or no factor passes")
	}
}

// The reverse of the factorisation agrees with differences along symmetric directions, and that of L Lᵀ along
// lower triangular ones.
func TestReverse(t *testing.T) {
	const h = 1e-4
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range []int{1, 2, 3, 4, 7, 10, 17, 26} {
		a, w := covariance(r, k), random(r, k*k)
		l, da := make([]float64, k*k), make([]float64, k*k)
		Cholesky(l, a, k)
		Products{}.CholeskyBack(da, append([]float64(nil), w...), l, k)
		dl := make([]float64, k*k)
		TimesOwnTransposeBack(dl, w, l, k)
		for i := range k {
			for j := range i + 1 {
				factor := func(d float64) float64 {
					b, out, sum := append([]float64(nil), a...), make([]float64, k*k), 0.0
					b[i+k*j] += d
					b[j+k*i] = b[i+k*j]
					Cholesky(out, b, k)
					for e := range out {
						sum += w[e] * out[e]
					}
					return sum
				}
				product := func(d float64) float64 {
					b, out, sum := append([]float64(nil), l...), make([]float64, k*k), 0.0
					b[i+k*j] += d
					TimesOwnTranspose(out, b, k)
					for e := range out {
						sum += w[e] * out[e]
					}
					return sum
				}
				slope := func(f func(float64) float64) float64 {
					return (f(-2*h) - 8*f(-h) + 8*f(h) - f(2*h)) / (12 * h)
				}
				got := da[i+k*j]
				if i != j {
					got += da[j+k*i]
				}
				if want := slope(factor); math.Abs(got-want) > 1e-7*max(1, math.Abs(want)) {
					t.Errorf("K = %d: by element %d, %d of the matrix %v, from differences %v", k, i, j, got,
						want)
				}
				if want := slope(product); math.Abs(dl[i+k*j]-want) > 1e-7*max(1, math.Abs(want)) {
					t.Errorf("K = %d: by element %d, %d of the factor %v, from differences %v", k, i, j,
						dl[i+k*j], want)
				}
			}
		}
	}
}

// A⁻¹(A x) = x and A⁻ᵀ(Aᵀ x) = x, also where pivots are needed.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for k := 1; k < 12; k++ {
		a, x := random(r, k*k), random(r, k)
		if k > 1 {
			a[0] = 0
		}
		b, c := make([]float64, k), make([]float64, k)
		for i := range k {
			for j := range k {
				b[i] += a[i+k*j] * x[j]
				c[j] += a[i+k*j] * x[i]
			}
		}
		pivots := make([]int, k)
		Factor(a, pivots, k)
		Solve(b, a, pivots, k)
		SolveTransposed(c, a, pivots, k)
		for i := range k {
			if math.Abs(b[i]-x[i]) > 1e-9 || math.Abs(c[i]-x[i]) > 1e-9 {
				t.Errorf("K = %d: %v and %v, want %v", k, b[i], c[i], x[i])
			}
		}
	}
}

// TestCholeskyByRows factors a matrix whose upper triangle is not read, and asks for pivots that it has or
// not.
func TestCholeskyByRows(t *testing.T) {
	nan := math.NaN()
	for _, least := range []float64{0, 3.9, 4.1} { // the pivots are 9, 4 and 16
		a := []float64{9, nan, nan, 3, 5, nan, -6, 4, 29}
		if positive := CholeskyRows(a, 3, least); positive != (least < 4) {
			t.Errorf("pivots above %v: %t", least, positive)
		} else if want := []float64{3, 0, 0, 1, 2, 0, -2, 3, 4}; positive && !slices.Equal(a, want) {
			t.Errorf("the factor is %v, want %v", a, want)
		}
	}
}
