// Package importance gives a normal approximation heavier tails, for draws that are corrected by importance
// sampling: weights of draws from a normal distribution have no bound where the posterior's tails are longer.
//
// The proposal is a mixture of the approximation N(μ, Σ), a quarter of the draws, and of Student's t with 5
// degrees of freedom, the location μ and the scale matrix Σ (Hesterberg 1995, "Weighted average importance
// sampling and defensive mixture distributions"; Owen and Zhou 2000): the t's standard deviations are 1.29 of
// those of Σ, as the posterior's often are. All draws are weighed by the density of the mixture. Where the
// posterior is normal no weight is above 4, so that in any number of dimensions the draws are worth a quarter
// of their number at least; draws from the t alone are worth a fourteenth in 1000.
package importance

import (
	"math"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
)

// freedom is the degrees of freedom of the t, and share the part of the draws that are of it.
const (
	freedom = 5
	share   = 0.75
)

// equal is a spread of log p − log N over draws of the approximation within which it is the posterior: no
// weight of one of its own draws is off by more than one per cent.
const equal = 0.01

// each is among how many draws one is of the approximation itself.
const each = 4

// Normal reports whether a draw is one of the approximation itself.
func Normal(id int) bool { return id%each == 0 }

// Scales are those of so many draws, the same at every party: a draw of the approximation moved away from its
// mean by that factor is one of the mixture.
func Scales(env density.Env, draws int) []float64 {
	stream := env.Shared("heavier tails")
	out := make([]float64, draws)
	for id := range out {
		stream.Round(uint64(id))
		out[id] = Scale(id, stream.FillNormals)
	}
	return out
}

// Scale is that of one draw, from standard normals.
func Scale(id int, fill func([]float64)) float64 {
	if Normal(id) {
		return 1
	}
	normals, squares := make([]float64, freedom), 0.0
	fill(normals)
	for _, x := range normals {
		squares += float64(x * x)
	}
	return math.Sqrt(freedom / squares)
}

// Correct sets ratios, which are log p − log N(μ, Σ) at draws, to log p − log q for the mixture q, given the
// squared lengths (θ − μ)ᵀΣ⁻¹(θ − μ) of all parties' draws in so many dimensions. It reports true where they
// are equal at the draws of the approximation, which is then the posterior: its own draws need no weights,
// and all ratios are such. Draws far out say nothing of that, since a density that is 0 but for rounding need
// not be exact there.
func Correct(ratios, squares []float64, dims int) (normal bool) {
	least, most := math.Inf(1), math.Inf(-1)
	for id, r := range ratios {
		if Normal(id) {
			least, most = min(least, r), max(most, r)
		}
	}
	if len(ratios) > each && most-least < equal { // of one draw alone nothing follows
		for id := range ratios {
			ratios[id] = ratios[id-id%each]
		}
		return true
	}
	for i, s := range squares {
		ratios[i] -= Excess(dims, s)
	}
	return false
}

// Excess is the logarithm of the mixture's density over that of the approximation at a squared length.
func Excess(dims int, square float64) float64 {
	const nu = freedom
	d := float64(dims)
	t := portable.Lgamma((nu+d)/2) - portable.Lgamma(nu/2.0) - float64(d/2*portable.Log(nu/2.0)) +
		float64(square/2) - float64((nu+d)/2*portable.Log1p(square/nu))
	top := max(0, t)
	return top + portable.Log(float64((1-share)*portable.Exp(-top))+float64(share*portable.Exp(t-top)))
}
