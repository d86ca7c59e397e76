// Package testmodel holds small models with hand-written densities for testing inference algorithms:
// generalised linear models whose covariates are spread over clients, with the posterior, the log evidence
// and the best Gaussian approximations in closed form where the likelihood is normal. Its Env evaluates all
// parties in one process without graphs, sessions or transports.
package testmodel

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A GLM is a regression of Y on covariates of several clients: predictor = b + Σ_j g_j, g_j = exp(γ)·X_j
// f(θ_j), with standard normal priors on b and every element of θ (and on γ where there is one).
type GLM struct {
	Y []float64
	X [][]float64 // X[j] is client j's matrix, len(Y) rows, column-major
	// Sigma is the noise sd of a normal likelihood; 0 means Bernoulli with a logit link.
	Sigma     float64
	Transform def.Transform
	Rho       float64 // sd of the auxiliary variables
	// Scale adds γ, a shared parameter inside the cuts; without it γ is 0. Curve makes f(t) = tanh(t), so
	// that cuts are not affine; without it f(t) = t. Both are for models with several parties, and have no
	// closed forms.
	Scale, Curve bool
	times        float64 // the factor of a likelihood of some rows; 0: 1
	constant     float64 // of the log density of a row of a normal likelihood, set by Env
}

// Clients is the number of clients.
func (m GLM) Clients() int { return len(m.X) }

// columns is the number of covariates of client j.
func (m GLM) columns(j int) int { return len(m.X[j]) / len(m.Y) }

// logLik returns log p(y | η) of one row and its derivative in η, both multiplied by times.
func (m *GLM) logLik(y, eta float64) (lp, d float64) {
	lp, d = m.row(y, eta)
	if m.times > 0 {
		lp, d = m.times*lp, m.times*d
	}
	return lp, d
}

func (m *GLM) row(y, eta float64) (lp, d float64) {
	if m.Sigma > 0 {
		r := (y - eta) / m.Sigma
		return -0.5*r*r - m.constant - halfLog2Pi, r / m.Sigma
	}
	e := math.Exp(-math.Abs(eta))
	p := 1 / (1 + e) // of the sign of η
	if eta < 0 {
		p = e * p
	}
	return y*eta - math.Max(eta, 0) - math.Log1p(e), y - p
}

const halfLog2Pi = 0.91893853320467274178

// Linear generates a design with a normal likelihood: standard normal covariates and parameters, noise sd
// sigma, columns[j] covariates at client j. The same arguments give the same data.
func Linear(seed uint64, rows int, columns []int, sigma float64) GLM {
	s := vector.NewGenerator(vector.SharedKey(seed), "linear design")
	m := GLM{Y: make([]float64, rows), Sigma: sigma, Transform: stdlib.Augmented, Rho: 1}
	s.Normals(m.Y)
	b := s.Rand().NormFloat64()
	for i := range m.Y {
		m.Y[i] = b + sigma*m.Y[i]
	}
	for _, p := range columns {
		x := make([]float64, rows*p)
		theta := make([]float64, p)
		s.Normals(x)
		s.Normals(theta)
		addProduct(m.Y, x, theta)
		m.X = append(m.X, x)
	}
	return m
}

// addProduct adds Xθ to g.
func addProduct(g, x, theta []float64) {
	for k, t := range theta {
		col := x[k*len(g):][:len(g)]
		for i, v := range col {
			g[i] += t * v
		}
	}
}
