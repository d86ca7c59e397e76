package quadrature

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A span holds the latest values of the clients' map as the server sees them: their sums, and the clients'
// terms of the ELBO at any combination. Where the likelihood is at the server it takes the coefficients,
// which sum to 1, for which the ELBO itself is largest: mixing as in Anderson (1965), with the objective in
// place of the length of the residual. That takes no exchange, and the ELBO does not fall.
type span struct {
	sums  [][][]float64 // by value, the latest last, and sum
	terms [][]float64   // symmetric: Σ β_i β_k terms[i][k] is the clients' part that depends on the means
	mix   []float64
	used  int
}

func newSpan(lens []int, vector func(n int) []float64) *span {
	s := &span{mix: make([]float64, memory+1)}
	for range memory + 1 {
		var sums [][]float64
		for _, n := range lens {
			sums = append(sums, vector(n))
		}
		s.sums, s.terms = append(s.sums, sums), append(s.terms, make([]float64, memory+1))
	}
	return s
}

// add takes a value: sums of means, and its terms with all values, itself the last.
func (s *span) add(sum [][]float64, terms []float64) {
	if s.used == len(s.sums) {
		first := s.sums[0]
		copy(s.sums, s.sums[1:])
		s.sums[s.used-1] = first
		for i := range s.used - 1 {
			copy(s.terms[i], s.terms[i+1][1:])
		}
		copy(s.mix, s.mix[1:])
		s.used--
	}
	for g, v := range s.sums[s.used] {
		copy(v, sum[g])
	}
	for k := range s.used + 1 {
		s.terms[s.used][k], s.terms[k][s.used] = terms[k], terms[k]
	}
	s.mix[s.used] = 0
	s.used++
}

// part is the clients' part at coefficients.
func (s *span) part(mix []float64) (value float64) {
	for i := range s.used {
		value += float64(mix[i] * vec.Dot(s.used, s.terms[i], mix))
	}
	return value
}

// maximise moves mix and the server's own mean to where the ELBO is largest, and leaves slopes and curvatures
// there. It returns the ELBO without the clients' terms in their covariances. Where the ELBO rises by more
// than the rule of fewest nodes is wrong, it goes most of the way with that, and back to where it began where
// this leads to less than least.
func (s *server) maximise(least float64) (value float64, ok bool) {
	sp, rules := s.span, s.rules
	clear(sp.mix)
	sp.mix[sp.used-1] = 1
	if near := 10 * s.blur; !math.IsInf(s.elbo, -1) && !(s.rise > near) {
		value, _, ok = s.climb(0)
		return value, ok
	}
	start := s.place()
	rules.coarse, rules.spared = true, false
	value, rise, ok := s.climb(0)
	if rules.coarse = false; !rules.spared {
		return value, ok
	}
	if ok {
		coarse := value - rise
		value, rise, ok = s.climb(rise)
		s.blur = math.Abs(value - rise - coarse)
	}
	if !ok || !(value >= least) {
		s.comeBack(start)
		value, _, ok = s.climb(0)
	}
	return value, ok
}

// A place is what climb moves.
type place struct{ mix, theta, globals []float64 }

func (s *server) place() place {
	p := place{mix: slices.Clone(s.span.mix), theta: slices.Clone(s.now.theta)}
	if g := s.globals; g != nil {
		p.globals = append(slices.Clone(g.mean), g.precision.Matrix...)
	}
	return p
}

func (s *server) comeBack(p place) {
	copy(s.span.mix, p.mix)
	copy(s.now.theta, p.theta)
	if g := s.globals; g != nil {
		copy(g.mean, p.globals)
		copy(g.precision.Matrix, p.globals[g.m:])
		g.precision.Definite()
	}
}

// climb makes steps until one raises the ELBO by little of what all have raised it by, these and those
// before. What the clients move to next makes more of a difference.
func (s *server) climb(before float64) (value, rise float64, ok bool) {
	const most, enough, share = 60, 1e-10, 1e-3
	sp := s.span
	mix, theta := make([]float64, memory+1), make([]float64, s.d)
	value = s.total(sp.mix, s.now.theta)
	first := value
	for range most {
		step, gain, ok := s.newton()
		if !ok {
			return value, 0, false
		}
		if rise = before + value - first; !finite(rise) {
			first, rise = value, 0
		}
		little := max(enough*(1+math.Abs(value)), share*rise)
		still := gain <= little
		if still && s.globals == nil {
			break
		}
		better := value
		if !still {
			better = s.search(step, value, mix, theta)
		}
		if s.globals != nil {
			better = s.globals.improve(better, func() float64 { return s.total(sp.mix, s.now.theta) })
		}
		if still && better-value <= little {
			value = better
			break
		}
		value = better
	}
	return value, rise, finite(value)
}

// search moves along a step, as far as it does not lower the ELBO.
func (s *server) search(step []float64, value float64, mix, theta []float64) float64 {
	better, by := math.Inf(-1), 1.0
	for range 40 {
		s.along(step, by, mix, theta)
		if better = s.total(mix, theta); better >= value-float64(1e-12*math.Abs(value)) || !finite(value) &&
			finite(better) {
			break
		}
		by /= 2
	}
	copy(s.span.mix, mix)
	copy(s.now.theta, theta)
	return better
}

// along moves from the current point: the step has the coefficients but the last, which makes their sum 1,
// and then the server's parameters.
func (s *server) along(step []float64, by float64, mix, theta []float64) {
	m := s.span.used - 1
	copy(mix, s.span.mix)
	for i := range m {
		mix[i] += float64(by * step[i])
		mix[m] -= float64(by * step[i])
	}
	vec.ScaleAdd(s.d, theta, by, step[m:], s.now.theta)
}

// curve adds to f the curvature, by coefficients and the server's parameters, of a part of a likelihood, to
// own that by these as it is in q, and to step the slopes.
func (s *server) curve(r *rows, columns, f, own, step []float64) {
	m, d := s.span.used-1, s.d
	n := m + d
	last := s.span.sums[m][r.Group][r.from:]
	for i := range m {
		vec.Sub(r.n, columns[i*r.n:], s.span.sums[i][r.Group][r.from:], last)
	}
	for x := range r.Stretches(r.from, r.n) {
		for j := range d {
			copy(columns[(m+j)*r.n+x.From-r.from:][:x.N], x.Matrix[j*x.Stride:])
		}
	}
	for i := range n {
		column := columns[i*r.n:][:r.n]
		r.weigh(column, r.lp)
		for j := range n {
			f[i*n+j] += vec.Dot(r.n, r.lp, columns[j*r.n:])
		}
		if step[i] += vec.Dot(r.n, column, r.slope); i < m {
			continue
		}
		// in q the predictors of a row are independent
		vec.Mul(r.n, r.lp, column, r.curvature)
		for j := range d {
			own[(i-m)*d+j] += vec.Dot(r.n, r.lp, columns[(m+j)*r.n:])
		}
	}
}

// newton returns Newton's step at the point that was evaluated last, and by how much it would raise a
// quadratic function, twice. It renews the server's covariance.
func (s *server) newton() (step []float64, gain float64, ok bool) {
	m, d := s.span.used-1, s.d
	n := m + d
	if n == 0 {
		return nil, 0, true
	}
	f := algebra.NewFactor(n)
	step = make([]float64, n)
	own := algebra.NewFactor(d)
	copy(own.Matrix, s.lin.Prior.Precision)
	algebra.Gradient(&s.lin.Prior, s.now.theta, step[m:])
	for _, r := range s.rows {
		columns := make([]float64, r.once()*n)
		for p := range r.parts() {
			s.curve(p, columns, f.Matrix, own.Matrix, step)
		}
	}
	for i := range d {
		for j := range d {
			f.Matrix[(m+i)*n+m+j] += s.lin.Prior.Precision[i*d+j]
		}
	}
	t := s.span.terms
	for i := range m {
		for j := range m {
			f.Matrix[i*n+j] -= float64(2 * (t[i][j] - t[i][m] - t[m][j] + t[m][m]))
		}
		for k := range s.span.used {
			step[i] += float64(2 * (t[i][k] - t[m][k]) * s.span.mix[k])
		}
	}
	if d > 0 {
		copy(s.q.precision.Matrix, own.Matrix)
		if !s.q.settle() {
			return nil, 0, false
		}
	}
	slope := append([]float64(nil), step...)
	trace := 0.0
	for i := range n {
		trace += f.Matrix[i*n+i]
	}
	for i := range m {
		f.Matrix[i*n+i] += float64(1e-12 * trace)
	}
	if !f.Decompose() {
		return nil, 0, false
	}
	f.Solve(step)
	return step, vec.Dot(n, step, slope), true
}
