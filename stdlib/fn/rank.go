package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Rank is the place of each element of a vector among all.
func Rank() def.Structural {
	return def.Structural{
		Name: "rank",
		Doc: "The rank of each element of a vector: 1 for the smallest, one more than the number of " +
			"smaller elements, so that equal elements have the same rank. Of " +
			"parameters it may stand in generated quantities only.",
		Examples: []string{"param ability : real[5] ~ normal(0, 1)\ngenerate place = rank(ability)"},
		Arity:    def.Arity{Min: 1, Max: 1},
		Mixes:    true,
		Jumps:    true,
		Range:    func([]def.Range) def.Range { return def.AtLeast0() },
		Infer: func(args []types.Type) (types.Type, error) {
			return types.Type{Elem: types.Count, Dims: args[0].Dims}, ofRank(args[0], 1)
		},
	}
}
