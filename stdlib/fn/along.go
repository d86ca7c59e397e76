package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// along completes a function of each row of a matrix, axis 0, or of each column: of is the element type of
// its value, given that of its argument.
func along(axis int, of func(types.Elem) types.Elem, f def.Structural) def.Structural {
	f.Arity, f.Positive, f.Moves = def.Arity{Min: 1, Max: 1}, true, everywhere
	if f.Range == nil {
		f.Range = func(x []def.Range) def.Range { return x[0] }
	}
	f.Infer = func(args []types.Type) (types.Type, error) {
		if err := ofRank(args[0], 2); err != nil {
			return types.Type{}, err
		}
		return types.Type{Elem: of(args[0].Elem), Dims: args[0].Dims[axis : axis+1 : axis+1]}, nil
	}
	return f
}

func itself(e types.Elem) types.Elem   { return e }
func alwaysReal(types.Elem) types.Elem { return types.Real }

// totals is the range of a sum of elements.
func totals(x []def.Range) def.Range { return x[0].Total() }
