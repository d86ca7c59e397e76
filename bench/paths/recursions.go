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
		{"stochastic volatility, AR(1) of shocks", "volatility", volatility, series},
		{"AR(2) of shocks", "second_order", secondOrder, series},
		{"local trend, two states", "trend", trend, series},
		{"local level with its variance", "level", level, series},
		{"Ricker growth", "ricker", growth("n[t - 1] * exp(r * (1 - n[t - 1] / K) + s * e[t])"), series},
		{"logistic growth", "logistic", growth("n[t - 1] + r * n[t - 1] * (1 - n[t - 1] / K) + s * e[t]"), series},
		{"SIR in differences", "epidemic", epidemic, series},
	}
}

const (
	garch = `data y : real[T]
param mu ~ normal(0, 1)
param a ~ half_normal(1)
param w : simplex[3] ~ dirichlet(1)
let v : real[T] = recur v[1] = 1, v[t] = a + w[1] * (y[t - 1] - mu)^2 + w[2] * v[t - 1] for t in 2..T
y ~ normal(mu, sqrt(v))
`
	volatility = `data y : real[T]
param mu ~ normal(0, 1)
param phi ~ uniform(-1, 1)
param s ~ half_normal(1)
param e : real[T] ~ normal(0, 1)
let h : real[T] = recur h[1] = mu + s * e[1] / sqrt(1 - phi^2),
    h[t] = mu + phi * (h[t - 1] - mu) + s * e[t] for t in 2..T
y ~ normal(0, exp(h / 2))
`
	secondOrder = `data y : real[T]
param a ~ uniform(-1, 1)
param b ~ uniform(-1, 1)
param s ~ half_normal(1)
param e : real[T] ~ normal(0, 1)
let h : real[T] = recur h[1] = e[1], h[2] = e[2], h[t] = a * h[t - 1] + b * h[t - 2] + s * e[t] for t in 3..T
y ~ normal(0, exp(h / 2))
`
	trend = `data y : real[T]
param a ~ uniform(0, 1)
param b ~ uniform(0, 1)
param s ~ half_normal(1)
let x : real[T, 2] = recur x[1] = append(0, 0), l[t] = a * y[t - 1] + (1 - a) * (x[t - 1, 1] + x[t - 1, 2]),
    x[t] = append(l[t], b * (l[t] - x[t - 1, 1]) + (1 - b) * x[t - 1, 2]) for t in 2..T
y ~ normal(x[:, 1] + x[:, 2], s)
`
	level = `data y : real[T]
param s ~ half_normal(1)
param q ~ half_normal(1)
let x : real[T, 2] = recur x[1] = append(0, 1), k[t] = x[t - 1, 2] / (x[t - 1, 2] + s^2),
    x[t] = append(x[t - 1, 1] + k[t] * (y[t - 1] - x[t - 1, 1]), x[t - 1, 2] * (1 - k[t]) + q^2) for t in 2..T
y ~ normal(x[:, 1], sqrt(x[:, 2] + s^2))
`
	epidemic = `data y : real[T]
param b ~ uniform(0, 0.1)
param g ~ uniform(0, 0.1)
param s ~ half_normal(1)
let x : real[T, 2] = recur x[1] = append(0.99, 0.01), i[t] = b * x[t - 1, 1] * x[t - 1, 2],
    x[t] = append(x[t - 1, 1] - i[t], x[t - 1, 2] + i[t] - g * x[t - 1, 2]) for t in 2..T
y ~ normal(x[:, 2], s)
`
)

func growth(step string) string {
	return `data y : real[T]
param r ~ uniform(0, 1)
param K ~ half_normal(1)
param s ~ uniform(0, 0.1)
param e : real[T] ~ normal(0, 1)
let n : real[T] = recur n[1] = K, n[t] = ` + step + ` for t in 2..T
y ~ normal(n, 1)
`
}
