package testmodel

import (
	"math"

	"github.com/vflc/vflc/stdlib"
	"gonum.org/v1/gonum/mat"
)

// A Peak is the maximum of L(z, b) = log ∫ p(y, z, θ, b) dθ, the clients' θ integrated out, and the
// distribution of θ there.
type Peak struct {
	B float64
	Z [][]float64 // by client; empty where no party receives it
	// Mean and Precision of θ given z and b, by client: exact for a normal likelihood, the augmented model's
	// mean and precision in any case.
	Mean      [][]float64
	Precision []*mat.SymDense
}

// noise returns the variance that auxiliary variables add to a row, and the share c of ρ²λ in each of them.
func (m GLM) noise() (v, c float64) {
	j, r := float64(m.Clients()), m.Rho*m.Rho
	if m.Transform == stdlib.Power {
		return r * (j - 1) * (j - 1) / j, 1 - 1/j
	}
	return j * r, 1
}

// Peak finds the maximum for affine cuts: for a normal likelihood, with λ = K⁻¹y, or in the augmented model
// for any, with λ the derivative of log p(y | η) at η = Kλ, found by Newton's method. K = Σ_k X_kX_kᵀ + v·1 +
// 11ᵀ; for a normal likelihood λ = (y − Kλ)/σ² is equivalent to the former.
func (m GLM) Peak() Peak {
	n := len(m.Y)
	_, c := m.noise()
	lambda := m.dual(m.spread())
	p := Peak{}
	for _, l := range lambda {
		p.B += l
	}
	for j, x := range m.X {
		cols := m.columns(j)
		theta, z := make([]float64, cols), make([]float64, n)
		for a := range cols {
			theta[a] = dot(x[a*n:][:n], lambda)
		}
		addProduct(z, x, theta)
		for i, l := range lambda {
			z[i] += c * m.Rho * m.Rho * l
		}
		if m.Transform == stdlib.Power && m.Clients() == 1 {
			z = nil
		}
		p.Z, p.Mean, p.Precision = append(p.Z, z), append(p.Mean, theta),
			append(p.Precision, m.conditional(j))
	}
	return p
}

// Score is the derivative of log p(y_i | η) in η.
func (m GLM) Score(i int, eta float64) float64 {
	_, d := m.logLik(m.Y[i], eta)
	return d
}

// Given is the mode of θ_j given z = 0 and b = 0.
func (m GLM) Given(j int) []float64 {
	n, cols := len(m.Y), m.columns(j)
	theta := make([]float64, cols)
	share := 0.0
	if m.Transform == stdlib.Power {
		share = 1 / float64(m.Clients())
	}
	noise := 1 / (m.Rho * m.Rho)
	for range 50 {
		g := make([]float64, n)
		addProduct(g, m.X[j], theta)
		hessian, gradient := mat.NewSymDense(cols, nil), mat.NewVecDense(cols, nil)
		for a := range cols {
			x := m.X[j][a*n:][:n]
			gradient.SetVec(a, -theta[a])
			for i, v := range g {
				gradient.SetVec(a, gradient.AtVec(a)+x[i]*(share*m.Score(i, v)-noise*v))
			}
			for b := a; b < cols; b++ {
				t := 0.0
				for i, v := range g {
					t += x[i] * m.X[j][b*n+i] * (share*m.weight(v) + noise)
				}
				if a == b {
					t++
				}
				hessian.SetSym(a, b, t)
			}
		}
		var step mat.VecDense
		if err := step.SolveVec(hessian, gradient); err != nil {
			panic("testmodel: " + err.Error())
		}
		for a := range theta {
			theta[a] += step.AtVec(a)
		}
	}
	return theta
}

// Profile is the greatest value of L over z and b for a normal likelihood, up to a constant that depends on
// neither σ nor the data. A log prior of σ is added to it.
func (m GLM) Profile() float64 {
	value := -float64(len(m.Y))*math.Log(m.Sigma) - 0.5*dot(m.Y, m.dual(m.spread()))
	for j := range m.X {
		var chol mat.Cholesky
		if !chol.Factorize(m.conditional(j)) {
			panic("testmodel: a precision is not positive definite")
		}
		value -= 0.5 * chol.LogDet()
	}
	return value
}

// spread is K.
func (m GLM) spread() *mat.SymDense {
	n := len(m.Y)
	v, _ := m.noise()
	k := mat.NewSymDense(n, nil)
	for r := range n {
		for s := r; s < n; s++ {
			k.SetSym(r, s, m.gram(r, s)+1)
		}
		k.SetSym(r, r, k.At(r, r)+v)
	}
	return k
}

// gram is element (r, s) of Σ_k X_kX_kᵀ.
func (m GLM) gram(r, s int) float64 {
	n, t := len(m.Y), 0.0
	for _, x := range m.X {
		for a := 0; a < len(x); a += n {
			t += x[a+r] * x[a+s]
		}
	}
	return t
}

// conditional is the precision of θ_j given z and b.
func (m GLM) conditional(j int) *mat.SymDense {
	weight := 0.0
	if m.Transform == stdlib.Augmented || m.Clients() > 1 {
		weight = 1 / (m.Rho * m.Rho)
	}
	if m.Transform == stdlib.Power {
		weight += 1 / (float64(m.Clients()) * m.Sigma * m.Sigma)
	}
	n, cols, x := len(m.Y), m.columns(j), m.X[j]
	p := mat.NewSymDense(cols, nil)
	for a := range cols {
		for b := a; b < cols; b++ {
			t := weight * dot(x[a*n:][:n], x[b*n:][:n])
			if a == b {
				t++
			}
			p.SetSym(a, b, t)
		}
	}
	return p
}

// dual is λ. For a normal likelihood Newton's method converges in one step.
func (m GLM) dual(k *mat.SymDense) []float64 {
	n := len(m.Y)
	lambda := make([]float64, n)
	for range 50 {
		eta := mat.NewVecDense(n, nil)
		eta.MulVec(k, mat.NewVecDense(n, lambda))
		// λ = l'(η) + l''(η)(Kλ' − η): (1 + WK)λ' = l' + Wη with W = −l''
		a, rhs := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for i, y := range m.Y {
			e := eta.AtVec(i)
			_, d := m.logLik(y, e)
			w := m.weight(e)
			for s := range n {
				a.Set(i, s, w*k.At(i, s))
			}
			a.Set(i, i, a.At(i, i)+1)
			rhs.SetVec(i, d+w*e)
		}
		var next mat.VecDense
		if err := next.SolveVec(a, rhs); err != nil {
			panic("testmodel: " + err.Error())
		}
		moved := 0.0
		for i := range lambda {
			moved = max(moved, math.Abs(next.AtVec(i)-lambda[i]))
			lambda[i] = next.AtVec(i)
		}
		if moved < 1e-12 {
			break
		}
	}
	return lambda
}

// weight is −∂² log p(y | η)/∂η².
func (m GLM) weight(eta float64) float64 {
	if m.Sigma > 0 {
		return 1 / (m.Sigma * m.Sigma)
	}
	e := math.Exp(-math.Abs(eta))
	return e / ((1 + e) * (1 + e))
}
