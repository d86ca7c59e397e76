package main

import (
	"math/rand/v2"

	"github.com/vflc/vflc/bench/beside"
)

// tails are of likelihoods of 20,000 rows.
func tails() []row {
	const n = 20_000
	y := beside.Normals(rand.New(rand.NewPCG(31, 32)), n)
	for i, v := range y {
		y[i] = min(v, 0) // at 0 measuring stops
	}
	return []row{
		{"normal, half right-censored", "censored_normal", censoredNormal, beside.Tables{
			"y": {Dims: []int{n}, Values: y}}},
	}
}

const censoredNormal = `data y : real[N]
param mu ~ normal(0, 5)
param s ~ half_normal(1)
y ~ normal(mu, s) censor(right=0)
`
