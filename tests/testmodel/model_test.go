package testmodel

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// point holds fixed noise: z = g + ρ·e for given e, so that the density is a function of θ alone.
type point struct {
	rho float64
	e   [][]float64
	// of the last evaluation
	prior float64
}

func (p *point) Value(b int, g, z []float64) {
	for i, v := range g {
		z[i] = v + p.rho*p.e[b][i]
		p.prior += -0.5*p.e[b][i]*p.e[b][i] - math.Log(p.rho) - halfLog2Pi
	}
}

func (p *point) Adjoint(_ int, adj, own, w, _ []float64) {
	for i := range w {
		w[i] = adj[i] + own[i]
	}
}

func setup(m GLM, seed uint64) (env *Env, theta, grad [][]float64, lp []float64, p *point) {
	env = m.Env(seed)
	p = &point{rho: m.Rho}
	s := vector.NewGenerator(vector.SharedKey(seed), "point")
	for _, b := range env.Blocks() {
		t, e := make([]float64, b.Dim()), make([]float64, b.AuxLen())
		s.Normals(t)
		s.Normals(e)
		theta, grad, p.e = append(theta, t), append(grad, make([]float64, b.Dim())), append(p.e, e)
	}
	return env, theta, grad, make([]float64, len(theta)), p
}

func value(t *testing.T, env *Env, theta, grad [][]float64, lp []float64, p *point) float64 {
	t.Helper()
	p.prior = 0
	if err := env.Density(context.Background(), theta, p, grad, lp); err != nil {
		t.Fatal(err)
	}
	sum := p.prior
	for _, v := range lp {
		sum += v
	}
	return sum
}

func variants() map[string]GLM {
	base := Linear(3, 12, []int{2, 1, 2}, 0.7)
	base.Rho = 0.6
	out := map[string]GLM{}
	for _, tr := range stdlib.Transforms() {
		m := base
		m.Transform = tr
		out["linear "+tr.Name] = m
		m.Y, m.Sigma = []float64{1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0}, 0
		out["logistic "+tr.Name] = m
		if tr != stdlib.NoTransform {
			m.Scale, m.Curve = true, true
			out["curved "+tr.Name] = m
		}
		one := base
		one.X, one.Transform = one.X[:1], tr
		out["one client "+tr.Name] = one
	}
	return out
}

func TestGradient(t *testing.T) {
	for name, m := range variants() {
		env, theta, grad, lp, p := setup(m, 7)
		value(t, env, theta, grad, lp, p)
		analytic := make([][]float64, len(grad))
		for b := range grad {
			analytic[b] = append([]float64(nil), grad[b]...)
		}
		const h = 1e-5
		for b := range theta {
			for k := range theta[b] {
				x := theta[b][k]
				theta[b][k] = x + h
				up := value(t, env, theta, grad, lp, p)
				theta[b][k] = x - h
				down := value(t, env, theta, grad, lp, p)
				theta[b][k] = x
				if fd := (up - down) / (2 * h); math.Abs(fd-analytic[b][k]) > 1e-6*(1+math.Abs(fd)) {
					t.Errorf("%s: ∂/∂θ[%d][%d] = %g, finite difference %g", name, b, k, analytic[b][k], fd)
				}
			}
		}
	}
}

// The closed form's quadratic is the Env's density, in both coordinates.
func TestJointIsTheDensity(t *testing.T) {
	for name, m := range variants() {
		if m.Sigma == 0 || m.Scale {
			continue
		}
		env, theta, grad, lp, p := setup(m, 11)
		got := value(t, env, theta, grad, lp, p)
		for _, free := range []bool{true, false} {
			j := m.joint(free)
			x := make([]float64, 0, len(j.linear))
			for b := range theta {
				x = append(x, theta[b]...)
			}
			jacobian := 0.0
			if len(j.linear) > j.params {
				for b := 1; b < len(theta); b++ {
					for i, e := range p.e[b] {
						if !free {
							e = env.z[b-1][i]
						} else {
							jacobian += math.Log(m.Rho) // density of e from that of z
						}
						x = append(x, e)
					}
				}
			}
			v := mat.NewVecDense(len(x), x)
			want := -0.5*mat.Inner(v, j.precision, v) + mat.Dot(v, mat.NewVecDense(len(x), j.linear)) +
				j.constant - jacobian
			if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s (free %t): density %.12g, closed form %.12g", name, free, got, want)
			}
		}
	}
}

// The augmented evidence is that of a regression with noise variance σ² + Jρ².
func TestEvidence(t *testing.T) {
	m := Linear(5, 15, []int{2, 2}, 0.5)
	m.Rho = 0.8
	for _, tr := range []def.Transform{stdlib.NoTransform, stdlib.Augmented} {
		m.Transform = tr
		noise := m.Sigma * m.Sigma
		if tr == stdlib.Augmented {
			noise += 2 * m.Rho * m.Rho
		}
		n := len(m.Y)
		cov := mat.NewSymDense(n, nil)
		for r := range n {
			for c := r; c < n; c++ {
				v := 1.0
				for _, x := range m.X {
					for k := range len(x) / n {
						v += x[k*n+r] * x[k*n+c]
					}
				}
				if r == c {
					v += noise
				}
				cov.SetSym(r, c, v)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(cov) {
			t.Fatal("not positive definite")
		}
		var sol mat.VecDense
		y := mat.NewVecDense(n, m.Y)
		if err := chol.SolveVecTo(&sol, y); err != nil {
			t.Fatal(err)
		}
		want := -0.5*mat.Dot(y, &sol) - 0.5*chol.LogDet() - float64(n)*halfLog2Pi
		for _, g := range []Guide{Structured, Noncentered, MeanField} {
			if got := m.Optimum(g).LogZ; math.Abs(got-want) > 1e-8 {
				t.Errorf("%s, guide %d: log evidence %.10g, marginal likelihood %.10g", tr, g, got, want)
			}
		}
	}
}

func TestGuidesAreNested(t *testing.T) {
	for _, tr := range []def.Transform{stdlib.Augmented, stdlib.Power} {
		m := Linear(5, 15, []int{2, 2}, 0.5)
		m.Transform = tr
		s, n, f := m.Optimum(Structured), m.Optimum(Noncentered), m.Optimum(MeanField)
		if !(s.LogZ > s.ELBO && s.ELBO > n.ELBO && s.ELBO > f.ELBO) {
			t.Errorf("%s: log evidence %g, structured %g, noncentered %g, mean-field %g", tr, s.LogZ, s.ELBO,
				n.ELBO, f.ELBO)
		}
	}
}

func TestPowerWithOneClientIsTheTrueModel(t *testing.T) {
	m := Linear(5, 15, []int{3}, 0.5)
	m.Transform = stdlib.NoTransform
	want := m.Optimum(Structured)
	m.Transform = stdlib.Power
	if got := m.Optimum(Structured); math.Abs(got.LogZ-want.LogZ) > 1e-9 {
		t.Errorf("log evidence %g, true model %g", got.LogZ, want.LogZ)
	}
}
