package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/vflc/vflc/tests/brief"
)

func TestMain(m *testing.M) { brief.Run(m) }

// numbers returns n·k numbers for a matrix, nil where the slices are those handed out before: whole ones, or
// not.
func (m *room) numbers(n, k int, whole bool) []float64 {
	if m.again {
		return nil
	}
	x := make([]float64, n*k)
	for i := range x {
		x[i] = m.r.NormFloat64() / 2
		if whole {
			x[i] = float64(int32(m.r.Uint32()) >> m.r.IntN(31))
		}
	}
	return x
}

// tiles returns a matrix of n rows and k columns, of which the last is 0 where columns are added to a wide
// matrix.
func (m *room) tiles(n, k int) []float64 {
	x, to := m.numbers(n, k, false), m.fill(tiled(n, Columns(k), false), func() float64 { return 0 })
	for i, length := 0, TileLength(k, false); i < n && x != nil; i += length {
		Tile(to[i*Columns(k):], x[i:], min(length, n-i), n, k)
	}
	return to
}

// whole returns one of whole numbers.
func (m *room) whole(n, k int) []int32 {
	x, size := m.numbers(n, k, true), tiled(n, Columns(k), true)
	to := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(m.fill(size/2, func() float64 {
		return 0
	})))), size)
	for i, length := 0, TileLength(k, true); i < n && x != nil; i += length {
		(&Decimals{Scale: unit(k)}).Tile(to[i*Columns(k):], x[i:], min(length, n-i), n, k)
	}
	return to
}

func unit(k int) []float64 {
	v := make([]float64, k)
	for j := range v {
		v[j] = 1
	}
	return v
}

// predictor hands out a predictor; every second number has an offset, and every second two have a matrix of
// whole numbers.
func (m *room) predictor(n, k, c int) Predictor {
	p := Predictor{B: m.floats(Columns(k)), C: 0.3, D: m.floats(n),
		Gradient: m.floats(gradientLength(Columns(k)))}
	if c%2 == 0 {
		p.Offset = m.floats(n)
	}
	if c%4 < 2 {
		p.X = m.tiles(n, k)
		return p
	}
	p.Whole = m.whole(n, k)
	if !m.again {
		for j := range p.B {
			p.B[j] /= 1 << 20
		}
		p.Scale = make([]float64, len(p.B))
		for j := range p.Scale {
			p.Scale[j] = math.Pow(10, float64(j%10))
		}
	}
	return p
}

// linearCalls lists the likelihoods of predictors.
func linearCalls() []call {
	names := []string{"bernoulliLogit", "normal", "poissonLog", "binomialLogit", "studentT",
		"negBinomial2Log", "bernoulliProbit"}
	calls := make([]call, len(names))
	for kind, name := range names {
		calls[kind] = call{"linear " + name, func(on InstructionSet, n, k, c int, m *room) {
			p, y, signs := m.predictor(n, k, c), m.counts(n), m.signs(n)
			linear(on, n, p.X, p.Whole, p.B, len(p.B), p.Gradient,
				batch(len(p.B), p.Whole != nil), p.C, p.Offset, y, signs, p.D, kind, m.lanes(),
				m.lanes(), m.lanes(), 2.5, 0.9, 0.4)
		}}
	}
	return calls
}

// A likelihood of a predictor equals the likelihood of the product, row by row; its gradient is the product
// of Xᵀ with the derivative.
func TestLinearIsProductAndLikelihood(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	for _, size := range [][2]int{{1, 1}, {31, 3}, {32, 1}, {33, 20}, {512, 20}, {9001, 4}, {100, 32},
		{15, 33}, {9003, 33}, {77, 128}, {8, 129}, {9005, 130}, {97, 129}, {200, 511}, {131, 776},
		{77, 1040}} {
		for c := range 4 {
			t.Run(fmt.Sprint(size, c), func(t *testing.T) {
				n, k := size[0], size[1]
				m := &room{r: r, make: plain}
				p := m.predictor(n, k, c)
				clear(p.Gradient)
				y := m.counts(n)
				for i := range y {
					y[i] = math.Mod(y[i], 2)
				}
				eta, d := make([]float64, n), make([]float64, n)
				for i := range eta {
					eta[i] = p.C
					if p.Offset != nil {
						eta[i] = p.Offset[i]
					}
					if wide(k) {
						eta[i] += wideProduct(&p, i)
						continue
					}
					for j, b := range p.B {
						eta[i] = math.FMA(p.entry(i, j), b, eta[i])
					}
				}
				var want, got LogProduct
				want.Reset()
				got.Reset()
				want.BernoulliLogit(n, eta, y, d)
				got.BernoulliLogitLinear(n, &p, Signs(y))
				if got.Value(1) != want.Value(1) {
					t.Errorf("value %v, want %v", got.Value(1), want.Value(1))
				}
				for j := range len(p.B) + 1 {
					sum, size := 0.0, 0.0
					for i := range n {
						term := d[i]
						if j < len(p.B) {
							term *= p.entry(i, j)
						}
						sum += term
						size += math.Abs(term)
					}
					if p.Whole != nil && j < len(p.B) {
						sum, size = sum/p.Scale[j], size/p.Scale[j]
					}
					if got := p.Sum(j); math.Abs(got-sum) > 1e-14*size {
						t.Errorf("column %d: %v, want %v", j, got, sum)
					}
				}
			})
		}
	}
}

// entry is element i, j of X.
func (p *Predictor) entry(i, j int) float64 {
	k, rows := len(p.B), TileLength(len(p.B), p.Whole != nil)
	at := i/rows*rows*k + j*rows + i%rows
	if wide(k) {
		at = i/rows*rows*k + j/8*64 + i%8*8 + j%8
	}
	if p.Whole != nil {
		return float64(p.Whole[at])
	}
	return p.X[at]
}

// wideProduct is that of row i with B, in the order of wide tiles.
func wideProduct(p *Predictor, i int) float64 {
	var s [8]float64
	for j, b := range p.B {
		s[j%8] = math.FMA(p.entry(i, j), b, s[j%8])
	}
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// Tile puts element i, j of a matrix where a Predictor reads it, and zeros where there is none.
func TestTile(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 11))
	for _, size := range [][2]int{{1, 1}, {70, 3}, {33, 40}, {17, 128}, {9, 129}, {8, 136}, {21, 130}} {
		n, k := size[0], size[1]
		x := make([]float64, n*k)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		p, q := NewPredictor(k), NewPredictor(k)
		p.X, q.Whole = make([]float64, tiled(n, len(p.B), false)), make([]int32, tiled(n, len(p.B), true))
		for i, length := 0, TileLength(k, false); i < n; i += length {
			Tile(p.X[i*len(p.B):], x[i:], min(length, n-i), n, k)
		}
		scale := unit(k)
		for j := range scale {
			scale[j] = math.Pow(10, float64(j%9))
		}
		for i, length := 0, TileLength(k, true); i < n; i += length {
			(&Decimals{Scale: scale}).Tile(q.Whole[i*len(p.B):], x[i:], min(length, n-i), n, k)
		}
		for _, m := range []*Predictor{&p, &q} {
			for i := range (n + 7) / 8 * 8 {
				for j := range p.B {
					want := 0.0
					switch {
					case i < n && j < k && m == &p:
						want = x[j*n+i]
					case i < n && j < k:
						want = math.RoundToEven(x[j*n+i] * scale[j])
					}
					if got := m.entry(i, j); got != want {
						t.Fatalf("%d×%d: element %d, %d is %v, want %v", n, k, i, j, got, want)
					}
				}
			}
		}
	}
}

// AddGradient adds each column's sum, times a number.
func TestAddGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 13))
	for _, k := range []int{1, 5, 128, 129, 200} {
		p := NewPredictor(k)
		for i := range p.Gradient {
			p.Gradient[i] = r.NormFloat64()
		}
		for _, whole := range [][]int32{nil, {}} {
			if p.Whole = whole; whole != nil {
				p.Scale = unit(len(p.B))
				p.Scale[k-1] = 1000
			}
			b := make([]float64, k)
			p.AddGradient(b, 0.5)
			for j, v := range b {
				if want := 0.5 * p.Sum(j); math.Abs(v-want) > 1e-14 {
					t.Errorf("%d columns: column %d is %v, want %v", k, j, v, want)
				}
			}
		}
	}
}

// Tiles of every kind and width, with few rows and many, give the same bits on every set.
func TestLinearAgreesBetweenSets(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 9))
	for a, k := range []int{1, 20, 32, 33, 60, 128, 129, 136, 300, 511, 760, 768, 800, 1016, 1024, 1048} {
		for b, n := range []int{1 + r.IntN(15), 16, 32, 33 + r.IntN(30), 64, 100 + r.IntN(100)} {
			for i, c := range linearCalls() {
				for form := range 4 {
					if brief.Halved(a, b, i, form) {
						c.compare(t, n, k, form, r.Uint64(), plain)
					}
				}
			}
		}
	}
}
