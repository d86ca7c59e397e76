package encoder

import "github.com/vflc/vflc/stdlib/def"

// Center subtracts the mean of a numeric column, its fitted number.
func Center() def.Encoder {
	const name = "center"
	affine := func(f *def.Fitted) def.Rescaling { return def.Rescaling{Center: f.Numbers[0], Scale: 1} }
	return def.Encoder{
		Name:        name,
		Doc:         "A numeric column minus its mean. Gives one column.",
		Examples:    []string{"data X : real[N, P] from center(age)"},
		Columns:     one(),
		Elementwise: true,
		Fit: func(c []def.Column, f *def.Fitted) *def.Fault {
			f.Numbers = []float64{mean(c[0].Numbers)}
			return nil
		},
		Names:  call(name),
		Affine: affine,
		Apply:  standardise(affine),
	}
}
