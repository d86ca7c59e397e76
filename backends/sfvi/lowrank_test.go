package sfvi

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/rng"
	"github.com/vflc/vflc/stdlib/transforms"
	"github.com/vflc/vflc/tests/testmodel"
)

// A normal Env has the density N(θ; mean, LLᵀ) in the one block of a model without clients.
type normal struct {
	*testmodel.Env
	mean []float64
	l    [][]float64
}

func (e normal) Density(_ context.Context, theta [][]float64, _ density.Coordinates, grad [][]float64,
	lp []float64) error {
	x := theta[0]
	lp[0] = logNormal(e.l, e.mean, x)
	u := make([]float64, len(x)) // L⁻¹(x − mean), then L⁻ᵀ of it
	for i := range x {
		u[i] = x[i] - e.mean[i]
		for j := range i {
			u[i] -= e.l[i][j] * u[j]
		}
		u[i] /= e.l[i][i]
	}
	for i := len(u) - 1; i >= 0; i-- {
		for j := i + 1; j < len(u); j++ {
			u[i] -= e.l[j][i] * u[j]
		}
		u[i] /= e.l[i][i]
		grad[0][i] = -u[i]
	}
	return nil
}

// covarianceOf is that of parameters phi, S(I + BBᵀ)S, element by element.
func covarianceOf(q gaussian, phi []float64) [][]float64 {
	out := make([][]float64, q.dim)
	for i := range out {
		out[i] = make([]float64, q.dim)
		for j := range out[i] {
			if i == j {
				out[i][j] = 1
			}
			for k := range q.rank {
				out[i][j] += phi[q.all+q.dim+i*q.rank+k] * phi[q.all+q.dim+j*q.rank+k]
			}
			out[i][j] *= math.Exp(phi[q.all+i] + phi[q.all+j])
		}
	}
	return out
}

// rootOf is the lower Cholesky factor of a matrix.
func rootOf(a [][]float64) [][]float64 {
	l := make([][]float64, len(a))
	for i := range a {
		l[i] = make([]float64, i+1)
		for j := range i + 1 {
			s := a[i][j]
			for k := range j {
				s -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(s)
			} else {
				l[i][j] = s / l[j][j]
			}
		}
	}
	return l
}

// lowRankFit returns a fit with a lowrank q(θ) of rank 2 to a normal density in 12 dimensions whose
// covariance is of that form, with the parameters of that.
func lowRankFit(t *testing.T, given map[string]string) (*kernel, normal, []float64) {
	t.Helper()
	m := testmodel.Linear(2, 4, []int{11}, 0.7)
	m.Transform = transforms.None
	s, err := Algorithm().Resolve(m.Transform, with(given, "theta-guide", "lowrank", "theta-rank", "2",
		"estimator", "sampled"))
	if err != nil {
		t.Fatal(err)
	}
	q := newLowRank(12, nil, 2)
	phi := make([]float64, q.size())
	rng.New(rng.SharedKey(8), "target").Normals(phi)
	for i := range 12 {
		phi[12+i] = 0.5*phi[12+i] - 0.5
	}
	env := normal{m.Env(1), phi[:12], rootOf(covarianceOf(q, phi))}
	k, err := newKernel(env, s)
	if err != nil {
		t.Fatal(err)
	}
	return k, env, phi
}

// The gradient of a lowrank q(θ) is the finite difference of the integrand, with a density of q from its
// dense covariance.
func TestLowRankGradient(t *testing.T) {
	k, env, _ := lowRankFit(t, nil)
	elsewhere(k)
	p := k.parties[0]
	held := p.all(phiOf)
	phi := append([]float64(nil), held...)
	ratio, ok, err := k.evaluate(context.Background(), fitting, 3)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	q, grad := p.theta, append([]float64(nil), p.own.grad...)
	root := rootOf(covarianceOf(q, held))
	value := func() float64 {
		theta := make([]float64, q.dim)
		for i := range theta {
			u := q.eps[i]
			for k := range q.rank {
				u += phi[q.all+q.dim+i*q.rank+k] * q.eps[q.dim+k]
			}
			theta[i] = phi[i] + math.Exp(phi[q.all+i])*u
		}
		return logNormal(env.l, env.mean, theta) - logNormal(root, held[:q.dim], theta)
	}
	if v := value(); math.Abs(v-ratio) > 1e-9*(1+math.Abs(v)) {
		t.Fatalf("integrand %.12g, from scratch %.12g", ratio, v)
	}
	const h = 1e-5
	for i, x := range held {
		phi[i] = x + h
		up := value()
		phi[i] = x - h
		down := value()
		phi[i] = x
		if fd := (up - down) / (2 * h); math.Abs(fd-grad[i]) > 2e-6*(1+math.Abs(fd)) {
			t.Errorf("parameter %d of %d: gradient %.9g, finite difference %.9g", i, len(held), grad[i], fd)
		}
	}
}

// Where the posterior is of its form a lowrank q(θ) ends at it: the covariance element by element, and an
// ELBO of 0, the evidence of a density, without variance.
func TestLowRankReachesItsForm(t *testing.T) {
	k, env, want := lowRankFit(t, map[string]string{"schedule": "cosine", "lr": "2e-2", "lr-end": "1e-6",
		"iterations": "12000", "elbo-draws": "200", "elbo-every": "100000"})
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	var info backends.Info
	for !info.Done {
		var err error
		if info, err = k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if e := info.Fit.Final; math.Abs(e.Value) > 1e-3 {
		t.Errorf("ELBO %v", e)
	}
	p := k.parties[0]
	got, exact := covarianceOf(p.theta, p.own.phi), covarianceOf(p.theta, want)
	mean, sd := p.theta.moments(p.own.phi)
	for i := range got {
		if math.Abs(mean[i]-env.mean[i]) > 0.01*sd[i] || math.Abs(sd[i]/math.Sqrt(exact[i][i])-1) > 0.01 {
			t.Errorf("coordinate %d: mean %v, sd %v; want %v, %v", i, mean[i], sd[i], env.mean[i],
				math.Sqrt(exact[i][i]))
		}
		for j := range got {
			if math.Abs(got[i][j]-exact[i][j]) > 0.01*math.Sqrt(exact[i][i]*exact[j][j]) {
				t.Errorf("covariance %d, %d: %v, want %v", i, j, got[i][j], exact[i][j])
			}
		}
	}
}

// An iteration with a lowrank q(θ) allocates nothing.
func TestLowRankAllocatesNothing(t *testing.T) {
	m := testmodel.Linear(3, 20, []int{3, 4}, 0.8)
	k := kernelOver(t, m.Env(1), map[string]string{"theta-guide": "lowrank", "theta-rank": "2",
		"elbo-every": "7"})
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(50, func() {
		if _, err := k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// By auto a party draws as from a full covariance up to the bound, as from one of low rank beyond it, and as
// from a diagonal one where that would cost too much.
func TestAutoFormOfTheta(t *testing.T) {
	for dim, want := range map[int]string{3: fullRank, 201: lowRank, lowRankLimit + 1: "meanfield"} {
		drawn := func(form string) []float64 {
			k := kernelOver(t, testmodel.Linear(3, 20, []int{dim}, 0.8).Env(1),
				map[string]string{"estimator": "sampled", "theta-guide": form, "iterations": "10",
					"elbo-draws": "2", "draws": "1"})
			err := k.Init(context.Background())
			for done := false; err == nil && !done; {
				var info backends.Info
				info, err = k.Step(context.Background())
				done = info.Done
			}
			if err != nil {
				t.Fatal(err)
			}
			theta := [][]float64{make([]float64, 1), make([]float64, dim)}
			k.Draw(0, theta)
			return theta[1]
		}
		by := drawn(auto)
		for _, form := range []string{fullRank, lowRank, "meanfield"} {
			if dim > lowRankLimit && form == fullRank {
				continue // a covariance of 10^8 numbers
			}
			if same := slices.Equal(by, drawn(form)); same != (form == want) {
				t.Errorf("%d dimensions: auto draws as %s: %t", dim, form, same)
			}
		}
	}
}
