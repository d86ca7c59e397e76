package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/bench/beside"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/encoder"
)

func rows() []row {
	var out []row
	for _, size := range [][2]int{{512, 20}, {2016, 8}, {100_000, 50}, {1_000_000, 20}} {
		n, p := size[0], size[1]
		out = append(out, row{fmt.Sprintf("Bernoulli-logit %d×%d", n, p), logistic, func() beside.Tables {
			return regression(n, p)
		}, "logistic", n, p, nil})
	}
	out = append(out,
		row{"Poisson multilevel 2000×4, 5 levels (C: 512×20)", multilevel, grouped, "logistic", 512, 20, nil},
		row{"Eight schools (C: 512×20)", schools, eightSchools, "logistic", 512, 20, nil},
		row{"Network 1-16-16-2, tanh, 512 rows (C: 512×20)", tanhNetwork, pairs, "logistic", 512, 20, nil},
		row{"Networks 7-8-8 and 8-8-8, ReLU, 826 rows (C: 512×20)", splitNetwork, twoTables, "logistic", 512,
			20, nil},
		row{"Cauchy decay, 2000 rows", decay, curve, "decay", 2000, 0, nil},
		row{"Normal growth with its own scales, 2000 rows", growth, curve, "growth", 2000, 0, nil},
		row{"Student-t of tanh, 2000 rows", student, curve, "student", 2000, 0, nil},
	)
	return out
}

const (
	logistic = `data y : binary[N]
data X : real[N, P]
param b ~ normal(0, 1)
param beta : real[P] ~ normal(0, 1)
y ~ bernoulli_logit(b + X * beta)
`
	multilevel = `data y : count[N]
data X : real[N, P]
data g : level(5)[N]
param mu ~ normal(0, 5)
param tau ~ half_normal(1)
param a : real[5] ~ normal(mu, tau)
param beta : real[P] ~ normal(0, 1)
y ~ poisson_log(a[g] + X * beta)
`
	schools = `data y : real[N]
data s : real[N]
param mu ~ normal(0, 5)
param tau ~ half_cauchy(5)
param eta : real[N] ~ normal(0, 1)
y ~ normal(mu + tau * eta, s)
`
	tanhNetwork = `data Y : real[N, 2]
data X : real[N, 1]
param u : real[1, 16] ~ normal(0, 1)
param v : real[16, 16] ~ normal(0, 1)
param w : real[16, 2] ~ normal(0, 1)
param a : real[16] ~ normal(0, 1)
param b : real[16] ~ normal(0, 1)
param c : real[2] ~ normal(0, 1)
Y ~ normal(tanh(tanh(X * u + row(a)) * v + row(b)) * w + row(c), 1)
`
	splitNetwork = `data y : binary[N]
data A : real[N, 7]
data B : real[N, 8]
param a1 : real[7, 8] ~ normal(0, 1)
param a2 : real[8, 8] ~ normal(0, 1)
param b1 : real[8, 8] ~ normal(0, 1)
param b2 : real[8, 8] ~ normal(0, 1)
param c1 : real[8] ~ normal(0, 1)
param c2 : real[8] ~ normal(0, 1)
param d1 : real[8] ~ normal(0, 1)
param d2 : real[8] ~ normal(0, 1)
param w : real[8] ~ normal(0, 1)
param c ~ normal(0, 1)
let h = relu(relu(A * a1 + row(c1)) * a2 + row(c2)) + relu(relu(B * b1 + row(d1)) * b2 + row(d2))
y ~ bernoulli_logit(h * w + c)
`
	decay = `data x : real[N]
data y : real[N]
param p0 ~ normal(0, 1)
param p1 ~ normal(0, 1)
param p2 ~ normal(0, 1)
param p3 ~ half_normal(1)
y ~ cauchy(p0 * exp(p1 * x) + p2, p3)
`
	growth = `data x : real[N]
data y : real[N]
param p0 ~ normal(0, 1)
param p1 ~ normal(0, 1)
param p2 ~ normal(0, 1)
param p3 ~ normal(0, 1)
y ~ normal(p0 * inv_logit(p1 * (x - p2)), exp(p3 * x))
`
	student = `data x : real[N]
data y : real[N]
param p0 ~ normal(0, 1)
param p1 ~ normal(0, 1)
param p2 ~ normal(0, 1)
param p3 ~ half_normal(1)
y ~ student_t(4, p0 * tanh(p1 * x + p2), p3)
`
)

// regression has normal covariates.
func regression(n, p int) beside.Tables {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := beside.Normals(r, n*p), make([]float64, n)
	for i := range y {
		y[i] = float64(r.IntN(2))
	}
	return beside.Tables{"X": {Dims: []int{n, p}, Values: x}, "y": {Dims: []int{n}, Values: y}}
}

// decimals is regression with covariates of six decimals, as files of data have them.
func decimals(n, p int) beside.Tables {
	t := regression(n, p)
	for i, v := range t["X"].Values {
		t["X"].Values[i] = math.Round(v*1e6) / 1e6
	}
	return t
}

// standardised is decimals after zscore.
func standardised(n, p int) beside.Tables {
	t, e := decimals(n, p), encoder.ZScore()
	x := t["X"]
	for j := range p {
		column := x.Values[j*n:][:n]
		in, f := []def.Column{{Numbers: column}}, data.Fitted{Encoder: e.Name}
		if fault := e.Fit(in, &f.Fitted); fault != nil {
			panic("graph: " + fault.Text)
		}
		e.Apply(in, &f.Fitted, [][]float64{column}, nil)
		x.Encoders = append(x.Encoders, f)
	}
	t["X"] = x
	return t
}

func grouped() beside.Tables {
	const n = 2000
	r := rand.New(rand.NewPCG(3, 4))
	x, y, g := beside.Normals(r, 4*n), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], g[i] = float64(r.IntN(6)), float64(1+r.IntN(5))
	}
	return beside.Tables{"X": {Dims: []int{n, 4}, Values: x}, "y": {Dims: []int{n}, Values: y},
		"g": {Dims: []int{n}, Values: g, Levels: 5}}
}

func eightSchools() beside.Tables {
	return beside.Tables{
		"y": {Dims: []int{8}, Values: []float64{28, 8, -3, 7, -1, 1, 18, 12}},
		"s": {Dims: []int{8}, Values: []float64{15, 10, 16, 11, 9, 11, 10, 18}},
	}
}

func curve() beside.Tables {
	const n = 2000
	r := rand.New(rand.NewPCG(5, 6))
	return beside.Tables{"x": {Dims: []int{n}, Values: beside.Normals(r, n)},
		"y": {Dims: []int{n}, Values: beside.Normals(r, n)}}
}

func pairs() beside.Tables {
	r := rand.New(rand.NewPCG(7, 8))
	const n = 512
	return beside.Tables{"X": {Dims: []int{n, 1}, Values: beside.Normals(r, n)},
		"Y": {Dims: []int{n, 2}, Values: beside.Normals(r, 2*n)}}
}

func twoTables() beside.Tables {
	const n = 826
	a, b := regression(n, 7), regression(n, 8)
	return beside.Tables{"y": a["y"], "A": a["X"], "B": b["X"]}
}
