package quadrature

import (
	"math"

	"github.com/vflc/vflc/density"
)

// A Marginal is a likelihood of rows of which normal noise on the predictors, such as that of auxiliary variables, is integrated out.
type Marginal struct{ rows *rows }

// NewMarginal makes that of n rows and noise of a variance above 0.
func NewMarginal(r density.RowLikelihood, n int, variance float64) *Marginal {
	r.Offset = make([]float64, n)
	m := &Marginal{newRows(r, &rules{})}
	m.rows.noise = variance
	m.Resolve(0)
	return m
}

// Resolve prepares the integral for a likelihood whose curvature is at most so large where it matters: by the trapezoidal rule, whose relative error for a normal integrand of sd w is about
// 2 exp(−2(πw/step)²).
func (m *Marginal) Resolve(curvature float64) {
	const reach = 5.5
	step := 1.2 / math.Sqrt(1+float64(m.rows.noise*curvature))
	m.rows.inner = trapezoidal(2*int(math.Ceil(reach/step))+1, step)
}

// Density sets lp and slope at the predictors.
func (m *Marginal) Density(phi, eta, lp, slope []float64) { m.rows.marginal(phi, eta, lp, slope, nil) }
