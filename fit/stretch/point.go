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
	l     *Likelihood
	row   Row
	resp  *response
	truth float64 // information on the predictor under the true model

	copies     float64   // J-1 under power: how many independent deviations there are
	outer      []float64 // values of the noise, with log weights
	logOuter   []float64
	inner      []float64 // positive deviations from it, with log weights of the pair; the first is 0
	logInner   []float64
	block      def.Batch
	y          []float64   // one value
	stages     [][]float64 // the predictor at every node, then after each function of it
	slopes     [][]float64 // derivatives of the log density in them
	lp         []float64
	partials   [][]float64 // DTheta
	mixture    []float64   // log terms of one outer node
	derivative []float64   // of one value of y: in the predictor and in the logs of the free parameters
	sum        []float64
}

const (
	reach = 6 // standard deviations of the noise that are integrated over
	// step of the trapezoidal rule over the noise, in the smaller of its sd and the width of the likelihood
	fine     = 0.75
	maxNodes = 121
	maxInner = 12
)

func newPoint(l *Likelihood, r Row, n Noise) (*point, error) {
	p := &point{l: l, row: r, copies: float64(n.Clients - 1)}
	p.outer, p.logOuter, p.inner, p.logInner = []float64{0}, []float64{0}, []float64{0}, []float64{0}
	p.reserve(1)
	theta := slices.Clone(r.Theta)
	theta[l.Param] = p.through(r.Eta)
	var err error
	if p.resp, err = newResponse(l.Dist, theta, r.Y); err != nil {
		return nil, err
	}
	none := ones(len(l.Free))
	for i, y := range p.resp.y {
		p.score(y, r.Eta, none)
		p.truth += float64(p.resp.p[i] * p.derivative[0] * p.derivative[0])
	}
	width := 1 / math.Sqrt(p.truth)
	if !p.smooth(width) {
		return nil, errKink
	}
	p.nodes(n, width)
	p.reserve(len(p.outer) * (2*len(p.inner) - 1))
	return p, nil
}

// smooth reports whether the information is also the expected curvature, as where the log density is smooth
// in the predictor and the response well integrated.
func (p *point) smooth(width float64) bool {
	h, none := float64(0.05*min(width, 1)), ones(len(p.l.Free))
	p.expected(p.row.Eta+h, none)
	up := p.sum[0]
	p.expected(p.row.Eta-h, none)
	return math.Abs((p.sum[0]-up)/(2*h)-p.truth) <= 0.1*p.truth
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
	p.stages, p.slopes = nil, nil
	for range len(p.l.Through) + 1 {
		p.stages, p.slopes = append(p.stages, make([]float64, nodes)),
			append(p.slopes, make([]float64, nodes))
	}
	p.partials = make([][]float64, len(p.row.Theta))
	theta := make([]def.Arg, len(p.row.Theta))
	for k, v := range p.row.Theta {
		theta[k] = def.Scalar(v)
	}
	last := len(p.stages) - 1
	theta[p.l.Param], p.partials[p.l.Param] = def.Vector(p.stages[last]), p.slopes[last]
	for _, k := range p.l.Free {
		p.partials[k] = make([]float64, nodes)
	}
	p.block = def.Batch{N: nodes, Theta: theta, DTheta: p.partials, LP: p.lp}
	p.derivative, p.sum = make([]float64, 1+len(p.l.Free)), make([]float64, 1+len(p.l.Free))
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
// parameters, and sets sum to its derivatives.
func (p *point) expected(eta float64, free []float64) float64 {
	clear(p.sum)
	value := 0.0
	for i, y := range p.resp.y {
		lp := p.score(y, eta, free)
		value += float64(p.resp.p[i] * lp)
		for k, d := range p.derivative {
			p.sum[k] += float64(p.resp.p[i] * d)
		}
	}
	return value
}

// score returns the log noisy likelihood of y, without the carrier, and sets derivative.
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
	top := math.Inf(-1)
	for q := first; q < last; q++ {
		p.mixture[q] = p.logOuter[q] + p.copiesAt((q-first)*width)
		top = max(top, p.mixture[q])
	}
	clear(p.derivative)
	if math.IsInf(top, -1) {
		return top
	}
	total := 0.0
	for q := first; q < last; q++ {
		w := portable.Exp(p.mixture[q] - top)
		total += w
		if w > 0 {
			p.addDerivatives(w, (q-first)*width)
		}
	}
	for k := range p.derivative {
		p.derivative[k] /= total
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
	p.block.N, p.block.X = at, def.Arg{V: p.y}
	p.y[0] = y
	p.l.Dist.LogDensity(&p.block)
	for k := len(p.l.Through) - 1; k >= 0; k-- {
		clear(p.slopes[k][:at])
		p.l.Through[k].Backward(p.slopes[k][:at], p.slopes[k+1][:at], p.stages[k][:at], p.stages[k+1][:at])
	}
}

// copiesAt returns the log likelihood of all copies at an outer node whose centre is node c, with the weights
// of the pairs in place of their log densities.
func (p *point) copiesAt(c int) float64 {
	centre := p.lp[c]
	if len(p.inner) == 1 || math.IsInf(centre, -1) {
		return centre
	}
	top := p.logInner[0]
	for r := 1; r < len(p.inner); r++ {
		at := c + 2*r - 1
		h := float64((p.lp[at]+p.lp[at+1])/2) - centre
		p.lp[at] = p.logInner[r] + h/p.copies
		top = max(top, p.lp[at])
	}
	total := portable.Exp(p.logInner[0] - top)
	for r := 1; r < len(p.inner); r++ {
		at := c + 2*r - 1
		p.lp[at] = portable.Exp(p.lp[at] - top)
		total += p.lp[at]
	}
	for r := 1; r < len(p.inner); r++ {
		p.lp[c+2*r-1] /= total
	}
	return centre + float64(p.copies*(top+portable.Log(total)))
}

// addDerivatives adds w times the derivatives of copiesAt.
func (p *point) addDerivatives(w float64, c int) {
	for k := range p.derivative {
		d, factor := p.slopes[0], 1.0
		if k > 0 {
			at := p.l.Free[k-1]
			d, factor = p.partials[at], p.block.Theta[at].V[0]
		}
		v := d[c]
		for r := 1; r < len(p.inner); r++ {
			at := c + 2*r - 1
			if p.lp[at] > 0 {
				v += float64(p.lp[at] * (float64((d[at]+d[at+1])/2) - d[c]))
			}
		}
		p.derivative[k] += float64(w * v * factor)
	}
}
