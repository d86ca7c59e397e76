package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// LKJCorr is the LKJ distribution of correlation matrices.
func LKJCorr() def.Dist {
	return def.Dist{
		Name: "lkj_corr",
		Doc: `The distribution of correlation matrices with density proportional to |x|^(eta-1), uniform for eta = 1. ` + "`lkj_corr_cholesky`" + ` is the same for the Cholesky factor, which is
faster and more stable.

    log p(x) = (eta - 1) log|x| + c(K, eta)

with c as for lkj_corr_cholesky.

Source: Lewandowski, Kurowicka and Joe (2009), Journal of Multivariate Analysis 100; Stan Functions Reference, "LKJ correlation distribution".`,
		Params:     []def.Param{{Name: "eta", Doc: "shape", Domain: def.Positive}},
		Support:    def.CorrMatrix,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{
			Rank: 2, Least: 1, Density: lkjDensity, Work: func(k int) int {
				return 2*k*k + lkjWork
			},
			Sample: func(r *rand.Rand, x []float64, theta [][]float64, k int) {
				l := make([]float64, k*k)
				lkjCholeskySample(r, l, theta, k)
				linear.TimesOwnTranspose(x, l, k)
				for i := range k {
					x[i+k*i] = 1
				}
			},
		},
		Examples: []string{
			"data y : real[N, 2]\nparam R : corr_matrix[2] ~ lkj_corr(2)\ny ~ multi_normal(0, R)",
		},
	}
}

func lkjDensity(b *def.Events) {
	k := side(b.X.Len)
	f := factored{events: b, l: b.Work[:k*k]}
	inverse := b.Work[k*k : 2*k*k]
	eachEvent(b, func(i int) float64 {
		eta := b.Theta[0].At(i, 0)
		if !(eta > 0) || math.IsInf(eta, 1) || !f.of(b.X, i, k, false) || !unitDiagonal(b.X, i, k) {
			return math.Inf(-1)
		}
		c, slope := lkjConstant(eta, k, b.Work[2*k*k:])
		if b.W != nil {
			b.Give(0, i, 0, slope+float64(2*f.logDet))
			if b.DX != nil {
				f.inverse(inverse, k)
				for j, v := range inverse {
					b.GiveX(i, j, (eta-1)*v)
				}
			}
		}
		return c + float64(2*(eta-1)*f.logDet)
	})
}

func unitDiagonal(x def.EventArg, i, k int) bool {
	for j := range k {
		if !(math.Abs(x.At(i, j+k*j)-1) <= 1e-8) {
			return false
		}
	}
	return true
}
