package dist

import "github.com/vflc/vflc/stdlib/def"

// HalfFlat is the improper uniform prior on the positive numbers.
func HalfFlat() def.Dist {
	return derived(def.Dist{
		Name: "half_flat",
		Doc: `The improper flat prior on the positive numbers, like a Stan parameter with lower=0 and no prior.

    log p(x) = 0        for x ≥ 0

It cannot be sampled, and the posterior is proper only if the data make it so.

Source: Stan Reference Manual, "Improper priors".`,
		Support:    def.Positive,
		LocationAt: -1,
		ScaleAt:    -1,
		Slow:       "there is nothing to compute",
		NoCDF:      "it is improper: the half line has no probability 1",
		Examples:   []string{"data y : real[N]\nparam sigma ~ half_flat()\ny ~ normal(0, sigma)"},
	})
}
