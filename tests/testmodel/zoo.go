package testmodel

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A Known is a posterior with some expectations known exactly.
type Known struct {
	Name      string
	Transform def.Transform
	Env       func(seed uint64) density.Env
	// Functions sets out (as long as Means) to functions of a draw, θ of all parties one after another; Means
	// are their expectations.
	Functions func(theta, out []float64)
	Means     []float64
}

// Zoo lists posteriors that differ in what makes them hard: scales, correlation, curvature, an unknown scale,
// heavy tails, the boundary of a constrained parameter, auxiliary variables.
func Zoo() []Known {
	out := []Known{scales(), correlated(), funnel(), banana(), tails(), betaBinomial()}
	for _, transform := range stdlib.Transforms() {
		out = append(out, regression(transform))
	}
	return out
}

// moments are the functions x and (x − mean)² of every coordinate.
func moments(k *Known, mean, sd []float64) {
	for i, s := range sd {
		k.Means = append(k.Means, mean[i], s*s)
	}
	k.Functions = func(theta, out []float64) {
		for i, x := range theta {
			out[2*i], out[2*i+1] = x, (x-mean[i])*(x-mean[i])
		}
	}
}

// scales is independent normals whose sds span six orders of magnitude.
func scales() Known {
	mean, sd := []float64{1, -20, 0, 3, 5e3}, []float64{1e-3, 0.1, 1, 10, 1e3}
	d := Density{Dims: []int{2, 3}, Log: func(x, grad []float64) float64 {
		lp := 0.0
		for i, v := range x {
			z := (v - mean[i]) / sd[i]
			lp -= 0.5 * z * z
			grad[i] = -z / sd[i]
		}
		return lp
	}}
	k := Known{Name: "normal of five scales", Transform: stdlib.NoTransform, Env: d.Env}
	moments(&k, mean, sd)
	return k
}

// correlated is a normal in 100 dimensions: a stationary autoregression with coefficient φ, coordinate i
// scaled by sd_i.
func correlated() Known {
	const n, phi = 100, 0.8
	variance := 1 - phi*phi
	sd := make([]float64, n)
	for i := range sd {
		sd[i] = math.Exp(float64(i%7) - 3)
	}
	d := Density{Dims: []int{10, 60, 30}, Log: func(x, grad []float64) float64 {
		clear(grad)
		u := x[0] / sd[0]
		lp := -0.5 * u * u
		grad[0] = -u / sd[0]
		for i := 1; i < n; i++ {
			v := x[i] / sd[i]
			r := (v - phi*u) / variance
			lp -= 0.5 * r * (v - phi*u)
			grad[i] -= r / sd[i]
			grad[i-1] += phi * r / sd[i-1]
			u = v
		}
		return lp
	}}
	k := Known{Name: "correlated normal", Transform: stdlib.NoTransform, Env: d.Env,
		Means: make([]float64, 3*n-1)}
	for i := range n {
		k.Means[n+i] = 1
		if i > 0 {
			k.Means[2*n+i-1] = phi
		}
	}
	k.Functions = func(theta, out []float64) {
		for i, x := range theta {
			u := x / sd[i]
			out[i], out[n+i] = u, u*u
			if i > 0 {
				out[2*n+i-1] = u * theta[i-1] / sd[i-1]
			}
		}
	}
	return k
}

// funnel is Neal's (2003), with a scale that one step size can handle: v ~ N(0, 1), x_i | v ~ N(0, e^v), v at
// one party and x at another.
func funnel() Known {
	d := Density{Dims: []int{1, 3}, Log: func(x, grad []float64) float64 {
		v := x[0]
		lp := -0.5 * v * v
		grad[0] = -v
		for i, y := range x[1:] {
			q := y * y * math.Exp(-v)
			lp -= 0.5 * (q + v)
			grad[0] += 0.5 * (q - 1)
			grad[1+i] = -y * math.Exp(-v)
		}
		return lp
	}}
	return Known{
		Name: "funnel", Transform: stdlib.NoTransform, Env: d.Env, Means: []float64{0, 1, 0, math.Exp(0.5), 1},
		Functions: func(t, out []float64) {
			copy(out, []float64{t[0], t[0] * t[0], t[1], t[2] * t[2], t[3] * t[3] * math.Exp(-t[0])})
		},
	}
}

// banana is x ~ N(0, 1), y | x ~ N(x²/2, 1).
func banana() Known {
	d := Density{Dims: []int{1, 1}, Log: func(x, grad []float64) float64 {
		r := x[1] - 0.5*x[0]*x[0]
		grad[0], grad[1] = -x[0]+r*x[0], -r
		return -0.5*x[0]*x[0] - 0.5*r*r
	}}
	return Known{
		Name: "banana", Transform: stdlib.NoTransform, Env: d.Env, Means: []float64{0, 1, 0.5, 1.75, 1},
		Functions: func(t, out []float64) {
			r := t[1] - 0.5*t[0]*t[0]
			copy(out, []float64{t[0], t[0] * t[0], t[1], t[1] * t[1], r * r})
		},
	}
}

// tails is a product of t distributions with 5 degrees of freedom, by their distribution functions at −3 … 3.
func tails() Known {
	const nu = 5
	d := Density{Dims: []int{2, 2}, Log: func(x, grad []float64) float64 {
		lp := 0.0
		for i, v := range x {
			lp -= 0.5 * (nu + 1) * math.Log1p(v*v/nu)
			grad[i] = -(nu + 1) * v / (nu + v*v)
		}
		return lp
	}}
	t := distuv.StudentsT{Sigma: 1, Nu: nu}
	at := []float64{-3, -1, 0, 1, 3}
	k := Known{Name: "student_t", Transform: stdlib.NoTransform, Env: d.Env}
	for range 4 {
		for _, q := range at {
			k.Means = append(k.Means, t.CDF(q))
		}
	}
	k.Functions = func(theta, out []float64) {
		for i, x := range theta {
			for j, q := range at {
				out[i*len(at)+j] = 0
				if x <= q {
					out[i*len(at)+j] = 1
				}
			}
		}
	}
	return k
}

// betaBinomial is the probability p of 7 successes in 10 with a beta(2, 3) prior, sampled as its logit:
// beta(9, 6).
func betaBinomial() Known {
	const a, b = 9.0, 6.0
	d := Density{Dims: []int{1}, Log: func(x, grad []float64) float64 {
		p := 1 / (1 + math.Exp(-x[0]))
		grad[0] = a - (a+b)*p
		return a*x[0] - (a+b)*(math.Max(x[0], 0)+math.Log1p(math.Exp(-math.Abs(x[0]))))
	}}
	return Known{
		Name: "beta-binomial", Transform: stdlib.NoTransform, Env: d.Env,
		Means: []float64{a / (a + b), a * (a + 1) / (a + b) / (a + b + 1)},
		Functions: func(theta, out []float64) {
			p := 1 / (1 + math.Exp(-theta[0]))
			out[0], out[1] = p, p*p
		},
	}
}

// regression is a linear one, whose posterior is normal under every transform.
func regression(transform def.Transform) Known {
	m := Linear(17, 12, []int{2, 1, 2}, 0.8)
	m.Transform, m.Rho = transform, 0.7
	f := m.Optimum(Structured)
	k := Known{Name: "linear regression, " + transform.Name, Transform: transform,
		Env: func(seed uint64) density.Env {
			return m.Env(seed)
		}}
	moments(&k, slices.Clone(f.Mean), f.Exact)
	return k
}
