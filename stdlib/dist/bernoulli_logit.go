package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/special"
)

// BernoulliLogit is the distribution of a 0/1 variable that is 1 with log odds alpha.
func BernoulliLogit() def.Dist {
	return def.Dist{
		Name: "bernoulli_logit",
		Sums: true,
		Doc: `The distribution of a 0/1 variable that is 1 with log odds alpha, probability 1/(1 + exp(-alpha)): logistic regression.

    log p(x) = x alpha - log(1 + exp(alpha))        for x = 0 or 1

Source: Stan Functions Reference, "Bernoulli distribution, logit parameterization".`,
		Params: []def.Param{{Name: "alpha", Doc: "log odds of 1", Domain: def.RealLine,
			LinearIn: theValue}},
		Mean:       "inv_logit(alpha)",
		Support:    def.ZeroOne,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		Link:       def.Link{Scale: def.LogitLink, Param: 0, Steepest: 1},
		LogDensity: bernoulliLogitLogDensity,
		Rows:       def.BernoulliLogitRows,
		Elements:   bernoulliLogitElements,
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawBinary(r, special.InvLogit(theta[0]))
		},
		LogCDF: below(bernoulliLogitTail), LogCCDF: above(bernoulliLogitTail),
		Examples: []string{"data y : binary[N]\ndata x : real[N]\nparam a ~ normal(0, 2)\nparam b ~ " +
			"normal(0, 2)\ny ~ bernoulli_logit(a + b * x)"},
		Cases: []def.Case{
			{X: 1, Theta: []float64{0}, LogP: -0.6931471805599453},
			{X: 1, Theta: []float64{1.7}, LogP: -0.1677860293862659},
			{X: 0, Theta: []float64{1.7}, LogP: -1.8677860293862658},
			{X: 1, Theta: []float64{-40}, LogP: -40},
			{X: 1, Theta: []float64{40}, LogP: -4.248354255291589e-18},
			{X: 0, Theta: []float64{800}, LogP: -800},
			{X: 1, Theta: []float64{-800}, LogP: -800},
			{X: 0, Theta: []float64{-300}, LogP: -5.148200222412013e-131},
			{X: 1, Theta: []float64{700}, LogP: -9.85967654375977e-305},
		},
	}
}

func bernoulliLogitLogDensity(b *def.Batch) float64 {
	alpha, dalpha := b.Theta[0], partial(b, 0)
	clear(b.DX)
	if b.LP == nil && b.X.Step == 1 && alpha.Step == 1 && b.N > 1 {
		sum := bernoulliLogitRows(b.X.V[:b.N], alpha.V[:b.N], dalpha)
		if finite(sum) {
			return sum
		}
	}
	sum := 0.0
	for i := range b.N {
		x, eta := binary(b.X.At(i)), alpha.At(i)
		toward := (float64(2*x) - 1) * eta // the log odds of the observed value
		lp := -special.Log1pExp(-toward)
		sum += lp
		set(b.LP, i, lp)
		set(dalpha, i, (float64(2*x)-1)*special.InvLogit(-toward))
	}
	return finish(b, sum)
}

// bernoulliLogitRows is the loop over contiguous rows. With t = ±eta the log odds of the observed value and z
// = exp(-|t|), log p = min(t, 0) - log(1+z); the logarithms of a block are taken as one, of the product of
// its factors in (1, 2]. It gives NaN where an x is neither 0 nor 1, or eta is not finite.
func bernoulliLogitRows(x, eta, deta []float64) float64 {
	sum := 0.0
	for len(x) > 0 {
		n := min(len(x), logProductBlock)
		if deta == nil {
			sum += bernoulliLogitValue(x[:n], eta[:n])
		} else {
			sum += bernoulliLogitGradient(x[:n], eta[:n], deta[:n])
			deta = deta[n:]
		}
		x, eta = x[n:], eta[n:]
	}
	return sum
}

// logProductBlock is how many factors in (1, 2] are multiplied before one logarithm: far from overflow, and
// with a rounding error below 64 half ulps of 1 in the sum.
const logProductBlock = 64

func bernoulliLogitValue(x, eta []float64) float64 {
	twice, wrong, product := 0.0, 0.0, 1.0
	eta = eta[:len(x)]
	for i, y := range x {
		t := float64((float64(2*y) - 1) * eta[i])
		a := math.Abs(t)
		product *= 1 + portable.Exp(-a)
		twice += t - a // 2 min(t, 0)
		wrong += math.Abs(y * (y - 1))
	}
	return where(wrong == 0, float64(0.5*twice)-portable.Log(product))
}

func bernoulliLogitGradient(x, eta, deta []float64) float64 {
	twice, wrong, product := 0.0, 0.0, 1.0
	eta, deta = eta[:len(x)], deta[:len(x)]
	for i, y := range x {
		sign := float64(2*y) - 1
		t := float64(sign * eta[i])
		a := math.Abs(t)
		z := portable.Exp(-a)
		product *= 1 + z
		twice += t - a
		wrong += math.Abs(y * (y - 1))
		deta[i] = sign * sigmoid(-t, z)
	}
	return where(wrong == 0, float64(0.5*twice)-portable.Log(product))
}

// sigmoid returns 1/(1+exp(-t)) given z = exp(-|t|). The choice is made on bits, so that it compiles to a
// conditional move: the sign of t is as good as random, and a branch on it would be mispredicted half the
// time.
func sigmoid(t, z float64) float64 {
	bits := oneBits
	if t < 0 {
		bits = math.Float64bits(z)
	}
	return math.Float64frombits(bits) / (1 + z)
}

// sigmoids returns 1/(1+exp(-t)) and 1/(1+exp(t)) given z = exp(-|t|).
func sigmoids(t, z float64) (p, q float64) {
	near := 1 / (1 + z)
	p, q = near, z*near
	if t < 0 {
		p, q = q, p
	}
	return p, q
}

const oneBits uint64 = 0x3ff0000000000000 // the bits of 1.0

// where returns v if ok, else NaN.
func where(ok bool, v float64) float64 {
	if ok {
		return v
	}
	return math.NaN()
}

// bernoulliLogitElements is -log(1 + exp(-t)) with t = ±alpha the log odds of the observed value.
func bernoulliLogitElements(b def.Builder, x def.Value, theta []def.Value) bool {
	toward := b.Mul(b.Sub(b.Number(1), b.Mul(b.Number(2), x)), theta[0])
	b.Sum(b.Func("softplus", toward), -1)
	return true
}

func bernoulliLogitTail(x float64, theta [maxParams]float64, upper bool) point {
	a := theta[0]
	return binaryTail(x, point{lp: -special.Log1pExp(a), dtheta: [maxParams]float64{-special.InvLogit(a)}},
		point{lp: -special.Log1pExp(-a), dtheta: [maxParams]float64{special.InvLogit(-a)}}, upper)
}
