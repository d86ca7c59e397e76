package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// AcatLogit is the distribution of an ordered category by the log odds of each and the one below.
func AcatLogit() def.Dist {
	return def.Dist{
		Name: "acat_logit",
		Doc: `The distribution of one of the ordered categories 1, …, K by the log odds of each category against the one below it: category k + 1 against k has the log odds eta - cutpoints[k]. The
adjacent category model; in item response theory the partial credit model. The cutpoints need not increase.

    log p(x) = s_x - log Σ_k exp(s_k),  s_k = Σ_{j < k} (eta - cutpoints[j])

Source: brms, "Parameterization of Response Distributions", acat; Masters (1982), A Rasch model for partial credit scoring, Psychometrika 47.`,
		Params:     steppedParams(),
		Support:    def.Codes,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Mean:       acatLogitMean(),
		Link:       def.Link{Scale: def.LogitLink, Param: 0},
		Event: &def.Event{Least: 1, More: 1, InOrder: true, Density: acatLogitDensity,
			Expand: acatLogitExpand, Sample: acatLogitSample},
		Slow: exponentials,
		Examples: []string{
			"data y : level(K)[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\nparam c : real[K - 1] ~ " +
				"normal(0, 3)\ny ~ acat_logit(b * x, c)",
		},
	}
}

// acatLogitMean adds up the probabilities of the categories, that of the first by itself.
func acatLogitMean() string {
	const s = "cumulative_sum(outer(eta, 0 * cutpoints + 1) - row(cutpoints))"
	const all = "col(softplus(log_sum_exp(" + s + ")))"
	const above = "exp(" + s + " - " + all + ")"
	return "exp(-" + all + ") + cumulative_sum(" + above + ") - " + above
}

func acatLogitDensity(b *def.Events) {
	eta, cuts := b.Theta[0], b.Theta[1]
	eachEvent(b, func(i int) float64 {
		x, ok := code(b, i, cuts.Len+1)
		if !ok || !finiteEvent(cuts, i) {
			return math.Inf(-1)
		}
		score := func(f func(k int, s float64)) {
			s := 0.0
			for k := range cuts.Len + 1 {
				f(k, s)
				if k < cuts.Len {
					s += eta.At(i, 0) - cuts.At(i, k)
				}
			}
		}
		largest, own, sum := 0.0, 0.0, 0.0
		score(func(k int, s float64) {
			largest = max(largest, s)
			if k == x {
				own = s
			}
		})
		score(func(_ int, s float64) { sum += portable.Exp(s - largest) })
		all := largest + portable.Log(sum)
		if b.W != nil {
			above := 1.0 // the probability of a category above k
			score(func(k int, s float64) {
				if above -= portable.Exp(s - all); k < cuts.Len {
					d := -above
					if x > k {
						d = 1 - above
					}
					b.Give(0, i, 0, d)
					b.Give(1, i, k, -d)
				}
			})
		}
		return own - all
	})
}

// acatLogitExpand has 0 for the first category: log(1 + Σ exp) of the others.
func acatLogitExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	m, ok := steps(b, x, theta)
	if ok {
		b.Sum(b.Func("softplus", b.LogSumExp(b.Call("cumulative_sum", m))), -1)
	}
	return ok
}

// acatLogitSample is that of categorical_logit.
func acatLogitSample(r *rand.Rand, x []float64, theta [][]float64, k int) {
	s := make([]float64, len(theta[1])+1)
	for j, c := range theta[1] {
		s[j+1] = s[j] + theta[0][0] - c
	}
	categoricalLogitSample(r, x, [][]float64{s}, k)
}
