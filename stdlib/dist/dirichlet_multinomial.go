package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// DirichletMultinomial is the multinomial distribution whose probabilities are dirichlet(alpha).
func DirichletMultinomial() def.Dist {
	return def.Dist{
		Name: "dirichlet_multinomial",
		Doc: `The distribution of how often each of K categories occurs among trials whose probabilities are drawn from dirichlet(alpha): counts that vary more than multinomial allows. With a mean p and
a precision s, alpha is s * p. The number of trials is the sum of the counts.

    log p(x) = lgamma(1 + Σ x) - lgamma(Σ x + Σ alpha) + lgamma(Σ alpha) + Σ (lgamma(x_k + alpha_k) - lgamma(alpha_k) - lgamma(1 + x_k))

Source: Stan Functions Reference, "Dirichlet-multinomial distribution"; Mosimann (1962), On the compound multinomial distribution, Biometrika 49.`,
		Params: []def.Param{{Name: "alpha", Doc: "concentration of each category", Domain: def.Positive,
			Rank: 1}},
		Support:    def.Counts,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{Rank: 1, Least: 1, Density: dirichletMultinomialDensity,
			Expand: dirichletMultinomialExpand,
			Sample: func(r *rand.Rand, x []float64, theta [][]float64, k int) {
				p := make([]float64, len(x))
				dirichletSample(r, p, theta, k)
				multinomialSample(r, x, [][]float64{p}, k)
			}, OfTotal: true},
		Examples: []string{"data y : count[N, K]\nparam alpha : real<lower=0>[K] ~ " +
			"exponential(0.5)\ny ~ dirichlet_multinomial(alpha)"},
	}
}

// dirichletMultinomialExpand has a rising factorial of each element and one of each row.
func dirichletMultinomialExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	alpha, trials, ofRow := theta[0], b.Call("row_sums", x), "row_sums"
	if len(b.Dims(alpha)) == 1 {
		alpha, ofRow = b.Call("row", alpha), "sum"
	}
	b.Sum(b.Call("row_sums", b.Rising(alpha, x)), 1)
	b.Sum(b.Rising(b.Call(ofRow, theta[0]), trials), -1)
	one := b.Number(1)
	b.Sum(b.Call("row_sums", b.Func("lgamma", b.Add(x, one))), -1)
	b.Sum(b.Func("lgamma", b.Add(trials, one)), 1)
	return true
}

// dirichletMultinomialDensity writes lgamma(x + a) - lgamma(a) - lgamma(1 + x) as -log(x) - log B(a, x),
// whose terms cancel less. A category that does not occur has no term.
func dirichletMultinomialDensity(b *def.Events) {
	x, alpha := b.X, b.Theta[0]
	eachEvent(b, func(i int) float64 {
		lp, trials, total := 0.0, 0.0, 0.0
		for j := range x.Len {
			v, a := natural(x.At(i, j)), positive(alpha.At(i, j))
			trials += v
			total += a
			if v > 0 {
				lp -= portable.LogBeta(a, v) + portable.Log(v)
			}
		}
		if math.IsNaN(trials+total) || trials == 0 {
			return 0 * (trials + total)
		}
		if b.W != nil && b.DTheta[0] != nil {
			all := portable.DigammaDiff(total, trials)
			for j := range x.Len {
				b.Give(0, i, j, portable.DigammaDiff(alpha.At(i, j), x.At(i, j))-all)
			}
		}
		return lp + portable.LogBeta(total, trials) + portable.Log(trials)
	})
}
