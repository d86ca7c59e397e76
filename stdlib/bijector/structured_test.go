package bijector

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// eachStructured runs f for every structured map and several sizes.
func eachStructured(t *testing.T, f func(t *testing.T, s def.Structured, k int)) {
	for _, s := range Structured() {
		t.Run(s.Name, func(t *testing.T) {
			if !strings.Contains(s.Doc, "Source: ") || !s.Support.OfWholes() {
				t.Fatal("no source, or no support of whole values")
			}
			for _, k := range []int{1, 2, 3, 5} {
				if k >= s.Least {
					f(t, s, k)
				}
			}
		})
	}
}

// at evaluates a map.
func at(s def.Structured, x []float64, k int) (y []float64, jacobian float64) {
	y = make([]float64, s.Len(k))
	return y, s.Forward(y, x, make([]float64, s.Room(k)), k)
}

// Values lie in the set, and coordinates are found again.
func TestStructuredInverse(t *testing.T) {
	eachStructured(t, func(t *testing.T, s def.Structured, k int) {
		for range 20 {
			x := points(s.Free(k), 1.2)
			y, _ := at(s, x, k)
			if !s.Contains(y, k) {
				t.Fatalf("K = %d: %v is not in the set", k, y)
			}
			back := make([]float64, len(x))
			s.Inverse(back, y, k)
			again, _ := at(s, back, k)
			for i := range y {
				if !near(again[i], y[i], 1e-9) {
					t.Errorf("K = %d: %v, from its coordinates %v", k, y[i], again[i])
				}
			}
			if s.Support == def.UnitVector {
				continue // several coordinates have one value
			}
			for i := range x {
				if !near(back[i], x[i], 1e-8) {
					t.Errorf("K = %d: inverse(f(%v)) = %v", k, x[i], back[i])
				}
			}
		}
	})
}

// What is not in a set is refused.
func TestContains(t *testing.T) {
	nan := math.NaN()
	bad := map[string][][]float64{
		"ordered":          {{1, 1}, {2, 1}, {nan, 1}, {0, math.Inf(1)}},
		"positive_ordered": {{0, 1}, {-1, 1}, {2, 1}, {1, nan}},
		"simplex":          {{0.5, 0.6}, {-0.1, 1.1}, {nan, 1}},
		"unit_vector":      {{1, 1}, {nan, 0}},
		"corr_cholesky":    {{1, 0.6, 0, 0.9}, {1, 0.6, 0, -0.8}, {1, 0.6, 0.1, 0.8}},
		"corr_matrix":      {{1, 1.1, 1.1, 1}, {1, 0.5, 0.4, 1}, {2, 0, 0, 1}},
		"sum_to_zero":      {{1, 1}, {nan, 0}, {1, math.Inf(-1)}},
		"cov_matrix":       {{1, 2, 2, 1}, {1, 0.5, 0.4, 1}, {nan, 0, 0, 1}},
	}
	for _, s := range Structured() {
		if len(bad[s.Name]) == 0 {
			t.Errorf("%s has no values to refuse", s.Name)
		}
		for _, y := range bad[s.Name] {
			if s.Contains(y, 2) {
				t.Errorf("%s accepts %v", s.Name, y)
			}
		}
	}
}

// freeElements lists those elements of a value that vary freely.
func freeElements(s def.Structured, k int) []int {
	var out []int
	for j := range k {
		switch {
		case s.Rank == 1 && (s.Support != def.Simplex && s.Support != def.ZeroSum || j < k-1):
			out = append(out, j)
		case s.Rank == 2:
			for i := range k {
				if i > j || i == j && s.Support == def.CovMatrix {
					out = append(out, i+k*j)
				}
			}
		}
	}
	return out
}

// logDeterminant is log |det a| of an n×n matrix of rows, by elimination with pivots.
func logDeterminant(a [][]float64) float64 {
	sum := 0.0
	for c := range a {
		p := c
		for r := c; r < len(a); r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		a[c], a[p] = a[p], a[c]
		sum += math.Log(math.Abs(a[c][c]))
		for r := c + 1; r < len(a); r++ {
			f := a[r][c] / a[c][c]
			for j := c; j < len(a); j++ {
				a[r][j] -= f * a[c][j]
			}
		}
	}
	return sum
}

// The log-Jacobian is the log-determinant of the derivatives of the free elements, by differences.
func TestStructuredLogJacobian(t *testing.T) {
	const h = 1e-3
	eachStructured(t, func(t *testing.T, s def.Structured, k int) {
		free := freeElements(s, k)
		if s.Support == def.UnitVector {
			free = nil
		}
		all := points(8*s.Free(k), 1)
		for len(all) > 0 {
			x := all[:s.Free(k)]
			all = all[s.Free(k):]
			_, got := at(s, x, k)
			if s.Support == def.UnitVector {
				if want := -0.5 * math.Pow(length(x), 2); !near(got, want, 1e-14) {
					t.Errorf("%v, want %v", got, want)
				}
				continue
			}
			rows := make([][]float64, len(x))
			for i := range x {
				move := func(d float64) []float64 {
					z := slices.Clone(x)
					z[i] += d
					y, _ := at(s, z, k)
					return y
				}
				a, b, c, d := move(-2*h), move(-h), move(h), move(2*h)
				for _, e := range free {
					rows[i] = append(rows[i], (a[e]-8*b[e]+8*c[e]-d[e])/(12*h))
				}
			}
			if want := logDeterminant(rows); math.Abs(got-want) > 1e-7 {
				t.Errorf("K = %d at %v: log-Jacobian %v, from differences %v", k, x, got, want)
			}
		}
	})
}

// Backward is the gradient of Σ dy·y, with that of the log-Jacobian where it is wanted, added to what was
// there.
func TestStructuredBackward(t *testing.T) {
	const h = 1e-3
	eachStructured(t, func(t *testing.T, s def.Structured, k int) {
		x, dy := points(s.Free(k), 0.8), points(s.Len(k)+3, 1)[3:]
		y, _ := at(s, x, k)
		for _, jacobian := range []bool{false, true} {
			dx := make([]float64, len(x))
			for i := range dx {
				dx[i] = 7
			}
			s.Backward(dx, slices.Clone(dy), x, y, make([]float64, s.Room(k)), k, jacobian)
			for i := range x {
				value := func(d float64) float64 {
					z := slices.Clone(x)
					z[i] += d
					v, sum := at(s, z, k)
					if !jacobian {
						sum = 0
					}
					for e := range v {
						sum += dy[e] * v[e]
					}
					return sum
				}
				want := (value(-2*h) - 8*value(-h) + 8*value(h) - value(2*h)) / (12 * h)
				if got := dx[i] - 7; !near(got, want, 1e-8) {
					t.Errorf("K = %d, log-Jacobian %v: gradient %v, from differences %v", k, jacobian, got,
						want)
				}
			}
		}
	})
}

// Far out, values are finite and inside, and so are log-Jacobians and gradients.
func TestStructuredTails(t *testing.T) {
	eachStructured(t, func(t *testing.T, s def.Structured, k int) {
		if s.Free(k) == 0 {
			return
		}
		for _, scale := range []float64{-40, -8, 8, 40} {
			x := make([]float64, s.Free(k))
			for i := range x {
				x[i] = scale * float64(1+i%2) / float64(k)
			}
			y, jacobian := at(s, x, k)
			dx, dy := make([]float64, len(x)), make([]float64, len(y))
			s.Backward(dx, dy, x, y, make([]float64, s.Room(k)), k, true)
			if !finite(y) || !finite(append(dx, jacobian)) {
				t.Errorf("K = %d at %v: %v, log-Jacobian %v, gradient %v", k, x, y, jacobian, dx)
			}
		}
	})
}

func TestStructuredAllocations(t *testing.T) {
	eachStructured(t, func(t *testing.T, s def.Structured, k int) {
		x := points(s.Free(k), 1)
		y, dy, dx, work := make([]float64, s.Len(k)), make([]float64, s.Len(k)), make([]float64, len(x)),
			make([]float64, s.Room(k))
		if n := testing.AllocsPerRun(20, func() {
			s.Forward(y, x, work, k)
			s.Backward(dx, dy, x, y, work, k, true)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
