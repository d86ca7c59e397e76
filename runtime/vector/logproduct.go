package vector

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// A LogProduct sums the log densities of observations. It computes their terms log(1+z) as the logarithm of a
// product; each lane holds up to mostFactors factors between 1 and 2. Call Reset before the first use.
type LogProduct struct {
	sum, product [lanes]float64
	used         int     // factors in each lane
	logs         float64 // sum of the logarithms of full products
}

const mostFactors = 1000

// Reset starts a new sum.
func (s *LogProduct) Reset() {
	*s = LogProduct{}
	for l := range s.product {
		s.product[l] = 1
	}
}

// BernoulliLogit adds y = 0 or 1 with log odds eta: log 1/(1+e^-t) with t = (2y-1)·eta, and derivative
// (2y-1)/(1+e^t).
func (s *LogProduct) BernoulliLogit(n int, eta, y, d []float64) {
	for n > 0 {
		m := s.take(n)
		bernoulliLogit(active, m, &s.sum, &s.product, eta, y, d)
		n, eta, y, d = n-m, eta[m:], y[m:], tail(d, m)
	}
}

// BinomialLogit adds y successes of the same number of trials with log odds alpha = eta: y·alpha -
// trials·log(1+e^alpha).
func (s *LogProduct) BinomialLogit(n int, eta, y []float64, trials float64, d []float64) {
	for n > 0 {
		m := s.take(n)
		binomialLogit(active, m, &s.sum, &s.product, eta, y, trials, d)
		n, eta, y, d = n-m, eta[m:], y[m:], tail(d, m)
	}
}

// StudentT adds -log(1+e²) with e = (x-mu)·inverse, with derivative slope·e/(1+e²) in mu, and e²/(1+e²) to
// share: of nu degrees of freedom, where inverse is 1/(sigma·√nu) and slope (nu+1)·inverse, the log density
// but for its factor (nu+1)/2 and its value at mu.
func (s *LogProduct) StudentT(n int, share *SplitSum, x, mu []float64, inverse, slope float64, d []float64) {
	for n > 0 {
		m := s.take(n)
		studentT(active, m, &s.sum, &s.product, (*[lanes]float64)(share), x, mu, inverse, slope, d)
		n, x, mu, d = n-m, x[m:], mu[m:], tail(d, m)
	}
}

func tail(d []float64, m int) []float64 {
	if d == nil {
		return nil
	}
	return d[m:]
}

// take reserves room for up to n factors and returns for how many. It empties a full product first.
func (s *LogProduct) take(n int) int {
	if s.used == mostFactors {
		s.logs += portable.LogOfProduct(s.product[:])
		for l := range s.product {
			s.product[l] = 1
		}
		s.used = 0
	}
	m := min(n, (mostFactors-s.used)*lanes)
	s.used += (m + lanes - 1) / lanes
	return m
}

// takeTiles is take for rows in tiles: it cuts only between tiles, whichever length they have.
func (s *LogProduct) takeTiles(n int) int {
	const factors = longTile / lanes
	s.used = (s.used + factors - 1) / factors * factors
	return s.take(n)
}

// Join adds the observations of another sum, whose factors enter as their logarithm.
func (s *LogProduct) Join(o *LogProduct) {
	if o.used == 0 {
		return
	}
	for l, v := range o.sum {
		s.sum[l] += v
	}
	s.logs += o.logs + portable.LogOfProduct(o.product[:])
}

// Value returns the sum of all log densities. trials is the number of trials of binomial observations, 1 for
// Bernoulli.
func (s *LogProduct) Value(trials float64) float64 {
	return fold(&s.sum) - float64(trials*(s.logs+portable.LogOfProduct(s.product[:])))
}

func bernoulliLogitSignsGo(n int, sum, product *[lanes]float64, eta []float64, y []int8, d []float64) {
	for i, e := range eta[:n] {
		sign := 1.0
		if y[i] < 0 {
			sign = -1
		}
		put(d, i, float64(sign*logOddsGo(i%lanes, float64(sign*e), sum, product)))
	}
}

func bernoulliLogitGo(n int, sum, product *[lanes]float64, eta, y, d []float64) {
	for i, e := range eta[:n] {
		sign := math.FMA(y[i], 2, -1)
		t := float64(sign * e)
		put(d, i, sign*logOddsGo(i%lanes, t, sum, product))
	}
}

// logOddsGo adds log(1/(1+e^-t)) to a lane of sum and product and returns its derivative, 1/(1+e^t).
func logOddsGo(lane int, t float64, sum, product *[lanes]float64) float64 {
	z := expFalling(math.Abs(t))
	product[lane] *= z + 1
	sum[lane] += portable.Smaller(0, t)
	return portable.Where(t < 0, 1, z) / (z + 1)
}

func studentTGo(n int, sum, product, share *[lanes]float64, x, mu []float64, inverse, slope float64,
	d []float64) {
	for i, v := range x[:n] {
		e := float64((v - mu[i]) * inverse)
		square := float64(e * e)
		onePlus := square + 1
		near := 1 / onePlus
		k, m := portable.Scaled(onePlus)
		product[i%lanes] *= m
		sum[i%lanes] += math.FMA(-k, math.Ln2, float64(((onePlus-1)-square)*near))
		share[i%lanes] += float64(square * near)
		put(d, i, float64(e*near)*slope)
	}
}

func binomialLogitGo(n int, sum, product *[lanes]float64, eta, y []float64, trials float64, d []float64) {
	for i, e := range eta[:n] {
		z := expFalling(math.Abs(e))
		failures := trials - y[i]
		p, q := odds(e, z)
		product[i%lanes] *= z + 1
		sum[i%lanes] += float64(portable.Where(e < 0, y[i], -failures) * e)
		put(d, i, math.FMA(-failures, p, float64(y[i]*q)))
	}
}
