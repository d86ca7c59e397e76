package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// LogMix is the log density of a mixture of two.
func LogMix() def.Structural {
	return def.Structural{
		Name:          "log_mix",
		AddsDensities: true,
		Modes:         true,
		Doc: "`log_mix(p, a, b)` is log(p exp(a) + (1 - p) exp(b)), element by element, " +
			"each an array of one shape or a number: the log density of a mixture from those of its two parts.",
		Examples: []string{"param p ~ beta(1, 1)\nparam a ~ normal(0, 1)\nparam b ~ normal(0, " +
			"1)\nlet l = log_mix(p, a, b)"},
		Arity:   def.Arity{Min: 3, Max: 3},
		RowWise: true,
		Range:   rangeOfLogMix,
		Moves:   everywhere,
		Infer:   func(args []types.Type) (types.Type, error) { return real(elementwise(args)) },
	}
}
