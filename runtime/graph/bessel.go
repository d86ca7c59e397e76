package graph

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// The logarithm of the modified Bessel function I0 by vectors, and its slope I1/I0, as portable.LogBesselI0
// has them: by the power series in x²/4, NIST DLMF 10.25.2, of two lengths, and above the asymptotic one in
// 1/x, 10.40.1. Each has a fixed number of terms, so that no value depends on its neighbours.
const (
	besselNear   = 8
	besselMiddle = 30
)

// A besselPart has the series of I0 and I1 for arguments above least, from the last term to the first, each
// coefficient in a vector.
type besselPart struct {
	least  float64
	series [2][][64]float64
}

var besselParts = [3]besselPart{{0, powerSeries(23)}, {besselNear, powerSeries(47)},
	{besselMiddle, tailSeries(18)}}

// powerSeries has 1/(k! (k+order)!).
func powerSeries(terms int) (out [2][][64]float64) {
	for order := range out {
		out[order] = series(terms, func(k float64) float64 { return 1 / (k * (k + float64(order))) })
	}
	return out
}

// tailSeries has Π ((2j-1)² - 4·order²)/(8j) over j to k.
func tailSeries(terms int) (out [2][][64]float64) {
	for order := range out {
		out[order] = series(terms, func(k float64) float64 {
			odd := float64(2*k) - 1
			return (float64(odd*odd) - float64(4*order)) / (8 * k)
		})
	}
	return out
}

// series has so many coefficients, the last first, of which the first is 1 and ratio that of k to k - 1.
func series(terms int, ratio func(k float64) float64) [][64]float64 {
	out, c := make([][64]float64, terms), 1.0
	for k := range out {
		copy(out[terms-1-k][:], constantOf(64, c))
		c *= ratio(float64(k + 1))
	}
	return out
}

// horner sets y to a polynomial in x, at most 64 numbers, whose coefficients begin with the highest.
func horner(n int, y, x []float64, c [][64]float64) {
	if n <= slopesSingly {
		for i, v := range x[:n] {
			sum := c[0][0]
			for k := range c[1:] {
				sum = math.FMA(sum, v, c[1+k][0])
			}
			y[i] = sum
		}
		return
	}
	vector.FMA(n, y, c[0][:], x, c[1][:])
	for k := range c[2:] {
		vector.FMA(n, y, y, x, c[2+k][:])
	}
}

// bessel sets y to log I0 of at most 64 numbers, or to its slope, by the series that these need.
func bessel(n int, y, x []float64, slope bool) {
	if n > 1 && n <= slopesSingly { // each by one series alone
		for i := range n {
			bessel(1, y[i:], x[i:], slope)
		}
		return
	}
	var at, mask, own [64]float64
	last := len(besselParts) - 1
	for k := range besselParts {
		inside := 0.0
		for i, v := range x[:n] {
			mask[i] = truth(v > besselParts[k].least)
			if k < last {
				mask[i] -= truth(v > besselParts[k+1].least)
			}
			inside += mask[i]
		}
		if inside == 0 {
			continue
		}
		if k == last {
			vector.DivInto(n, at[:], 1, x)
		} else {
			vector.Mul(n, at[:], x, x)
			vector.Scale(n, at[:], at[:], 0.25)
		}
		if slope {
			besselRatio(n, k, own[:], at[:], x)
		} else {
			besselValue(n, k, own[:], at[:], x)
		}
		vector.Select(n, y, mask[:], own[:], y)
	}
	for i, v := range x[:n] {
		if !(v > 0) {
			y[i] = math.NaN()
		}
	}
}

// besselValue sets y to log I0 by series k, a polynomial of at.
func besselValue(n, k int, y, at, x []float64) {
	horner(n, y, at, besselParts[k].series[0])
	vector.Log(n, y, y)
	if k == len(besselParts)-1 {
		vector.Scale(n, at, x, 2*math.Pi)
		vector.Log(n, at, at)
		vector.Scale(n, at, at, 0.5)
		vector.Sub(n, at, x, at)
		vector.Add(n, y, y, at)
	}
}

// besselRatio sets y to I1/I0.
func besselRatio(n, k int, y, at, x []float64) {
	var under [64]float64
	horner(n, under[:], at, besselParts[k].series[0])
	horner(n, y, at, besselParts[k].series[1])
	vector.Div(n, y, y, under[:])
	if k < len(besselParts)-1 {
		vector.Mul(n, y, y, x)
		vector.Scale(n, y, y, 0.5)
	}
}

func logBesselI0(n int, y, x []float64) {
	for from := 0; from < n; from += 64 {
		bessel(min(64, n-from), y[from:], x[from:], false)
	}
}

// logBesselI0Back is dy·I1/I0.
func logBesselI0Back(n int, t, _, dy, x, _ []float64) {
	for from := 0; from < n; from += 64 {
		bessel(min(64, n-from), t[from:], x[from:], true)
	}
	vector.Mul(n, t, t, dy)
}
