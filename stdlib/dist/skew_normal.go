package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// SkewNormal is the skew normal distribution with location xi, scale omega and shape alpha.
func SkewNormal() def.Dist {
	return derived(def.Dist{
		Name: "skew_normal",
		Doc: `The skew normal distribution with location xi, scale omega and shape alpha; normal(xi, omega) where alpha is 0.

    log p(x) = log(2) - log(omega) - z²/2 - log(2π)/2 + log(Phi(alpha z)),  z = (x - xi)/omega

Source: Stan Functions Reference, "Skew normal distribution"; Azzalini (1985).`,
		Params: []def.Param{
			{Name: "xi", Doc: "location", Domain: def.RealLine},
			{Name: "omega", Doc: "scale", Domain: def.Positive},
			{Name: "alpha", Doc: "shape", Domain: def.RealLine},
		},
		Support:    def.RealLine,
		LocationAt: 0,
		ScaleAt:    1,
		Link:       def.Link{Scale: def.IdentityLink, Param: 0},
		Lower:      def.End{Decay: def.Exponential},
		Upper:      def.End{Decay: def.Exponential},
		Expand:     skewNormalExpand,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			alpha := theta[2]
			u, v := portable.Normal(r), portable.Normal(r)
			return theta[0] + positive(theta[1])*(float64(alpha*math.Abs(u))+v)/portable.Hypot(1, alpha)
		},
		LogCDF: below(skewNormalTail), LogCCDF: above(skewNormalTail),
		SlowTails: "Owen's function has no vector form",
		Slow:      oneLogPhi,
		Examples:  []string{"param effect ~ skew_normal(0, 1, 2)"},
	})
}

func skewNormalExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	omega, alpha := theta[1], theta[2]
	z := b.Div(b.Sub(x, theta[0]), omega)
	b.Sum(b.Func("square", z), -0.5)
	b.Density(BernoulliProbit(), b.Fill(1), b.Mul(alpha, z))
	b.Sum(b.Func("log", omega), -1)
	b.Sum(b.Sub(alpha, alpha), 1) // NaN where the shape is infinite
	b.Each(math.Ln2 - halfLogTwoPi)
	return true
}

// skewNormalTail uses that the upper tail at z is the lower one at -z of the opposite shape.
func skewNormalTail(x float64, theta [maxParams]float64, upper bool) point {
	omega, alpha, sign := positive(theta[1]), theta[2]+float64(0*theta[2]), 1.0
	z := (x - theta[0]) / omega
	switch {
	case math.IsNaN(z) || math.IsNaN(alpha):
		return invalid()
	case math.IsInf(z, 0):
		return point{lp: certainly(upper == (z < 0))}
	case upper:
		sign = -1
	}
	lp, slope := portable.LogSkewNormal(sign*z, sign*alpha)
	logPhi, _ := portable.LogPhiAndSlope(alpha * z)
	logDensity := math.Ln2 - halfLogTwoPi - portable.Log(omega) - float64(0.5*z*z) + logPhi
	dx := sign * portable.Exp(logDensity-lp)
	return point{lp: lp, dx: dx, dtheta: [maxParams]float64{-dx, -times(dx, z),
		-sign * portable.Exp(slope-lp)}}
}
