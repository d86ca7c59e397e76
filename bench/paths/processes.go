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
	return out
}

const process = `data x : real[N]
data y : real[N]
param rho ~ inv_gamma(5, 5)
param alpha ~ half_normal(1)
param sigma ~ half_normal(1)
y ~ multi_normal(0, gp_exp_quad(x, alpha, rho) + diag(rep(sigma^2, N)))
`
