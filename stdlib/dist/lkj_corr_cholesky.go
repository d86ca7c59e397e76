package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// LKJCorrCholesky is the LKJ distribution of the Cholesky factor of a correlation matrix.
func LKJCorrCholesky() def.Dist {
	return def.Dist{
		Name: "lkj_corr_cholesky",
		Doc: `The distribution of the Cholesky factor L of a correlation matrix with density proportional to |L Lᵀ|^(eta-1): uniform over correlation matrices for eta = 1, and
closer to independence the larger eta is.

    log p(x) = Σ_{k=2}^K (K - k + 2 eta - 2) log x_kk + c(K, eta)

where c(K, eta) = (K-1) lgamma(eta + ½(K-1)) - Σ_{k=1}^{K-1} (½ k log π + lgamma(eta + ½(K-1-k))).

Source: Lewandowski, Kurowicka and Joe (2009), Generating random correlation matrices based on vines and extended onion method, Journal of Multivariate Analysis 100;
Stan Functions Reference, "Cholesky LKJ correlation distribution".`,
		Params:     []def.Param{{Name: "eta", Doc: "shape", Domain: def.Positive}},
		Support:    def.CorrCholesky,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{Rank: 2, Least: 1, Density: lkjCholeskyDensity, Sample: lkjCholeskySample,
			Work: func(int) int { return lkjWork }},
		Examples: []string{
			"data y : real[N, 2]\nparam tau : real[2] ~ half_normal(1)\nparam L : corr_cholesky[2] ~ " +
				"lkj_corr_cholesky(2)\ny ~ multi_normal_cholesky(0, col(tau) .* L)",
		},
	}
}

// lkjWork is the length of what lkjConstant keeps: eta and what it has returned.
const lkjWork = 3

// lkjConstant is c(K, eta) with its slope. work holds those of the call before, of the same K: mostly eta is
// a constant.
func lkjConstant(eta float64, k int, work []float64) (c, slope float64) {
	if work[0] == eta {
		return work[1], work[2]
	}
	n := float64(k - 1)
	c, slope = n*portable.LogAbsGamma(eta+float64(n/2)), n*portable.Digamma(eta+float64(n/2))
	for j := 1.0; j <= n; j++ {
		c -= float64(0.5*j*portable.Log(math.Pi)) + portable.LogAbsGamma(eta+float64((n-j)/2))
		slope -= portable.Digamma(eta + float64((n-j)/2))
	}
	work[0], work[1], work[2] = eta, c, slope
	return c, slope
}

func lkjCholeskyDensity(b *def.Events) {
	k := side(b.X.Len)
	eachEvent(b, func(i int) float64 {
		eta := b.Theta[0].At(i, 0)
		if !(eta > 0) || math.IsInf(eta, 1) {
			return math.Inf(-1)
		}
		lp, slope := lkjConstant(eta, k, b.Work)
		for j := range k {
			v := b.X.At(i, j+k*j)
			if !(v > 0) {
				return math.Inf(-1)
			}
			if j == 0 {
				continue
			}
			power := float64(k-1-j) + float64(2*eta) - 2
			lp += float64(power * portable.Log(v))
			slope += float64(2 * portable.Log(v))
			if b.W != nil {
				b.GiveX(i, j+k*j, power/v)
			}
		}
		if b.W != nil {
			b.Give(0, i, 0, slope)
		}
		return lp
	})
}

// lkjCholeskySample draws the partial correlations, which are independent: those of column j, counted from 1,
// are 2 u - 1 with u from beta(a, a), a = eta + ½(K-1-j).
func lkjCholeskySample(r *rand.Rand, x []float64, theta [][]float64, k int) {
	clear(x)
	for i := range k {
		left := 1.0 // of the squared length of the row
		for j := range i {
			a := theta[0][0] + float64(0.5*float64(k-2-j))
			z := float64(2*drawBeta(r, a, a)) - 1
			x[i+k*j] = z * math.Sqrt(left)
			left *= 1 - float64(z*z)
		}
		x[i+k*i] = tiny(math.Sqrt(left))
	}
}
