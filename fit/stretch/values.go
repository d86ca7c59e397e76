package stretch

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A response holds values of y with the probabilities that a distribution gives them, or weights of a
// quadrature.
type response struct{ y, p []float64 }

const (
	drop    = 30   // nats below the mode at which a density is negligible
	blocks  = 24   // a block of whole numbers is at most 1/blocks of its distance from the smallest
	few     = 64   // whole numbers that are summed one by one
	step    = 0.25 // of the trapezoidal rule over u, with t = mode + scale·sinh(u)
	most    = 400  // values on each side of the mode
	deviate = 1e-2 // of the total probability from 1
)

// newResponse returns the values of y at the parameters theta. y0 is a value inside the support.
func newResponse(d *def.Dist, theta []float64, y0 float64) (*response, error) {
	density := density(d, theta)
	var r *response
	if d.Discrete {
		r = counts(d, theta, y0, density)
	} else {
		r = continuous(d, theta, y0, density)
	}
	total := 0.0
	for _, p := range r.p {
		total += p
	}
	if !(math.Abs(total-1) < deviate) {
		return nil, errDensity
	}
	for i := range r.p {
		r.p[i] /= total
	}
	return r, nil
}

// add adds a value whose log probability is lp.
func (r *response) add(y, lp float64) {
	if p := portable.Exp(lp); p > 0 {
		r.y, r.p = append(r.y, y), append(r.p, p)
	}
}

// density returns the normalised log density of one value as a function.
func density(d *def.Dist, theta []float64) func(y float64) float64 {
	args := make([]def.BlockArg, len(theta))
	for k, v := range theta {
		args[k] = def.Scalar(v)
	}
	return func(y float64) float64 {
		lp := d.LogDensity(&def.Batch{N: 1, X: def.Scalar(y), Theta: args})
		if d.Carrier != nil {
			lp += d.Carrier(y, theta)
		}
		return lp
	}
}

// counts returns the whole numbers with positive probability: all, or from drop below the mode on blocks of
// them, which grow with the distance from the first.
func counts(d *def.Dist, theta []float64, y0 float64, f func(float64) float64) *response {
	r := &response{}
	lower, upper := d.Bounds(theta)
	if upper-lower < few {
		for y := lower; y <= upper; y++ {
			r.add(y, f(y))
		}
		return r
	}
	inside := func(y float64) float64 {
		if y < lower || y > upper {
			return math.Inf(-1)
		}
		return f(y)
	}
	mode := climb(inside, y0, 1)
	first := max(lower, mode-edge(inside, mode, -1))
	last := min(upper, mode+edge(inside, mode, 1))
	for y := first; y <= last; {
		n := 1 + float64(2*math.Floor((y-first)/(2*blocks))) // odd, so that a block has a middle
		middle := y + float64((n-1)/2)
		r.add(middle, f(middle)+portable.Log(n))
		y += n
	}
	return r
}

// edge is a whole distance from the mode in one direction at which f has fallen by drop: the next power of 2.
func edge(f func(float64) float64, mode, direction float64) float64 {
	far := 1.0
	for top := f(mode); far < 1<<52 && f(mode+float64(direction*far)) > top-drop; far *= 2 {
	}
	near := far / 2
	for top := f(mode); far-near > max(1, far/16); {
		if middle := math.Floor((near + far) / 2); f(mode+float64(direction*middle)) > top-drop {
			near = middle
		} else {
			far = middle
		}
	}
	return far
}

// climb returns a local maximum of f, up to a step.
func climb(f func(float64) float64, at, least float64) float64 {
	for s := least; s >= least; {
		switch top := f(at); {
		case f(at+s) > top:
			at, s = at+s, s*2
		case f(at-s) > top:
			at, s = at-s, s*2
		default:
			s /= 2
		}
	}
	return at
}

// continuous integrates over t, on which the support is the real line, by the trapezoidal rule in u with t =
// mode + scale·sinh(u): it converges exponentially, also for tails that fall like a power (Mori and Sugihara
// 2001, J. Comput. Appl. Math. 127).
func continuous(d *def.Dist, theta []float64, y0 float64, f func(float64) float64) *response {
	lower, upper := d.Bounds(theta)
	c := coordinate{lower, upper}
	g := func(t float64) float64 {
		y, jacobian := c.value(t)
		if v := f(y) + jacobian; !math.IsNaN(v) {
			return v
		}
		return math.Inf(-1)
	}
	mode, scale := peak(g, c.of(y0))
	r, top := &response{}, g(mode)
	for _, sign := range []float64{1, -1} {
		for k := 0; k < most; k++ {
			u := float64(k) * step
			if k == 0 && sign < 0 {
				continue
			}
			t := mode + float64(sign*scale*portable.Sinh(u))
			lp := g(t) + portable.Log(portable.Cosh(u))
			if lp < top-drop {
				break
			}
			y, _ := c.value(t)
			r.add(y, lp+portable.Log(scale*step))
		}
	}
	return r
}

// peak returns a local maximum of g and the distance at which g has fallen by about 1/2.
func peak(g func(float64) float64, at float64) (mode, scale float64) {
	s, mode := 1.0, at
	for range 400 {
		top := g(mode)
		up, down := g(mode+s), g(mode-s)
		switch {
		case up > top:
			mode, s = mode+s, s*1.5
		case down > top:
			mode, s = mode-s, s*1.5
		case top-max(up, down) > 0.1, max(g(mode+float64(s/2)), g(mode-float64(s/2))) > top:
			s /= 2
		default:
			for range 60 {
				if top-min(g(mode+s), g(mode-s)) > 0.5 {
					return mode, s
				}
				s *= 1.2
			}
			return mode, s
		}
	}
	return mode, s
}

// A coordinate maps the real line to the support between two ends.
type coordinate struct{ lower, upper float64 }

// value returns y at t with log dy/dt.
func (c coordinate) value(t float64) (y, jacobian float64) {
	switch {
	case math.IsInf(c.lower, -1):
		return t, 0
	case math.IsInf(c.upper, 1):
		return c.lower + portable.Exp(t), t
	}
	w := c.upper - c.lower
	return c.lower + w/(1+portable.Exp(-t)), portable.Log(w) - portable.Log1p(portable.Exp(-t)) -
		portable.Log1p(portable.Exp(t))
}

// of returns t at y, moved inside where y is an end.
func (c coordinate) of(y float64) float64 {
	switch {
	case math.IsInf(c.lower, -1):
		return y
	case math.IsInf(c.upper, 1):
		return portable.Log(max(y-c.lower, 1e-300))
	}
	p := min(max((y-c.lower)/(c.upper-c.lower), 1e-12), 1-1e-12)
	return portable.Log(p) - portable.Log1p(-p)
}
