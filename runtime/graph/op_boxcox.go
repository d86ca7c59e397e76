package graph

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
)

// opBoxCox is the inverse of the Box-Cox transformation with power xi of 1 + xi·z, on the log scale: h =
// log(1 + xi·z)/xi, or z where xi is 0, and 0 without slope where 1 + xi·z is not positive. Its slope in z is
// 1/(1 + xi·z).
var opBoxCox = &op{
	name: "box_cox", doc: "log(1 + b·a)/b, elementwise, broadcast; a where b is 0", least: 2, most: 2,
	elements: true,
	infer:    elementwise,
	forward: func(c *call) {
		for j := range c.width {
			z, w, y := c.spread(0, j, 0), c.scratch[2], c.y(j)
			if c.in[1].rows {
				xi := c.vec(1, j)
				vector.Mul(c.n, w, z, xi)
				vector.Log1p(c.n, y, w)
				vector.Div(c.n, y, y, xi)
			} else {
				xi := c.num(1, j)
				vector.Scale(c.n, w, z, xi)
				vector.Log1p(c.n, y, w)
				if math.Abs(xi) > leastPower {
					vector.Scale(c.n, y, y, 1/xi)
				} else {
					vector.DivScalar(c.n, y, y, xi)
				}
			}
			for i, v := range w[:c.n] {
				switch {
				case v <= -1:
					y[i] = 0
				case math.Abs(v) < leastPower: // log(1 + w) has no digits of w, or is 0/0 when divided
					y[i] = z[i]
				}
			}
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			z, xi, y, dy := c.spread(0, j, 0), c.spread(1, j, 1), c.y(j), c.dy(j)
			w, p, t := c.scratch[2], c.scratch[3], c.scratch[4]
			vector.Mul(c.n, w, z, xi)
			vector.AddScalar(c.n, p, w, 1)
			if c.wants(1) {
				boxCoxSlope(c.n, t, z, xi, w, p, y)
				vector.ReluBack(c.n, t, t, p)
				vector.Weight(c.n, t, t, dy)
				c.give(1, j, t)
			}
			if c.wants(0) {
				vector.Div(c.n, t, dy, p)
				vector.ReluBack(c.n, t, t, p)
				c.give(0, j, t)
			}
		}
	},
	needs: func(int) need { return inputs(0, 1) | output },
}

// leastPower is the |w| below which h is z.
const leastPower = 1e-290

// seriesWithin is the |w| within which the slope in xi is a series, since its terms cancel: with v = w/(2 +
// w), log(1 + w) is 2 atanh(v).
const seriesWithin = 0.3

// slopeSeries has k/(2k + 1), from k = 11 to 1, each in a vector.
var slopeSeries = newSlopeSeries()

func newSlopeSeries() [][64]float64 {
	out := make([][64]float64, 11)
	for i := range out {
		k := float64(len(out) - i)
		copy(out[i][:], constantOf(64, k/(float64(2*k)+1)))
	}
	return out
}

// slopesSingly is how many slopes cost less one by one than by calls of vector functions.
const slopesSingly = 16

// boxCoxSlope sets t to the derivative in xi: (z/p - y)/xi with p = 1 + w, and where |w| is small z·part·(8
// z·v·part²·Σ k/(2k+1)·v^(2k-2) - y) with part = 1/(2 + w).
func boxCoxSlope(n int, t, z, xi, w, p, y []float64) {
	var mask, part, u, sum [64]float64
	for from := 0; from < n; from += len(u) {
		m := min(len(u), n-from)
		t, z, xi, w, p, y := t[from:], z[from:], xi[from:], w[from:], p[from:], y[from:]
		if m <= slopesSingly {
			for i := range m {
				t[i] = boxCoxSlopeAt(z[i], xi[i], w[i], p[i], y[i])
			}
			continue
		}
		vector.Mul(m, mask[:], w, w)
		vector.SubFrom(m, mask[:], seriesWithin*seriesWithin, mask[:])
		vector.ReluBack(m, mask[:], ones[:], mask[:])
		near := vector.Sum(m, mask[:])
		if near > 0 {
			vector.AddScalar(m, part[:], w, 2)
			vector.DivInto(m, part[:], 1, part[:])
			vector.Mul(m, t, w, part[:])
			vector.Mul(m, u[:], t, t)
			horner(m, sum[:], u[:], slopeSeries)
			vector.Mul(m, t, t, part[:])
			vector.Mul(m, t, t, part[:])
			vector.Mul(m, t, t, sum[:])
			vector.Scale(m, t, t, 8)
			vector.Mul(m, t, t, z)
			vector.Sub(m, t, t, y)
			vector.Mul(m, t, t, part[:])
			vector.Mul(m, t, t, z)
		}
		if near < float64(m) {
			vector.Div(m, u[:], z, p)
			vector.Sub(m, u[:], u[:], y)
			vector.Div(m, u[:], u[:], xi)
			vector.Select(m, t, mask[:], t, u[:])
		}
	}
}

// boxCoxSlopeAt is the same for one element, bit for bit.
func boxCoxSlopeAt(z, xi, w, p, y float64) float64 {
	if !(seriesWithin*seriesWithin-float64(w*w) > 0) {
		return (z/p - y) / xi
	}
	part := 1 / (w + 2)
	v := float64(w * part)
	u, sum := float64(v*v), slopeSeries[0][0]
	for k := range slopeSeries[1:] {
		sum = math.FMA(sum, u, slopeSeries[1+k][0])
	}
	return (float64(float64(float64(v*part)*part*sum*8)*z) - y) * part * z
}
