package fn

import (
	"math"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Max is the largest element, or the largest of two numbers.
func Max() def.Structural {
	return def.Structural{
		Name: "max",
		Doc: "`max(x)` is the largest of all elements of x; `max(a, b)` takes the largest of two " +
			"arrays of one shape, or an array and a number, element by element. The gradient goes to the one " +
			"that is taken. `max(v by g)` is the largest row of each category of a level, each of which must have one.",
		Examples: []string{"param a ~ normal(0, 1)\nparam b ~ normal(0, 1)\nlet c = max(a, b)"},
		Groups:   true,
		Arity:    def.Arity{Min: 1, Max: 2},
		Positive: true,
		Range:    func(x []def.Range) def.Range { return extreme(x, math.Max) },
		Moves:    everywhere,
		Infer:    inferExtreme,
	}
}

// inferExtreme is the type of one of all elements, or of two.
func inferExtreme(args []types.Type) (types.Type, error) {
	if len(args) == 1 {
		return types.Type{Elem: args[0].Elem}, array(args[0])
	}
	return elementwise(args)
}
