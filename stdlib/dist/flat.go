package dist

import "github.com/vflc/vflc/stdlib/def"

// Flat is the improper uniform prior on the real line.
func Flat() def.Dist {
	return def.Dist{
		Name: "flat",
		Doc: `The improper flat prior on the real line: it adds nothing to the log density, like a Stan parameter without a prior.

    log p(x) = 0

It cannot be sampled, and the posterior is proper only if the data make it so.

Source: Stan Reference Manual, "Improper priors".`,
		Support:    def.RealLine,
		Flat:       true,
		LocationAt: -1,
		ScaleAt:    -1,
		LogDensity: func(b *def.Batch) float64 { return flatOver(b, func(x float64) float64 { return x }) },
		Slow:       "there is nothing to compute",
		NoCDF:      "it is improper: the whole line has no probability 1",
		Examples:   []string{"data y : real[N]\nparam mu ~ flat()\ny ~ normal(mu, 1)"},
		Cases: []def.Case{
			{X: 0, Theta: nil, LogP: 0},
			{X: -3, Theta: nil, LogP: 0},
			{X: 1e+300, Theta: nil, LogP: 0},
			{X: -1e-300, Theta: nil, LogP: 0},
			{X: 42, Theta: nil, LogP: 0},
		},
	}
}

// flatOver is 0 where inside returns a finite number, the support.
func flatOver(b *def.Batch, inside func(x float64) float64) float64 {
	sum := 0.0
	for i := range b.N {
		lp := float64(0 * inside(b.X.At(i))) // NaN where inside returns NaN or ±∞
		sum += lp
		set(b.LP, i, lp)
	}
	clear(b.DX)
	return finish(b, sum)
}
