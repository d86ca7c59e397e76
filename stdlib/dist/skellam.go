package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Skellam is the distribution of the difference of two Poisson variables.
func Skellam() def.Dist {
	return def.Dist{
		Name: "skellam",
		Doc: `The difference of two independent Poisson variables with rates mu1 and mu2: goals of two teams, changes of counts. Its mean is mu1 - mu2, its variance mu1 + mu2.

    log p(x) = -(mu1 + mu2) + x/2 log(mu1/mu2) + log I(2 sqrt(mu1 mu2))        for whole numbers x

I is the modified Bessel function of the first kind and order |x|. The distribution function is a sum over the values on one side.

Source: Skellam (1946), The frequency distribution of the difference between two Poisson variates belonging to different populations, JRSS 109.`,
		Params: []def.Param{
			{Name: "mu1", Doc: "rate of the first count", Domain: def.Positive},
			{Name: "mu2", Doc: "rate of the second count, which is subtracted", Domain: def.Positive},
		},
		Mean:       "mu1 - mu2",
		Support:    def.RealLine,
		Discrete:   true,
		LocationAt: -1,
		ScaleAt:    -1,
		LogDensity: func(b *def.Batch) float64 { return pointwise(b, skellamAt) },
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return drawPoisson(r, positive(theta[0])) - drawPoisson(r, positive(theta[1]))
		},
		LogCDF: below(skellamTail), LogCCDF: above(skellamTail),
		SlowTails: sumOfCounts,
		Slow:      "a sum over the pairs of counts with the difference of each row, of 20 to 100 terms",
		Examples: []string{"data goals : int[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\ngoals ~ skellam(exp(b * " +
			"x), 1.5)"},
	}
}

// skellamAt adds up the probabilities of the pairs of counts j + x and j, outward from about the most likely
// j: as multiples of that of the first, from which no large terms cancel. The partials follow from the mean
// of j given x.
func skellamAt(x float64, theta [maxParams]float64) point {
	first, second := positive(theta[0]), positive(theta[1])
	if x < 0 {
		p := skellamAt(-x, [maxParams]float64{second, first})
		p.dtheta[0], p.dtheta[1] = p.dtheta[1], p.dtheta[0]
		return p
	}
	x = natural(x)
	product := float64(first * second) // rounded: twice it is a sum
	size := math.Sqrt(float64(x*x) + float64(4*product))
	middle := 2 * product / (size + x)
	if !finite(middle) {
		return invalid()
	}
	from := math.Floor(middle)
	unit := portable.LogPoisson(from+x, first) + portable.LogPoisson(from, second)
	rest, moment := 0.0, 0.0 // beside the first term, which is 1
	if width := math.Sqrt(product / size); width > 8 {
		rest, moment = skellamStrides(x, first, second, from, unit, math.Floor(width/2))
	} else {
		for j, t := from+1, 1.0; t*(j-from) > 1e-18*rest; j++ {
			t = float64(t * (product / (j * (j + x))))
			rest += t
			moment += float64(t * (j - from))
		}
		for j, t := from, 1.0; j > 0 && t > 1e-18; j-- {
			t = float64(t * (j * (j + x) / product))
			rest += t
			moment -= float64(t * (from - j + 1))
		}
	}
	mean := from + moment/(1+rest)
	return point{lp: unit + portable.Log1p(rest),
		dtheta: [maxParams]float64{(mean+x)/first - 1, mean/second - 1}}
}

// skellamStrides takes one term of each stride, no more than half of the standard deviation of j given x: the
// trapezoidal rule, whose error for a sequence this smooth is below rounding (Trefethen and Weideman, The
// exponentially convergent trapezoidal rule, SIAM Review 56, 2014).
func skellamStrides(x, first, second, from, unit, stride float64) (rest, moment float64) {
	sum := 1.0
	for _, sign := range [2]float64{stride, -stride} {
		t := 1.0
		for j := from + sign; j >= 0 && t > 1e-18; j += sign {
			t = portable.Exp(portable.LogPoisson(j+x, first) + portable.LogPoisson(j, second) - unit)
			sum += t
			moment += float64(t * (j - from))
		}
	}
	return float64(stride*sum) - 1, stride * moment
}

// skellamTail sums over the values on the side of x where the probability is less.
func skellamTail(x float64, theta [maxParams]float64, upper bool) point {
	first, second := positive(theta[0]), positive(theta[1])
	switch {
	case math.IsNaN(x + first + second):
		return invalid()
	case math.IsInf(x, 0):
		return point{lp: certainly(upper == (x < 0))}
	}
	x = math.Floor(x)
	p := skellamSide(x, first, second, upper)
	if p.lp > -math.Ln2 {
		return skellamSide(x, first, second, !upper).complement()
	}
	return p
}

// skellamSide adds up the probabilities of x, x-1, … or (upper) of x+1, x+2, …, which are those of the
// opposite values of the difference taken the other way.
func skellamSide(x, first, second float64, upper bool) point {
	if upper {
		p := skellamSide(-x-1, second, first, false)
		p.dtheta[0], p.dtheta[1] = p.dtheta[1], p.dtheta[0]
		return p
	}
	at := func(x float64) float64 { return skellamAt(x, [maxParams]float64{first, second}).lp }
	largest := at(min(x, math.Floor(first-second)))
	sum, last := 0.0, 0.0
	for k := x; ; k-- {
		term := portable.Exp(at(k) - largest)
		sum += term
		if ratio := term / last; ratio < 1 && term*ratio < 1e-17*sum*(1-ratio) || term == 0 && sum > 0 {
			break
		}
		last = term
	}
	lp := largest + portable.Log(sum)
	return point{lp: lp, dtheta: [maxParams]float64{-portable.Exp(at(x) - lp), portable.Exp(at(x+1) - lp)}}
}
