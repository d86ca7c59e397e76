package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
)

// poissonMultilevel makes 300 rows of y ~ Poisson(pop exp(b + Σ x slope[r])) with two covariates at each of
// two agencies, five levels r of remoteness, and slopes around a mean of the covariate's own.
func poissonMultilevel() map[string][]byte {
	const n, levels, covariates = 300, 5, 4
	const b = -2.5
	tau := []float64{0.3, 0.2, 0.25, 0.15}
	mu, spread := []float64{0.4, -0.3, 0.2, -0.1}, normals("poisson_multilevel slopes", levels*covariates)
	slope := make([]float64, levels*covariates) // by level
	for k := range slope {
		slope[k] = rounded(mu[k%covariates] + float64(tau[k%covariates]*spread[k]))
	}
	x := normals("poisson_multilevel x", n*covariates)
	draws := vector.NewGenerator(vector.SharedKey(seed), "poisson_multilevel y").Rand()
	y, pop, level := make([]int, n), make([]int, n), make([]int, n)
	for i := range y {
		pop[i], level[i] = 5+draws.IntN(40), draws.IntN(levels)
		eta := b + dot(x[i*covariates:(i+1)*covariates], slope[level[i]*covariates:(level[i]+1)*covariates])
		y[i] = poisson(draws, float64(pop[i])*math.Exp(eta))
	}
	agency := func(first int) []byte {
		return table(numbered("x", first, first+1), n, func(i, c int) string {
			return decimal(x[i*covariates+first-1+c])
		})
	}
	values := newTruth()
	values.scalar("b", b)
	for j, name := range []string{"a", "b"} {
		values.vector("mu_"+name, mu[2*j:2*j+2])
		values.vector("tau_"+name, tau[2*j:2*j+2])
		for r := range levels {
			for k := range 2 {
				values.scalar(fmt.Sprintf("slope_%s[%d,%d]", name, r+1, k+1), slope[r*covariates+2*j+k])
			}
		}
	}
	return map[string][]byte{
		"poisson_multilevel/server.csv": table([]string{"y", "pop", "remoteness"}, n, func(i, c int) string {
			return strconv.Itoa([]int{y[i], pop[i], level[i] + 1}[c])
		}),
		"poisson_multilevel/health.csv": agency(1),
		"poisson_multilevel/census.csv": agency(3),
		"poisson_multilevel/truth.csv":  values.Bytes(),
	}
}

// poisson draws a count.
func poisson(r *rand.Rand, mean float64) int {
	d, _ := stdlib.New().Dist("poisson")
	return int(d.Sample(r, []float64{mean}))
}
