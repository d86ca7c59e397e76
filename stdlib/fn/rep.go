package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Rep is a number as many times as it is wanted.
func Rep() def.Structural {
	return def.Structural{
		Name: "rep",
		Doc: "`rep(x, n)` is a vector with n times the number x, `rep(x, n, k)` a matrix of n rows and k " +
			"columns; n and k are sizes. A number goes without it where another " +
			"argument has the shape.",
		Examples: []string{
			"data x : real[N]\nparam s ~ half_normal(1)\nlet noise = diag(rep(s^2, N))",
			"const K = 5\nlet zeros = rep(0, K)",
		},
		Arity:    def.Arity{Min: 2, Max: 3},
		Sized:    true,
		Range:    func(x []def.Range) def.Range { return x[0] },
		Linear:   [][]int{{0}},
		Positive: true,
		Infer: func(args []types.Type) (types.Type, error) {
			if !args[0].Scalar() {
				return types.Type{},
					fmt.Errorf("one number is repeated, but this is %s; `row(v)` goes with each row of a "+
						"matrix and `col(v)` with each column", described(args[0]))
			}
			out := types.Type{Elem: args[0].Elem}
			for _, a := range args[1:] {
				out.Dims = append(out.Dims, a.Dims...)
			}
			return out, nil
		},
	}
}
