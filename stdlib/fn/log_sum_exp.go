package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// LogSumExp is the logarithm of a sum of exponentials.
func LogSumExp() def.Structural {
	return def.Structural{
		Name:          "log_sum_exp",
		AddsDensities: true,
		Modes:         true,
		Doc: "`log_sum_exp(x)` is log Σ exp(x) along the last axis, without overflow: of a " +
			"vector one number, of a matrix one for each row. `log_sum_exp(a, b, …)` is log(exp(a) + exp(b) + …), " +
			"element by element. `log_sum_exp(x by g)` adds the rows of each category of a " +
			"level, -∞ where there is none.",
		Examples: []string{"param a : real[4] ~ normal(0, 1)\nlet total = log_sum_exp(a)"},
		Groups:   true,
		Empty:    true,
		Arity:    def.Arity{Min: 1, Max: -1},
		Range:    rangeOfLogSumExp,
		Moves:    everywhere,
		Mixes:    true,
		Infer: func(args []types.Type) (types.Type, error) {
			if len(args) > 1 {
				return real(elementwise(args))
			}
			if err := array(args[0]); err != nil {
				return types.Type{}, err
			}
			last := len(args[0].Dims) - 1
			return types.Type{Elem: types.Real, Dims: args[0].Dims[:last:last]}, nil
		},
	}
}
