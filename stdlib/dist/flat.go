package dist

import "github.com/vflc/vflc/stdlib/def"

// Flat is the improper uniform prior on the real line.
func Flat() def.Dist {
	return derived(def.Dist{
		Name: "flat",
		Doc: `The improper flat prior on the real line: it adds nothing to the log density, like a Stan parameter without a prior.

    log p(x) = 0

It cannot be sampled, and the posterior is proper only if the data make it so.

Source: Stan Reference Manual, "Improper priors".`,
		Support:    def.RealLine,
		Flat:       true,
		LocationAt: -1,
		ScaleAt:    -1,
		Slow:       "there is nothing to compute",
		NoCDF:      "it is improper: the whole line has no probability 1",
		Examples:   []string{"data y : real[N]\nparam mu ~ flat()\ny ~ normal(mu, 1)"},
	})
}
