package stretch

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// A point is one row with its response under the true model, and the nodes over which the noise is
// integrated.
type point struct {
	l     *PredictedRows
	row   Row
	resp  *response
	truth float64 // information on the predictor under the true model

	copies   float64   // J-1 under power: how many independent deviations there are
	outer    []float64 // values of the noise, with log weights
	logOuter []float64
	inner    []float64 // positive deviations from it, with log weights of the pair; the first is 0
	logInner []float64
	block    def.Batch
	y        []float64   // one value
	stages   [][]float64 // the predictor at every node, then after each function of it
	lp       []float64
	mixture  []float64 // log terms of one outer node
}

const (
	reach = 6 // standard deviations of the noise that are integrated over
	// step of the trapezoidal rule over the noise, in the smaller of its sd and the width of the likelihood
	fine     = 0.75
	maxNodes = 121
	maxInner = 12
)

func newPoint(l *PredictedRows, r Row, n Noise) (*point, error) {
	p := &point{l: l, row: r, copies: float64(n.Clients - 1)}
	p.outer, p.logOuter, p.inner, p.logInner = []float64{0}, []float64{0}, []float64{0}, []float64{0}
	p.reserve(1)
	theta := slices.Clone(r.Theta)
	theta[l.Param] = p.through(r.Eta)
	var err error
	if p.resp, err = newResponse(l.Dist, theta, r.Y); err != nil {
		return nil, err
	}
	if !p.informed() {
		return nil, errKink
	}
	width := 1 / math.Sqrt(p.truth)
	p.nodes(n, width)
	p.reserve(len(p.outer) * (2*len(p.inner) - 1))
	return p, nil
}

// Derivatives in the predictor are differences over this share of the width of the likelihood, which is
// 1/√information, or of 1 where that is less; they begin with one that is small for a width of 1.
const (
	firstApart = 1e-3
	nearApart  = 1e-2
	mostApart  = 5e-2
)

// informed sets the information under the true model, the mean square of the derivative of the log density.
// It reports whether that is also the expected curvature, as where the log density is smooth in the predictor
// and the response well integrated.
func (p *point) informed() bool {
	none, curvature := ones(len(p.l.Free)), 0.0
	for h := float64(firstApart); h > 1e-12; {
		p.truth, curvature = 0, 0
		for i, y := range p.resp.y {
			down, here, up := p.score(y, p.row.Eta-h, none), p.score(y, p.row.Eta, none),
				p.score(y, p.row.Eta+h, none)
			slope := (up - down) / (2 * h)
			p.truth += float64(p.resp.p[i] * slope * slope)
			curvature += float64(p.resp.p[i] * (float64(2*here) - up - down) / (h * h))
		}
		width := min(1, 1/math.Sqrt(p.truth))
		if h <= mostApart*width {
			return math.Abs(curvature-p.truth) <= 0.1*p.truth
		}
		h = nearApart * width
	}
	return false
}

// nodes places the nodes by the standard deviations of the noise and the width of the likelihood in the
// predictor.
func (p *point) nodes(n Noise, width float64) {
	if s := math.Sqrt(n.outer()); s > 0 {
		h := fine * min(s, width)
		half := min(int(math.Ceil(reach*s/h)), maxNodes/2)
		p.outer, p.logOuter = nil, nil
		for k := -half; k <= half; k++ {
			u := float64(k) * h
			p.outer = append(p.outer, u)
			p.logOuter = append(p.logOuter,
				-u*u/(2*s*s)+portable.Log(h/s)-float64(0.5*portable.Log(2*math.Pi)))
		}
	}
	if s := math.Sqrt(n.inner()); s > 0 {
		narrow := min(s, width*math.Sqrt(p.copies))
		h := fine * narrow
		p.inner, p.logInner = nil, nil
		for k := 0; k < maxInner && float64(k)*h <= reach*s; k++ {
			d := float64(k) * h
			w := -d*d/(2*s*s) + portable.Log(h/s) - float64(0.5*portable.Log(2*math.Pi))
			if k > 0 {
				w += math.Ln2
			}
			p.inner, p.logInner = append(p.inner, d), append(p.logInner, w)
		}
	}
}

// reserve sets up the arrays for so many nodes.
func (p *point) reserve(nodes int) {
	p.y, p.lp = make([]float64, 1), make([]float64, nodes)
	p.stages = nil
	for range len(p.l.Through) + 1 {
		p.stages = append(p.stages, make([]float64, nodes))
	}
	theta := make([]def.BlockArg, len(p.row.Theta))
	for k, v := range p.row.Theta {
		theta[k] = def.Scalar(v)
	}
	theta[p.l.Param] = def.Vector(p.stages[len(p.stages)-1])
	p.block = def.Batch{N: nodes, Theta: theta, LP: p.lp}
	p.mixture = make([]float64, len(p.outer))
}

// through returns the parameter of the distribution at a predictor.
func (p *point) through(eta float64) float64 {
	p.stages[0][0] = eta
	for k, f := range p.l.Through {
		f.Forward(p.stages[k+1][:1], p.stages[k][:1])
	}
	return p.stages[len(p.stages)-1][0]
}

// expected returns the expectation over y of the log noisy likelihood at a predictor and factors of the free
// parameters.
func (p *point) expected(eta float64, free []float64) (value float64) {
	for i, y := range p.resp.y {
		value += float64(p.resp.p[i] * p.score(y, eta, free))
	}
	return value
}

// score returns the log noisy likelihood of y, without the carrier.
func (p *point) score(y, eta float64, free []float64) float64 {
	for k, at := range p.l.Free {
		p.block.Theta[at].V[0] = p.row.Theta[at] * free[k]
	}
	first, last := 0, len(p.outer)
	width := 2*len(p.inner) - 1
	if width > 1 {
		first, last = p.active(y, eta)
	}
	p.evaluate(y, eta, first, last, width)
	for q := first; q < last; q++ {
		p.mixture[q] = p.logOuter[q] + p.copiesAt((q-first)*width)
	}
	return logSum(p.mixture[first:last])
}

// logSum is the logarithm of a sum of exponentials.
func logSum(terms []float64) float64 {
	top, total := slices.Max(terms), 0.0
	if math.IsInf(top, -1) {
		return top
	}
	for _, v := range terms {
		total += portable.Exp(v - top)
	}
	return top + portable.Log(total)
}

// active returns the range of outer nodes outside of which the likelihood at the node itself makes their
// share negligible.
func (p *point) active(y, eta float64) (first, last int) {
	p.evaluate(y, eta, 0, len(p.outer), 1)
	top := math.Inf(-1)
	for q, w := range p.logOuter {
		top = max(top, w+p.lp[q])
	}
	first, last = len(p.outer), 0
	for q, w := range p.logOuter {
		if w+p.lp[q] > top-drop {
			first, last = min(first, q), q+1
		}
	}
	if first >= last {
		return 0, len(p.outer)
	}
	return first, last
}

// evaluate computes log density and derivatives at a range of outer nodes: of each the centre and, where
// width is not 1, the pairs around it.
func (p *point) evaluate(y, eta float64, first, last, width int) {
	at := 0
	for _, u := range p.outer[first:last] {
		p.stages[0][at] = eta + u
		at++
		for _, d := range p.inner[1 : (width+1)/2] {
			p.stages[0][at], p.stages[0][at+1] = eta+u+d, eta+u-d
			at += 2
		}
	}
	for k, f := range p.l.Through {
		f.Forward(p.stages[k+1][:at], p.stages[k][:at])
	}
	p.block.N, p.block.X = at, def.BlockArg{V: p.y}
	p.y[0] = y
	p.l.Dist.LogDensity(&p.block)
}

// copiesAt returns the log likelihood of all copies at an outer node whose centre is node c.
func (p *point) copiesAt(c int) float64 {
	centre := p.lp[c]
	if len(p.inner) == 1 || math.IsInf(centre, -1) {
		return centre
	}
	terms := []float64{p.logInner[0]}
	for r := 1; r < len(p.inner); r++ {
		at := c + 2*r - 1
		h := float64((p.lp[at]+p.lp[at+1])/2) - centre
		terms = append(terms, p.logInner[r]+h/p.copies)
	}
	return centre + float64(p.copies*logSum(terms))
}
