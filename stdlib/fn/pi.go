package fn

import (
	"math"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// Pi is the number π.
func Pi() def.Structural {
	return def.Structural{
		Name:     "pi",
		Doc:      "The number π, written `pi()`.",
		Examples: []string{"let circle = 2 * pi()"},
		Range:    func([]def.Range) def.Range { return def.Point(math.Pi) },
		Infer:    func([]types.Type) (types.Type, error) { return types.Type{Elem: types.Real}, nil },
	}
}
