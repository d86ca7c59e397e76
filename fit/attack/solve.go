package attack

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Solve finds, element by element, the x at which a function has the value a. f evaluates all elements at
// once, element i of the result being a function of element i of x alone. An element is NaN where no x is
// found, or more than one: where the function is flat in double precision, or takes the value again. It is
// looked for by signs between ±2^k and 0, then by bisection, so that f need be neither smooth nor named.
func Solve(f func(x, out []float64), a []float64) []float64 {
	n := len(a)
	s := &solver{a: a, at: make([]float64, n), out: make([]float64, n), low: make([]float64, n),
		high: make([]float64, n), roots: make([]int, n), rising: make([]bool, n)}
	s.bracket(f)
	for range bisections {
		for i := range n {
			s.at[i] = s.low[i] + float64((s.high[i]-s.low[i])/2)
		}
		f(s.at, s.out)
		for i, v := range s.out {
			if v == a[i] {
				s.low[i], s.high[i] = s.at[i], s.at[i]
			} else if v < a[i] == s.rising[i] {
				s.low[i] = s.at[i]
			} else {
				s.high[i] = s.at[i]
			}
		}
	}
	f(s.at, s.out)
	size := 0.0
	for _, v := range a {
		size = max(size, math.Abs(v))
	}
	for i, v := range s.out {
		if s.roots[i] != 1 || !(math.Abs(v-a[i]) <= solvedTo*size) {
			s.at[i] = math.NaN()
		}
	}
	return s.at
}

// solvedTo is how near the value must be that was sought, in relation to the largest. It is not where an
// element depends on others.
const solvedTo = 1e-9

// Roots are sought between ±2^largest, and ±2^smallest are the points next to 0. Bisection of the longest
// interval ends below the rounding of its numbers.
const (
	largest    = 20
	smallest   = -8
	bisections = 75
)

type solver struct {
	a, at, out []float64
	low, high  []float64
	rising     []bool
	roots      []int
}

// bracket sets the interval between two neighbouring points in which the function passes its value, and
// counts them.
func (s *solver) bracket(f func(x, out []float64)) {
	points := []float64{0}
	for k := smallest; k <= largest; k++ {
		points = append([]float64{-math.Ldexp(1, k)}, append(points, math.Ldexp(1, k))...)
	}
	before := make([]float64, len(s.a))
	for i := range before {
		before[i] = math.NaN()
	}
	for k, x := range points {
		for i := range s.at {
			s.at[i] = x
		}
		f(s.at, s.out)
		for i, v := range s.out {
			d := v - s.a[i]
			switch {
			case d == 0:
				s.roots[i]++
				s.low[i], s.high[i] = x, x
			case before[i] < 0 && d > 0 || before[i] > 0 && d < 0:
				s.roots[i]++
				s.low[i], s.high[i], s.rising[i] = points[k-1], x, d > 0
			}
			before[i] = d
		}
	}
}

// Solvable reports whether the derivative of a log density by a predictor is a one-to-one function of it, so
// that somebody who knows the rest can solve it: it is where that derivative rises or falls all along, at
// draws from the distribution with other parameters of moderate size. The predictor enters a parameter
// through some functions, the innermost first.
func Solvable(d *def.Dist, param int, through []*def.Func) bool {
	if d.Sample == nil || d.Form != nil {
		return false
	}
	judged := false
	r := rand.New(rand.NewPCG(drawnFrom, 0))
	for range drawsOf {
		theta := make([]float64, len(d.Params))
		for k, p := range d.Params {
			theta[k] = parameter(r, p)
		}
		score := scores(d, d.Sample(r, theta), theta, param, through)
		if len(score) < probesAtLeast || slices.Min(score) == slices.Max(score) {
			continue // the predictor cannot be there, or the value does not depend on it
		}
		judged = true
		for k := 2; k < len(score); k++ {
			if !((score[k]-score[k-1])*(score[1]-score[0]) > 0) {
				return false
			}
		}
	}
	return judged
}

// The probes of a predictor are from -probeReach to probeReach.
const (
	probeReach    = 4
	probeStep     = 0.25
	probesAtLeast = 9

	drawsOf   = 24
	drawnFrom = 20
)

// parameter draws a value of a parameter's domain.
func parameter(r *rand.Rand, p def.Param) float64 {
	switch {
	case p.Integral:
		return math.Floor(40 * r.Float64())
	case p.Domain == def.Positive || p.Domain == def.NonNegative:
		return portable.Exp(0.6 * portable.Normal(r))
	case p.Domain == def.UnitInterval:
		return 0.05 + float64(0.9*r.Float64())
	}
	return 1.2 * portable.Normal(r)
}

// scores are the derivatives at those probes where they are finite, for a value and other parameters.
func scores(d *def.Dist, x float64, at []float64, param int, through []*def.Func) (out []float64) {
	theta := make([]def.BlockArg, len(at))
	partials := make([][]float64, len(at))
	for k, v := range at {
		theta[k] = def.Scalar(v)
	}
	partial := []float64{0}
	partials[param] = partial
	for eta := -probeReach + 0.0; eta <= probeReach; eta += probeStep {
		v, slope := eta, 1.0
		for _, f := range through {
			y, by := []float64{0}, []float64{0}
			f.Forward(y, []float64{v})
			f.Backward(by, []float64{1}, []float64{v}, y)
			v, slope = y[0], slope*by[0]
		}
		theta[param] = def.Scalar(v)
		lp := d.LogDensity(&def.Batch{N: 1, X: def.Scalar(x), Theta: theta, DTheta: partials})
		if score := float64(partial[0] * slope); lp-lp == 0 && score-score == 0 {
			out = append(out, score)
		}
	}
	return out
}
