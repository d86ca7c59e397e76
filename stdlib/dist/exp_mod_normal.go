package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/special"
)

// ExpModNormal is the distribution of the sum of a normal and an exponential variable.
func ExpModNormal() def.Dist {
	return def.Dist{
		Name: "exp_mod_normal",
		Doc: `The distribution of u + v for u ~ normal(mu, sigma) and v ~ exponential(lambda): reaction times.

    log p(x) = log(lambda) + lambda (mu + lambda sigma²/2 - x) + log(Phi((x - mu)/sigma - lambda sigma))

Source: Stan Functions Reference, "Exponentially modified normal distribution".`,
		Params: []def.Param{
			{Name: "mu", Doc: "mean of the normal part", Domain: def.RealLine},
			{Name: "sigma", Doc: "standard deviation of the normal part", Domain: def.Positive},
			{Name: "lambda", Doc: "rate of the exponential part", Domain: def.Positive},
		},
		Mean:         "mu + inv(lambda)",
		Support:      def.RealLine,
		LocationAt:   -1,
		ScaleAt:      -1,
		Link:         def.Link{Scale: def.IdentityLink, Param: 0},
		Lower:        def.End{Decay: def.Exponential},
		Upper:        def.End{Decay: def.Power},
		LogDensity:   func(b *def.Block) float64 { return pointwise(b, expModNormalAt) },
		NoVectorForm: "the two tails need different formulas, chosen for each row",
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return theta[0] + positive(theta[1])*r.NormFloat64() + r.ExpFloat64()/positive(theta[2])
		},
		NoCDF:    "its distribution function is a difference of two numbers that are nearly equal in the lower tail",
		Examples: []string{"data seconds : real[N]\nparam mu ~ normal(0, 1)\nseconds ~ exp_mod_normal(mu, 0.1, 3)"},
		Cases: []def.Case{
			{X: 0, Theta: []float64{0, 1, 1}, LogP: -1.3410216450092636},
			{X: 3, Theta: []float64{-1, 2.5, 0.5}, LogP: -2.3631486930427283},
			{X: -8, Theta: []float64{0, 1, 4}, LogP: -34.02437864044891},
			{X: 80, Theta: []float64{0, 1, 4}, LogP: -310.6137056388801},
			{X: 0.3, Theta: []float64{0.2, 0.01, 3}, LogP: 0.7990622886681098},
			{X: -30, Theta: []float64{1, 2, 5}, LogP: -122.67471107474543},
			{X: 2, Theta: []float64{0, 5, 20}, LogP: -2.604469203675555},
		},
	}
}

// With z = (x - mu)/sigma and w = z - lambda·sigma, the log density is log lambda + log φ(z) + log(Phi(w)/φ(w)), whose terms do not
// cancel where w < 0; above, the formula of the documentation is the stable one.
func expModNormalAt(x float64, theta [maxParams]float64) point {
	sigma, lambda := positive(theta[1]), positive(theta[2])
	z := (x - theta[0]) / sigma
	w := z - lambda*sigma
	logPhi, mills := special.LogPhi(w)
	value := -lambda*sigma*(w+0.5*lambda*sigma) + logPhi
	if w < 0 {
		value = -0.5*z*z - halfLogTwoPi + special.LogMills(w)
	}
	dx := mills/sigma - lambda
	return point{
		lp: math.Log(lambda) + value,
		dx: dx,
		dtheta: [maxParams]float64{
			-dx,
			lambda*lambda*sigma - mills*(z/sigma+lambda),
			1/lambda - sigma*(w+mills),
		},
	}
}
