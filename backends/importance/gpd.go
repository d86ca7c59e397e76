package importance

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// fitPareto fits the generalised Pareto distribution to exceedances in ascending order, by the profile
// posterior mean of Zhang and Stephens (2009), "A new and efficient estimation method for the generalized
// Pareto distribution", Technometrics 51(3), with the weakly informative prior of Vehtari, Simpson, Gelman,
// Yao and Gabry (2024): k is shrunk towards ½ with the weight of ten observations. k is +Inf if it cannot be
// fitted.
func fitPareto(x []float64) (k, sigma float64) {
	n := float64(len(x))
	points := 30 + int(math.Sqrt(n))
	quartile := x[int(math.Floor(float64(n/4)+0.5))-1]
	theta, weight := make([]float64, points), make([]float64, points)
	for j := range theta {
		theta[j] = 1/x[len(x)-1] + (1-math.Sqrt(float64(points)/(float64(j)+0.5)))/3/quartile
		a := meanLog1p(-theta[j], x)
		weight[j] = n * (portable.Log(-theta[j]/a) - a - 1)
	}
	total := portable.LogSumExp(weight)
	best := 0.0
	for j, w := range weight {
		best += float64(theta[j] * portable.Exp(w-total))
	}
	k = meanLog1p(-best, x)
	sigma = -k / best
	k = (float64(k*n) + 5) / (n + 10)
	if math.IsNaN(k) || math.IsNaN(sigma) {
		return math.Inf(1), math.NaN()
	}
	return k, sigma
}

// meanLog1p is the mean of log(1 + a·x).
func meanLog1p(a float64, x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += portable.Log1p(a * v)
	}
	return sum / float64(len(x))
}

// quantileGPD is the quantile function of the generalised Pareto distribution.
func quantileGPD(p, k, sigma float64) float64 {
	if k == 0 {
		return -sigma * portable.Log1p(-p)
	}
	return sigma * portable.Expm1(-k*portable.Log1p(-p)) / k
}
