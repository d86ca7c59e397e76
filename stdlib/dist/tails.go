package dist

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A tail is the log probability of a value no greater than x, or of a greater one (upper), with its
// derivatives: NaN where a parameter is outside its domain.
type tail func(x float64, theta [maxParams]float64, upper bool) point

// below is the log distribution function of a tail, and above its complement.
func below(f tail) func(*def.Batch) float64 { return f.over(false) }
func above(f tail) func(*def.Batch) float64 { return f.over(true) }

func (f tail) over(upper bool) func(*def.Batch) float64 {
	return func(b *def.Batch) float64 {
		var theta [maxParams]float64
		sum := 0.0
		for i := range b.N {
			for k := range b.Theta {
				theta[k] = b.Theta[k].At(i)
			}
			p := f(b.X.At(i), theta, upper)
			sum += p.lp
			set(b.LP, i, p.lp)
			set(b.DX, i, p.dx)
			for k, d := range b.DTheta {
				set(d, i, p.dtheta[k])
			}
		}
		return sum
	}
}

// below0 is the tail where no value is as small as x, and above1 where none is greater.
func below0(upper bool) point { return point{lp: certainly(upper)} }
func above1(upper bool) point { return point{lp: certainly(!upper)} }

// certainly is the log of 1, or of 0.
func certainly(sure bool) float64 {
	if sure {
		return 0
	}
	return math.Inf(-1)
}

// invalid is the tail for parameters outside their domains.
func invalid() point { return point{lp: math.NaN()} }

// A standardTail is the tail of the standard member of a location-scale family, with its derivative.
type standardTail func(z float64, upper bool) (lp, slope float64)

// symmetric makes a standardTail of the log distribution function of a distribution that is symmetric about
// 0.
func symmetric(cdf func(z float64) (lp, slope float64)) standardTail {
	return func(z float64, upper bool) (float64, float64) {
		if !upper {
			return cdf(z)
		}
		lp, slope := cdf(-z)
		return lp, -slope
	}
}

// at is the tail of x = mu + sigma·u.
func (f standardTail) at(x float64, theta [maxParams]float64, upper bool) point {
	mu, sigma := theta[0], positive(theta[1])
	z := (x - mu) / sigma
	if math.IsNaN(z) {
		return invalid()
	}
	lp, slope := f(z, upper)
	slope /= sigma
	return point{lp: lp, dx: slope, dtheta: [maxParams]float64{-slope, -times(slope, z)}}
}

// ofLog is the tail of log x = mu + sigma·u.
func (f standardTail) ofLog(x float64, theta [maxParams]float64, upper bool) point {
	if x <= 0 {
		return below0(upper).of(f.at(0, theta, upper))
	}
	p := f.at(portable.Log(x), theta, upper)
	p.dx /= x
	return p
}

// of is a value at an end of the support, NaN where the parameters are outside their domains as in q.
func (p point) of(q point) point {
	if math.IsNaN(q.lp) {
		return q
	}
	return p
}

// complement is the log of 1 less a probability.
func (p point) complement() point {
	lp := portable.Log1mExp(p.lp)
	factor := -portable.Exp(p.lp - lp)
	out := point{lp: lp, dx: times(factor, p.dx)}
	for k, d := range p.dtheta {
		out.dtheta[k] = times(factor, d)
	}
	return out
}

// hazard is the tail where the log probability of a greater value is -exp(h.lp): h has the log of the
// cumulative hazard and its derivatives.
func hazard(h point, upper bool) point {
	g := portable.Exp(h.lp)
	out := point{lp: -g}
	factor := -g
	if !upper {
		out.lp, factor = portable.Log1mExp(-g), g/portable.Expm1(g)
		switch {
		case g < 1e-17:
			out.lp, factor = h.lp, 1
		case math.IsInf(g, 1):
			factor = 0
		}
	}
	out.dx = times(factor, h.dx)
	for k, d := range h.dtheta {
		out.dtheta[k] = times(factor, d)
	}
	return out
}

// doubled is the tail of |u| for a symmetric u, at z ≥ 0: twice the upper tail.
func doubled(f standardTail, cdf func(z float64) float64, z float64, upper bool) (lp, slope float64) {
	p := cdf(z)
	lp, slope = f(z, true)
	lp += math.Ln2
	tail := portable.Exp(lp)
	switch {
	case upper && p < 0.5:
		return portable.Log1p(-p), slope
	case upper:
		return lp, slope
	case tail < 0.5:
		return portable.Log1p(-tail), -slope * tail / p
	}
	return portable.Log(p), -slope * tail / p
}

// half is the tail of x = sigma·|u|.
func half(f standardTail, cdf func(z float64) float64) tail {
	return func(x float64, theta [maxParams]float64, upper bool) point {
		sigma := positive(theta[0])
		z := x / sigma
		switch {
		case math.IsNaN(z):
			return invalid()
		case z <= 0:
			return below0(upper)
		}
		lp, slope := doubled(f, cdf, z, upper)
		slope /= sigma
		return point{lp: lp, dx: slope, dtheta: [maxParams]float64{-times(slope, z)}}
	}
}

// betaTail is the tail of I_x(a, b), y = 1 - x.
func betaTail(a, b, x, y float64, upper bool) (lp, da, db, flow float64) {
	if !upper {
		return portable.LogIncBeta(a, b, x, y)
	}
	lp, db, da, flow = portable.LogIncBeta(b, a, y, x)
	return lp, da, db, -flow
}
