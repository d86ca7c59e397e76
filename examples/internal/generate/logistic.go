package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/vflc/vflc/runtime/vector"
)

// logistic makes 500 rows of y ~ Bernoulli(1/(1 + exp(-(b + x beta + spread·e)))) with 20 covariates; b,
// beta, x and the row's own noise e are standard normal. The covariates are split over two hospitals, and
// once more over ten labs. With a spread of 0 the data are of the models' own likelihood; with 1 they are
// those of the paper, which the models fit with coefficients nearer to zero than the true ones.
func logistic(spread float64) map[string][]byte {
	const n, p, labs = 500, 20, 10
	b := normals("logistic b", 1)[0]
	beta, x, noise := normals("logistic beta", p), normals("logistic x", n*p), normals("logistic noise", n)
	coin := vector.NewGenerator(vector.SharedKey(seed), "logistic coin")
	y := make([]int, n)
	for i := range y {
		eta := b + dot(x[i*p:(i+1)*p], beta) + float64(spread*noise[i])
		if coin.Float64() < 1/(1+math.Exp(-eta)) {
			y[i] = 1
		}
	}
	covariates := func(first, last int) []byte {
		return table(numbered("x", first, last), n, func(i, c int) string {
			return decimal(x[i*p+first-1+c])
		})
	}
	response := table([]string{"y"}, n, func(i, _ int) string { return strconv.Itoa(y[i]) })
	two, ten := newTruth(), newTruth()
	two.scalar("b", b)
	two.vector("beta_a", beta[:p/2])
	two.vector("beta_b", beta[p/2:])
	ten.scalar("b", b)
	out := map[string][]byte{
		"logistic/registry.csv":      response,
		"logistic/hospital_a.csv":    covariates(1, p/2),
		"logistic/hospital_b.csv":    covariates(p/2+1, p),
		"logistic_family/server.csv": response,
	}
	const each = p / labs
	for j := range labs {
		out[fmt.Sprintf("logistic_family/lab/lab%d.csv", j+1)] = covariates(j*each+1, (j+1)*each)
		ten.vector(fmt.Sprintf("lab[%d].beta", j+1), beta[j*each:(j+1)*each])
	}
	out["logistic/truth.csv"], out["logistic_family/truth.csv"] = two.Bytes(), ten.Bytes()
	return out
}
