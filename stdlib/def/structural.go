package def

import "github.com/vflc/vflc/lang/types"

// A Structural function changes or combines shapes, so that it is not elementwise: sum, dot, where. Its
// numerics are the graph op of the same name.
//
// Infer gives the type of a call from the types of its arguments, over symbolic sizes. It is called with as
// many arguments as Arity allows. Its errors are for users and name neither the place nor the file; the
// caller adds those.
type Structural struct {
	Name     string
	Doc      string   // Markdown: what it gives, and for which shapes
	Examples []string // statements that check, for `vflc doc`
	Arity    Arity
	Infer    func(args []types.Type) (types.Type, error)
	// Sized reports that the arguments after the first are sizes, as N and K - 1 are; Infer gets the type of
	// a vector of that length for each.
	Sized bool
	// Groups reports that the function is also one of the rows of each group, NAME(v by g, h), and ByGroups
	// that it is that function: its arguments after the first are levels. Empty reports a value for a group
	// without rows, too: 0 or -∞.
	Groups, ByGroups, Empty bool
	// Range gives the range of the elements of the value, given those of the elements of each argument.
	Range func(args []Range) Range
	// Moves reports for each argument in which the value is not linear, where they have these ranges and the
	// others are fixed, whether the value is monotone in it, or affine in it, or maps it as a whole as
	// softmax does; nil: with none.
	Moves func(args []Range) []bool
	// Gives is the set of vectors that the value lies in, whatever the arguments: Simplex of softmax.
	Gives Support
	// it jumps where its arguments move, so that it has no gradient: of parameters it is for generated
	// quantities
	Jumps bool
	Mixes bool // an element of the value is made of several elements of an argument
	// Linear lists groups of arguments, counted from 0. The value is linear in the arguments of a group
	// together, as long as those of the others do not change. The group {AllArguments} is all of them,
	// however many there are.
	Linear  [][]int
	RowWise bool // row i of the value depends only on row i of the arguments
	// AddsDensities reports that the arguments are log densities, or weights, in the logarithm of a sum of
	// densities.
	AddsDensities bool
	// Modes reports that the value is the logarithm of a density of several components or hidden states,
	// which may have several modes.
	Modes bool
	// where no argument is below 0, neither is the value, and it tends to 0 only where an argument does
	Positive bool
}

// AllArguments stands for all arguments of a call.
const AllArguments = -1

// LinearIn lists the groups of Linear for a call with n arguments.
func (s *Structural) LinearIn(n int) [][]int {
	if !s.Joins() {
		return s.Linear
	}
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return [][]int{all}
}

// Joins reports that the value is made of the elements of any number of arguments, as that of append is.
func (s *Structural) Joins() bool { return len(s.Linear) == 1 && s.Linear[0][0] == AllArguments }

// MovesIn is Moves, and true for the arguments in which the value is linear.
func (s *Structural) MovesIn(args []Range) []bool {
	out := make([]bool, len(args))
	if s.Moves != nil {
		copy(out, s.Moves(args))
	}
	for _, group := range s.LinearIn(len(args)) {
		for _, i := range group {
			out[i] = true
		}
	}
	return out
}
