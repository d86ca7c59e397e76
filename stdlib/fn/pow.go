package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Pow is a power.
func Pow() def.Structural {
	return def.Structural{
		Name:     "pow",
		Doc:      "`pow(x, y)` is x ^ y, element by element.",
		Examples: []string{"param a ~ half_normal(1)\nlet cube = pow(a, 3)"},
		Arity:    def.Arity{Min: 2, Max: 2},
		RowWise:  true,
		Range:    func(x []def.Range) def.Range { return x[0].Power(x[1]) },
		Moves: func(x []def.Range) []bool {
			left, right := power(x[0], x[1])
			return []bool{left, right}
		},
		Infer: func(args []types.Type) (types.Type, error) { return real(elementwise(args)) },
	}
}
