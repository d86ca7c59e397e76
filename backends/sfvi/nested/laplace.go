package nested

import (
	"math"
	"slices"

	vec "github.com/vflc/vflc/runtime/vector"
)

// An expansion is the Gaussian of the predictors at a value of the hyperparameters: their prior times exp(ℓ +
// rᵀ(η − m) − ½(η − m)ᵀW(η − m)), the likelihood's expansion around m.
type expansion struct {
	x        []float64 // whitened coordinates of m in the range: m = offset + QRx
	m        []float64
	slope    []float64 // r
	weight   []float64 // W
	value    float64   // ℓ
	products []float64 // A = QᵀWQ
	linear   []float64 // Qᵀ(r + W(m − offset))
	evidence float64   // log of the integral
}

const (
	mostNewton = 60
	hermite    = 12   // nodes of means
	closely    = 1e-4 // twice what is left to gain at the mode
	roughly    = 0.1  // where means follow
	between    = 1e-4 // distance of the slopes of which the difference is the curvature
)

// predict sets eta to the predictors at whitened coordinates.
func (s *server) predict(x, eta []float64) {
	p := len(s.q)
	copy(eta, s.offset)
	for i, q := range s.q {
		vec.Axpy(s.rows, eta, vec.Dot(min(i+1, p), s.root.Lower[i*p:], x), q)
	}
}

// likelihood is the log density of all rows, and sets slope to its derivatives, unless that is nil.
func (s *server) likelihood(eta, slope []float64) (value float64) {
	if slope == nil {
		slope = s.slope
	}
	for k := range s.cond.Rows {
		at, n := s.begin(k), len(s.form.Rows[k].Offset)
		s.row(k, eta[at:at+n], s.lp[at:at+n], slope[at:at+n])
		value += vec.Sum(n, s.lp[at:])
	}
	return value
}

// expand sets slopes and curvatures around e.m, the latter at least a little above 0, from those on either
// side: so close that the likelihood is quadratic between, but for rounding.
func (s *server) expand(e *expansion) {
	n := s.rows
	vec.AddScalar(n, s.moved, e.m, -between)
	e.value = s.likelihood(s.moved, e.weight)
	vec.AddScalar(n, s.moved, e.m, between)
	e.value = 0.5 * (e.value + s.likelihood(s.moved, e.slope))
	for i, after := range e.slope {
		before := e.weight[i]
		e.slope[i], e.weight[i] = 0.5*(before+after), (before-after)/(2*between)
		e.value += float64(0.5 * between * between * e.weight[i])
	}
	positive(e.weight)
}

// crossed sets products to QᵀWQ.
func (s *server) crossed(e *expansion) {
	p, n := len(s.q), s.rows
	clear(e.products)
	for from := 0; from < n; from += tile {
		m := min(tile, n-from)
		for i := range p {
			vec.Mul(m, s.tile[i*tile:], s.flat[i*n+from:], e.weight[from:])
		}
		vec.DenseGradient(m, e.products, p, 1, s.flat[from:], n, s.tile, tile, p, p)
	}
	for i := range p {
		for j := range i {
			v := 0.5 * (e.products[i*p+j] + e.products[j*p+i])
			e.products[i*p+j], e.products[j*p+i] = v, v
		}
	}
}

// tile is how many rows products of matrices take at once.
const tile = 64

// weighMass sets mass to the factor of I + RᵀAR.
func (s *server) weighMass(e *expansion) bool {
	p, l, h := len(s.q), s.root.Lower, s.half.Matrix
	columns := s.half.Lower // R by columns
	for i := range p {
		for j := range p {
			columns[j*p+i] = l[i*p+j]
		}
	}
	for i := range p { // A·R, by columns of R
		for j := range p {
			h[j*p+i] = vec.Dot(p-j, e.products[i*p+j:], columns[j*p+j:])
		}
	}
	m := s.mass.Matrix
	for i := range p {
		for j := range i + 1 {
			v := vec.Dot(p-i, columns[i*p+i:], h[j*p+i:])
			m[i*p+j], m[j*p+i] = v, v
		}
		m[i*p+i]++
	}
	return s.mass.Definite()
}

// lower sets to to Rᵀv, and raised to Rx.
func (s *server) lowered(v, to []float64) {
	p := len(s.q)
	clear(to)
	for i := range p {
		vec.Axpy(i+1, to, v[i], s.root.Lower[i*p:])
	}
}

func (s *server) raised(x, to []float64) {
	p := len(s.q)
	for i := range p {
		to[i] = vec.Dot(i+1, s.root.Lower[i*p:], x)
	}
}

// inRange sets to to Qᵀv.
func (s *server) inRange(v, to []float64) {
	for i, q := range s.q {
		to[i] = vec.Dot(s.rows, q, v)
	}
}

// approximate finds the expansion around the mode where the server is, from whitened coordinates, up to a
// gain; ok is false where there is none. Where there is noise it is found anew until the integral suits it.
func (s *server) approximate(start []float64, enough float64) (e *expansion, ok bool) {
	if !s.factor() {
		return nil, false
	}
	x := make([]float64, len(s.q))
	copy(x, start)
	s.predict(x, s.eta)
	s.resolve(s.eta, true)
	for {
		if e, ok = s.newton(x, enough); !ok || !s.resolve(e.m, false) {
			return e, ok
		}
		x = e.x
	}
}

// newton finds the expansion, from x.
func (s *server) newton(x []float64, enough float64) (e *expansion, ok bool) {
	p, n := len(s.q), s.rows
	e = &expansion{x: slices.Clone(x), m: make([]float64, n), slope: make([]float64, n),
		weight: make([]float64, n), products: make([]float64, p*p), linear: make([]float64, p)}
	gradient, step, next := make([]float64, p), make([]float64, p), make([]float64, p)
	height := func(x []float64) float64 {
		s.predict(x, e.m)
		return s.likelihood(e.m, nil) - float64(0.5*vec.Dot(p, x, x))
	}
	now := height(e.x)
	if now-now != 0 {
		clear(e.x)
		if now = height(e.x); now-now != 0 {
			return nil, false
		}
	}
	for steps := 0; ; steps++ {
		s.predict(e.x, e.m)
		s.expand(e)
		s.crossed(e)
		if !s.weighMass(e) {
			return nil, false
		}
		s.inRange(e.slope, next)
		s.lowered(next, gradient)
		vec.Axpy(p, gradient, -1, e.x)
		copy(step, gradient)
		s.mass.Solve(step)
		gain := vec.Dot(p, step, gradient)
		if !(gain > enough) || steps == mostNewton {
			break
		}
		by := 1.0
		for ; by > 1e-6; by /= 2 {
			vec.ScaleAdd(p, next, by, step, e.x)
			if h := height(next); h >= now {
				now = h
				copy(e.x, next)
				break
			}
		}
		if by <= 1e-6 {
			break
		}
	}
	s.predict(e.x, e.m)
	s.integrate(e, step)
	return e, e.evidence-e.evidence == 0
}

// rounds is how often the expansion is made anew from means.
const rounds = 2

// average makes of the expansion around the mode the one with mean slopes and curvatures under its own
// Gaussian, whose mean is nearer to the posterior's: the fixed point is the Gaussian with the largest ELBO
// (Khan and Lin 2017). It reports false where there is none.
func (s *server) average(e *expansion) bool {
	p, n := len(s.q), s.rows
	gradient, step := make([]float64, p), make([]float64, p)
	for round := range rounds {
		s.predict(e.x, e.m)
		s.expect(e)
		s.crossed(e)
		if !s.weighMass(e) {
			return false
		}
		s.inRange(e.slope, step)
		s.lowered(step, gradient)
		vec.Axpy(p, gradient, -1, e.x)
		copy(step, gradient)
		s.mass.Solve(step)
		if round < rounds-1 {
			vec.Accumulate(p, e.x, step)
		}
	}
	e.value = 0
	s.integrate(e, step)
	return e.evidence-e.evidence == 0 && vec.Dot(n, e.weight, e.weight) <= math.MaxFloat64
}

// expect sets slopes and curvatures to their means where the predictors have the variance that mass tells, by
// Stein's identity for the latter.
func (s *server) expect(e *expansion) {
	p, n := len(s.q), s.rows
	sd, column, at := s.weighted, make([]float64, p), make([]float64, n)
	clear(sd)
	l, b := s.mass.Lower, s.mixed
	for j := range p { // column j of R·L⁻ᵀ, L the factor of mass
		clear(column)
		column[j] = 1
		for i := j; i >= 0; i-- {
			column[i] /= l[i*p+i]
			vec.Axpy(i, column, -column[i], l[i*p:])
		}
		for i := range p {
			b[i*p+j] = vec.Dot(min(i, j)+1, s.root.Lower[i*p:], column)
		}
	}
	for from := 0; from < n; from += tile {
		m := min(tile, n-from)
		vec.Dense(m, s.tile, tile, s.flat[from:], n, b, p, 1, p, p, nil)
		for j := range p {
			vec.MulAdd(m, sd[from:], s.tile[j*tile:], s.tile[j*tile:])
		}
	}
	vec.Sqrt(n, sd, sd)
	for i, v := range sd {
		sd[i] = max(v, between)
	}
	clear(e.slope)
	clear(e.weight)
	for k, t := range s.nodes {
		vec.ScaleAdd(n, at, t, sd, e.m)
		s.likelihood(at, s.moved)
		vec.Axpy(n, e.slope, s.shares[k], s.moved)
		vec.Axpy(n, e.weight, -float64(t*s.shares[k]), s.moved)
	}
	vec.Div(n, e.weight, e.weight, sd)
	positive(e.weight)
}

// positive makes curvatures at least a little above 0.
func positive(v []float64) {
	most := 0.0
	for _, w := range v {
		most = max(most, w)
	}
	for i, w := range v {
		if !(w > 1e-12*most) {
			v[i] = 1e-12 * most
		}
	}
}

// integrate completes an expansion; step leads to the mode of its Gaussian.
func (s *server) integrate(e *expansion, step []float64) {
	p, n := len(s.q), s.rows
	for i, m := range e.m {
		s.moved[i] = e.slope[i] + float64(e.weight[i]*(m-s.offset[i]))
	}
	s.inRange(s.moved, e.linear)
	top, there := make([]float64, p), make([]float64, n)
	vec.Add(p, top, e.x, step)
	s.predict(top, there)
	e.evidence = s.expanded(e, there) - float64(0.5*vec.Dot(p, top, top)) - float64(0.5*s.mass.LogDet())
}

// expanded is the expansion at predictors.
func (s *server) expanded(e *expansion, eta []float64) float64 {
	v := e.value
	for i, x := range eta {
		d := x - e.m[i]
		v += float64(e.slope[i]*d) - float64(0.5*e.weight[i]*d*d)
	}
	return v
}
