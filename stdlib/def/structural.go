package def

import "github.com/vflc/vflc/lang/types"

// A Structural function changes or combines shapes, so that it is not elementwise: sum, dot, where. Its numerics are the graph op of the same name.
//
// Infer gives the type of a call from the types of its arguments, over symbolic sizes. It is called with as many arguments as Arity
// allows. Its errors are for users and name neither the place nor the file; the caller adds those.
type Structural struct {
	Name     string
	Doc      string   // Markdown: what it gives, and for which shapes
	Examples []string // statements that check, for `vflc doc`
	Arity    Arity
	Infer    func(args []types.Type) (types.Type, error)
	// Range gives the range of the elements of the value, given those of the elements of each argument.
	Range func(args []Range) Range
	// Moves reports for each argument, where they have these ranges and the others are fixed, whether the value rises or falls everywhere with it, or is affine in
	// it, or maps it as a whole as softmax does; nil: with none.
	Moves    func(args []Range) []bool
	Mixes    bool // an element of the value is made of several elements of an argument
	RowWise  bool // row i of the value depends only on row i of the arguments
	Positive bool // where no argument is below 0, neither is the value, and it tends to 0 only where an argument does
}
