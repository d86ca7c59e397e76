package vector

import "math"

// TileLength is how many rows a tile of a Predictor's matrix has.
const TileLength = 32

// A Predictor is c + o + X·b for a likelihood of n rows. Its likelihoods read X once for value and gradient: they run by tiles of rows, for each the
// product, the likelihood, and the product of Xᵀ with the derivative.
type Predictor struct {
	X      []float64 // k columns in tiles of TileLength rows, [tile][column][row], the last tile filled up with zeros
	Short  []float32 // in place of X
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

// from returns the predictor of the rows from m on, a multiple of TileLength.
func (p *Predictor) from(m int) Predictor {
	q := *p
	if q.Short != nil {
		q.Short = q.Short[m*len(q.B):]
	} else {
		q.X = q.X[m*len(q.B):]
	}
	if q.Offset != nil {
		q.Offset = q.Offset[m:]
	}
	q.D = q.D[m:]
	return q
}

// BernoulliLogitLinear is BernoulliLogit of a predictor. n is a multiple of TileLength in all calls of a sum but the last.
func (s *LogProduct) BernoulliLogitLinear(n int, p *Predictor, y []float64) {
	var rest Predictor
	for q := p; n > 0; {
		m := s.take(n)
		if q.Short != nil {
			bernoulliLogitLinearShort(active, m, q.Short, q.B, len(q.B), q.Gradient, q.C, q.Offset, y, q.D, &s.sum, &s.product)
		} else {
			bernoulliLogitLinear(active, m, q.X, q.B, len(q.B), q.Gradient, q.C, q.Offset, y, q.D, &s.sum, &s.product)
		}
		if n -= m; n > 0 {
			rest, y = q.from(m), y[m:]
			q = &rest
		}
	}
}

// BinomialLogitLinear is BinomialLogit of a predictor, with n as in BernoulliLogitLinear.
func (s *LogProduct) BinomialLogitLinear(n int, p *Predictor, y []float64, trials float64) {
	var rest Predictor
	for q := p; n > 0; {
		m := s.take(n)
		if q.Short != nil {
			binomialLogitLinearShort(active, m, q.Short, q.B, len(q.B), q.Gradient, q.C, q.Offset, y, q.D, &s.sum, &s.product, trials)
		} else {
			binomialLogitLinear(active, m, q.X, q.B, len(q.B), q.Gradient, q.C, q.Offset, y, q.D, &s.sum, &s.product, trials)
		}
		if n -= m; n > 0 {
			rest, y = q.from(m), y[m:]
			q = &rest
		}
	}
}

// PoissonLogLinear is PoissonLog of a predictor.
func PoissonLogLinear(n int, sum *Lanes, p *Predictor, y []float64) {
	s := (*[lanes]float64)(sum)
	if p.Short != nil {
		poissonLogLinearShort(active, n, p.Short, p.B, len(p.B), p.Gradient, p.C, p.Offset, y, p.D, s)
		return
	}
	poissonLogLinear(active, n, p.X, p.B, len(p.B), p.Gradient, p.C, p.Offset, y, p.D, s)
}

// NegBinomial2LogLinear is NegBinomial2Log of a predictor.
func NegBinomial2LogLinear(n int, sum, dphi *Lanes, p *Predictor, y []float64, phi float64) {
	s, d, logPhi, inverse := (*[lanes]float64)(sum), (*[lanes]float64)(dphi), logValue(phi), 1/phi
	if p.Short != nil {
		negBinomial2LogLinearShort(active, n, p.Short, p.B, len(p.B), p.Gradient, p.C, p.Offset, y, p.D, s, d, phi, logPhi, inverse)
		return
	}
	negBinomial2LogLinear(active, n, p.X, p.B, len(p.B), p.Gradient, p.C, p.Offset, y, p.D, s, d, phi, logPhi, inverse)
}

// NormalLinear is Normal with a predictor as mu.
func NormalLinear(n int, squares *Lanes, p *Predictor, x []float64, inverse float64) {
	s := (*[lanes]float64)(squares)
	if p.Short != nil {
		normalLinearShort(active, n, p.Short, p.B, len(p.B), p.Gradient, p.C, p.Offset, x, p.D, s, inverse)
		return
	}
	normalLinear(active, n, p.X, p.B, len(p.B), p.Gradient, p.C, p.Offset, x, p.D, s, inverse)
}

// predictGo sets d = c or o, plus X·b.
func predictGo[T float32 | float64](n int, d []float64, x []T, b []float64, c float64, o []float64) {
	for i := range d[:n] {
		e := c
		if o != nil {
			e = o[i]
		}
		tile := x[i/TileLength*TileLength*len(b):]
		for j, v := range b {
			e = math.FMA(float64(tile[j*TileLength+i%TileLength]), v, e)
		}
		d[i] = e
	}
}

// gradientGo adds Xᵀ·d and Σ d to the lanes of g.
func gradientGo[T float32 | float64](n int, g []float64, x []T, k int, d []float64) {
	for i, v := range d[:n] {
		tile, l := x[i/TileLength*TileLength*k:], i%lanes
		for j := range k {
			g[lanes*j+l] = math.FMA(float64(tile[j*TileLength+i%TileLength]), v, g[lanes*j+l])
		}
		g[lanes*k+l] += v
	}
}

func bernoulliLogitLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, product *[lanes]float64) {
	predictGo(n, d, x, b, c, o)
	bernoulliLogitGo(n, sum, product, d, y, d)
	gradientGo(n, g, x, k, d)
}

func bernoulliLogitLinearShortGo(n int, x []float32, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, product *[lanes]float64) {
	predictGo(n, d, x, b, c, o)
	bernoulliLogitGo(n, sum, product, d, y, d)
	gradientGo(n, g, x, k, d)
}

func binomialLogitLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, product *[lanes]float64, trials float64) {
	predictGo(n, d, x, b, c, o)
	binomialLogitGo(n, sum, product, d, y, trials, d)
	gradientGo(n, g, x, k, d)
}

func binomialLogitLinearShortGo(n int, x []float32, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, product *[lanes]float64, trials float64) {
	predictGo(n, d, x, b, c, o)
	binomialLogitGo(n, sum, product, d, y, trials, d)
	gradientGo(n, g, x, k, d)
}

func poissonLogLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum *[lanes]float64) {
	predictGo(n, d, x, b, c, o)
	poissonLogGo(n, sum, nil, d, y, d)
	gradientGo(n, g, x, k, d)
}

func poissonLogLinearShortGo(n int, x []float32, b []float64, k int, g []float64, c float64, o, y, d []float64, sum *[lanes]float64) {
	predictGo(n, d, x, b, c, o)
	poissonLogGo(n, sum, nil, d, y, d)
	gradientGo(n, g, x, k, d)
}

func negBinomial2LogLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, dphi *[lanes]float64, phi, logPhi, inverse float64) {
	predictGo(n, d, x, b, c, o)
	negBinomial2LogGo(n, sum, dphi, nil, d, y, phi, logPhi, inverse, d)
	gradientGo(n, g, x, k, d)
}

func negBinomial2LogLinearShortGo(n int, x []float32, b []float64, k int, g []float64, c float64, o, y, d []float64, sum, dphi *[lanes]float64, phi, logPhi, inverse float64) {
	predictGo(n, d, x, b, c, o)
	negBinomial2LogGo(n, sum, dphi, nil, d, y, phi, logPhi, inverse, d)
	gradientGo(n, g, x, k, d)
}

func normalLinearGo(n int, x, b []float64, k int, g []float64, c float64, o, y, d []float64, squares *[lanes]float64, inverse float64) {
	predictGo(n, d, x, b, c, o)
	normalGo(n, squares, nil, y, d, inverse, 0, d)
	gradientGo(n, g, x, k, d)
}

func normalLinearShortGo(n int, x []float32, b []float64, k int, g []float64, c float64, o, y, d []float64, squares *[lanes]float64, inverse float64) {
	predictGo(n, d, x, b, c, o)
	normalGo(n, squares, nil, y, d, inverse, 0, d)
	gradientGo(n, g, x, k, d)
}
