package dist

import (
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// StudentT is Student's t distribution with nu degrees of freedom, location mu and scale sigma.
func StudentT() def.Dist {
	return def.Dist{
		Name: "student_t",
		Doc: `Student's t distribution with nu degrees of freedom, location mu and scale sigma.

    log p(x) = lgamma((nu+1)/2) - lgamma(nu/2) - log(nu π)/2 - log(sigma) - (nu+1)/2 · log(1 + ((x - mu)/sigma)²/nu)

Source: Stan Functions Reference, "Student-t distribution".`,
		Params:     []def.Param{nuParam, locationParam, scaleParam},
		Support:    def.RealLine,
		LocationAt: 1,
		ScaleAt:    2,
		Link:       def.Link{Scale: def.IdentityLink, Param: 1},
		LogDensity: studentTLogDensity,
		Expand:     studentTExpand,
		Rows:       def.StudentTRows,
		Loop: "z² of the vector form overflows where |z| > 1e154, and its constants cancel where nu is " +
			"large",
		Sample: func(r *rand.Rand, theta []float64) float64 {
			return theta[1] + float64(positive(theta[2])*standardT(r, theta[0]))
		},
		LogCDF: below(studentTail), LogCCDF: above(studentTail),
		SlowTails: incompleteBeta,
		Examples:  []string{"param mu ~ student_t(3, 0, 2.5)"},
	}
}

func studentTExpand(b def.DensityBuilder, x def.Value, theta []def.Value) bool {
	nu, ok := b.Const(theta[0])
	if !ok {
		z := b.Mul(b.Sub(x, theta[1]), b.Div(b.Number(1), theta[2]))
		w := b.Div(b.Mul(z, z), theta[0])
		b.Sum(b.Mul(b.Add(theta[0], b.Number(1)), b.Func("log1p", w)), -0.5)
		b.Sum(b.Func("log", theta[2]), -1)
		if len(b.Dims(theta[0])) == 0 {
			b.Sum(b.Apply(tNorm(), theta[0]), 1)
			return true
		}
		b.Sum(b.Rising(b.Mul(b.Number(0.5), theta[0]), b.Number(0.5)), 1) // no difference of two lgamma
		b.Sum(b.Func("log", theta[0]), -0.5)
		b.Each(-0.5 * logPi)
		return true
	}
	z := scaled(b, x, theta[1], theta[2], 1/math.Sqrt(nu))
	b.Sum(b.Func("log1p", b.Mul(z, z)), -(nu+1)/2)
	b.Sum(b.Func("log", theta[2]), -1)
	b.Each(lgamma((nu+1)/2) - lgamma(nu/2) - float64(portable.Log(nu*math.Pi)/2))
	return true
}

// tNorm is the log density at 0 of the standard member by the degrees of freedom that all rows have.
func tNorm() *def.Func {
	return &def.Func{
		Name: "log_student_t_norm",
		Forward: func(y, x []float64) {
			for i, nu := range x {
				y[i] = logTNorm(nu, 0)
			}
		},
		Backward: func(dx, dy, x, _ []float64) {
			for i, nu := range x {
				dx[i] += float64(dy[i] * tNormSlope(nu))
			}
		},
	}
}

// standardT draws from Student's t with nu degrees of freedom.
func standardT(r *rand.Rand, nu float64) float64 {
	return portable.Normal(r) / math.Sqrt(drawGamma(r, nu/2)/(nu/2))
}

// logTNorm is the log density of the standard member at 0, and tNormSlope its derivative.
func logTNorm(nu, _ float64) float64 {
	nu = positive(nu)
	return portable.LgammaDiff(nu/2, 0.5) - float64(0.5*(portable.Log(nu)+logPi))
}

func tNormSlope(nu float64) float64 {
	nu = positive(nu)
	return 0.5 * (portable.DigammaDiff(nu/2, 0.5) - 1/nu)
}

// studentTLogDensity has log p(z) = norm - half·log(1+w²), with w = z/√nu and half = (nu+1)/2.
func studentTLogDensity(b *def.Batch) float64 {
	nu, mu, sigma := b.Theta[0], b.Theta[1], b.Theta[2]
	dnu, dmu, dsigma := partial(b, 0), partial(b, 1), partial(b, 2)
	var v, half, norm, dnorm, s, logS, width, sum float64
	for i := range b.N {
		if i == 0 || nu.Step != 0 || sigma.Step != 0 {
			v, s = positive(nu.At(i)), positive(sigma.At(i))
			half, norm, logS, width = (v+1)/2, b.Known(logTNorm, v, 0), b.Log(s), s*math.Sqrt(v)
			if dnu != nil {
				dnorm = tNormSlope(v)
			}
		}
		w := (b.X.At(i) - mu.At(i)) / width
		value, ratio := portable.Log1pSquare(w)
		share := w * ratio // w²/(1+w²)
		if dnu != nil {
			dnu[i] = dnorm - float64(0.5*value) + half*share/v
		}
		lp, score := norm-float64(half*value)-logS, -2*half*ratio/width
		sum += lp
		set(b.LP, i, lp)
		set(b.DX, i, score)
		set(dmu, i, -score)
		if dsigma != nil {
			dsigma[i] = (float64(2*half*share) - 1) / s
		}
	}
	return finish(b, sum)
}

func studentTail(x float64, theta [maxParams]float64, upper bool) point {
	nu, sigma := theta[0], positive(theta[2])
	z := (x - theta[1]) / sigma
	if upper {
		z = -z
	}
	lp, dnu, slope := studentCDF(z, nu)
	if upper {
		slope = -slope
	}
	slope /= sigma
	return point{lp: lp, dx: slope,
		dtheta: [maxParams]float64{dnu, -slope, -times(slope, (x-theta[1])/sigma)}}
}

// studentCDF is the log of the distribution function of the standard member, half of the incomplete beta
// function at nu/(nu + z²) below 0, with its derivatives in nu and z.
func studentCDF(z, nu float64) (lp, dnu, slope float64) {
	switch {
	case !(nu > 0) || math.IsNaN(z):
		return math.NaN(), math.NaN(), math.NaN()
	case math.IsInf(z, 0):
		return certainly(z > 0), 0, 0
	case z == 0:
		return -math.Ln2, 0, 2 * portable.Exp(portable.LgammaDiff(0.5*nu, 0.5)) / math.Sqrt(nu*math.Pi)
	}
	w := z * z / nu
	lp, dnu, _, flow := portable.LogIncBeta(0.5*nu, 0.5, 1/(1+w), w/(1+w))
	lp -= math.Ln2
	dnu = float64(0.5*dnu) + flow/nu
	slope = -2 * flow / z
	if z < 0 {
		return lp, dnu, slope
	}
	tail := portable.Exp(lp)
	odds := tail / (1 - tail)
	return portable.Log1p(-tail), -odds * dnu, -odds * slope
}
