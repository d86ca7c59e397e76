package encoder

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// Log takes logarithms of a positive column.
func Log() def.Encoder {
	const name = "log"
	return def.Encoder{
		Name: name,
		Doc: "The natural logarithm of a numeric column. Gives one column. A value that is " +
			"not positive is an error.",
		Examples:    []string{"data X : real[N, P] from log(income)"},
		Columns:     one(),
		Elementwise: true,
		Positive:    true,
		Names:       call(name),
		Apply: func(c []def.Column, _ *def.Fitted, out [][]float64, fault func(int, def.Fault)) {
			for i, v := range c[0].Numbers {
				if v <= 0 {
					fault(i, def.Fault{Kind: def.OutsideDomain,
						Text: "is not positive, so it has no logarithm; leave log off, or shift the column"})
					v = math.NaN()
				}
				out[0][i] = portable.Log(v)
			}
		},
	}
}
