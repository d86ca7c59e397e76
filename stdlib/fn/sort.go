package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Sort is the elements of a vector in ascending order.
func Sort() def.Structural {
	return def.Structural{
		Name: "sort",
		Doc: "The elements of a vector in ascending order. Of parameters it may stand in generated " +
			"quantities only: where two elements change places it has no derivative.",
		Examples: []string{"param b : real[5] ~ normal(0, 1)\ngenerate inOrder = sort(b)"},
		Arity:    def.Arity{Min: 1, Max: 1},
		Mixes:    true,
		Jumps:    true,
		Range:    func(x []def.Range) def.Range { return x[0] },
		Infer:    func(args []types.Type) (types.Type, error) { return args[0], ofRank(args[0], 1) },
	}
}
