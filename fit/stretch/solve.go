package stretch

import (
	"math"
	"slices"
	"sync"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/portable"
)

// problem is the maximisation over x = (a, b, logs of the factors of free parameters). Where the predictor
// does not vary, b is 1.
type problem struct {
	l      *PredictedRows
	points []*point
	mean   float64 // of the predictor: with it taken off, a and b are nearly independent
	scale  float64 // the sd of the predictor, 0 where it does not vary
	noise  float64 // the sd of the noise
}

const (
	iterations = 25
	settledAt  = 1e-4 // of a step, in units: it then is the error of the one before
	// of a step that hardly improves the fit, as where a density has a kink: enough for two digits
	stalled    = 0.02
	halved     = 0.2  // the share of a step from which on it is said to hardly improve it
	difference = 2e-3 // for derivatives, in units
)

// solve finds the best coefficients and the information that they have.
func solve(l *PredictedRows, points []*point, noise float64, free []float64) (Forecast, error) {
	p := &problem{l: l, points: points, noise: noise}
	p.spread()
	if p.informed() < float64(p.dim()) {
		return Forecast{}, errFew
	}
	x := make([]float64, p.dim())
	for k, v := range free {
		x[p.first()+k] = portable.Log(v)
	}
	h, ok := p.climb(x)
	if !ok {
		return Forecast{}, errFit
	}
	f := Forecast{Slope: 1, Free: make([]float64, len(free))}
	if p.scale > 0 {
		f.Slope = 1 + x[1]
	}
	f.Shift = x[0] + float64(p.mean*(1-f.Slope))
	for k := range free {
		f.Free[k] = portable.Exp(x[p.first()+k])
	}
	noisy, ok := p.remaining(h)
	truth := p.truth()
	f.SD = math.Sqrt(truth / noisy)
	if !ok || !(f.SD > 0) || math.IsInf(f.SD, 0) {
		return Forecast{}, errFit
	}
	return f, nil
}

// spread sets the mean and the standard deviation of the predictor.
func (p *problem) spread() {
	n := float64(len(p.points))
	for _, q := range p.points {
		p.mean += q.row.Eta / n
	}
	squares := 0.0
	for _, q := range p.points {
		squares += (q.row.Eta - p.mean) * (q.row.Eta - p.mean) / n
	}
	if p.scale = math.Sqrt(squares); p.scale < 1e-9*(1+math.Abs(p.mean)) {
		p.scale = 0
	}
}

// informed is how many rows of equal information would have as much as all: the fewer, the more a few rows
// have of it.
func (p *problem) informed() float64 {
	var sum, squares float64
	for _, q := range p.points {
		sum, squares = sum+q.truth, squares+float64(q.truth*q.truth)
	}
	return sum * sum / squares
}

// first is the place of the first free parameter in x, and dim the number of all.
func (p *problem) first() int {
	if p.scale > 0 {
		return 2
	}
	return 1
}

func (p *problem) dim() int { return p.first() + len(p.l.Free) }

// at returns the objective, Σ_i E log p̃(y | a + mean + (1 + x_1)(η_i - mean)).
func (p *problem) at(x []float64) (value float64) {
	free := make([]float64, len(p.l.Free))
	for k := range free {
		free[k] = portable.Exp(x[p.first()+k])
	}
	values := make([]float64, len(p.points))
	var wait sync.WaitGroup
	for i, q := range p.points {
		wait.Go(func() { values[i] = q.expected(p.predictor(x, q), free) })
	}
	wait.Wait()
	for _, v := range values {
		value += v
	}
	return value
}

func (p *problem) predictor(x []float64, q *point) float64 {
	eta := x[0] + q.row.Eta
	if p.scale > 0 {
		eta += float64(x[1] * (q.row.Eta - p.mean))
	}
	return eta
}

// unit is the size of a step in a coordinate: a moves the predictor, the others are factors.
func (p *problem) unit(k int) float64 {
	if k == 0 {
		return p.noise
	}
	return 1
}

// derivatives returns the objective with its gradient and minus the matrix of its second derivatives, by
// central differences.
func (p *problem) derivatives(x []float64) (value float64, gradient, h []float64) {
	n := p.dim()
	gradient, h = make([]float64, n), make([]float64, n*n)
	moved := func(j, k int, by float64) float64 {
		to := slices.Clone(x)
		to[j] += float64(by * difference * p.unit(j))
		if k != j {
			to[k] += float64(by * difference * p.unit(k))
		}
		return p.at(to)
	}
	value = p.at(x)
	second := func(j, k int) float64 { // along the sum of two steps, or one
		up, down := moved(j, k, 1), moved(j, k, -1)
		if j == k {
			gradient[j] = (up - down) / float64(2*difference*p.unit(j))
		}
		return float64(2*value) - up - down
	}
	for j := range n {
		h[j*n+j] = second(j, j)
	}
	for j := range n {
		for k := range j {
			h[j*n+k] = float64((second(j, k) - h[j*n+j] - h[k*n+k]) / 2)
			h[k*n+j] = h[j*n+k]
		}
	}
	for j := range n {
		for k := range n {
			h[j*n+k] /= float64(difference * difference * p.unit(j) * p.unit(k))
		}
	}
	return value, gradient, h
}

// climb moves x to the maximum by Newton's method with halved steps. It returns minus the second derivatives
// there, and reports whether it got there.
func (p *problem) climb(x []float64) ([]float64, bool) {
	next := make([]float64, len(x))
	for range iterations {
		value, gradient, h := p.derivatives(x)
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, false
		}
		step, size := p.newton(h, gradient), 0.0
		for k, s := range step {
			size = max(size, math.Abs(s)/p.unit(k))
		}
		shrink, moved := min(1, 1/size), false // at most one unit at a time
		for range 15 {
			for k := range x {
				next[k] = x[k] + float64(shrink*step[k])
			}
			if moved = p.at(next) >= value-float64(1e-9*math.Abs(value)); moved {
				copy(x, next)
				break
			}
			shrink /= 2
		}
		if size < settledAt || !moved || size < stalled && shrink < halved {
			return h, size < stalled
		}
	}
	return nil, false
}

// newton returns the solution of H step = gradient, with H made positive definite where it is not.
func (p *problem) newton(h, gradient []float64) []float64 {
	n := p.dim()
	f := algebra.NewFactor(n)
	step := make([]float64, n)
	var ridge float64
	for range 60 {
		copy(f.Matrix, h)
		for i := range n {
			f.Matrix[i*n+i] += ridge / float64(p.unit(i)*p.unit(i))
		}
		if f.Definite() {
			copy(step, gradient)
			f.Solve(step)
			return step
		}
		ridge = max(float64(2*ridge), 1e-6)
	}
	return step
}

// remaining is the information on the coefficients, or on the intercept where there are none, that is left
// when the other elements of x are estimated too.
func (p *problem) remaining(h []float64) (float64, bool) {
	f := algebra.NewFactor(p.dim())
	copy(f.Matrix, h)
	if !f.Definite() {
		return 0, false
	}
	k := p.first() - 1
	column := make([]float64, p.dim())
	column[k] = 1
	f.Solve(column)
	return 1 / column[k], true
}

// truth is remaining for the true likelihood.
func (p *problem) truth() float64 {
	var aa, ab, bb float64
	for _, q := range p.points {
		e := q.row.Eta - p.mean
		aa, ab, bb = aa+q.truth, ab+float64(q.truth*e), bb+float64(q.truth*e*e)
	}
	if p.scale == 0 {
		return aa
	}
	return bb - ab*ab/aa
}
