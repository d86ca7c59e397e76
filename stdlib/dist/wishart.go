package dist

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// Wishart is the distribution of the scatter of independent normal vectors.
func Wishart() def.Dist {
	return def.Dist{
		Name: "wishart",
		Doc: `The distribution of covariance matrices that Σ zᵀz of nu independent normal vectors z with covariance S has; its mean is nu S. It needs nu > K - 1.

    log p(x) = ½(nu-K-1) log|x| - ½ tr(S⁻¹ x) - ½ nu K log 2 - ½ nu log|S| - lgamma_K(½ nu)

where lgamma_K(a) = ¼ K(K-1) log π + Σ_{k=1}^K lgamma(a + ½(1-k)).

Source: Stan Functions Reference, "Wishart distribution".`,
		Params:     wishartParams(),
		Support:    def.CovMatrix,
		LocationAt: -1,
		ScaleAt:    -1,
		Event: &def.Event{
			Rank: 2, Least: 1, Density: func(b *def.Events) {
				wishartDensity(b, false)
			}, Work: wishartWork, Check: wishartCheck,
			Sample: func(r *rand.Rand, x []float64, theta [][]float64, k int) {
				wishartSample(r, x, theta[0][0], theta[1], k)
			},
		},
		Examples: []string{"data y : real[N, 2]\nparam Omega : cov_matrix[2] ~ wishart(4, [[1, 0], [0, " +
			"1]])\ny ~ multi_normal_prec(0, Omega)"},
	}
}

func wishartParams() []def.Param {
	return []def.Param{
		{Name: "nu", Doc: "degrees of freedom, above K - 1", Domain: def.Positive},
		{Name: "S", Doc: "scale matrix", Domain: def.CovMatrix, Rank: 2},
	}
}

func wishartWork(k int) int { return 6 * k * k }

func wishartCheck(theta [][]float64, k int) string {
	if nu := theta[0]; len(nu) > 0 && nu[0] <= float64(k-1) {
		return fmt.Sprintf("nu is %v, but for %d×%d matrices it is above %d", nu[0], k, k, k-1)
	}
	return ""
}

// wishartDensity is that of the Wishart distribution, or of the inverse Wishart distribution, in which the
// matrices change places: with A = x and B = S, or the reverse, log p = ½ m log|A| - ½ tr(B⁻¹ A) - ½ nu
// log|S| … where tr(x⁻¹ S) is that of the inverse.
func wishartDensity(b *def.Events, inverse bool) {
	k := side(b.X.Len)
	n, kk := float64(k), k*k
	x, s := factored{events: b, l: b.Work[:kk]}, factored{events: b, l: b.Work[kk : 2*kk]}
	xi, si, a, product := b.Work[2*kk:3*kk], b.Work[3*kk:4*kk], b.Work[4*kk:5*kk], b.Work[5*kk:6*kk]
	eachEvent(b, func(i int) float64 {
		nu := b.Theta[0].At(i, 0)
		if !(nu > n-1) || math.IsInf(nu, 1) || !x.of(b.X, i, k, false) || !s.of(b.Theta[1], i, k, false) {
			return math.Inf(-1)
		}
		x.inverse(xi, k)
		s.inverse(si, k)
		over, under := si, b.X // tr(over·under)
		if inverse {
			over, under = xi, b.Theta[1]
		}
		under.Fill(a, i)
		trace := 0.0
		for j, v := range over {
			trace += float64(v * a[j])
		}
		lx, ls := 2*x.logDet, 2*s.logDet
		power, sign := (nu-n-1)/2, -1.0 // of |x|, and of ½ nu log|S|
		if inverse {
			power, sign = -(nu+n+1)/2, 1
		}
		lgamma, digamma := multiGamma(nu/2, k)
		if b.W != nil {
			b.Give(0, i, 0, 0.5*(float64(-n*math.Ln2)-digamma-float64(sign*lx)+float64(sign*ls)))
			sandwich(product, over, a, k) // over·under·over
			for j := range kk {
				dx, ds := float64(power*xi[j]), float64(sign*nu/2*si[j])
				if inverse {
					dx, ds = dx+float64(0.5*product[j]), ds-float64(0.5*xi[j])
				} else {
					dx, ds = dx-float64(0.5*si[j]), ds+float64(0.5*product[j])
				}
				b.GiveX(i, j, dx)
				b.Give(1, i, j, ds)
			}
		}
		return float64(power*lx) - float64(0.5*trace) + float64(sign*nu/2*ls) - float64(nu*n/2*math.Ln2) -
			lgamma
	})
}

// multiGamma is lgamma_K(a), with its derivative.
func multiGamma(a float64, k int) (lgamma, slope float64) {
	lgamma = 0.25 * float64(k*(k-1)) * portable.Log(math.Pi)
	for j := range k {
		lgamma += portable.LogAbsGamma(a - float64(float64(j)/2))
		slope += portable.Digamma(a - float64(float64(j)/2))
	}
	return lgamma, slope
}

// sandwich sets out to s·a·s for symmetric s and a.
func sandwich(out, s, a []float64, k int) {
	for i := range k {
		for j := range k {
			sum := 0.0
			for m := range k {
				for l := range k {
					sum += float64(s[i+k*m] * a[m+k*l] * s[l+k*j])
				}
			}
			out[i+k*j] = sum
		}
	}
}

// wishartSample is Bartlett's: L A Aᵀ Lᵀ with A lower triangular, of independent standard normals and, on the
// diagonal, roots of chi-square variables.
func wishartSample(r *rand.Rand, x []float64, nu float64, s []float64, k int) {
	l, a, p := factorOf(s, k), make([]float64, k*k), make([]float64, k*k)
	for i := range k {
		for j := range i {
			a[i+k*j] = portable.Normal(r)
		}
		a[i+k*i] = math.Sqrt(2 * drawGamma(r, (nu-float64(i))/2))
	}
	for i := range k {
		for j := range i + 1 {
			for m := j; m <= i; m++ {
				p[i+k*j] += float64(l[i+k*m] * a[m+k*j])
			}
		}
	}
	linear.TimesOwnTranspose(x, p, k)
}
