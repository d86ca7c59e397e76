package main

import (
	"math"
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
	const columns = 10
	r := rand.New(rand.NewPCG(33, 34))
	x, z := beside.Normals(r, n*columns), beside.Normals(r, n)
	flag, to, positive := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range z {
		for j := range columns {
			z[i] += 0.2 * x[i+n*j]
		}
		flag[i], to[i], positive[i] = float64(i%2), z[i]+r.ExpFloat64(), math.Abs(z[i])
	}
	regression := func(y []float64, more ...[]float64) beside.Tables {
		t := beside.Tables{"y": {Dims: []int{n}, Values: y}, "X": {Dims: []int{n, columns}, Values: x}}
		for _, v := range more {
			t["c"] = beside.Table{Dims: []int{n}, Values: v}
		}
		return t
	}
	const declared = "data y : real[N]\ndata X : real[N, P]\nparam s ~ half_normal(1)\n" +
		"param b : real[P] ~ normal(0, 1)\n"
	return []row{
		{"normal, half right-censored", "censored_normal", censoredNormal, beside.Tables{
			"y": {Dims: []int{n}, Values: y}}},
		{"normal regression, half right-censored", "right", declared +
			"data c : binary[N]\ny ~ normal(X * b, s) censor(right=c == 1)\n", regression(z, flag)},
		{"normal regression, left-censored at 0", "tobit", declared +
			"y ~ normal(X * b, s) censor(left=0)\n", regression(z)},
		{"normal regression, interval-censored", "interval", declared +
			"data c : real[N]\ny ~ normal(X * b, s) censor(interval=c)\n", regression(z, to)},
		{"normal regression, truncated at 0", "truncated", declared +
			"y ~ normal(X * b, s) truncate(lower=0)\n", regression(positive)},
		{"normal regression, truncated to 0 to 6", "truncated_twice", declared +
			"y ~ normal(X * b, s) truncate(lower=0, upper=6)\n", regression(positive)},
		{"gumbel regression, interval-censored", "gumbel_interval", declared +
			"data c : real[N]\ny ~ gumbel(X * b, s) censor(interval=c)\n", regression(z, to)},
		{"logistic regression, half left-censored", "logistic_left", declared +
			"data c : binary[N]\ny ~ logistic(X * b, s) censor(left=c == 1)\n", regression(z, flag)},
		{"graded responses, cut points by item", "graded", graded, responses(n, 1000, 20)},
	}
}

// responses are of persons to items in four grades.
func responses(n, persons, items int) beside.Tables {
	r := rand.New(rand.NewPCG(35, 36))
	y, person, item := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], person[i], item[i] = float64(1+r.IntN(4)), float64(1+i%persons), float64(1+i/persons%items)
	}
	of := func(v []float64, levels int) beside.Table {
		return beside.Table{Dims: []int{n}, Values: v, Levels: levels}
	}
	return beside.Tables{"y": of(y, 4), "person": of(person, persons), "item": of(item, items)}
}

const graded = `data y : level(4)[N]
data person : level(J)[N]
data item : level(K)[N]
param theta : real[J] ~ normal(0, 1)
param a : real[K] ~ normal(0, 1)
param c : ordered[K, 3] ~ normal(0, 3)
y ~ ordered_logistic(a[item] .* theta[person], c[item])
`

const censoredNormal = `data y : real[N]
param mu ~ normal(0, 5)
param s ~ half_normal(1)
y ~ normal(mu, s) censor(right=0)
`
