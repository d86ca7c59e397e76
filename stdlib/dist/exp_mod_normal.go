package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
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
		Mean:       "mu + inv(lambda)",
		Support:    def.RealLine,
		LocationAt: -1,
		ScaleAt:    -1,
		Link:       def.Link{Scale: def.IdentityLink, Param: 0},
		Lower:      def.End{Decay: def.Exponential},
		Upper:      def.End{Decay: def.Power},
		LogDensity: func(b *def.Batch) float64 { return pointwise(b, expModNormalAt) },
		Expand:     expModNormalExpand,
		Loop:       "the terms of the vector form cancel in the lower tail",
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return theta[0] + float64(positive(theta[1])*portable.Normal(r)) +
				portable.Exponential(r)/positive(theta[2])
		},
		LogCDF: below(expModNormalTail), LogCCDF: above(expModNormalTail),
		SlowTails: "a sum of two terms, by the side on which it keeps its digits",
		Slow:      oneLogPhi,
		Examples: []string{"data seconds : real[N]\nparam mu ~ normal(0, 1)\nseconds ~ " +
			"exp_mod_normal(mu, 0.1, 3)"},
	}
}

// expModNormalExpand is the formula of the documentation. Where w below is far under 0 its terms, of the size
// of (lambda sigma)², cancel.
func expModNormalExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	sigma, lambda := theta[1], theta[2]
	h := b.Mul(lambda, sigma)
	w := b.Sub(b.Div(b.Sub(x, theta[0]), sigma), h)
	b.Sum(b.Mul(h, b.Add(w, b.Mul(b.Number(0.5), h))), -1)
	b.Density(BernoulliProbit(), b.Fill(1), w)
	b.Sum(b.Func("log", lambda), 1)
	b.Sum(b.Func("log", sigma), 0) // NaN where sigma is not positive
	return true
}

// With z = (x - mu)/sigma and w = z - lambda·sigma, the log density is log lambda + log φ(z) +
// log(Phi(w)/φ(w)), whose terms do not cancel where w < 0; above, the formula of the documentation is the
// stable one.
func expModNormalAt(x float64, theta [maxParams]float64) point {
	sigma, lambda := positive(theta[1]), positive(theta[2])
	z := (x - theta[0]) / sigma
	w := z - float64(lambda*sigma)
	logPhi, mills := portable.LogPhiAndSlope(w)
	value := float64(-lambda*sigma*(w+float64(0.5*lambda*sigma))) + logPhi
	if w < 0 {
		value = float64(-0.5*z*z) - halfLogTwoPi + portable.LogMills(w)
	}
	dx := mills/sigma - lambda
	return point{
		lp: portable.Log(lambda) + value,
		dx: dx,
		dtheta: [maxParams]float64{
			-dx,
			float64(lambda*lambda*sigma) - float64(mills*(z/sigma+lambda)),
			1/lambda - float64(sigma*(w+mills)),
		},
	}
}

// expModNormalTail uses that, with z and w as above and E the density divided by lambda, a greater value has
// the probability Phi(-z) + E, and a smaller one Phi(z) - E = φ(z)·(Phi(z)/φ(z) - Phi(w)/φ(w)).
func expModNormalTail(x float64, theta [maxParams]float64, upper bool) point {
	sigma, lambda := positive(theta[1]), positive(theta[2])
	z, h := (x-theta[0])/sigma, float64(lambda*sigma)
	switch {
	case math.IsNaN(z) || math.IsNaN(h):
		return invalid()
	case math.IsInf(z, 0):
		return point{lp: certainly(upper == (z < 0))}
	}
	logE := expModNormalAt(x, theta).lp - portable.Log(lambda)
	beyond, _ := portable.LogPhiAndSlope(-z)
	above := addLogs(beyond, logE)
	lp := above
	switch {
	case !upper && above < -math.Ln2:
		lp = portable.Log1mExp(above)
	case !upper:
		lp = expModNormalBelow(z, h)
	case above > -math.Ln2:
		lp = portable.Log1mExp(expModNormalBelow(z, h))
	}
	e := portable.Exp(logE - lp)
	edge := portable.Exp(float64(-0.5*z*z) - halfLogTwoPi - lp)
	p := point{lp: lp, dx: lambda * e, dtheta: [maxParams]float64{-lambda * e, lambda * (edge - float64(h*e)),
		sigma * e * portable.MillsExcess(z-h)}}
	if upper {
		p.dx = -p.dx
		for k := range p.dtheta {
			p.dtheta[k] = -p.dtheta[k]
		}
	}
	return p
}

// expModNormalBelow is log(Phi(z) - E), h = lambda·sigma, without cancellation: above h/2 as the sum of
// Phi(z) - Phi(z-h) and Phi(z-h)·(1 - exp(h²/2 - h·z)).
func expModNormalBelow(z, h float64) float64 {
	if z > 0.5*h {
		strip, _, _ := normalBetween(z-h, z)
		rest, _ := portable.LogPhiAndSlope(z - h)
		return addLogs(strip, rest+portable.Log1mExp(h*(float64(0.5*h)-z)))
	}
	return float64(-0.5*z*z) - halfLogTwoPi + portable.LogMillsDiff(z-h, z)
}

// addLogs is log(e^a + e^b).
func addLogs(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + portable.Log1p(portable.Exp(b-a))
}
