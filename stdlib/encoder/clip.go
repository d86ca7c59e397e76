package encoder

import (
	"math"
	"strconv"

	"github.com/vflc/vflc/stdlib/def"
)

// Clip holds a numeric column between two bounds. It is fitted to nothing, so that its bounds are public.
func Clip() def.Encoder {
	const name, lower, upper = "clip", "lower", "upper"
	bounds := func(options map[string]string) (low, high float64) {
		low, _ = strconv.ParseFloat(options[lower], 64) // an option is a number
		high, _ = strconv.ParseFloat(options[upper], 64)
		return low, high
	}
	return def.Encoder{
		Name: name,
		Doc: "A numeric column with values below the lower bound set to it, and values above the upper " +
			"bound set to that. Gives one column. The bounds are public and do not depend on the rows: " +
			"under `transform private` they are those of the column. Rows beyond them bias a coefficient: " +
			"choose bounds that few rows pass.",
		Examples: []string{"data X : real[N, P] from clip(age, 0, 120), clip(temperature, -10, 42.5)"},
		Columns:  one(),
		Options: []def.Option{
			{Name: lower, Doc: "the least value", Number: true, Positional: true},
			{Name: upper, Doc: "the greatest value", Number: true, Positional: true},
		},
		Elementwise: true,
		Bounds:      bounds,
		Names:       call(name),
		Apply: func(c []def.Column, f *def.Fitted, out [][]float64, _ func(int, def.Fault)) {
			low, high := bounds(f.Options)
			for i, v := range c[0].Numbers {
				out[0][i] = math.Max(low, math.Min(high, v)) // of NaN it is NaN
			}
		},
	}
}
