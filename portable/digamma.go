package portable

// digammaRest returns digamma(x) - log(x) for x ≥ large.
func digammaRest(x float64) float64 {
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
	return Log1p(a/x) + (digammaRest(x+a) - digammaRest(x))
}
