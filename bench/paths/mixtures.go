package main

import (
	"math/rand/v2"

	"github.com/vflc/vflc/bench/beside"
)

// mixtures have 20,000 rows each.
func mixtures() []row {
	const n = 20_000
	r := rand.New(rand.NewPCG(11, 12))
	y, k, b, x := make([]float64, n), make([]float64, n), make([]float64, n), beside.Normals(r, 5*n)
	for i := range y {
		y[i] = r.NormFloat64() + float64(3*(i%2))
		k[i] = float64(r.IntN(4 + 8*(i%2)))
		b[i] = float64(i * 7 % 2)
	}
	vectors := beside.Tables{"y": {Dims: []int{n}, Values: y}, "X": {Dims: []int{n, 5}, Values: x}}
	numbers := beside.Tables{"y": vectors["y"]}
	counts := beside.Tables{"k": {Dims: []int{n}, Values: k}}
	binary := beside.Tables{"y": {Dims: []int{n}, Values: b}, "X": vectors["X"]}
	w := make([]float64, n)
	for i := range w {
		w[i] = 0.5 * float64(i%5) // some rows are left out
	}
	weighted := beside.Tables{"y": binary["y"], "X": vectors["X"], "w": {Dims: []int{n}, Values: w}}
	return []row{
		{"mixture of 2 normals", "two_normals", twoNormals, numbers},
		{"mixture of 5 normals", "five_normals", fiveNormals, numbers},
		{"mixture of 2 Poisson", "two_poissons", twoPoissons, counts},
		{"mixture of 2 regressions", "two_regressions", twoRegressions, vectors},
		{"factor log_mix", "log_mix", logMix, numbers},
		{"factor log_sum_exp of two", "log_add_exp", logAddExp, vectors},
		{"log1p_exp and log_diff_exp of rows", "soft", soft, vectors},
		{"bernoulli of 1/(1 + exp(-m))", "bernoulli", bernoulli("1 / (1 + exp(-m))"), binary},
		{"bernoulli of exp(m)/(1 + exp(m))", "bernoulli", bernoulli("exp(m) / (1 + exp(m))"), binary},
		{"bernoulli of 1 - inv_logit(-m)", "bernoulli", bernoulli("1 - inv_logit(-m)"), binary},
		{"bernoulli of inv_logit(m)", "bernoulli", bernoulli("inv_logit(m)"), binary},
		{"bernoulli_logit with weights", "weighted", weightedLogit, weighted},
		{"mixture as log_sum_exp of a matrix", "five_normals", matrixMixture, numbers},
		{"log_softmax of rows", "log_softmax", logSoftmax, vectors},
	}
}

const (
	twoNormals = `data y : real[N]
param w ~ beta(1, 1)
param mu : real[2] ~ normal(0, 5)
param s : real[2] ~ half_normal(1)
y ~ mixture(w, normal(mu[1], s[1]), normal(mu[2], s[2]))
`
	fiveNormals = `data y : real[N]
param w : simplex[5] ~ dirichlet(1)
param mu : real[5] ~ normal(0, 5)
param s : real[5] ~ half_normal(1)
y ~ mixture(w, normal(mu[1], s[1]), normal(mu[2], s[2]), normal(mu[3], s[3]), normal(mu[4], s[4]),
    normal(mu[5], s[5]))
`
	twoPoissons = `data k : count[N]
param w ~ beta(1, 1)
param l : real[2] ~ half_normal(5)
k ~ mixture(w, poisson(l[1]), poisson(l[2]))
`
	twoRegressions = `data y : real[N]
data X : real[N, P]
param w ~ beta(1, 1)
param a : real[2] ~ normal(0, 1)
param b : real[P] ~ normal(0, 1)
param c : real[P] ~ normal(0, 1)
param s : real[2] ~ half_normal(1)
y ~ mixture(w, normal(a[1] + X * b, s[1]), normal(a[2] + X * c, s[2]))
`
	logMix = `data y : real[N]
param w ~ beta(1, 1)
param mu : real[2] ~ normal(0, 5)
param s : real[2] ~ half_normal(1)
factor log_mix(w, normal_lpdf(y | mu[1], s[1]), normal_lpdf(y | mu[2], s[2]))
`
	logAddExp = `data y : real[N]
data X : real[N, P]
param a ~ normal(0, 1)
param b : real[P] ~ normal(0, 1)
factor log_sum_exp(a * y, X * b)
`
	matrixMixture = `data y : real[N]
param w : simplex[5] ~ dirichlet(1)
param mu : real[5] ~ normal(0, 5)
param s : real[5] ~ half_normal(1)
factor log_sum_exp(row(log(w)) + normal_lpdf(col(y) | mu, s))
`
	weightedLogit = `data y : binary[N]
data X : real[N, P]
data w : real[N]
param a ~ normal(0, 1)
param b : real[P] ~ normal(0, 1)
y ~ bernoulli_logit(a + X * b) weights w
`
	logSoftmax = `data y : real[N]
data X : real[N, P]
param b : real[P] ~ normal(0, 1)
factor row_sums(X .* log_softmax(X .* row(b)))
`
	soft = `data y : real[N]
data X : real[N, P]
param a ~ half_normal(1)
param b : real[P] ~ normal(0, 1)
let m = X * b
factor softplus(m) + log1m_exp(-a - m^2)
`
)

func bernoulli(probability string) string {
	return `data y : binary[N]
data X : real[N, P]
param a ~ normal(0, 1)
param b : real[P] ~ normal(0, 1)
let m = a + X * b
y ~ bernoulli(` + probability + `)
`
}
