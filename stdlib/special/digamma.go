package special

import "github.com/vflc/vflc/portable"

// Digamma returns the derivative of lgamma at x > 0, infinite at 0, NaN elsewhere.
func Digamma(x float64) float64 { return portable.Digamma(x) }

// digammaTail returns digamma(x) - log(x) for x ≥ large.
func digammaTail(x float64) float64 {
	r := 1 / x
	s := r * r
	return float64(-0.5*r) -
		float64(s*(1./12-
			float64(s*(1./120-
				float64(s*(1./252-
					float64(s*(1./240-
						float64(s*(1./132-
							float64(s*(691./32760-float64(s*(1./12-float64(s*(3617./8160))))))))))))))))
}

// DigammaDiff returns digamma(x+a) - digamma(x) for x > 0 and a ≥ 0.
func DigammaDiff(x, a float64) float64 {
	if x < large {
		return Digamma(x+a) - Digamma(x)
	}
	return portable.Log1p(a/x) + (digammaTail(x+a) - digammaTail(x))
}
