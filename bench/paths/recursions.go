package main

import (
	"math/rand/v2"

	"github.com/vflc/vflc/bench/beside"
)

// recursions have 5,000 steps each.
func recursions() []row {
	const n = 5000
	y := beside.Normals(rand.New(rand.NewPCG(21, 22)), n)
	series := beside.Tables{"y": {Dims: []int{n}, Values: y}}
	return []row{
		{"GARCH(1, 1)", "garch", garch, series},
	}
}

const garch = `data y : real[T]
param mu ~ normal(0, 1)
param a ~ half_normal(1)
param w : simplex[3] ~ dirichlet(1)
let v : real[T] = recur v[1] = 1, v[t] = a + w[1] * (y[t - 1] - mu)^2 + w[2] * v[t - 1] for t in 2..T
y ~ normal(mu, sqrt(v))
`
