package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// InverseGaussian is the inverse Gaussian distribution with mean mu and shape.
func InverseGaussian() def.Dist {
	return derived(def.Dist{
		Name:    "inverse_gaussian",
		Sums:    true,
		Grouped: inverseGaussianGroups(),
		Doc: `The inverse Gaussian or Wald distribution with mean mu and variance mu³/shape: the time at which a Brownian motion with drift first reaches a level. For skewed costs and durations,
with mu = exp(eta).

    log p(x) = log(shape)/2 - log(2π)/2 - 3/2 log(x) - shape (x - mu)²/(2 mu² x)        for x > 0

Source: brms, "Parameterization of Response Distributions"; Chhikara and Folks (1989), The Inverse Gaussian Distribution.`,
		Params: []def.Param{
			{Name: "mu", Doc: "mean", Domain: def.Positive, LinearIn: theValue},
			{Name: "shape", Doc: "mu³/variance", Domain: def.Positive},
		},
		Mean:       "mu",
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    -1,
		Lower:      def.End{Decay: def.Power},
		Upper:      def.End{Decay: def.Power},
		Expand:     inverseGaussianExpand,
		Sample:     drawInverseGaussian,
		LogCDF:     below(inverseGaussianTail), LogCCDF: above(inverseGaussianTail),
		SlowTails: "a difference of two of Mills' ratios, by the side on which it keeps its digits",
		Examples: []string{"data cost : real<lower=0>[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\nparam k ~ " +
			"gamma(2, 0.5)\ncost ~ inverse_gaussian(exp(b * x), k)"},
	})
}

func inverseGaussianExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	root := b.Func("sqrt", x)
	off := b.Sub(b.Div(root, theta[0]), b.Div(b.Number(1), root))
	b.Sum(b.Mul(b.Mul(theta[1], off), off), -0.5) // the square of off may overflow
	b.Sum(b.Func("log", theta[1]), 0.5)
	if _, positive := b.Argument("exp", theta[0]); !positive {
		b.Sum(b.Func("log", theta[0]), 0) // NaN where mu is not positive
	}
	b.Sum(b.Func("log", x), -1.5)
	b.Each(-halfLogTwoPi)
	return true
}

// drawInverseGaussian is the sampler of Michael, Schucany and Haas, Generating random variates using
// transformations with multiple roots, The American Statistician 30 (1976), of which x is the smaller root.
func drawInverseGaussian(r *rand.Rand, theta []float64) float64 {
	mu := positive(theta[0])
	z := portable.Normal(r)
	w := 0.5 * z * z * mu / positive(theta[1])
	x := 1 / (1 + w + math.Sqrt(w*(w+2)))
	if r.Float64()*(1+x) > 1 {
		x = 1 / x
	}
	return tiny(mu * x)
}

// inverseGaussianTail has, with a and b the values of sqrt(shape/x)·(x/mu ∓ 1), the probability Phi(a) +
// exp(2 shape/mu)·Phi(-b) of a value no greater than x. As b² - a² is 4 shape/mu, it is φ(a) times the sum
// of Phi(a)/φ(a) and Phi(-b)/φ(b), and that of a greater value the difference of those of -a and -b.
func inverseGaussianTail(x float64, theta [maxParams]float64, upper bool) point {
	mu, shape := positive(theta[0]), positive(theta[1])
	switch {
	case math.IsNaN(x + mu + shape):
		return invalid()
	case x <= 0:
		return below0(upper)
	case math.IsInf(x, 1):
		return above1(upper)
	}
	root := math.Sqrt(shape / x)
	a, b := root*((x-mu)/mu), root*((x+mu)/mu)
	logEdge := float64(-0.5*a*a) - halfLogTwoPi
	logRest := logEdge + portable.LogMills(-b) // of exp(2 shape/mu)·Phi(-b)
	logPhi, _ := portable.LogPhiAndSlope(a)
	lp := addLogs(logPhi, logRest)
	if small := lp < -math.Ln2; upper && small {
		lp = portable.Log1mExp(lp)
	} else if upper || !small {
		lp = logEdge + portable.LogMillsDiff(-b, -a)
		if !upper {
			lp = portable.Log1mExp(lp)
		}
	}
	edge, rest := portable.Exp(logEdge-lp), portable.Exp(logRest-lp)
	p := point{lp: lp, dx: edge * root / x, dtheta: [maxParams]float64{-2 * shape / (mu * mu) * rest,
		float64(2/mu*rest) - edge*root/shape}}
	if upper {
		p.dx = -p.dx
		for k := range p.dtheta {
			p.dtheta[k] = -p.dtheta[k]
		}
	}
	return p
}
