package encoder

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// ZScore standardises a numeric column. Its fitted numbers are the mean and the standard deviation.
func ZScore() def.Encoder {
	const name = "zscore"
	affine := func(f *def.Fitted) def.Rescaling {
		return def.Rescaling{Center: f.Numbers[0], Scale: f.Numbers[1]}
	}
	return def.Encoder{
		Name: name,
		Doc: "A numeric column minus its mean, divided by its standard deviation (divisor n - 1). " +
			"Gives one column. A constant column is an error.",
		Examples:    []string{"data X : real[N, P] from zscore(age, chol)", "data X : real[N, P] from zscore(*)"},
		Columns:     one(),
		Elementwise: true,
		Fit: func(c []def.Column, f *def.Fitted) *def.Fault {
			center := mean(c[0].Numbers)
			scale := deviation(c[0].Numbers, center)
			f.Numbers = []float64{center, scale}
			if scale == 0 || math.IsInf(scale, 0) {
				return &def.Fault{Kind: def.NoVariation,
					Text: fmt.Sprintf("its standard deviation is %v, and zscore divides by it; leave the "+
						"column out, or write center(%s)", scale, c[0].Name)}
			}
			return nil
		},
		Names:  call(name),
		Affine: affine,
		Apply:  standardise(affine),
	}
}
