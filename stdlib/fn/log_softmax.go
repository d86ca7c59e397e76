package fn

import (
	"math"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// LogSoftmax is x - log_sum_exp(x) along the last axis.
func LogSoftmax() def.Structural {
	return def.Structural{
		Name: "log_softmax",
		Doc: "x - log_sum_exp(x) along the last axis, with the shape of its argument: the log " +
			"probabilities of a vector, or of each row of a matrix.",
		Examples: []string{"param a : real[4] ~ normal(0, 1)\nlet p = log_softmax(a)"},
		Arity:    def.Arity{Min: 1, Max: 1},
		RowWise:  false,
		Range:    func([]def.Range) def.Range { return def.Range{Lower: math.Inf(-1), UpperIn: true} },
		Moves:    everywhere,
		Mixes:    true,
		Infer:    func(args []types.Type) (types.Type, error) { return real(args[0], array(args[0])) },
	}
}
