package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Dirichlet is the distribution of a vector of probabilities.
func Dirichlet() def.Dist {
	return def.Dist{
		Name: "dirichlet",
		Doc: `A distribution of vectors of probabilities: the beta distribution for more than two categories. With alpha = 1 it is uniform.

    log p(x) = lgamma(Σ alpha) - Σ lgamma(alpha_k) + Σ (alpha_k - 1) log x_k

Source: Stan Functions Reference, "Dirichlet distribution".`,
		Params: []def.Param{{Name: "alpha", Doc: "concentration of each element", Domain: def.Positive,
			Rank: 1}},
		Support:    def.Simplex,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{Rank: 1, Least: 1, Density: dirichletDensity, Expand: dirichletExpand,
			Sample: dirichletSample},
		Examples: []string{
			"data y : level(K)[N]\nparam theta : simplex[K] ~ dirichlet(2)\ny ~ categorical(theta)",
			"data y : level(K)[N]\ndata alpha : real<lower=0>[K]\nparam theta : simplex[K] ~ " +
				"dirichlet(alpha)\ny ~ categorical(theta)",
		},
	}
}

// dirichletExpand has lgamma(alpha) as lgamma(1 + alpha) - log(alpha), which is no number below 0.
func dirichletExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	alpha, one := theta[0], b.Number(1)
	if len(b.Dims(x)) == 1 {
		x = b.Call("row", x)
	}
	inRows, ofRow := alpha, "row_sums"
	if len(b.Dims(alpha)) == 1 {
		inRows, ofRow = b.Call("row", alpha), "sum"
	}
	b.Sum(b.Call(ofRow, b.Sub(b.Func("lgamma", b.Add(alpha, one)), b.Func("log", alpha))), -1)
	b.Sum(b.Func("lgamma", b.Call(ofRow, alpha)), 1)
	if v, ok := b.Const(alpha); !ok || v != 1 { // at x = 0 the term is then 0, and not 0·∞
		b.Sum(b.Call("row_sums", b.Mul(b.Sub(inRows, one), b.Func("log", x))), 1)
	}
	return true
}

func dirichletDensity(b *def.Events) {
	x, alpha := b.X, b.Theta[0]
	eachEvent(b, func(i int) float64 {
		if !probabilities(x, i) {
			return math.Inf(-1)
		}
		lp, total := 0.0, 0.0
		for j := range x.Len {
			a, v := alpha.At(i, j), x.At(i, j)
			if !(a > 0) {
				return math.Inf(-1)
			}
			total += a
			lp -= portable.LogAbsGamma(a)
			if a != 1 {
				lp += float64((a - 1) * portable.Log(v))
			}
		}
		if math.IsInf(lp, 1) { // no finite density
			return math.Inf(-1)
		}
		if b.W != nil {
			of := portable.Digamma(total)
			for j := range x.Len {
				a, v := alpha.At(i, j), x.At(i, j)
				b.GiveX(i, j, (a-1)/v)
				b.Give(0, i, j, of-portable.Digamma(a)+portable.Log(v))
			}
		}
		return lp + portable.LogAbsGamma(total)
	})
}

func dirichletSample(r *rand.Rand, x []float64, theta [][]float64, _ int) {
	largest := math.Inf(-1)
	for j, a := range theta[0] {
		x[j] = logGamma(r, a)
		largest = max(largest, x[j])
	}
	sum := 0.0
	for j, v := range x {
		x[j] = portable.Exp(v - largest)
		sum += x[j]
	}
	for j := range x {
		x[j] = tiny(x[j] / sum)
	}
}
