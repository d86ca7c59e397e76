package stdlib

import (
	"math"
	"sync"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A panel holds the outputs of one function of a distribution over some elements.
type panel struct {
	block  def.Batch
	theta  []def.BlockArg
	dtheta [][]float64
	values []float64
}

// run evaluates f on n elements; partials says whether derivatives are wanted.
func (p *panel) run(f func(*def.Batch) float64, n int, x def.BlockArg, theta []def.BlockArg, partials bool) {
	p.theta = append(p.theta[:0], theta...)
	if size := n * (len(theta) + 2); len(p.values) < size {
		p.values = make([]float64, size)
	}
	p.dtheta = p.dtheta[:0]
	for k := range theta {
		p.dtheta = append(p.dtheta, p.values[(k+2)*n:(k+3)*n])
	}
	p.block = def.Batch{N: n, X: x, Theta: p.theta, LP: p.values[:n]}
	if partials {
		p.block.DX, p.block.DTheta = p.values[n:2*n], p.dtheta
	}
	f(&p.block)
}

// A workspace is the scratch memory of one call.
type workspace struct {
	parts []panel
	tails [2]panel
	args  []def.BlockArg
	point []float64
}

// pools of workspaces: calls at the same time have one each, and a call allocates nothing once there are as
// many as there are calls.
type pool struct{ sync.Pool }

func newPool(parts int) *pool {
	return &pool{sync.Pool{New: func() any { return &workspace{parts: make([]panel, parts)} }}}
}

func (p *pool) take() *workspace { return p.Get().(*workspace) }

// set stores v as element i of an output that may not be wanted.
func set(dst []float64, i int, v float64) {
	if i < len(dst) {
		dst[i] = v
	}
}

// output is the output for the partial in parameter k, nil where it is not wanted.
func output(b *def.Batch, k int) []float64 {
	if k < len(b.DTheta) {
		return b.DTheta[k]
	}
	return nil
}

// times is a·b, and 0 where a is 0: the partials of what has no part in a sum are not used.
func times(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return a * b
}

// finish returns the value of a log density: sum where it is finite, else -Inf, as LP then is where it is not
// finite.
func finish(b *def.Batch, sum float64) float64 {
	if math.Abs(sum) <= math.MaxFloat64 {
		return sum
	}
	for i, lp := range b.LP {
		if !(math.Abs(lp) <= math.MaxFloat64) {
			b.LP[i] = math.Inf(-1)
		}
	}
	return math.Inf(-1)
}

// maxParams is the largest number of parameters of a distribution that may be truncated or censored, the ends
// of a truncation included, and mostMixed that of a mixture.
const (
	maxParams = 16
	mostMixed = 12
)

// A span is the log probability of an interval, with its derivatives in the ends and the parameters.
type span struct {
	lp, dlower, dupper float64
	dtheta             [maxParams]float64
}

// between is the log probability of a value above lower and no greater than upper, for parameters at element
// i. An infinite end is none.
func (w *workspace) between(d *def.Dist, theta []def.BlockArg, i int, lower, upper float64) span {
	w.args = w.args[:0]
	for _, a := range theta {
		at := i * a.Step
		w.args = append(w.args, def.BlockArg{V: a.V[at : at+1]})
	}
	switch {
	case math.IsInf(lower, -1) && math.IsInf(upper, 1):
		return span{}
	case math.IsInf(lower, -1):
		v := w.tail(0, d.LogCDF, upper)
		return span{lp: v.lp, dupper: v.dupper, dtheta: v.dtheta}
	case math.IsInf(upper, 1):
		v := w.tail(0, d.LogCCDF, lower)
		return span{lp: v.lp, dlower: v.dupper, dtheta: v.dtheta}
	case !(lower < upper):
		return span{lp: math.Inf(-1)}
	}
	a := w.tail(0, d.LogCDF, lower)
	if a.lp > -math.Ln2 {
		return difference(w.tail(0, d.LogCCDF, upper), w.tail(1, d.LogCCDF, lower), false)
	}
	return difference(a, w.tail(1, d.LogCDF, upper), true)
}

// tail is a tail at x, with its derivative in x as that in the upper end.
func (w *workspace) tail(k int, f func(*def.Batch) float64, x float64) span {
	p := &w.tails[k]
	w.point = append(w.point[:0], x)
	p.run(f, 1, def.BlockArg{V: w.point}, w.args, true)
	out := span{lp: p.block.LP[0], dupper: p.block.DX[0]}
	for j, d := range p.block.DTheta {
		out.dtheta[j] = d[0]
	}
	return out
}

// difference is the log of exp(greater) - exp(less); rising says that the greater one is of the upper end.
func difference(less, greater span, rising bool) span {
	lp := greater.lp + portable.Log1mExp(less.lp-greater.lp)
	up, down := portable.Exp(greater.lp-lp), portable.Exp(less.lp-lp)
	out := span{lp: lp, dupper: times(up, greater.dupper), dlower: -times(down, less.dupper)}
	if !rising {
		out.dupper, out.dlower = out.dlower, out.dupper
	}
	for k := range out.dtheta {
		out.dtheta[k] = times(up, greater.dtheta[k]) - times(down, less.dtheta[k])
	}
	return out
}
