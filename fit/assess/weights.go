package assess

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/linear"
)

// stacking returns the weights w of the mixture of predictive distributions that predicts best, the maximum
// of Σ_i log Σ_k w_k exp(lpd[k][i]) on the simplex: Yao, Vehtari, Simpson and Gelman (2018), "Using
// stacking to average Bayesian predictive distributions", Bayesian Analysis 13(3). A barrier goes to 0
// along Newton's steps: the score is below its maximum by no more than as many times leastBarrier as there
// are models and observations.
func stacking(lpd [][]float64) []float64 {
	k, n := len(lpd), len(lpd[0])
	p := make([][]float64, n) // likelihoods, the largest of a row 1
	w := slices.Repeat([]float64{1 / float64(k)}, k)
	for i := range p {
		for _, l := range lpd {
			p[i] = append(p[i], l[i])
		}
		floats.AddConst(-slices.Max(p[i]), p[i])
		for j, v := range p[i] {
			p[i][j] = portable.Exp(v)
		}
	}
	for mu := 0.1; mu > leastBarrier; mu /= 10 {
		for range newtonSteps {
			if !towards(w, p, mu) {
				break
			}
		}
	}
	floats.Scale(1/portable.Sum(w), w)
	return w
}

const (
	leastBarrier = 1e-13
	newtonSteps  = 50
)

// towards makes a Newton step of −Σ_i log(p_i·w)/n + Σ_k w_k − μ Σ_k log w_k, whose minimum for μ = 0 lies on
// the simplex, in coordinates log w scaled to first order. It reports whether the step was worth one.
func towards(w []float64, p [][]float64, mu float64) bool {
	k, n := len(w), float64(len(p))
	step, h, share := make([]float64, k), make([]float64, k*k), make([]float64, k)
	for j := range k {
		step[j], h[j+k*j] = mu-w[j], mu
	}
	for _, row := range p {
		q := portable.Dot(row, w)
		for j := range k {
			share[j] = row[j] * w[j] / q
		}
		for j := range k {
			step[j] += share[j] / n
			for i := j; i < k; i++ {
				h[i+k*j] += float64(share[i] * share[j] / n)
			}
		}
	}
	decrement := slices.Clone(step)
	if !linear.Cholesky(h, h, k) {
		return false
	}
	linear.SolveLower(step, h, k)
	linear.SolveUpper(step, h, k)
	length := 1.0
	for _, v := range step {
		length = min(length, -0.9/min(v, -0.9)) // every weight stays above a tenth of itself
	}
	for j, v := range step {
		w[j] *= 1 + float64(length*v)
	}
	return portable.Dot(decrement, step) > 1e-4*mu
}

// replicates is how many Bayesian bootstraps pseudo-BMA+ averages: its weights have Monte Carlo standard
// errors of at most 0.5/√replicates.
const replicates = 2000

// pseudoBMA returns the weights of pseudo-BMA+ of Yao and others: proportional to exp(elpd), averaged over
// Bayesian bootstraps of the observations.
func pseudoBMA(lpd [][]float64) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	out, elpd, alpha := make([]float64, len(lpd)), make([]float64, len(lpd)), make([]float64, len(lpd[0]))
	for range replicates {
		for i := range alpha {
			alpha[i] = portable.Exponential(r)
		}
		n := float64(len(alpha)) / portable.Sum(alpha)
		for k, l := range lpd {
			elpd[k] = portable.Dot(alpha, l) * n
		}
		total := portable.LogSumExp(elpd)
		for k, e := range elpd {
			out[k] += portable.Exp(e-total) / replicates
		}
	}
	return out
}
