package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/vflc/vflc/bench/beside"
)

// processes are Gaussian processes.
func processes() []row {
	var out []row
	for _, n := range []int{200, 1000} {
		r := rand.New(rand.NewPCG(41, 42))
		out = append(out, row{fmt.Sprintf("Gaussian process, n = %d", n), "process", process, beside.Tables{
			"x": {Dims: []int{n}, Values: beside.Normals(r, n)},
			"y": {Dims: []int{n}, Values: beside.Normals(r, n)}}})
	}
	const n, m = 200, 500
	r := rand.New(rand.NewPCG(43, 44))
	flips := make([]float64, n)
	for i := range flips {
		flips[i] = float64(r.IntN(2))
	}
	return append(out, row{"latent Gaussian process, n = 200", "latent", latent, beside.Tables{
		"x": {Dims: []int{n}, Values: beside.Normals(r, n)}, "y": {Dims: []int{n}, Values: flips}}},
		row{"10 vectors of a multivariate normal, n = 500", "vectors", vectors, beside.Tables{
			"x": {Dims: []int{m}, Values: beside.Normals(r, m)},
			"Y": {Dims: []int{10, m}, Values: beside.Normals(r, 10*m)}}})
}

const process = `data x : real[N]
data y : real[N]
param rho ~ inv_gamma(5, 5)
param alpha ~ half_normal(1)
param sigma ~ half_normal(1)
y ~ multi_normal(0, gp_exp_quad(x, alpha, rho) + diag(rep(sigma^2, N)))
`

const latent = `data x : real[N]
data y : binary[N]
param rho ~ inv_gamma(5, 5)
param alpha ~ half_normal(1)
param z : real[N] ~ normal(0, 1)
y ~ bernoulli_logit(cholesky(gp_exp_quad(x, alpha, rho) + diag(rep(0.000001, N))) * z)
`

const vectors = `data x : real[K]
data Y : real[N, K]
param rho ~ inv_gamma(5, 5)
param sigma ~ half_normal(1)
param mu : real[K] ~ normal(0, 1)
Y ~ multi_normal(mu, gp_matern32(x, 1, rho) + diag(rep(sigma^2, K)))
`
