package dist

import (
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// GaussianRandomWalk is the distribution of a path whose steps are normal.
func GaussianRandomWalk() def.Dist {
	return def.Dist{
		Name: "gaussian_random_walk",
		Doc: `A random walk from 0: the first element and the differences between neighbours are independent normal variables with mean mu, the drift of a step, and standard deviation sigma.

    log p(x) = Σ_t [ -(x[t] - x[t-1] - mu)² / (2 sigma²) - log(sigma) - log(2π)/2 ], where x[0] = 0

Source: Durbin and Koopman (2012), Time Series Analysis by State Space Methods, section 2.1.`,
		Params: []def.Param{
			{Name: "mu", Doc: "mean of a step", Domain: def.RealLine},
			{Name: "sigma", Doc: "standard deviation of a step", Domain: def.Positive},
		},
		Support:    def.RealLine,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{
			Rank: 1, Least: 1, Density: walkDensity, Walk: true,
			Sample: func(r *rand.Rand, x []float64, theta [][]float64, _ int) {
				at, mu, sigma := 0.0, theta[0][0], positive(theta[1][0])
				for t := range x {
					at += mu + float64(sigma*portable.Normal(r))
					x[t] = at
				}
			},
		},
		Examples: []string{
			"data y : real[T]\nparam sigma ~ half_normal(1)\nparam level : real[T] ~ " +
				"gaussian_random_walk(0, sigma)\nparam noise ~ half_normal(1)\ny ~ normal(level, noise)",
		},
	}
}

func walkDensity(b *def.Events) {
	eachEvent(b, func(i int) float64 {
		mu, sigma := b.Theta[0].At(i, 0), positive(b.Theta[1].At(i, 0))
		n := float64(b.X.Len)
		last, sum, squares := 0.0, 0.0, 0.0
		for t := range b.X.Len {
			x := b.X.At(i, t)
			z := (x - last - mu) / sigma
			sum, squares, last = sum+z, squares+float64(z*z), x
			if b.W != nil {
				b.GiveX(i, t, -z/sigma)
				if t > 0 {
					b.GiveX(i, t-1, z/sigma)
				}
			}
		}
		if b.W != nil {
			b.Give(0, i, 0, sum/sigma)
			b.Give(1, i, 0, (squares-n)/sigma)
		}
		return float64(-0.5*squares) - float64(n*(portable.Log(sigma)+halfLogTwoPi))
	})
}
