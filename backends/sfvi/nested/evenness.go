package nested

import (
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// An evenness says how many effective draws there are of each of many quantities, from sums over weighted
// draws: of the variance v = Σw(x − m)²/Σw of a quantity with the mean m, over the variance Σw²(x − m)²/(Σw)²
// of that mean (Owen 2013, Monte Carlo theory, methods and examples, 9.3). Draws as good as many for most
// quantities may be few for one that lies where weights are large.
type evenness struct {
	top, once, twice float64 // the largest log weight; Σw and Σw² with weights less by it
	base             []float64
	sums             [4][]float64 // Σwx, Σwx², Σw²x and Σw²x², x less base
	x                []float64
}

// add takes the log weight of a draw and its quantities.
func (e *evenness) add(l float64, x []float64) {
	if l-l != 0 {
		return
	}
	n := len(x)
	if e.base == nil {
		e.top, e.base, e.x = l, append([]float64(nil), x...), make([]float64, n)
		for i := range e.sums {
			e.sums[i] = make([]float64, n)
		}
	}
	if l > e.top {
		by := portable.Exp(e.top - l)
		e.top, e.once, e.twice = l, float64(e.once*by), float64(e.twice*by*by)
		for i, v := range e.sums {
			if vec.Scale(n, v, v, by); i > 1 {
				vec.Scale(n, v, v, by)
			}
		}
	}
	w := portable.Exp(l - e.top)
	e.once, e.twice = e.once+w, e.twice+float64(w*w)
	vec.Sub(n, e.x, x, e.base)
	vec.Axpy(n, e.sums[0], w, e.x)
	vec.Axpy(n, e.sums[2], w*w, e.x)
	vec.Mul(n, e.x, e.x, e.x)
	vec.Axpy(n, e.sums[1], w, e.x)
	vec.Axpy(n, e.sums[3], w*w, e.x)
}

// least is the smallest number of effective draws of a quantity that varies; +Inf: none does.
func (e *evenness) least() float64 {
	out := math.Inf(1)
	for i, x := range e.sums[0] {
		m := x / e.once
		spread := e.sums[1][i] - float64(m*x)
		error2 := e.sums[3][i] - float64(2*m*e.sums[2][i]) + float64(m*m*e.twice)
		if spread > 1e-9*e.sums[1][i] && error2 > 0 {
			out = min(out, spread*e.once/error2)
		}
	}
	return out
}

func (e *evenness) carry(c *backends.Codec) {
	c.Float(&e.top, &e.once, &e.twice)
	list(c, &e.base)
	for i := range e.sums {
		list(c, &e.sums[i])
	}
	if e.x = make([]float64, len(e.base)); len(e.base) == 0 {
		e.base = nil
	}
}
