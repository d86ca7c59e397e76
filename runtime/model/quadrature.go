package model

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// Precision is the largest error of a log density from which auxiliary variables are integrated out.
const Precision = 1e-7

const (
	reach     = 8.5   // standard deviations of the noise: the normal has a mass of 1e-17 beyond
	grid      = 0.5   // of the search for the integrands, in standard deviations of the noise
	newton    = 8     // steps from the best point of the grid to the maximum
	firstStep = 0.7   // of the trapezoidal rule, in widths of the integrand
	levels    = 10    // halvings of the step
	visible   = 24    // an integrand that is e^-24 of its maximum has ended
	exponents = 700   // exp overflows beyond
	most      = 2000  // points of the first rule
	farOff    = 1e250 // a sum in units of the integrand at the centre, which is then none
)

// A quadrature computes log ∫ exp(f_i(t)) φ(t) dt for many i at once. The integrands are found once, by their
// maximum and curvature there; each further call is a trapezoidal rule in widths of the integrand. For
// analytic integrands that vanish at both ends its error decreases at least like the square when the step is
// halved (Trefethen and Weideman 2014, "The exponentially convergent trapezoidal rule", SIAM Review 56), so
// that the points of a rule tell its error: by the rules of every second and every fourth of them. An
// integrand that has moved or become narrower costs points, not accuracy.
type quadrature struct {
	f             func(t []float64) []float64
	found         bool
	centre, width []float64
	top           []float64 // the largest log integrand that the search has seen
	from, to      int       // the points that the integrands reach, in steps
	ref           []float64 // log integrand at the centre
	t, term       []float64
	sums          [4][]float64 // over points by their number modulo 4, in units of exp(ref)
}

func newQuadrature(n int, f func(t []float64) []float64) *quadrature {
	q := &quadrature{f: f}
	for _, v := range []*[]float64{&q.centre, &q.width, &q.top, &q.ref, &q.t, &q.term, &q.sums[0], &q.sums[1],
		&q.sums[2], &q.sums[3]} {
		*v = make([]float64, n)
	}
	return q
}

// into sets the results and reports whether they are as precise as Precision. Where the integrands are no
// longer where they were found, it searches again.
func (q *quadrature) into(out []float64) bool {
	if q.found && q.integrate(out) {
		return true
	}
	q.find()
	q.found = true
	return q.integrate(out)
}

// log sets term to the log integrands at t.
func (q *quadrature) log(t []float64) []float64 {
	for i, v := range q.f(t) {
		q.term[i] = v - float64(0.5*t[i]*t[i])
	}
	return q.term
}

// find locates every integrand: the best point of a grid, then Newton's steps with finite differences.
func (q *quadrature) find() {
	for i := range q.centre {
		q.centre[i], q.width[i], q.top[i] = 0, 1, math.Inf(-1)
	}
	points := int(2*reach/grid) + 1
	scan := make([][]float64, points)
	for k := range scan {
		vector.Fill(len(q.t), q.t, q.at(k))
		scan[k] = append([]float64(nil), q.log(q.t)...)
		for i, v := range scan[k] {
			if v > q.top[i] {
				q.top[i], q.centre[i] = v, q.at(k)
			}
		}
	}
	q.climb()
	for i, v := range q.log(q.centre) {
		q.top[i] = max(q.top[i], v)
	}
	q.from, q.to = -1, 1
	for k, row := range scan {
		for i, v := range row {
			if v > q.top[i]-visible {
				at := (q.at(k) - q.centre[i]) / (q.width[i] * firstStep)
				q.from, q.to = min(q.from, int(math.Floor(at))), max(q.to, int(math.Ceil(at)))
			}
		}
	}
}

// at is a point of the grid.
func (q *quadrature) at(k int) float64 { return float64(float64(k)*grid) - reach }

// climb moves the centres to the maxima, and sets the widths from the curvature: 1/√-g″, that of a normal
// density; at most 1, which is the noise's own.
func (q *quadrature) climb() {
	n := len(q.t)
	delta, middle, below := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range delta {
		delta[i] = grid / 4
	}
	for range newton {
		copy(middle, q.log(q.centre))
		vector.Sub(n, q.t, q.centre, delta)
		copy(below, q.log(q.t))
		vector.Add(n, q.t, q.centre, delta)
		for i, above := range q.log(q.t) {
			d := delta[i]
			slope, bend := (above-below[i])/(2*d), (above-float64(2*middle[i])+below[i])/(d*d)
			if !(bend < 0) || math.IsInf(bend, 0) || math.IsNaN(slope) {
				continue
			}
			q.centre[i] += max(-grid, min(grid, -slope/bend))
			q.width[i] = min(1, 1/math.Sqrt(-bend))
			delta[i] = q.width[i] / 4
		}
	}
}

// integrate applies the rule, with smaller steps until it is precise.
func (q *quadrature) integrate(out []float64) bool {
	for i, v := range q.log(q.centre) {
		if math.IsInf(v, -1) {
			v = q.top[i]
		}
		if math.IsInf(v, -1) { // no density anywhere
			v = 0
		}
		q.ref[i] = v
	}
	for _, s := range q.sums {
		clear(s)
	}
	step, from, to := firstStep, q.from, q.to
	if to-from > most {
		return false
	}
	for k := from; k <= to; k++ {
		q.add(k, step)
	}
	for from--; q.add(from, step) && from > -most; from-- {
	}
	for to++; q.add(to, step) && to < most; to++ {
	}
	for range levels {
		switch worst := q.settle(out, step); {
		case math.IsNaN(worst):
			return false
		case worst <= Precision:
			return true
		}
		step, from, to = step/2, 2*from, 2*to
		q.regroup()
		for k := from + 1; k < to; k += 2 {
			q.add(k, step)
		}
	}
	return false
}

// regroup prepares the sums for the points between: even ones become multiples of four and their neighbours.
func (q *quadrature) regroup() {
	n := len(q.t)
	vector.Accumulate(n, q.sums[0], q.sums[2])
	vector.Add(n, q.sums[2], q.sums[1], q.sums[3])
	clear(q.sums[1])
	clear(q.sums[3])
}

// add adds the integrands at a point and reports whether one of them has not ended there.
func (q *quadrature) add(k int, step float64) (more bool) {
	n, u := len(q.t), float64(k)*step
	copy(q.t, q.centre)
	vector.Axpy(n, q.t, u, q.width)
	for i, v := range q.log(q.t) {
		d := v - q.ref[i]
		more = more || d > -visible
		q.term[i] = min(d, exponents)
	}
	vector.Exp(n, q.term, q.term)
	vector.Accumulate(n, q.sums[k&3], q.term)
	return more
}

// settle sets the results and returns an upper estimate of their largest error, NaN where one is not a
// number.
func (q *quadrature) settle(out []float64, step float64) float64 {
	worst := 0.0
	for i := range out {
		fours, twos := q.sums[0][i], q.sums[0][i]+q.sums[2][i]
		ones := twos + q.sums[1][i] + q.sums[3][i]
		if ones == 0 {
			out[i] = math.Inf(-1)
			continue
		}
		if !(ones < farOff) {
			return math.NaN()
		}
		out[i] = q.ref[i] + portable.Log(ones*step*q.width[i]) - float64(0.5*portable.Log(2*math.Pi))
		worst = max(worst, errorOf(math.Abs(portable.Log(twos/(2*fours))),
			math.Abs(portable.Log(ones/(2*twos)))))
	}
	return worst
}

// errorOf estimates the error of a rule from two changes, each when the step was halved. Where the last is
// about the square of the one before or less, the convergence is exponential and the error is at most its
// square; else the error is at most the change itself.
func errorOf(before, last float64) float64 {
	if last <= 10*before*before && last < 0.1 {
		return last * last
	}
	return last
}
