package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Sum adds all elements.
func Sum() def.Structural {
	return def.Structural{
		Name: "sum",
		Doc: "The sum of all elements of an array, a scalar; whole where the elements are. With `for` " +
			"it is a sum over members of a family or a range: `sum(beta[k] for k in 1..K)`. " +
			"`sum(v by g)`, with `data g : level(G)[N]`, adds the rows of v of each category, 0 where there " +
			"is none: an array of G, `[G, K]` for a matrix, `[G, H]` by two levels, `sum(v by g, h)`.",
		Examples: []string{
			"data x : real[N]\nlet total = sum(x)",
			"data x : real[N]\ndata g : level(G)[N]\nlet total = sum(x by g)",
		},
		Mixes:    true,
		Range:    func(x []def.Range) def.Range { return x[0].Total() },
		Linear:   [][]int{{0}},
		Groups:   true,
		Empty:    true,
		Arity:    def.Arity{Min: 1, Max: 1},
		Positive: true,
		Infer: func(args []types.Type) (types.Type, error) {
			return types.Type{Elem: total(args[0].Elem)}, array(args[0])
		},
	}
}
