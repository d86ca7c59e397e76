package fn

import "github.com/vflc/vflc/stdlib/def"

// SD is the standard deviation of all elements.
func SD() def.Structural {
	return def.Structural{
		Name: "sd",
		Doc: "The standard deviation of all elements of an array, with divisor n - 1 as in Stan and " +
			"R; a real scalar. It needs at least two elements.",
		Examples: []string{"data x : real[N]\nlet z = (x - mean(x)) / sd(x)"},
		Mixes:    true,
		Range:    func([]def.Range) def.Range { return def.AtLeast0() },
		Arity:    def.Arity{Min: 1, Max: 1},
		Infer:    realScalar,
	}
}
