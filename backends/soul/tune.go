package soul

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// nudge is the step of differences of gradients: the error of a central difference is of its square, of a
// forward one of itself, and either will do for step sizes.
const nudge = 1e-4

// powerSteps is how many steps of the power iteration find the largest curvature. From the vector of the last
// time, one tenth of them does.
const powerSteps = 50

// tune finds what a client needs to know of itself: the step size of its chains, 1/λmax of the precision of θ
// given z, and its metric.
func (p *party) tune(first bool) {
	if p.server() {
		return
	}
	p.settle()
	if len(p.theta) > 0 {
		if first {
			p.initial.Round(attempts)
			p.initial.Normals(p.top)
			p.tuneChains(powerSteps)
		} else {
			p.tuneChains(powerSteps / 10)
		}
	}
	if p.inner.Len() > 0 {
		p.outer(p.inner.Matrix, besideBound)
		p.outer(p.law.Matrix, ofNoise)
		own := p.addOwn()
		p.dense = own && p.inner.Decompose()
		p.follows = own && p.law.Decompose()
	}
}

// tuneChains is the power iteration, with differences of the gradient along a vector in place of its product
// with the precision. During the fit each iteration makes one step of it: where the precision depends on what
// moves, the chains' steps follow before they are too long to be stable.
func (p *party) tuneChains(steps int) {
	a, b := p.work[0], p.work[1]
	lambda := 0.0
	for range steps {
		scale(p.top, 1/math.Sqrt(square(p.top)))
		p.shifted(a, p.top, nudge)
		p.shifted(b, p.top, -nudge)
		if !p.evaluate(a) || !p.evaluate(b) {
			break
		}
		for i := range p.top {
			p.top[i] = (b.grad[i] - a.grad[i]) / (2 * nudge)
		}
		lambda = math.Sqrt(square(p.top))
		if !(lambda > 0) || !finite(lambda) {
			break
		}
	}
	if !(lambda > 0) || !finite(lambda) {
		for i := range p.top {
			p.top[i] = 1 // for the next time
		}
		return
	}
	p.lambda = max(lambda, p.lambda+float64(fading*(lambda-p.lambda)))
	p.h = 1 / p.lambda
	if p.corrected {
		p.h *= min(1, optimalMALA*portable.Pow(float64(len(p.theta)), -1.0/3))
	}
}

// fading is how fast a larger curvature met before is forgotten: where it varies with θ, steps are set by
// about the largest, and hardly vary themselves, so that the chains' law at the end is that of the fit.
const fading = 0.02

// optimalMALA: in d dimensions of equal scale the best step variance is 1.65²·d^(−1/3) (Roberts and Rosenthal
// 1998), twice the step size.
const optimalMALA = 1.65 * 1.65 / 2

// shifted sets s to θ + by·v.
func (p *party) shifted(s *state, v []float64, by float64) {
	for i, t := range p.theta {
		s.theta[i] = t + float64(by*v[i])
	}
}

// addOwn adds Λ, the curvature of the client's own density, to the inner matrix and to the law.
func (p *party) addOwn() bool {
	n := p.inner.Len()
	a, b := p.work[0], p.work[1]
	for k := range n {
		clear(p.xi)
		p.xi[k] = 1
		for _, s := range []*state{a, b} {
			by := nudge
			if s == b {
				by = -nudge
			}
			p.shifted(s, p.xi, by)
			p.local.Local(s.theta, s.g, p.own)
			p.local.Gradient(p.own, s.grad)
		}
		inner, law := p.inner.Matrix[k*n:][:n], p.law.Matrix[k*n:][:n]
		for i := range inner {
			curvature := (b.grad[i] - a.grad[i]) / (2 * nudge)
			inner[i] += curvature
			law[i] += curvature
		}
	}
	return finite(square(p.inner.Matrix))
}
