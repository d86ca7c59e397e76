package release

import (
	"math"

	"github.com/vflc/vflc/portable"
)

// Rho is the zero-concentrated budget of which an (ε, δ) guarantee follows: the largest ρ for which Delta is
// at most δ.
func Rho(epsilon, delta float64) float64 {
	return largest(func(rho float64) bool { return Delta(rho, epsilon) <= delta })
}

// Delta is the smallest δ that is known for a mechanism with zero-concentrated privacy ρ at ε,
//
//	δ = inf_{α > 1} exp((α−1)(αρ−ε))/(α−1) · (1 − 1/α)^α.
//
// Source: Canonne, Kamath and Steinke (2020), proposition 12. The logarithm is a convex function of α where
// it matters, and its infimum is found by sections; any α gives a bound that holds.
func Delta(rho, epsilon float64) float64 {
	at := func(l float64) float64 {
		alpha := 1 + portable.Exp(l)
		return float64((alpha-1)*(float64(alpha*rho)-epsilon)) - l + float64(alpha*portable.Log1p(-1/alpha))
	}
	low, high := portable.Log(1e-6), portable.Log(1e9)
	for range 120 {
		a, b := low+float64((high-low)*0.382), low+float64((high-low)*0.618)
		if at(a) < at(b) {
			high = b
		} else {
			low = a
		}
	}
	return min(1, portable.Exp(at(float64((low+high)/2))))
}

// Mu is the μ of Gaussian differential privacy that belongs to ρ: of a Gaussian mechanism whose noise has μ⁻¹
// times the sensitivity for standard deviation, ρ = μ²/2. Source: Dong, Roth and Su (2022), Gaussian
// differential privacy.
func Mu(rho float64) float64 { return math.Sqrt(2 * rho) }

func normal(z float64) float64 { return float64(portable.Erfc(-z/math.Sqrt2) / 2) }

// largest is the largest positive number with a property that all smaller ones have.
func largest(has func(float64) bool) float64 {
	low, high := 1e-12, 1e6
	for range 200 {
		middle := math.Sqrt(low * high)
		if has(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
