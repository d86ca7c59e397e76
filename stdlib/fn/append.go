package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Append joins arrays along the first axis.
func Append() def.Structural {
	return def.Structural{
		Name: "append",
		Doc: "Joins scalars and vectors to a vector, or matrices of as many columns to a " +
			"matrix, along the first axis.",
		Examples: []string{"param first ~ normal(0, 10)\nparam rest : real[5] ~ normal(0, 1)\nlet path = " +
			"cumulative_sum(append(first, rest))"},
		Linear:   [][]int{{def.AllArguments}},
		Arity:    def.Arity{Min: 2, Max: -1},
		Positive: true,
		Range:    joined,
		Infer:    inferAppend,
	}
}

func inferAppend(args []types.Type) (types.Type, error) {
	out := types.Type{Elem: args[0].Elem}
	rows := types.Const(0)
	for k, t := range args {
		if err := numeric(t); err != nil {
			return types.Type{}, err
		}
		first, rest := types.Const(1), []types.Size(nil)
		if len(t.Dims) > 0 {
			first, rest = t.Dims[0], t.Dims[1:]
		}
		same := types.Type{Dims: rest}
		if k > 0 && !same.SameShape(types.Type{Dims: out.Dims}) {
			return types.Type{},
				fmt.Errorf("%s and %s do not join: all axes but the first must have the same sizes",
					described(args[0]), described(t))
		}
		out.Elem, out.Dims = common(out.Elem, t.Elem), rest
		rows = rows.Add(first, 1)
	}
	out.Dims = append([]types.Size{rows}, out.Dims...)
	return out, nil
}
