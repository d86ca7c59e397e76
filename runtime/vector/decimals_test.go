package vector

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// fraction is a whole number divided by a power of ten, rounded once.
func fraction(whole int64, decimals int) float64 {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	v, _ := new(big.Rat).SetFrac(big.NewInt(whole), scale).Float64()
	return v
}

// A column of decimal fractions has the scale of the one with most decimals, and its whole numbers divided by the scale are its elements, bit for bit.
func TestScalesLoseNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 3))
	const n, k = 40, 12
	for round := range 400 {
		x, want := make([]float64, n*k), make([]int, k)
		for j := range k {
			most := 2e9 * math.Pow(r.Float64(), 8)
			want[j] = r.IntN(mostDecimals + 1)
			for i := range n {
				fewer := r.IntN(want[j] + 1)
				x[j*n+i] = fraction(int64((2*r.Float64()-1)*most*math.Pow(10, -float64(fewer))), want[j]-fewer)
			}
			whole := int64(1 + 10*r.IntN(9))
			x[j*n+r.IntN(n)] = fraction(whole, want[j]) // needs all decimals
		}
		scale, ok := Scales(x, n, k)
		if !ok {
			t.Fatalf("round %d: not decimals", round)
		}
		whole := make([]int32, tiled(n, k, true))
		for i, length := 0, TileLength(k, true); i < n; i += length {
			TileWhole(whole[i*k:], x[i:], scale, min(length, n-i), n, k)
		}
		p := Predictor{B: make([]float64, k), Decimals: Decimals{whole, scale}}
		for j := range k {
			if scale[j] != math.Pow(10, float64(want[j])) {
				t.Errorf("round %d: scale %v of %d decimals", round, scale[j], want[j])
			}
			for i := range n {
				if got, want := p.entry(i, j)/scale[j], x[j*n+i]; got != want {
					t.Errorf("round %d: %v instead of %v", round, got, want)
				}
			}
		}
	}
}

// What is not a whole number of 32 bits times a power of ten is refused, wherever it stands.
func TestScalesRefuse(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 3))
	refused := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Pi, 1.0 / 3, 5e-324, 2.5e-308, 1e-10, 1e300, -1e18, 1 << 31, -(1 << 31), 4294967296.5, 2147.4836485123, math.Nextafter(0.25, 1), math.Nextafter(1e6, 0)}
	accepted := map[float64]float64{0: 1, math.Copysign(0, -1): 1, math.MaxInt32 - 1: 1, -2147483646: 1, 0.5: 10, -0.25: 100, 1e-9: 1e9, 2.147483646: 1e9, 214748364.6: 10}
	for _, v := range refused {
		for range 5 {
			x := make([]float64, 30)
			x[r.IntN(len(x))] = v
			if _, ok := Scales(x, 10, 3); ok {
				t.Errorf("%v is taken for a decimal fraction", v)
			}
		}
	}
	for v, want := range accepted {
		x := make([]float64, 30)
		x[17] = v
		scale, ok := Scales(x, 10, 3)
		if !ok || scale[1] != want || scale[0] != 1 || scale[2] != 1 {
			t.Errorf("%v: scales %v, %v, want %v", v, scale, ok, want)
		}
	}
	// each fits, but not with as many decimals as the other
	if _, ok := Scales([]float64{1e6, 1e-6}, 2, 1); ok {
		t.Error("1e6 and 1e-6 fit into 32 bits together")
	}
	if scale, ok := Scales([]float64{1e6, 1e-6}, 1, 2); !ok || scale[0] != 1 || scale[1] != 1e6 {
		t.Errorf("1e6 and 1e-6 in columns of their own: %v, %v", scale, ok)
	}
	// the columns that are added to a wide matrix
	if scale, ok := Scales(make([]float64, 2*130), 2, 130); !ok || len(scale) != 136 || scale[135] != 1 {
		t.Errorf("scales of 130 columns: %v, %v", scale, ok)
	}
}

// A predictor of decimals has the predictors and the gradient of the same matrix as numbers, but for the rounding of the sums.
func TestDecimalsAreTheirFractions(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 3))
	for _, size := range [][2]int{{1, 1}, {100, 7}, {331, 32}, {77, 33}, {90, 128}, {41, 129}, {65, 500}, {33, 1100}} {
		n, k := size[0], size[1]
		x, y := make([]float64, n*k), make([]float64, n)
		for i := range x {
			x[i] = fraction(int64(3e6*r.NormFloat64()), 1+i/n%6)
		}
		for i := range y {
			y[i] = r.NormFloat64()
		}
		scale, ok := Scales(x, n, k)
		if !ok {
			t.Fatal("not decimals")
		}
		p, q := NewPredictor(k), NewPredictor(k)
		p.D, q.D = make([]float64, n), make([]float64, n)
		p.X = make([]float64, tiled(n, len(p.B), false))
		q.Decimals = Decimals{make([]int32, tiled(n, len(p.B), true)), scale}
		for i, length := 0, TileLength(k, false); i < n; i += length {
			Tile(p.X[i*len(p.B):], x[i:], min(length, n-i), n, k)
		}
		for i, length := 0, TileLength(k, true); i < n; i += length {
			TileWhole(q.Whole[i*len(p.B):], x[i:], scale, min(length, n-i), n, k)
		}
		b := make([]float64, k)
		for j := range b {
			b[j] = r.NormFloat64() / math.Sqrt(float64(k))
		}
		p.SetAll(b)
		q.SetAll(b)
		var squares, same Lanes
		NormalLinear(n, &squares, &p, y, 0.01)
		NormalLinear(n, &same, &q, y, 0.01)
		for i := range n { // the derivative is (y - predictor)/100²
			size := math.Abs(y[i])
			for j, v := range b {
				size += math.Abs(x[j*n+i] * v)
			}
			if got, want := q.D[i], p.D[i]; math.Abs(got-want) > 4e-16*1e-4*float64(k+4)*size {
				t.Errorf("%d×%d: derivative %v in row %d, want %v", n, k, got, i, want)
			}
		}
		for j := range b {
			size := 0.0
			for i := range n {
				size += math.Abs(x[j*n+i] * p.D[i])
			}
			if got, want := q.Sum(j), p.Sum(j); math.Abs(got-want) > 1e-12*size {
				t.Errorf("%d×%d: column %d of the gradient is %v, want %v", n, k, j, got, want)
			}
		}
	}
}
