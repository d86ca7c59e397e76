package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// NegBinomial2Log is the negative binomial distribution with log mean eta and inverse dispersion phi.
func NegBinomial2Log() def.Dist {
	return def.Dist{
		Name: "neg_binomial_2_log",
		Doc: `The negative binomial distribution with mean mu = exp(eta) and variance mu + mu²/phi: counts that vary more than poisson_log(eta) allows, which it
becomes for phi → ∞.

    log p(x) = log Γ(x + phi)/(x! Γ(phi)) + x log(mu/(mu + phi)) + phi log(phi/(mu + phi))        for x = 0, 1, 2, …

Source: Stan Functions Reference, "Negative binomial distribution, log alternative parameterization".`,
		Params: []def.Param{
			{Name: "eta", Doc: "log mean", Domain: def.RealLine, LinearIn: theValue},
			{Name: "phi", Doc: "inverse dispersion", Domain: def.Positive},
		},
		Mean:       "exp(eta)",
		Support:    def.Naturals,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Link:       def.Link{Scale: def.LogLink, Param: 0},
		LogDensity: negBinomial2LogLogDensity,
		Rows:       def.NegBinomial2LogRows,
		Loop: "regressions with weights are computed by it: the gamma functions of small counts are one " +
			"table for all rows",
		Expand:   negBinomial2LogExpand,
		Elements: negBinomial2LogElements,
		Carrier:  factorialCarrier,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawPoisson(r, portable.Exp(theta[0])*(drawGamma(r, theta[1])/theta[1]))
		},
		LogCDF: below(negBinomial2LogTail), LogCCDF: above(negBinomial2LogTail),
		SlowTails: incompleteBeta,
		Examples: []string{"data y : count[N]\nparam eta ~ normal(0, 2)\nparam phi ~ gamma(2, 0.1)\ny ~ " +
			"neg_binomial_2_log(eta, phi)"},
	}
}

// negBinomial2LogExpand is for a phi in each row. The loop over rows, which is for one, also takes an eta
// that all rows have in common.
func negBinomial2LogExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	eta, phi := theta[0], theta[1]
	switch {
	case len(b.Dims(phi)) > 0:
		t := b.Sub(eta, b.Func("log", phi))
		b.Sum(b.Rising(phi, x), 1)
		b.Sum(b.Mul(phi, b.Func("softplus", t)), -1)
		b.Sum(b.Times(x, b.Func("softplus", b.Func("neg", t))), -1)
		return true
	case len(b.Dims(eta)) == 0:
		b.Density(uncarried(NegBinomial2Log()), x, b.Add(eta, b.Fill(0)), phi)
		return true
	}
	return false
}

// negBinomial2LogElements writes x·log(1+exp(-t)) of negBinomial2LogLogDensity by log(1+exp(t)): in the upper
// tail rounding is that of x·t.
func negBinomial2LogElements(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	eta, phi := theta[0], theta[1]
	t := b.Sub(eta, b.Func("log", phi))
	b.Sum(b.Rising(phi, x), 1)
	b.Sum(b.Times(x, t), 1)
	b.Sum(b.Mul(b.Add(phi, x), b.Func("softplus", t)), -1)
	return true
}

// With t = eta - log(phi), the log density is log Γ(x+phi)/Γ(phi) - phi·log(1+exp(t)) - x·log(1+exp(-t)): no
// term cancels in either tail.
func negBinomial2LogLogDensity(b *def.Batch) float64 {
	eta, phi := b.Theta[0], b.Theta[1]
	deta, dphi := partial(b, 0), partial(b, 1)
	clear(b.DX)
	var table risingTable
	if phi.Step == 0 && b.N > 2*len(table) {
		table.fill(phi.V[0])
	}
	var size, logSize, sum float64
	for i := range b.N {
		if i == 0 || phi.Step != 0 {
			size = positive(phi.At(i))
			logSize = portable.Log(size)
		}
		x := natural(b.X.At(i))
		t := eta.At(i) - logSize
		z := portable.Exp(-math.Abs(t))
		l := portable.Log1pUnit(z, 0)
		up, down := l+max(t, 0), l+max(-t, 0) // log(1+exp(t)), log(1+exp(-t))
		p, q := sigmoids(t, z)
		rising := table.at(size, x, dphi != nil)
		lp := rising.value - float64(size*up) - times(x, down)
		sum += lp
		set(b.LP, i, lp)
		set(deta, i, float64(x*q)-float64(size*p))
		set(dphi, i, rising.d-up+p-x*q/size)
	}
	return finish(b, sum)
}

// A rising is log Γ(phi+x)/Γ(phi) and its derivative in phi.
type rising struct{ value, d float64 }

// A risingTable holds the values for the counts 0, 1, 2, …, where phi is the same in a long block: counts are
// mostly small. An entry that is not filled is computed when it is needed.
type risingTable [17]struct {
	rising
	filled bool
}

// fill computes all entries, each as the logarithm of a product of at most 16 factors, which needs no lgamma.
func (t *risingTable) fill(phi float64) {
	if !(phi > 0 && phi < largestFactor) {
		return
	}
	product, d := 1.0, 0.0
	for x := range t {
		t[x].rising, t[x].filled = rising{portable.Log(product), d}, true
		product *= phi + float64(x)
		d += 1 / (phi + float64(x))
	}
}

// largestFactor is a phi whose product of 16 factors is far from overflow.
const largestFactor = 1e15

// at returns the entry for phi and x; the derivative may be left out.
func (t *risingTable) at(phi, x float64, derivative bool) rising {
	if x < float64(len(t)) {
		if e := &t[int(x)]; e.filled {
			return e.rising
		}
		if phi < largestFactor {
			return risingProduct(phi, x)
		}
	}
	r := rising{value: portable.LgammaDiff(phi, x)}
	if derivative {
		r.d = portable.DigammaDiff(phi, x)
	}
	return r
}

func risingProduct(phi, x float64) rising {
	product, d := 1.0, 0.0
	for k := 0.0; k < x; k++ {
		product *= phi + k
		d += 1 / (phi + k)
	}
	return rising{portable.Log(product), d}
}

func negBinomial2LogTail(x float64, theta [maxParams]float64, upper bool) point {
	phi := theta[1]
	odds := theta[0] - portable.Log(phi)
	lp, da, flow := failuresTail(x, phi, portable.Sigmoid(-odds), portable.Sigmoid(odds), upper)
	return point{lp: lp, dtheta: [maxParams]float64{-flow, da + flow/phi}}
}
