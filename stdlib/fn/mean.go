package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Mean is the mean of all elements.
func Mean() def.Structural {
	return def.Structural{
		Name: "mean",
		Doc: "The mean of all elements of an array, a real scalar. `mean(v by g)` is that of the rows of " +
			"each category of a level, each of which must have one.",
		Examples: []string{
			"data x : real[N]\nlet centered = x - mean(x)",
			"data x : real[N]\ndata g : level(G)[N]\nlet within = x - mean(x by g)[g]",
		},
		Mixes:    true,
		Range:    func(x []def.Range) def.Range { return x[0] },
		Linear:   [][]int{{0}},
		Groups:   true,
		Arity:    def.Arity{Min: 1, Max: 1},
		Positive: true,
		Infer:    realScalar,
	}
}

// realScalar is the rule of summaries: any array gives a real scalar.
func realScalar(args []types.Type) (types.Type, error) {
	return types.Type{Elem: types.Real}, array(args[0])
}
