package quadrature

import (
	"math"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A Marginal is a likelihood of rows of which normal noise on the predictors, such as that of auxiliary
// variables, is integrated out. Where it is log-concave each row has nodes of its own, Gauss and Hermite's
// around the mode of the integrand, which move with the predictor as that does (Naylor and Smith 1982);
// elsewhere all rows have those of the trapezoidal rule.
type Marginal struct {
	rows   *rows
	sd     float64   // of the noise
	at     []float64 // the predictors that it was prepared for
	centre []float64 // the integrand's mode there, as noise
	moves  []float64 // by how much this moves with the predictor
	width  []float64 // of the integrand, as if it were normal
	scale  []float64 // log of it over the noise's sd
	rules  []rule
	nodes  *rule // one of these; nil: the trapezoidal rule
	u, eta []float64
}

const (
	// nats by which a rule and the next, of more nodes, differ at most where the first is taken
	apart     = 1e-6
	askew     = 1e-4 // and their slopes, times the noise's sd
	modeSteps = 3    // of Newton's method to the integrand's mode
	between   = 1e-4 // distance of the slopes whose difference is the curvature
)

// NewMarginal makes that of n rows and noise of a variance above 0.
func NewMarginal(r density.RowLikelihood, n int, variance float64) *Marginal {
	r.Offset, r.Block, r.Part = make([]float64, n), 0, nil
	m := &Marginal{rows: newRows(r, &rules{}), sd: math.Sqrt(variance)}
	m.rows.noise = variance
	for _, v := range []*[]float64{&m.at, &m.centre, &m.moves, &m.width, &m.scale, &m.u, &m.eta} {
		*v = make([]float64, n)
	}
	for _, k := range []int{5, 7, 9, 13, 17, 25} {
		m.rules = append(m.rules, newRule(k))
	}
	m.Resolve(0)
	return m
}

// Resolve takes the trapezoidal rule, for a likelihood whose curvature is at most so large where it matters:
// its relative error for a normal integrand of sd w is about 2 exp(−2(πw/step)²).
func (m *Marginal) Resolve(curvature float64) {
	const reach = 5.5
	step := 1.2 / math.Sqrt(1+float64(m.rows.noise*curvature))
	m.rows.inner, m.nodes = trapezoidal(2*int(math.Ceil(reach/step))+1, step), nil
}

// Centre takes nodes of each row's own, for predictors around these. It reports false where the likelihood is
// not log-concave, or no rule is fine enough.
func (m *Marginal) Centre(phi, eta []float64) bool {
	n, h := len(eta), m.rows.noise
	before, after := m.rows.fall, m.rows.over
	copy(m.at, eta)
	clear(m.centre)
	for step := range modeSteps {
		vec.Add(n, m.u, eta, m.centre)
		vec.AddScalar(n, m.eta, m.u, -between)
		m.rows.Evaluate(phi, m.eta, m.rows.lp, before, nil, nil)
		vec.AddScalar(n, m.eta, m.u, between)
		m.rows.Evaluate(phi, m.eta, m.rows.lp, after, nil, nil)
		for i, u := range m.centre {
			c := max(0, (before[i]-after[i])/(2*between))
			m.width[i] = 1 / math.Sqrt(1/h+c)
			m.moves[i] = -c * m.width[i] * m.width[i]
			if step < modeSteps-1 {
				by := (float64(0.5*(before[i]+after[i])) - u/h) * m.width[i] * m.width[i]
				m.centre[i] += max(-2*m.sd, min(by, 2*m.sd))
			}
		}
	}
	for i, w := range m.width {
		m.scale[i] = portable.Log(w / m.sd)
	}
	return m.choose(phi, eta)
}

// choose takes the first rule that the next one agrees with.
func (m *Marginal) choose(phi, eta []float64) bool {
	n := len(eta)
	last, next, before, after := make([]float64, n), make([]float64, n), make([]float64, n),
		make([]float64, n)
	for k := range m.rules {
		m.nodes = &m.rules[k]
		if !m.centred(phi, eta, next, after, true) {
			break
		}
		off, turned := 0.0, 0.0
		for i, v := range next {
			off, turned = max(off, math.Abs(v-last[i])), max(turned, math.Abs(after[i]-before[i]))
		}
		if k > 0 && off <= apart && turned*m.sd <= askew {
			m.nodes = &m.rules[k-1]
			return true
		}
		last, next, before, after = next, last, after, before
	}
	m.nodes = nil
	return false
}

// Near reports whether predictors are near those that it was prepared for.
func (m *Marginal) Near(eta []float64) bool {
	for i, v := range eta {
		if !(math.Abs(v-m.at[i]) <= 0.5*m.sd) {
			return false
		}
	}
	return true
}

// Centred reports whether each row has nodes of its own.
func (m *Marginal) Centred() bool { return m.nodes != nil }

// Density sets lp and slope at the predictors.
func (m *Marginal) Density(phi, eta, lp, slope []float64) {
	if m.nodes == nil {
		m.rows.marginal(phi, eta, lp, slope, nil)
		return
	}
	m.centred(phi, eta, lp, slope, false)
}

// centred is Density with each row's own nodes. Where it is to look it reports false if lp is not finite, or
// the slope rises from one node to the next.
func (m *Marginal) centred(phi, eta, lp, slope []float64, look bool) bool {
	r, n := m.rows, len(eta)
	for i, v := range eta {
		r.top[i], r.sum[i], r.over[i] = math.Inf(-1), 0, 0
		r.sd[i] = m.centre[i] + float64(m.moves[i]*(v-m.at[i]))
		r.slope[i] = math.Inf(1)
	}
	half := -0.5 / r.noise
	for k, t := range m.nodes.at {
		vec.ScaleAdd(n, m.u, t, m.width, r.sd)
		vec.Add(n, m.eta, eta, m.u)
		r.Evaluate(phi, m.eta, lp, slope, nil, nil)
		if look && rises(slope, r.slope) {
			return false
		}
		for i, u := range m.u {
			lp[i] += float64(half*u*u) + float64(0.5*t*t)
		}
		r.gather(r.top, lp, slope, m.nodes.weight[k])
	}
	for i, sum := range r.sum {
		lp[i], slope[i] = r.top[i]+portable.Log(sum)+m.scale[i], r.over[i]/sum
		if look && lp[i]-lp[i] != 0 {
			return false
		}
	}
	return true
}

// rises reports whether a slope is above the one before by more than rounding, which it then becomes.
func rises(slope, before []float64) bool {
	for i, v := range slope {
		if !(v <= before[i]+float64(1e-9*(1+math.Abs(v)))) {
			return true
		}
		before[i] = v
	}
	return false
}
