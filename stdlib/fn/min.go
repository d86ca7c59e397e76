package fn

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// Min is the smallest element, or the smallest of two numbers.
func Min() def.Structural {
	return def.Structural{
		Name: "min",
		Doc: "`min(x)` is the smallest of all elements of x; `min(a, b)` takes the smallest of two " +
			"arrays of one shape, or an array and a number, element by element. The gradient goes to the one " +
			"that is taken. `min(v by g)` is the smallest row of each category of a level, each of which must have one.",
		Examples: []string{"param a ~ normal(0, 1)\nparam b ~ normal(0, 1)\nlet c = min(a, b)"},
		Groups:   true,
		Arity:    def.Arity{Min: 1, Max: 2},
		Positive: true,
		Range:    func(x []def.Range) def.Range { return extreme(x, math.Min) },
		Moves:    everywhere,
		Infer:    inferExtreme,
	}
}
