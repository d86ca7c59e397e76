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

// asIs is how a column is made that no encoder has changed.
func asIs(int) (center, scale float64) { return 0, 1 }

// stored is a predictor with a matrix of decimals in its tiles.
func stored(d Decimals, x []float64, n, k int) Predictor {
	p := NewPredictor(k)
	p.Decimals = d
	p.Whole = make([]int32, tiled(n, len(p.B), true))
	for i, length := 0, TileLength(k, true); i < n; i += length {
		d.Tile(p.Whole[i*len(p.B):], x[i:], min(length, n-i), n, k)
	}
	return p
}

// A column of decimal fractions has the scale of the one with most decimals, and its whole numbers divided by
// the scale are its elements, bit for bit.
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
				x[j*n+i] = fraction(int64((2*r.Float64()-1)*most*math.Pow(10, -float64(fewer))),
					want[j]-fewer)
			}
			whole := int64(1 + 10*r.IntN(9))
			x[j*n+r.IntN(n)] = fraction(whole, want[j]) // needs all decimals
		}
		d, ok := NewDecimals(x, n, k, asIs)
		if !ok {
			t.Fatalf("round %d: not decimals", round)
		}
		if d.Shift != nil {
			t.Errorf("round %d: shifts %v of columns as they are", round, d.Shift)
		}
		p, scale := stored(d, x, n, k), d.Scale
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
	refused := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Pi, 1.0 / 3, 5e-324, 2.5e-308, 1e-10,
		1e300, -1e18, 1 << 31, -(1 << 31), 4294967296.5, 2147.4836485123, math.Nextafter(0.25, 1),
		math.Nextafter(1e6, 0)}
	accepted := map[float64]float64{0: 1, math.Copysign(0, -1): 1, math.MaxInt32 - 1: 1, -2147483646: 1,
		0.5: 10, -0.25: 100, 1e-9: 1e9, 2.147483646: 1e9, 214748364.6: 10}
	for _, v := range refused {
		for range 5 {
			x := make([]float64, 30)
			x[r.IntN(len(x))] = v
			if _, ok := NewDecimals(x, 10, 3, asIs); ok {
				t.Errorf("%v is taken for a decimal fraction", v)
			}
		}
	}
	for v, want := range accepted {
		x := make([]float64, 30)
		x[17] = v
		d, ok := NewDecimals(x, 10, 3, asIs)
		if !ok || d.Scale[1] != want || d.Scale[0] != 1 || d.Scale[2] != 1 {
			t.Errorf("%v: scales %v, %v, want %v", v, d.Scale, ok, want)
		}
	}
	// each fits, but not with as many decimals as the other
	if _, ok := NewDecimals([]float64{1e6, 1e-6}, 2, 1, asIs); ok {
		t.Error("1e6 and 1e-6 fit into 32 bits together")
	}
	if d, ok := NewDecimals([]float64{1e6, 1e-6}, 1, 2, asIs); !ok || d.Scale[0] != 1 || d.Scale[1] != 1e6 {
		t.Errorf("1e6 and 1e-6 in columns of their own: %v, %v", d.Scale, ok)
	}
	// the columns that are added to a wide matrix
	if d, ok := NewDecimals(make([]float64, 2*130), 2, 130, asIs); !ok || len(d.Scale) != 136 ||
		d.Scale[135] != 1 {
		t.Errorf("scales of 130 columns: %v, %v", d.Scale, ok)
	}
}

// A predictor of decimals has the predictors and the gradient of the same matrix as numbers, but for the
// rounding of the sums.
func TestDecimalsAreTheirFractions(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 3))
	for _, size := range [][2]int{{1, 1}, {100, 7}, {331, 32}, {77, 33}, {90, 128}, {41, 129}, {65, 500},
		{33, 1100}} {
		n, k := size[0], size[1]
		x, y := make([]float64, n*k), make([]float64, n)
		for i := range x {
			x[i] = fraction(int64(3e6*r.NormFloat64()), 1+i/n%6)
		}
		for i := range y {
			y[i] = r.NormFloat64()
		}
		d, ok := NewDecimals(x, n, k, asIs)
		if !ok {
			t.Fatal("not decimals")
		}
		p, q := NewPredictor(k), stored(d, x, n, k)
		p.D, q.D = make([]float64, n), make([]float64, n)
		p.X = make([]float64, tiled(n, len(p.B), false))
		for i, length := 0, TileLength(k, false); i < n; i += length {
			Tile(p.X[i*len(p.B):], x[i:], min(length, n-i), n, k)
		}
		b := make([]float64, k)
		for j := range b {
			b[j] = r.NormFloat64() / math.Sqrt(float64(k))
		}
		p.SetAll(b)
		q.SetAll(b)
		var squares, same SplitSum
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

// standardised are columns of decimal fractions, most of them standardised, and what they are exactly.
type standardised struct {
	n, k          int
	x             []float64
	whole         []int64 // of the fraction, before it was standardised
	power         []float64
	center, scale []float64
}

// newStandardised makes columns of years, indicators, times in seconds and measurements with several
// decimals, most of which are standardised.
func newStandardised(r *rand.Rand, n, k int) *standardised {
	s := &standardised{n: n, k: k, x: make([]float64, n*k), whole: make([]int64, n*k),
		power: make([]float64, k), center: make([]float64, k), scale: make([]float64, k)}
	for j := range k {
		kind := []struct {
			decimals     int
			mean, spread float64
		}{{0, 2000, 5}, {0, 0.4, 0.5}, {0, 1.7e9, 3e5}, {3, 1.7e9, 50}, {1, -37, 0.6}, {6, 0, 1},
			{9, 0.3, 1e-3}, {2, 120, 15}}[j%8]
		s.power[j], s.scale[j] = math.Pow(10, float64(kind.decimals)), 1
		column := make([]float64, n)
		mean, squares := 0.0, 0.0
		for i := range column {
			u := math.Round((kind.mean + kind.spread*r.NormFloat64()) * s.power[j])
			s.whole[j*n+i], column[i] = int64(u), u/s.power[j]
			mean += column[i] / float64(n)
		}
		for _, v := range column {
			squares += (v - mean) * (v - mean)
		}
		if j%16 != 5 && j%16 != 7 {
			s.center[j] = mean
		}
		if j%5 != 4 && squares > 0 {
			s.scale[j] = math.Sqrt(squares / float64(n))
		}
		for i, v := range column {
			s.x[j*n+i] = (v - s.center[j]) / s.scale[j]
		}
	}
	return s
}

func (s *standardised) made(j int) (center, scale float64) { return s.center[j], s.scale[j] }

// number is a number as a fraction.
func number(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// exact is element i, j, before any rounding.
func (s *standardised) exact(i, j int) *big.Rat {
	v := new(big.Rat).Quo(new(big.Rat).SetInt64(s.whole[j*s.n+i]), number(s.power[j]))
	return v.Quo(v.Sub(v, number(s.center[j])), number(s.scale[j]))
}

// size is the absolute value of a fraction, rounded.
func size(v *big.Rat) float64 {
	f, _ := v.Float64()
	return math.Abs(f)
}

// A standardised column is stored as the whole numbers of its fractions, less the one next to its center, and
// a shift that is the rest of the center: the element that they give is the exact one but for three
// roundings, and differs from the number by the rounding of the fraction, of the difference and of the
// quotient. No column has two terms that cancel: their sizes add up to at most three times the element.
func TestStandardisedDecimalsLoseNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 3))
	const unit = 0x1p-53
	for _, n := range []int{5, 40, 300} {
		s := newStandardised(r, n, 24)
		d, ok := NewDecimals(s.x, n, s.k, s.made)
		if !ok {
			t.Fatal("not decimals")
		}
		p := stored(d, s.x, n, s.k)
		for j := range s.k {
			if !(math.Abs(d.Shift[j]) <= 0.5) {
				t.Errorf("column %d has shift %v", j, d.Shift[j])
			}
			for i := range n {
				is := new(big.Rat).Quo(new(big.Rat).Sub(number(p.entry(i, j)), number(d.Shift[j])),
					number(d.Scale[j]))
				exact := s.exact(i, j)
				want := size(exact)
				if off := size(new(big.Rat).Sub(is, exact)); off > 3*unit*want {
					t.Errorf("element %d, %d is %v, off by %v", i, j, is, off)
				}
				whole := math.Abs(float64(s.whole[j*n+i])) / s.power[j] / s.scale[j]
				if off := size(new(big.Rat).Sub(is, number(s.x[j*n+i]))); off > 1.001*unit*(whole+6*want) {
					t.Errorf("element %d, %d differs from %v by %v", i, j, s.x[j*n+i], off)
				}
				if terms := (math.Abs(p.entry(i, j)) + math.Abs(d.Shift[j])) / d.Scale[j]; terms > 3*want*(1+
					4*unit) {
					t.Errorf("element %d, %d is %v, of terms of %v", i, j, want, terms)
				}
			}
		}
	}
}

// Standardised numbers that no decimal fraction gives are refused, and so are those of another center or
// scale, and centers so large that whole numbers are not exact.
func TestStandardisedDecimalsRefuse(t *testing.T) {
	r := rand.New(rand.NewPCG(55, 3))
	column := func(center, scale float64, power float64) []float64 {
		x := make([]float64, 50)
		for i := range x {
			x[i] = (math.Round((center+100*r.NormFloat64())*power)/power - center) / scale
		}
		return x
	}
	for _, c := range []struct {
		center, scale float64 // as said
		x             []float64
		want          bool
	}{
		{1.0 / 3, math.Pi, column(1.0/3, math.Pi, 100), true},
		{1.0/3 + 1e-9*math.E, math.Pi, column(1.0/3, math.Pi, 100), false},
		{1.0 / 3, math.Nextafter(math.Pi, 4), column(1.0/3, math.Pi, 100), false},
		{0, 1, column(1.0/3, math.Pi, 100), false},
		{1.0 / 3, math.Pi, column(1.0/3, math.Pi, 70), false},
		{1e13, math.Pi, column(1e13, math.Pi, 100), true},
		{1 << 50, math.Pi, column(1<<50, math.Pi, 100), false},
		{math.NaN(), 1, column(1.0/3, math.Pi, 100), false},
		{math.Inf(1), 1, column(1.0/3, math.Pi, 100), false},
		{0, 0, column(1.0/3, math.Pi, 100), false},
		{0, math.NaN(), column(1.0/3, math.Pi, 100), false},
		{0, math.Inf(1), column(1.0/3, math.Pi, 100), false},
		{1e300, 1e300, column(1.0/3, math.Pi, 100), false},
	} {
		if _, ok := NewDecimals(c.x, len(c.x), 1, func(int) (float64, float64) {
			return c.center, c.scale
		}); ok != c.want {
			t.Errorf("center %v, scale %v: %v", c.center, c.scale, ok)
		}
	}
	// 32 bits are of the difference from the center, not of the fraction
	if d, ok := NewDecimals([]float64{-5, 5}, 2, 1, func(int) (float64, float64) {
		return 1e12, 1
	}); !ok || d.Shift != nil {
		t.Errorf("1e12 and a center of 1e12: %v, %v", d, ok)
	}
	// numbers that are decimal fractions by themselves are stored as such, however they were made
	if d, ok := NewDecimals([]float64{-1, 0, 1.5}, 3, 1, func(int) (float64, float64) {
		return math.Pi, math.E
	}); !ok || d.Shift != nil || d.Scale[0] != 10 {
		t.Errorf("-1, 0 and 1.5: %v, %v", d, ok)
	}
	if _, ok := NewDecimals([]float64{-3e9, 3e9}, 2, 1, func(int) (float64, float64) { return 1e12, 1 }); ok {
		t.Error("3e9 is taken for a whole number of 32 bits")
	}
}

// The predictor and the gradient of standardised decimals differ from the exact ones by the roundings of sums
// whose terms add up to three times those of the products, however large the means are.
func TestStandardisedDecimalsAreAccurate(t *testing.T) {
	r := rand.New(rand.NewPCG(56, 3))
	const unit = 0x1p-53
	for _, shape := range [][2]int{{1, 1}, {100, 7}, {67, 32}, {77, 33}, {41, 129}, {33, 300}} {
		n, k := shape[0], shape[1]
		s := newStandardised(r, n, k)
		d, ok := NewDecimals(s.x, n, k, s.made)
		if !ok {
			t.Fatal("not decimals")
		}
		p := stored(d, s.x, n, k)
		p.D = make([]float64, n)
		b := make([]float64, k)
		for j := range b {
			b[j] = r.NormFloat64() / math.Sqrt(float64(k))
		}
		p.C = 0.25
		p.SetAll(b)
		var squares SplitSum
		NormalLinear(n, &squares, &p, make([]float64, n), 1) // the derivative is minus the predictor
		for i := range n {
			exact, terms := number(0.25), 0.25
			for j, v := range b {
				product := new(big.Rat).Mul(s.exact(i, j), number(v))
				exact.Add(exact, product)
				terms += 3 * size(product)
			}
			if off := size(exact.Add(exact, number(p.D[i]))); off > unit*float64(2*k+8)*terms {
				t.Errorf("%d×%d: predictor %d is off by %v, of terms of %v", n, k, i, off, terms)
			}
		}
		for j := range b {
			exact, terms := new(big.Rat), 0.0
			for i := range n {
				product := new(big.Rat).Mul(s.exact(i, j), number(p.D[i]))
				exact.Add(exact, product)
				terms += 3 * size(product)
			}
			if off := size(exact.Sub(exact, number(p.Sum(j)))); off > unit*float64(n+8)*terms {
				t.Errorf("%d×%d: column %d of the gradient is off by %v, of terms of %v", n, k, j, off, terms)
			}
		}
	}
}
