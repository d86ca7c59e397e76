package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// The matrix of a Predictor is stored in tiles of rows, the last padded with zeros: [column][row], but if it
// is wide, [eight columns][row][column of the eight].

// TileLength is the number of rows in a tile of a Predictor's matrix with k columns, of whole numbers or not:
// short where the L1 cache would hold two short tiles but not two long ones, and of eight rows in a wide
// matrix.
func TileLength(k int, whole bool) int {
	switch {
	case wide(k):
		return lanes
	case k > mostLong && !whole:
		return shortTile
	}
	return longTile
}

const (
	shortTile  = 16
	longTile   = 32
	mostLong   = 32
	mostNarrow = 128
)

func wide(k int) bool { return k > mostNarrow }

// Columns is the number of columns with which a Predictor's matrix of k is stored: that of a wide one is a
// multiple of eight. Those behind the k are 0.
func Columns(k int) int {
	if wide(k) {
		return (k + lanes - 1) / lanes * lanes
	}
	return k
}

// Tile stores some rows of a matrix, at most TileLength(k, false), as one tile of Columns(k) columns, in to,
// which is 0: column j of the k begins at x[j·stride].
func Tile(to, x []float64, rows, stride, k int) {
	for j := range k {
		at, step := inTile(j, k, false)
		for i, v := range x[j*stride:][:rows] {
			to[at+i*step] = v
		}
	}
}

// inTile returns where column j of k begins in a tile, and how far apart its rows are.
func inTile(j, k int, whole bool) (at, step int) {
	if wide(k) {
		return j/lanes*lanes*lanes + j%lanes, lanes
	}
	return j * TileLength(k, whole), 1
}

// tiled is the length of a matrix of n rows and k columns in tiles.
func tiled(n, k int, whole bool) int {
	rows := TileLength(k, whole) // a power of two
	return (n + rows - 1) &^ (rows - 1) * k
}

// gradientLength is the length of Predictor.Gradient.
func gradientLength(k int) int {
	if wide(k) {
		return k + lanes
	}
	return lanes * (k + 1)
}

// A Predictor is C + X·B or Offset + X·B for a likelihood of n rows. The likelihoods of predictors read X
// once for value and gradient: for each tile of rows they compute the product, the likelihood, and the
// product of Xᵀ with the derivative.
type Predictor struct {
	X []float64 // in tiles; not used where there are Decimals
	Decimals
	// one for each of the columns with which X is stored, at least one, divided by its scale where X is
	// decimals; those of columns that are added must be finite
	B      []float64
	C      float64   // used where Offset is nil; SetB subtracts the shift of a column of decimals from it
	Offset []float64 // n, or nil; where there are decimals with shifts, C is added to it beforehand
	D      []float64 // is set to the derivative in the predictor of each of n rows
	// Gradient is increased by Xᵀ·D and by Σ D, the sum of which is in eight lanes: row i belongs to lane i
	// modulo 8. So is that of each column, or one number if X is wide.
	Gradient []float64
}

// NewPredictor returns a Predictor with B, which is 0, and Gradient for a matrix of k columns.
func NewPredictor(k int) Predictor {
	k = Columns(k)
	return Predictor{B: make([]float64, k), Gradient: make([]float64, gradientLength(k))}
}

// SetAll is SetB for the first columns.
func (p *Predictor) SetAll(b []float64) {
	if p.Whole == nil {
		copy(p.B, b)
		return
	}
	for j, v := range b {
		p.SetB(j, v)
	}
}

// SetB sets the coefficient of a column. C must be set before.
func (p *Predictor) SetB(column int, b float64) {
	if p.Whole != nil {
		b /= p.Scale[column]
		if p.Shift != nil {
			p.C -= float64(b * p.Shift[column])
		}
	}
	p.B[column] = b
}

// Sum returns the derivative in the coefficient of one column, from the gradient; column len(B) is Σ D.
func (p *Predictor) Sum(column int) float64 {
	k := len(p.B)
	var sum float64
	switch {
	case !wide(k):
		sum = fold((*[lanes]float64)(p.Gradient[lanes*column:]))
	case column < k:
		sum = p.Gradient[column]
	default:
		sum = fold((*[lanes]float64)(p.Gradient[k:]))
	}
	if p.Whole != nil && column < k {
		if p.Shift != nil {
			sum -= float64(p.Shift[column] * p.Sum(k))
		}
		sum /= p.Scale[column]
	}
	return sum
}

// AddGradient adds the sums of the first columns of the gradient, times a number, to b.
func (p *Predictor) AddGradient(b []float64, power float64) {
	if wide(len(p.B)) || p.Whole != nil {
		for j := range b {
			b[j] += float64(power * p.Sum(j))
		}
		return
	}
	var w [lanes]float64
	for l := range w {
		w[l] = power
	}
	MatTVecAdd(lanes, b, 1, p.Gradient, lanes, w[:], len(b))
}

// from returns the predictor of the rows from m on; m is a multiple of the length of a tile.
func (p *Predictor) from(m int) Predictor {
	q := *p
	if q.Whole != nil {
		q.Whole = q.Whole[m*len(q.B):]
	} else {
		q.X = q.X[m*len(q.B):]
	}
	if q.Offset != nil {
		q.Offset = q.Offset[m:]
	}
	q.D = q.D[m:]
	return q
}

// Signs are observations y = 0 or 1 for BernoulliLogitLinear: -1 for 0, and 0 for 1, in an eighth of the
// memory. There are seven more, so that signs of eight rows may be read from each row on.
func Signs(y []float64) []int8 {
	s := make([]int8, len(y)+lanes-1)
	for i, v := range y {
		if v == 0 {
			s[i] = -1
		}
	}
	return s
}

// signs is how many signs are read for n rows.
func signs(n int) int { return (n + lanes - 1) / lanes * lanes }

// The kinds of likelihoods of predictors, in the order of tools/asm.
const (
	linearBernoulliLogit = iota
	linearNormal
	linearPoissonLog
	linearBinomialLogit
	linearStudentT
	linearNegBinomial2Log
	linearBernoulliProbit
)

// The likelihood of several tiles of few columns is computed at once, of at most so many rows or bytes: that
// of one alone, where there are more columns, overlaps with the products.
const (
	batchRows  = 64
	batchBytes = 2 << 10
)

// batch is the number of rows that whole tiles of k columns have at once.
func batch(k int, whole bool) int {
	rows, number := TileLength(k, whole), 8
	if whole {
		number = 4
	}
	return max(rows, min(batchRows, batchBytes/(number*k)&^(rows-1)))
}

// likelihood adds n rows' log densities of a kind to the sums, given the scalars of the kind.
func (p *Predictor) likelihood(kind, n int, y []float64, signs []int8, sum, second, third *[lanes]float64,
	a, b, c float64) {
	k := len(p.B)
	linear(active, n, p.X, p.Whole, p.B, k, p.Gradient, batch(k, p.Whole != nil), p.C, p.Offset, y, signs,
		p.D, kind, sum, second, third, a, b, c)
}

// linear adds n rows' log densities of a kind for as many at a time as there is room for factors.
func (s *LogProduct) linear(kind, n int, p *Predictor, y []float64, signs []int8, share *SplitSum,
	a, b float64) {
	var rest Predictor
	for {
		m := s.takeTiles(n)
		p.likelihood(kind, m, y, signs, &s.sum, &s.product, (*[lanes]float64)(share), a, b, 0)
		if n -= m; n <= 0 {
			return
		}
		rest = p.from(m)
		p, y, signs = &rest, y[min(m, len(y)):], signs[min(m, len(signs)):]
	}
}

// BernoulliLogitLinear is BernoulliLogit of a predictor, with y as Signs.
func (s *LogProduct) BernoulliLogitLinear(n int, p *Predictor, y []int8) {
	s.linear(linearBernoulliLogit, n, p, nil, y, nil, 0, 0)
}

// BinomialLogitLinear is BinomialLogit of a predictor.
func (s *LogProduct) BinomialLogitLinear(n int, p *Predictor, y []float64, trials float64) {
	s.linear(linearBinomialLogit, n, p, y, nil, nil, trials, 0)
}

// StudentTLinear is StudentT of a predictor.
func (s *LogProduct) StudentTLinear(n int, share *SplitSum, p *Predictor, x []float64, inverse,
	slope float64) {
	s.linear(linearStudentT, n, p, x, nil, share, inverse, slope)
}

// PoissonLogLinear is PoissonLog of a predictor.
func PoissonLogLinear(n int, sum *SplitSum, p *Predictor, y []float64) {
	p.likelihood(linearPoissonLog, n, y, nil, (*[lanes]float64)(sum), nil, nil, 0, 0, 0)
}

// BernoulliProbitLinear is BernoulliProbit of a predictor.
func BernoulliProbitLinear(n int, sum *SplitSum, p *Predictor, y []float64) {
	p.likelihood(linearBernoulliProbit, n, y, nil, (*[lanes]float64)(sum), nil, nil, 0, 0, 0)
}

// NegBinomial2LogLinear is NegBinomial2Log of a predictor.
func NegBinomial2LogLinear(n int, sum, dphi *SplitSum, p *Predictor, y []float64, phi float64) {
	p.likelihood(linearNegBinomial2Log, n, y, nil, (*[lanes]float64)(sum), (*[lanes]float64)(dphi), nil, phi,
		portable.Log(phi), 1/phi)
}

// NormalLinear is Normal with a predictor as mu.
func NormalLinear(n int, squares *SplitSum, p *Predictor, x []float64, inverse float64) {
	p.likelihood(linearNormal, n, x, nil, (*[lanes]float64)(squares), nil, nil, inverse, 0, 0)
}

func linearGo(n int, x []float64, whole []int32, b []float64, k int, g []float64, _ int, c float64, o,
	y []float64, signs []int8, d []float64, kind int, sum, second, third *[lanes]float64, p, q, r float64) {
	predictGo(n, d, x, whole, b, c, o)
	switch kind {
	case linearBernoulliLogit:
		bernoulliLogitSignsGo(n, sum, second, d, signs, d)
	case linearNormal:
		normalGo(n, sum, y, d, p, d)
	case linearPoissonLog:
		poissonLogGo(n, sum, d, y, d)
	case linearBinomialLogit:
		binomialLogitGo(n, sum, second, d, y, p, d)
	case linearStudentT:
		studentTGo(n, sum, second, third, y, d, p, q, d)
	case linearNegBinomial2Log:
		negBinomial2LogGo(n, sum, second, d, y, p, q, r, d)
	case linearBernoulliProbit:
		bernoulliProbitGo(n, sum, d, y, d)
	}
	gradientGo(n, g, x, whole, k, d)
}

// predictGo sets d = c or o, plus X·b.
func predictGo(n int, d, x []float64, whole []int32, b []float64, c float64, o []float64) {
	if whole != nil {
		predictFrom(n, d, whole, b, c, o)
		return
	}
	predictFrom(n, d, x, b, c, o)
}

// isWhole reports whether the numbers are whole ones.
func isWhole[T float64 | int32](x []T) bool {
	_, whole := any(x).([]int32)
	return whole
}

func predictFrom[T float64 | int32](n int, d []float64, x []T, b []float64, c float64, o []float64) {
	k, rows := len(b), TileLength(len(b), isWhole(x))
	for i := range d[:n] {
		e := c
		if o != nil {
			e = o[i]
		}
		tile := x[i/rows*rows*k:]
		if wide(k) {
			d[i] = wideRow(tile[i%rows*lanes:], b) + e
			continue
		}
		for j, v := range b {
			e = math.FMA(float64(tile[j*rows+i%rows]), v, e)
		}
		d[i] = e
	}
}

// wideRow is the product of a row of a wide tile with b.
func wideRow[T float64 | int32](row []T, b []float64) float64 {
	var s [lanes]float64
	for j := 0; j < len(b); j += lanes {
		x, w := (*[lanes]T)(row[j*lanes:]), (*[lanes]float64)(b[j:])
		for l, v := range w {
			s[l] = math.FMA(float64(x[l]), v, s[l])
		}
	}
	return fold(&s)
}

// gradientGo adds Xᵀ·d and Σ d to g.
func gradientGo(n int, g, x []float64, whole []int32, k int, d []float64) {
	if whole != nil {
		gradientFrom(n, g, whole, k, d)
		return
	}
	gradientFrom(n, g, x, k, d)
}

func gradientFrom[T float64 | int32](n int, g []float64, x []T, k int, d []float64) {
	if wide(k) {
		wideGradientFrom(n, g, x, k, d)
		return
	}
	rows := TileLength(k, isWhole(x))
	for i, v := range d[:n] {
		tile, l := x[i/rows*rows*k:], i%lanes
		for j := range k {
			g[lanes*j+l] = math.FMA(float64(tile[j*rows+i%rows]), v, g[lanes*j+l])
		}
		g[lanes*k+l] += v
	}
}

// wideGradientFrom is gradientFrom for wide tiles, whose missing rows are added too.
func wideGradientFrom[T float64 | int32](n int, g []float64, x []T, k int, d []float64) {
	for i := range tiled(n, k, isWhole(x)) / k {
		v := 0.0
		if i < n {
			v = d[i]
		}
		row := x[i/lanes*lanes*k+i%lanes*lanes:]
		for j := 0; j < k; j += lanes {
			x, to := (*[lanes]T)(row[j*lanes:]), (*[lanes]float64)(g[j:])
			for l, u := range x {
				to[l] = math.FMA(float64(u), v, to[l])
			}
		}
		g[k+i%lanes] += v
	}
}
