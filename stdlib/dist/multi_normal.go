package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// MultiNormal is the multivariate normal distribution with a covariance matrix.
func MultiNormal() def.Dist {
	d := multiNormal(func(b *def.Events) { ellipticDensity(b, def.ByCovariance, normalRadial) })
	d.Name, d.Event.Scatter = "multi_normal", def.ByCovariance
	d.Doc = `The multivariate normal distribution with a mean vector and a covariance matrix. ` + "`multi_normal_cholesky`" + ` is faster where a factor is at hand.

    log p(x) = -½ (x - mu)ᵀ Sigma⁻¹ (x - mu) - ½ log|Sigma| - ½ K log(2π)

Source: Stan Functions Reference, "Multivariate normal distribution".`
	d.Params = []def.Param{meanVector(), {Name: "Sigma", Doc: "covariance matrix", Domain: def.CovMatrix,
		Rank: 2}}
	d.Event.Sample = func(r *rand.Rand, x []float64, theta [][]float64, k int) {
		l := factorOf(theta[1], k)
		ellipticSample(r, x, theta[0], l, 1, k)
	}
	d.Examples = []string{
		"data y : real[N, 2]\nparam mu : real[2] ~ normal(0, 1)\nparam Sigma : cov_matrix[2] ~ " +
			"inv_wishart(4, [[1, 0], [0, 1]])\ny ~ multi_normal(mu, Sigma)",
		"data t : real[N]\ndata y : real[N]\nparam l ~ inv_gamma(5, 5)\nparam s ~ half_normal(1)\ny ~ " +
			"multi_normal(0, gp_exp_quad(t, 1, l) + diag(s ^ 2 + 0 * t))",
	}
	return d
}

// multiNormal is what the forms of the distribution have in common.
func multiNormal(density func(*def.Events)) def.Dist {
	return def.Dist{
		Support: def.RealLine, LocationAt: -1, ScaleAt: -1,
		Event: &def.Event{Rank: 1, Least: 1, Density: density, Work: ellipticWork},
	}
}

func meanVector() def.Param { return def.Param{Name: "mu", Doc: "mean", Domain: def.RealLine, Rank: 1} }

// factorOf is the Cholesky factor of a covariance matrix, NaN where it is none.
func factorOf(sigma []float64, k int) []float64 {
	l := make([]float64, k*k)
	linear.Cholesky(l, sigma, k)
	return l
}

// ellipticSample draws mu + scale·L z with z of independent standard normals.
func ellipticSample(r *rand.Rand, x, mu, l []float64, scale float64, k int) {
	z := make([]float64, k)
	for i := range z {
		z[i] = portable.Normal(r)
	}
	for i := range k {
		x[i] = mu[i]
		for m := range i + 1 {
			x[i] += float64(scale * l[i+k*m] * z[m])
		}
	}
}

// A radial gives the log density of x = mu + L z for |L| = 1 from q = zᵀz, with -2 times its slope in q. The
// parameters of event i before mu are its own to read and to give to; there are none for a normal
// distribution.
type radial func(b *def.Events, i int, q float64, k int) (lp, weight float64)

func normalRadial(_ *def.Events, _ int, q float64, k int) (lp, weight float64) {
	return float64(-0.5*q) - float64(float64(k)*halfLogTwoPi), 1
}

// ellipticDensity is that of a distribution whose last two parameters are a mean and a scatter.
func ellipticDensity(b *def.Events, form def.Scatter, of radial) {
	at := len(b.Theta) - 2
	mu, s := b.Theta[at], b.Theta[at+1]
	k := b.X.Len
	if s.Step == 0 && b.N >= leastTogether && k <= widestTogether {
		ellipticTogether(b, form, of)
		return
	}
	f := factored{events: b, l: b.Work[:k*k]}
	inverse, ready := b.Work[k*k:2*k*k], false
	shared, weight := form == def.ByCovariance && s.Step == 0 && b.W != nil && b.DTheta[at+1] != nil, 0.0
	d := b.Work[2*k*k : 3*k*k]
	z, w := b.Work[3*k*k:3*k*k+k], b.Work[3*k*k+k:3*k*k+2*k]
	eachEvent(b, func(i int) float64 {
		if !f.of(s, i, k, form == def.ByFactor) {
			return math.Inf(-1)
		}
		for j := range k {
			z[j] = b.X.At(i, j) - mu.At(i, j)
		}
		copy(w, z)
		logDet := f.logDet
		if form == def.ByPrecision { // w is Lᵀ r, then z the product with the precision
			lowerTransposeTimes(w, f.l, k)
			logDet = -logDet
		} else {
			linear.SolveLower(w, f.l, k)
		}
		q := 0.0
		for _, v := range w {
			q += float64(v * v)
		}
		lp, g := of(b, i, q, k)
		if b.W == nil {
			return lp - logDet
		}
		if form == def.ByPrecision {
			lowerTimes(w, f.l, k)
		} else {
			linear.SolveUpper(w, f.l, k)
		}
		for j := range k {
			b.GiveX(i, j, -g*w[j])
			b.Give(at, i, j, g*w[j])
		}
		switch {
		case shared: // the sum of the products, then the inverse once
			weight += b.W[i]
			for j, v := range w {
				z[j] = 0.5 * b.W[i] * g * v
			}
			b.Products.AddOuter(b.DTheta[at+1], w, z, k)
		case b.DTheta[at+1] != nil:
			if form != def.ByFactor && (!ready || s.Step > 0) {
				f.inverse(inverse, k)
				ready = true
			}
			byScatter(d, form, g, z, w, inverse, f.l, k)
			giveMatrix(b, at+1, i, d)
		}
		return lp - logDet
	})
	if shared && f.ok {
		f.inverse(inverse, k)
		for e, v := range inverse {
			b.DTheta[at+1][e] -= float64(0.5 * weight * v)
		}
	}
}

// byScatter is the derivative of -½ g rᵀ Sigma⁻¹ r - log|L| by the scatter, for a residual r with w = Sigma⁻¹
// r. inverse is that of L Lᵀ.
func byScatter(d []float64, form def.Scatter, g float64, r, w, inverse, l []float64, k int) {
	for j := range k {
		d, inverse := d[k*j:][:k], inverse[k*j:][:k]
		switch form {
		case def.ByCovariance:
			c := float64(g * w[j])
			for i, v := range inverse {
				d[i] = 0.5 * (float64(c*w[i]) - v)
			}
		case def.ByPrecision:
			c := float64(g * r[j])
			for i, v := range inverse {
				d[i] = 0.5 * (v - float64(c*r[i]))
			}
		default: // by L: w zᵀ with z = Lᵀ w
			z, col := 0.0, l[k*j+j:][:k-j]
			for m, v := range col {
				z += float64(v * w[j+m])
			}
			clear(d[:j])
			for i := j; i < k; i++ {
				d[i] = float64(g * w[i] * z)
			}
			d[j] -= 1 / col[0]
		}
	}
}

// lowerTimes overwrites v with L v, lowerTransposeTimes with Lᵀ v.
func lowerTimes(v, l []float64, k int) {
	for i := k - 1; i >= 0; i-- {
		sum := 0.0
		for m := range i + 1 {
			sum += float64(l[i+k*m] * v[m])
		}
		v[i] = sum
	}
}

func lowerTransposeTimes(v, l []float64, k int) {
	for i := range k {
		sum := 0.0
		for m := i; m < k; m++ {
			sum += float64(l[m+k*i] * v[m])
		}
		v[i] = sum
	}
}
