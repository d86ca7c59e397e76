package sfvi

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// An integrand is log p(θ, z) − log q(θ, z) at the point that fixed noise is mapped to by the variational
// parameters phi, with log q evaluated under the parameters held: what sticking the landing differentiates in
// phi at phi = held. It shares no code with the kernel but the noise, the Env and the layout of the
// parameters.
type integrand struct {
	t         *testing.T
	env       *testmodel.Env
	form      string
	k         *kernel
	phi, held [][]float64
	logQ      float64
	model     float64 // Σ log N(z; g, ρ²)
	theta     [][]float64
}

func (f *integrand) value() float64 {
	f.logQ, f.model = 0, 0
	grad, lp := make([][]float64, len(f.phi)), make([]float64, len(f.phi))
	f.theta = nil
	for b, p := range f.k.parties {
		l, mu := lowerOf(p.theta, f.phi[b])
		theta := make([]float64, p.theta.dim)
		for i := range theta {
			theta[i] = mu[i]
			for j := range i + 1 {
				theta[i] += l[i][j] * p.theta.eps[j]
			}
		}
		l, mu = lowerOf(p.theta, f.held[b])
		f.logQ += logNormal(l, mu, theta)
		f.theta = append(f.theta, theta)
		grad[b] = make([]float64, len(theta))
	}
	if err := f.env.Density(context.Background(), f.theta, f, grad, lp); err != nil {
		f.t.Fatal(err)
	}
	sum := f.model - f.logQ
	for _, v := range lp {
		sum += v
	}
	return sum
}

// lowerOf returns the Cholesky factor and the mean that phi stands for.
func lowerOf(q gaussian, phi []float64) (l [][]float64, mu []float64) {
	d := q.dim
	l = make([][]float64, d)
	at := 2 * d
	for i := range l {
		sd := math.Exp(phi[d+i])
		l[i] = make([]float64, i+1)
		for j := range i {
			if q.full {
				l[i][j] = sd * phi[at]
				at++
			}
		}
		l[i][i] = sd
	}
	return l, phi[:d]
}

func logNormal(l [][]float64, mu, x []float64) float64 {
	u := make([]float64, len(x))
	sum := 0.0
	for i := range x {
		u[i] = x[i] - mu[i]
		for j := range i {
			u[i] -= l[i][j] * u[j]
		}
		u[i] /= l[i][i]
		sum += -0.5*u[i]*u[i] - math.Log(l[i][i]) - halfLog2Pi
	}
	return sum
}

func (f *integrand) Value(b int, g, z []float64) {
	p := f.k.parties[b]
	n, rho := len(g), p.block.Cuts()[0].Rho
	mean, sd := f.conditional(b, f.phi[b], g)
	sign := 1.0
	if p.turned {
		sign = -1
	}
	for i, eps := range p.guide.noise() {
		z[i] = mean[i] + sign*sd[i]*eps
		d := (z[i] - g[i]) / rho
		f.model += -0.5*d*d - math.Log(rho) - halfLog2Pi
	}
	mean, sd = f.conditional(b, f.held[b], g)
	for i := range n {
		d := (z[i] - mean[i]) / sd[i]
		f.logQ += -0.5*d*d - math.Log(sd[i]) - halfLog2Pi
	}
}

func (f *integrand) Adjoint(_ int, adj, own, w, _ []float64) {
	for i := range w {
		w[i] = adj[i] + own[i]
	}
}

// conditional is the mean and sd of z given θ.
func (f *integrand) conditional(b int, phi, g []float64) (mean, sd []float64) {
	p := f.k.parties[b]
	n, rho := len(g), p.block.Cuts()[0].Rho
	centre := make([]float64, n)
	p.block.Cut(density.Centre, phi[:p.theta.dim], centre)
	v := phi[p.theta.size():]
	mean, sd = make([]float64, n), make([]float64, n)
	for i := range n {
		switch f.form {
		case "structured":
			mean[i], sd[i] = g[i]+rho*(v[i]+v[n+i]*(g[i]-centre[i])), rho*math.Exp(v[2*n+i])
		case "noncentered":
			mean[i], sd[i] = g[i]+rho*v[i], rho*math.Exp(v[n+i])
		case "meanfield":
			mean[i], sd[i] = centre[i]+rho*v[i], rho*math.Exp(v[n+i])
		case "amortized":
			q := p.guide.(*amortized).nets[0]
			u := []float64{g[i]}
			for _, in := range q.in[1:] {
				u = append(u, in[i])
			}
			a, h := perceptron(u, v)
			mean[i], sd[i] = g[i]+rho*a, rho*math.Exp(h)
		}
	}
	return mean, sd
}

// perceptron evaluates the net on one element, layer by layer.
func perceptron(u, v []float64) (f, h float64) {
	var one, two [width]float64
	in := len(u)
	for k := range one {
		s := v[in*width+k]
		for c := range u {
			s += v[c*width+k] * u[c]
		}
		one[k] = math.Tanh(s)
	}
	v = v[(in+1)*width:]
	for k := range two {
		s := v[width*width+k]
		for c := range one {
			s += v[k*width+c] * one[c]
		}
		two[k] = math.Tanh(s)
	}
	v = v[(width+1)*width:]
	f, h = v[2*width], v[2*width+1]
	for k, x := range two {
		f += v[k] * x
		h += v[width+k] * x
	}
	return f, h
}

// The kernel's gradient is the finite difference of the integrand, in every variational parameter of every
// party.
func TestGradientIsThatOfTheIntegrand(t *testing.T) {
	for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Power} {
		for _, form := range []string{"structured", "noncentered", "meanfield", "amortized"} {
			for _, curved := range []bool{false, true} {
				given := map[string]string{"guide": form}
				t.Run(fmt.Sprintf("%s %s curved=%t", transform, form, curved), func(t *testing.T) {
					checkGradient(t, transform, given, curved)
				})
			}
		}
	}
	t.Run("inputs", func(t *testing.T) {
		checkGradient(t, stdlib.Augmented,
			map[string]string{"guide": "amortized", "guide-inputs": "y"}, false)
	})
	t.Run("independent", func(t *testing.T) {
		checkGradient(t, stdlib.Augmented, map[string]string{"theta-guide": "meanfield"}, false)
	})
	t.Run("pooled", func(t *testing.T) { checkGradient(t, stdlib.NoTransform, nil, false) })
}

func checkGradient(t *testing.T, transform def.Transform, given map[string]string, curved bool) {
	m := testmodel.Linear(2, 6, []int{2, 1, 3}, 0.7)
	m.Y, m.Sigma = []float64{1, 0, 1, 1, 0, 1}, 0
	m.Transform, m.Rho, m.Scale, m.Curve = transform, 0.8, curved, curved
	env := m.Env(4)
	s, err := Algorithm().Resolve(transform, given)
	if err != nil {
		t.Fatal(err)
	}
	k, err := newKernel(env, s)
	if err != nil {
		t.Fatal(err)
	}
	f := &integrand{t: t, env: env, form: s.Text(guideForm), k: k}
	elsewhere(k)
	for _, p := range k.parties {
		f.phi, f.held = append(f.phi, p.all(phiOf)), append(f.held, p.all(phiOf))
	}
	ratio, ok, err := k.evaluate(context.Background(), fitting, 3)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if v := f.value(); math.Abs(v-ratio) > 1e-9*(1+math.Abs(v)) {
		t.Fatalf("integrand %.12g, from scratch %.12g", ratio, v)
	}
	const h = 1e-5
	for b, p := range k.parties {
		grad := p.all(gradOf)
		for i, x := range f.held[b] {
			f.phi[b][i] = x + h
			up := f.value()
			f.phi[b][i] = x - h
			down := f.value()
			f.phi[b][i] = x
			if fd := (up - down) / (2 * h); math.Abs(fd-grad[i]) > 2e-6*(1+math.Abs(fd)) {
				t.Errorf("party %d, parameter %d of %d: gradient %.9g, finite difference %.9g", b, i,
					len(grad), grad[i], fd)
			}
		}
	}
}
