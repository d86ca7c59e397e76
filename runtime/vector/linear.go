package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// TileLength is the number of rows in a tile of a Predictor's matrix with k columns: short where the L1 cache would hold two short
// tiles but not two long ones.
func TileLength(k int) int {
	if mostLong < k && k <= mostAdjacent {
		return shortTile
	}
	return longTile
}

const (
	shortTile    = 16
	longTile     = 32
	mostLong     = 32
	mostAdjacent = 128
)

// tiled is the length of a matrix of n rows and k columns in tiles.
func tiled(n, k int) int {
	rows := TileLength(k)
	return (n + rows - 1) / rows * rows * k
}

// A Predictor is C + X·B or Offset + X·B for a likelihood of n rows. The likelihoods of predictors read X once for value and gradient: for each tile of
// rows they compute the product, the likelihood, and the product of Xᵀ with the derivative.
type Predictor struct {
	X      []float64 // k columns in tiles of TileLength(k) rows, [tile][column][row], the last tile padded with zeros
	B      []float64 // k ≥ 1
	C      float64   // used where Offset is nil
	Offset []float64 // n, or nil
	// D is set to the derivative in the predictor of each of n rows, and Gradient, eight lanes for each column and eight more, is increased by Xᵀ·D
	// and by Σ D: row i belongs to lane i modulo 8.
	D, Gradient []float64
}

// Lane returns the sum of one column's lanes of the gradient; column k is Σ D.
func (p *Predictor) Lane(column int) float64 {
	return fold((*[lanes]float64)(p.Gradient[lanes*column:]))
}

// from returns the predictor of the rows from m on; m is a multiple of the length of a tile.
func (p *Predictor) from(m int) Predictor {
	q := *p
	q.X = q.X[m*len(q.B):]
	if q.Offset != nil {
		q.Offset = q.Offset[m:]
	}
	q.D = q.D[m:]
	return q
}

// BernoulliLogitLinear is BernoulliLogit of a predictor.
func (s *LogProduct) BernoulliLogitLinear(n int, p *Predictor, y []float64) {
	var rest Predictor
	for q := p; n > 0; {
		m := s.takeTiles(n)
		bernoulliLogitLinear(active, m, q.X, q.B, len(q.B), q.Gradient, q.C, q.Offset, y, q.D, &s.sum, &s.product)
		if n -= m; n > 0 {
			rest, y = q.from(m), y[m:]
			q = &rest
		}
	}
}

// BinomialLogitLinear is BinomialLogit of a predictor.
func (s *LogProduct) BinomialLogitLinear(n int, p *Predictor, y []float64, trials float64) {
	var rest Predictor
	for q := p; n > 0; {
		m := s.takeTiles(n)
		binomialLogitLinear(active, m, q.X, q.B, len(q.B), q.Gradient, q.C, q.Offset, y, q.D, &s.sum, &s.product, trials)
		if n -= m; n > 0 {
			rest, y = q.from(m), y[m:]
			q = &rest
		}
	}
}

// StudentTLinear is StudentT of a predictor.
func (s *LogProduct) StudentTLinear(n int, share *Lanes, p *Predictor, x []float64, inverse, slope float64) {
	var rest Predictor
	for q := p; n > 0; {
		m := s.takeTiles(n)
		studentTLinear(active, m, q.X, q.B, len(q.B), q.Gradient, q.C, q.Offset, x, q.D, &s.sum, &s.product, (*[lanes]float64)(share), inverse, slope)
		if n -= m; n > 0 {
			rest, x = q.from(m), x[m:]
			q = &rest
		}
	}
}

// PoissonLogLinear is PoissonLog of a predictor.
func PoissonLogLinear(n int, sum *Lanes, p *Predictor, y []float64) {
	s := (*[lanes]float64)(sum)
	poissonLogLinear(active, n, p.X, p.B, len(p.B), p.Gradient, p.C, p.Offset, y, p.D, s)
}

// BernoulliProbitLinear is BernoulliProbit of a predictor.
func BernoulliProbitLinear(n int, sum *Lanes, p *Predictor, y []float64) {
	s := (*[lanes]float64)(sum)
	bernoulliProbitLinear(active, n, p.X, p.B, len(p.B), p.Gradient, p.C, p.Offset, y, p.D, s)
}

// NegBinomial2LogLinear is NegBinomial2Log of a predictor.
func NegBinomial2LogLinear(n int, sum, dphi *Lanes, p *Predictor, y []float64, phi float64) {
	s, d, logPhi, inverse := (*[lanes]float64)(sum), (*[lanes]float64)(dphi), portable.Log(phi), 1/phi
	negBinomial2LogLinear(active, n, p.X, p.B, len(p.B), p.Gradient, p.C, p.Offset, y, p.D, s, d, phi, logPhi, inverse)
}

// NormalLinear is Normal with a predictor as mu.
func NormalLinear(n int, squares *Lanes, p *Predictor, x []float64, inverse float64) {
	s := (*[lanes]float64)(squares)
	normalLinear(active, n, p.X, p.B, len(p.B), p.Gradient, p.C, p.Offset, x, p.D, s, inverse)
}

// predictGo sets d = c or o, plus X·b.
func predictGo(n int, d, x, b []float64, c float64, o []float64) {
	rows := TileLength(len(b))
	for i := range d[:n] {
		e := c
		if o != nil {
			e = o[i]
		}
		tile := x[i/rows*rows*len(b):]
		for j, v := range b {
			e = math.FMA(tile[j*rows+i%rows], v, e)
		}
		d[i] = e
	}
}

// gradientGo adds Xᵀ·d and Σ d to the lanes of g.
func gradientGo(n int, g, x []float64, k int, d []float64) {
	rows := TileLength(k)
	for i, v := range d[:n] {
		tile, l := x[i/rows*rows*k:], i%lanes
		for j := range k {
			g[lanes*j+l] = math.FMA(tile[j*rows+i%rows], v, g[lanes*j+l])
		}
		g[lanes*k+l] += v
	}
}

func bernoulliLogitLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, product *[lanes]float64) {
	predictGo(n, d, x, b, c, o)
	bernoulliLogitGo(n, sum, product, d, y, d)
	gradientGo(n, g, x, k, d)
}

func binomialLogitLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, product *[lanes]float64, trials float64) {
	predictGo(n, d, x, b, c, o)
	binomialLogitGo(n, sum, product, d, y, trials, d)
	gradientGo(n, g, x, k, d)
}

func poissonLogLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum *[lanes]float64) {
	predictGo(n, d, x, b, c, o)
	poissonLogGo(n, sum, d, y, d)
	gradientGo(n, g, x, k, d)
}

func bernoulliProbitLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum *[lanes]float64) {
	predictGo(n, d, x, b, c, o)
	bernoulliProbitGo(n, sum, d, y, d)
	gradientGo(n, g, x, k, d)
}

func negBinomial2LogLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, dphi *[lanes]float64, phi, logPhi, inverse float64) {
	predictGo(n, d, x, b, c, o)
	negBinomial2LogGo(n, sum, dphi, d, y, phi, logPhi, inverse, d)
	gradientGo(n, g, x, k, d)
}

func studentTLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, product, share *[lanes]float64, inverse, slope float64) {
	predictGo(n, d, x, b, c, o)
	studentTGo(n, sum, product, share, y, d, inverse, slope, d)
	gradientGo(n, g, x, k, d)
}

func normalLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, squares *[lanes]float64, inverse float64) {
	predictGo(n, d, x, b, c, o)
	normalGo(n, squares, y, d, inverse, d)
	gradientGo(n, g, x, k, d)
}
