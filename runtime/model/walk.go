package model

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// joint are effects that are correlated given all else, whose coordinates depend on what data say of each
// with what is added to it, e: that it is normal with precision h and mean y.
type joint struct {
	on     bool
	addend []float64 // e, one or of each element
	// as density.Effects has them, all 0 for coordinates that do not depend on data
	anchors, nothing []float64
	toAddend         []float64
}

func newJoint(anchors int, addend []float64) *joint {
	return &joint{addend: addend, nothing: make([]float64, anchors), toAddend: make([]float64, len(addend))}
}

// pulled is h(y - e) of element t.
func (j *joint) pulled(t int) float64 {
	return j.anchors[len(j.anchors)/2+t] - float64(j.anchors[t]*j.addend[t%len(j.addend)])
}

// A walk is the map between a random walk x with normal steps and its coordinates u, where data say h and y
// of each x + e. With the precision matrix
//
//	P = (DᵀD + s²H)/s² = UUᵀ/s²
//
// of x given all else, it is x = E x + s·U⁻ᵀu. U is upper bidiagonal, so that all is done by recursions along
// the walk, and Dᵀ where data say nothing: there u are the steps in units of s.
type walk struct {
	*joint
	// By elements: k = 1 + c is the square of U's diagonal, c the precision that data from here on give,
	// relative to 1/s², and pull their tendency away from the prior mean.
	part, c, pull   []float64 // part = 1/k
	mean, width, u  []float64 // x = mean + width·u
	toElement, toBy []float64 // adjoints of x, and of addends by elements
}

func newWalk(n int, j *joint) walk {
	w := walk{joint: j}
	for _, v := range []*[]float64{&w.part, &w.c, &w.pull, &w.mean, &w.width, &w.u, &w.toElement, &w.toBy} {
		*v = make([]float64, n)
	}
	return w
}

// walkTo takes x to u, or back, and returns the log-Jacobian.
func (e *recentredEffects) walkTo(from, to []float64, toTheta bool) float64 {
	w, drift := &e.walk, e.location[0]
	s := portable.Exp(e.logScale[0])
	logRoots := w.factor(drift, float64(s*s))
	last := 0.0
	for t, part := range w.part {
		w.mean[t] = (last + drift + w.pull[t]) * part
		w.width[t] = s * math.Sqrt(part)
		if toTheta {
			w.u[t] = from[t]
			last = w.mean[t] + float64(w.width[t]*w.u[t])
			to[t] = last
		} else {
			last = from[t]
			w.u[t] = (last - w.mean[t]) / w.width[t]
			to[t] = w.u[t]
		}
	}
	logJacobian := float64(float64(len(from))*e.logScale[0]) - logRoots
	if !toTheta {
		return -logJacobian
	}
	return logJacobian
}

// factor sets U and what pulls elements, and returns the logarithm of the determinant of U.
func (w *walk) factor(drift, square float64) float64 {
	c, pull, sum, product := 0.0, 0.0, 0.0, 1.0
	for t := len(w.part) - 1; t >= 0; t-- {
		c += float64(square * w.anchors[t])
		pull += float64(square * w.pulled(t))
		k := 1 + c
		if product *= k; product > mostProduct {
			sum += portable.Log(product)
			product = 1
		}
		part := 1 / k
		w.part[t], w.c[t], w.pull[t] = part, c, pull
		pull = (pull - float64(c*drift)) * part
		c *= part
	}
	return float64(0.5 * (sum + portable.Log(product)))
}

// pullWalk is pullInformed of a walk.
func (e *recentredEffects) pullWalk(g []float64, fromTheta bool) {
	w, lambda, sign := &e.walk, e.walk.toElement, 1.0
	if fromTheta {
		after := 0.0
		for t := len(g) - 1; t >= 0; t-- {
			lambda[t] = g[t] + after
			after = float64(lambda[t] * w.part[t])
			g[t] = float64(lambda[t] * w.width[t])
		}
	} else {
		sign = -1
		for t := range g {
			lambda[t] = g[t] / w.width[t]
			if t > 0 {
				g[t-1] = lambda[t-1] - float64(lambda[t]*w.part[t])
			}
			g[t] = lambda[t]
		}
	}
	s := portable.Exp(e.logScale[0])
	toLog, toDrift := w.back(e.location[0], float64(s*s))
	e.toLog[0] = float64(sign * toLog)
	e.toLocation[0] = float64(sign * toDrift)
	clear(w.toAddend)
	for t, v := range w.toBy {
		w.toAddend[t%len(w.toAddend)] += float64(sign * v)
	}
}

// back goes back through walkTo and factor from the adjoints of x as far as their recursion has them, and
// returns those of the log scale and of the drift, with what the log-Jacobian adds.
func (w *walk) back(drift, square float64) (toLog, toDrift float64) {
	toSquare, toPull, toC := 0.0, 0.0, 0.0 // the latter two of the element before
	for t, lambda := range w.toElement {
		part, by := w.part[t], float64(lambda*float64(w.width[t]*w.u[t]))
		toDrift += float64((lambda - float64(toPull*w.c[t])) * part)
		toC -= float64(toPull * (drift + w.pull[t]))
		toC = (float64(toC*part) - float64(lambda*w.mean[t]) - float64(0.5*(by+1))) * part
		toPull = (lambda + toPull) * part
		toSquare += float64(toPull*w.pulled(t)) + float64(toC*w.anchors[t])
		w.toBy[t] = -float64(toPull*square) * w.anchors[t]
		toLog += by + 1
	}
	return toLog + float64(float64(2*square)*toSquare), toDrift
}

// walkEvidence is evidence of a walk.
func (e *recentredEffects) walkEvidence(theta, g, v, slope []float64) {
	drift, s := e.location[0], portable.Exp(e.logScale[0])
	last := 0.0
	for t, x := range theta {
		v[t] = x + e.walk.addend[t%len(e.walk.addend)]
		step := (x - last - drift) / s / s
		slope[t] = g[t] + step
		if t > 0 {
			slope[t-1] -= step
		}
		last = x
	}
}
