package dist

import (
	"github.com/vflc/vflc/stdlib/def"
)

// locationScale is the log density of x = mu + sigma·u with parameters (mu, sigma). standard gives the log
// density of u, without the constant logNorm, and its derivative, the score.
func locationScale(b *def.Batch, logNorm float64, standard func(z float64) (lp, score float64)) float64 {
	mu, sigma := b.Theta[0], b.Theta[1]
	dmu, dsigma := partial(b, 0), partial(b, 1)
	var s, norm, sum float64
	for i := range b.N {
		if i == 0 || sigma.Step != 0 {
			s = positive(sigma.At(i))
			norm = logNorm - b.Log(s)
		}
		z := (b.X.At(i) - mu.At(i)) / s
		lp, score := standard(z)
		lp += norm
		sum += lp
		set(b.LP, i, lp)
		set(b.DX, i, score/s)
		set(dmu, i, -score/s)
		set(dsigma, i, -(1+float64(z*score))/s)
	}
	return finish(b, sum)
}

// scaleOnly is the log density of x = sigma·|u| with the parameter sigma, for u symmetric about 0; logNorm
// includes the factor 2.
func scaleOnly(b *def.Batch, logNorm float64, standard func(z float64) (lp, score float64)) float64 {
	sigma, dsigma := b.Theta[0], partial(b, 0)
	var s, norm, sum float64
	for i := range b.N {
		if i == 0 || sigma.Step != 0 {
			s = positive(sigma.At(i))
			norm = logNorm - b.Log(s)
		}
		z := nonNegative(b.X.At(i)) / s
		lp, score := standard(z)
		lp += norm
		sum += lp
		set(b.LP, i, lp)
		set(b.DX, i, score/s)
		if dsigma != nil {
			dsigma[i] = -(1 + float64(z*score)) / s
		}
	}
	return finish(b, sum)
}

// scaled is k·(x - mu)/sigma, with one division for all rows where sigma is one number.
func scaled(b def.Builder, x, mu, sigma def.Value, k float64) def.Value {
	return b.Mul(b.Sub(x, mu), b.Div(b.Number(k), sigma))
}

var (
	locationParam = def.Param{Name: "mu", Doc: "location", Domain: def.RealLine}
	scaleParam    = def.Param{Name: "sigma", Doc: "scale", Domain: def.Positive}
	nuParam       = def.Param{Name: "nu", Doc: "degrees of freedom", Domain: def.Positive}
)
