package quadrature

import (
	"iter"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// leastSD bounds the standard deviation at which a predictor's nodes are placed from below, so that the
// curvature is more than rounding.
const leastSD = 1e-4

// A rows is a likelihood of rows with its expectation, where the predictors, also those of one row, are
// independent of one another and normal.
type rows struct {
	density.RowLikelihood
	n              int       // predictors
	from, all      int       // of a part: the first of them, and the predictors of all
	mean, variance []float64 // of the predictors
	slope          []float64 // expected derivative of the log density
	curvature      []float64 // minus the expected second derivative
	sd             []float64 // of a part, as all that follows but block and mixed
	eta, lp, at    []float64 // at one node
	// variance of noise that is integrated out inside the log density, as of auxiliary variables
	noise          float64
	top, sum, over []float64 // of that integral
	fall           []float64 // in the last term of it, from the largest
	inner, outer   rule      // over that noise, and over that which clients have in common
	// clients that evaluate the likelihood, where these are three or more and their noise is integrated out;
	// else 0
	copies float64
	table  []float64 // of their likelihood
	rules  *rules
	nodes  []node    // of the parameters beside the predictor
	by     []float64 // the gradient by these
	// minus the expected second derivatives by two predictors of a row, where it has several: those by
	// predictors a and b at (a·Width + b)·rows
	block []float64
	mixed []float64 // the same by each global and each predictor; nil where they are not wanted
}

func newRows(r density.RowLikelihood, all *rules) *rows {
	n := r.Len()
	out := &rows{RowLikelihood: r, n: n, all: n, rules: all, nodes: sure}
	for _, v := range out.brief() {
		*v = make([]float64, out.once())
	}
	if out.Width = max(1, r.Width); out.Width > 1 {
		out.block = make([]float64, n*out.Width)
	}
	out.begin()
	return out
}

// whole are the vectors of all rows.
func (r *rows) whole() []*[]float64 {
	return []*[]float64{&r.mean, &r.variance, &r.slope, &r.curvature}
}

// brief are those of a part.
func (r *rows) brief() []*[]float64 {
	return []*[]float64{&r.sd, &r.eta, &r.lp, &r.at, &r.top, &r.sum, &r.over, &r.fall}
}

// begin makes what the iterates of a fit need.
func (r *rows) begin() {
	for _, v := range r.whole() {
		if *v == nil {
			*v = make([]float64, r.n)
		}
	}
}

// rest drops it: all, or what is not needed once the joint Gaussian has its right sides.
func (r *rows) rest(all bool) {
	if r.mean, r.variance, r.slope = nil, nil, nil; all {
		r.curvature, r.mixed = nil, nil
	}
}

// once is how many predictors are evaluated at a time.
func (r *rows) once() int {
	if r.Block == 0 {
		return r.n
	}
	return min(r.n, r.Block)
}

// parts are the rows that are evaluated at a time, one after another. They share what a part needs for a
// moment.
func (r *rows) parts() iter.Seq[*rows] {
	return func(pass func(*rows) bool) {
		step := r.once()
		if step == r.n {
			pass(r)
			return
		}
		for from := 0; from < r.n; from += step {
			if p := *r; !pass(p.cut(from, min(from+step, r.n))) {
				return
			}
		}
	}
}

// cut makes of rows a part of them.
func (r *rows) cut(from, to int) *rows {
	r.n, r.from = to-from, from
	for _, v := range r.whole() {
		if *v != nil {
			*v = (*v)[from:to]
		}
	}
	for _, v := range r.brief() {
		*v = (*v)[:r.n]
	}
	if len(r.mixed) > 0 {
		r.mixed = r.mixed[from:]
	}
	return r
}

// shares puts likelihoods of one sum, whose rows see the same noise, in parts alike.
func shares(all []density.RowLikelihood) []density.RowLikelihood {
	out := slices.Clone(all)
	for i, r := range all {
		if slices.ContainsFunc(all, func(o density.RowLikelihood) bool {
			return o.Group == r.Group && o.Block != r.Block
		}) {
			out[i].Block, out[i].Part = 0, nil
		}
	}
	return out
}

// expect sets slope and curvature from mean and variance, and returns the expected log density; gradients by
// globals are added at their nodes. By Stein's identity E ℓ″ = E ℓ′·t/sd at the node t, which is twice the
// derivative of the quadrature in the variance, exactly: so what is maximised is the quadrature itself.
func (r *rows) expect() (value float64) {
	clear(r.slope)
	clear(r.curvature)
	clear(r.block)
	clear(r.mixed)
	by := rule{at: []float64{0}, weight: []float64{1}} // over a predictor whose nodes are those of a cubature
	if r.nodes[0].eta == nil {
		widest := largest(r.variance)
		by = *r.rules.of(max(math.Sqrt(widest), leastSD))
	}
	for p := range r.parts() {
		value += p.integrate(&by)
	}
	return value
}

// integrate adds to slope and curvature of a part their expectations, and returns that of the log density.
func (r *rows) integrate(by *rule) (value float64) {
	for i, v := range r.variance {
		r.sd[i] = max(math.Sqrt(v), leastSD)
	}
	for k, t := range by.at {
		vec.ScaleAdd(r.n, r.eta, t, r.sd, r.mean)
		for _, g := range r.nodes {
			r.to(g.eta)
			r.density(g.phi, r.eta, r.lp, r.at, r.by)
			vec.Axpy(len(r.by), g.by, by.weight[k], r.by)
			w := by.weight[k] * g.weight
			value += float64(w * vec.Sum(r.count(), r.lp))
			vec.Axpy(r.n, r.slope, w, r.at)
			if g.eta == nil {
				vec.Axpy(r.n, r.curvature, -w*t, r.at)
			}
			r.second(w, &g)
		}
	}
	r.divide()
	return value
}

// density sets lp and slope at the predictors and by, unless it is nil, to the gradient by the globals, the
// noise integrated out.
func (r *rows) density(phi, eta, lp, slope, by []float64) {
	switch {
	case r.noise == 0:
		r.evaluate(phi, eta, lp, slope, nil, by)
	case r.copies > 0:
		r.shared(eta, lp, slope)
	default:
		r.marginal(phi, eta, lp, slope, by)
	}
}

// evaluate is Evaluate of a part.
func (r *rows) evaluate(phi, eta, lp, slope, seeds, by []float64) {
	r.EvaluatePart(r.from, phi, eta, lp, slope, seeds, by)
}

// integrateOut makes the log density one of which noise on the predictor is integrated out: by the
// trapezoidal rule, whose nodes are closer than the smaller of the noise's sd and the width of the likelihood
// at the fit.
func (r *rows) integrateOut(noise float64) {
	if r.noise = noise; noise == 0 {
		return
	}
	const reach = 6
	const fine = 0.75
	width := 1 / math.Sqrt(noise*largest(r.curvature)) // of the likelihood, in sds of the noise
	if len(r.by) > 0 {
		width /= 3 // under other globals it may be narrower
	}
	step := fine * min(1, width)
	r.inner = trapezoidal(2*int(math.Ceil(reach/step))+1, step)
}

// marginal is density with noise: log E exp ℓ(η + u) with u ~ N(0, noise), and the mean of ℓ′ weighted by exp
// ℓ, both relative to the largest ℓ so far.
func (r *rows) marginal(phi, eta, lp, slope, by []float64) {
	sd := math.Sqrt(r.noise)
	over := &r.inner
	inner, l, d := make([]float64, r.n), make([]float64, r.n), make([]float64, r.n)
	all := make([]float64, 0, len(over.at)*min(r.n, r.n*len(by))) // ℓ at every node
	for i := range r.top {
		r.top[i], r.sum[i], r.over[i] = math.Inf(-1), 0, 0
	}
	for k, t := range over.at {
		vec.AddScalar(r.n, inner, eta, sd*t)
		r.evaluate(phi, inner, l, d, nil, nil)
		if len(by) > 0 {
			all = append(all, l...)
		}
		r.gather(r.top, l, d, over.weight[k])
	}
	for i := range lp {
		lp[i], slope[i] = r.top[i]+portable.Log(r.sum[i]), r.over[i]/r.sum[i]
	}
	if len(by) == 0 {
		return
	}
	part, seeds := make([]float64, len(by)), r.over
	clear(by)
	for k, t := range over.at { // the mean of gradients, weighted by exp ℓ
		vec.AddScalar(r.n, inner, eta, sd*t)
		for i, v := range all[k*r.n : (k+1)*r.n] {
			seeds[i] = v - lp[i]
		}
		vec.Exp(r.n, seeds, seeds)
		vec.Scale(r.n, seeds, seeds, over.weight[k])
		r.evaluate(phi, inner, l, d, seeds, part)
		vec.Accumulate(len(by), by, part)
	}
}

// gather adds weight·exp(v) to the sum of each row, and as much of d to what is over it, both relative to the
// largest v so far.
func (r *rows) gather(most, v, d []float64, weight float64) {
	for i, v := range v {
		r.fall[i] = -math.Abs(v - most[i])
	}
	vec.Exp(r.n, r.fall, r.fall)
	for i, v := range v {
		p := weight
		if v > most[i] {
			r.sum[i], r.over[i], most[i] = r.sum[i]*r.fall[i], r.over[i]*r.fall[i], v
		} else {
			p *= r.fall[i]
		}
		if p > 0 {
			r.sum[i] += p
			r.over[i] += float64(p * d[i])
		}
	}
}
