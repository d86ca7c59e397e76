package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Softmax is exp(x)/Σ exp(x) along the last axis.
func Softmax() def.Structural {
	return def.Structural{
		Name: "softmax",
		Doc: "exp(x)/Σ exp(x) along the last axis, with the shape of its argument: the probabilities " +
			"of a vector, or of each row of a matrix.",
		Examples: []string{"param a : real[4] ~ normal(0, 1)\nlet p = softmax(a)"},
		Arity:    def.Arity{Min: 1, Max: 1},
		RowWise:  false,
		Range:    func([]def.Range) def.Range { return def.Range{Lower: 0, Upper: 1, UpperIn: true} },
		Moves:    everywhere,
		Gives:    def.Simplex,
		Mixes:    true,
		Infer:    func(args []types.Type) (types.Type, error) { return real(args[0], array(args[0])) },
	}
}
