package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// VonMises is the von Mises distribution of an angle with location mu and concentration kappa.
func VonMises() def.Dist {
	return derived(def.Dist{
		Name: "von_mises",
		Sums: true, Periodic: true,
		Grouped: vonMisesGroups(),
		Doc: `The von Mises distribution of an angle in radians, from -π to π, with location mu and concentration kappa, which is 1/variance where it is large.

    log p(x) = kappa cos(x - mu) - log(2π I0(kappa))        for -π ≤ x ≤ π

I0 is the modified Bessel function of the first kind and order 0. Stan takes any real x.

Source: Stan Functions Reference, "Von Mises distribution".`,
		Params: []def.Param{
			{Name: "mu", Doc: "location", Domain: def.RealLine},
			{Name: "kappa", Doc: "concentration", Domain: def.Positive},
		},
		Support:    def.Circle,
		LocationAt: -1,
		ScaleAt:    -1,
		Expand:     vonMisesExpand,
		Sample:     drawVonMises,
		LogCDF:     below(vonMisesTail), LogCCDF: above(vonMisesTail),
		SlowTails: "the density is integrated numerically",
		Examples: []string{"data heading : real<lower=-3.2, upper=3.2>[N]\nparam mu ~ uniform(-3.14, " +
			"3.14)\nparam kappa ~ gamma(2, 0.5)\nheading ~ von_mises(mu, kappa)"},
	})
}

func vonMisesExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	b.Sum(b.Mul(theta[1], b.Func("cos", b.Sub(x, theta[0]))), 1)
	b.Sum(b.Apply(logBesselI0(), theta[1]), -1)
	b.Each(-portable.Log(2 * math.Pi))
	return true
}

// logBesselI0 is log I0, once for all rows where they have one concentration.
func logBesselI0() *def.Func {
	return &def.Func{
		Name: "log_bessel_I0", Vector: def.BesselLoop,
		Forward: func(y, x []float64) {
			for i, kappa := range x {
				y[i] = portable.LogBesselI0(positive(kappa))
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, kappa := range x {
				dx[i] += float64(dy[i] * portable.BesselRatio(positive(kappa)))
			}
		},
	}
}

// drawVonMises is the rejection sampler of Best and Fisher, Efficient simulation of the von Mises
// distribution, Applied Statistics 28 (1979).
func drawVonMises(r *rand.Rand, theta []float64) float64 {
	mu, kappa := theta[0], positive(theta[1])
	tau := 1 + math.Sqrt(1+float64(4*kappa*kappa))
	rho := (tau - math.Sqrt(2*tau)) / (2 * kappa)
	s := (1 + float64(rho*rho)) / (2 * rho)
	if kappa < 1e-5 {
		s = 1/kappa + kappa
	}
	for {
		z := portable.Cos(math.Pi * r.Float64())
		f := (1 + float64(s*z)) / (s + z)
		c := float64(kappa * (s - f))
		u := r.Float64()
		if c*(2-c) > u || !(portable.Log(c/u)+1 < c) { // accepts NaN, or a bad kappa would loop
			angle := math.Copysign(portable.Acos(f), float64(r.Float64())-0.5)
			return math.Remainder(mu+angle, 2*math.Pi) + float64(0*kappa)
		}
	}
}

// vonMisesTail integrates the density on the side of x where the probability is less.
func vonMisesTail(x float64, theta [maxParams]float64, upper bool) point {
	mu, kappa := math.Remainder(theta[0], 2*math.Pi), positive(theta[1])
	switch {
	case math.IsNaN(x+mu) || math.IsNaN(kappa):
		return invalid()
	case x < -math.Pi:
		return below0(upper)
	case x >= math.Pi:
		return above1(upper)
	}
	p := vonMisesSide(x, mu, kappa, upper)
	if p.lp > -math.Ln2 {
		return vonMisesSide(x, mu, kappa, !upper).complement()
	}
	return p
}

func vonMisesSide(x, mu, kappa float64, upper bool) point {
	a, b, sign := -math.Pi-mu, x-mu, 1.0
	if upper {
		a, b, sign = x-mu, math.Pi-mu, -1
	}
	value, mean := portable.LogCosineIntegral(kappa, a, b)
	lp := value - portable.LogBesselI0(kappa) - portable.Log(2*math.Pi)
	at := portable.Exp(float64(kappa*portable.Cos(x-mu)) - value)
	end := portable.Exp(float64(-kappa*portable.Cos(mu)) - value) // the density at -π and π
	return point{lp: lp, dx: sign * at, dtheta: [maxParams]float64{sign * (end - at), mean -
		portable.BesselRatio(kappa)}}
}
