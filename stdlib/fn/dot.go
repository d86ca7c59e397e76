package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Dot is the inner product of two vectors.
func Dot() def.Structural {
	return def.Structural{
		Name:     "dot",
		Doc:      "The inner product of two vectors of the same size, a real scalar.",
		Examples: []string{"data w : real[K]\nparam beta : real[K] ~ normal(0, 1)\nlet score = dot(w, beta)"},
		Mixes:    true,
		Range:    func(x []def.Range) def.Range { return x[0].Times(x[1]).Total() },
		Linear:   [][]int{{0}, {1}},
		Arity:    def.Arity{Min: 2, Max: 2},
		Positive: true,
		Infer: func(args []types.Type) (types.Type, error) {
			return types.Type{Elem: types.Real}, sameShape(args, 1)
		},
	}
}

// sameShape requires two arguments of the given rank and equal sizes.
func sameShape(args []types.Type, rank int) error {
	for _, t := range args {
		if err := ofRank(t, rank); err != nil {
			return err
		}
	}
	if !args[0].SameShape(args[1]) {
		return fmt.Errorf("both arguments must have the same sizes, but they are %s and %s", args[0], args[1])
	}
	return nil
}
