package graph

import (
	"fmt"
	"strings"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// An ID names a node of a Builder.
type ID int32

// NoID stands for the absence of a node, such as the weights of an unweighted density.
const NoID ID = -1

// A Shape lists up to three dimensions; a scalar has none. Values are column-major.
type Shape []int

// Len is the number of elements.
func (s Shape) Len() int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// String prints the shape as "[500 20]".
func (s Shape) String() string { return fmt.Sprint([]int(s)) }

// rows is the length of the leading axis, 1 for a scalar; cols the number of columns of that length.
func (s Shape) rows() int {
	if len(s) == 0 {
		return 1
	}
	return s[0]
}

func (s Shape) cols() int {
	if len(s) == 0 {
		return 1
	}
	return Shape(s[1:]).Len()
}

func (s Shape) equal(t Shape) bool {
	if len(s) != len(t) {
		return false
	}
	for i := range s {
		if s[i] != t[i] {
			return false
		}
	}
	return true
}

// A Slice is the part of one axis that an index keeps: Lo ≤ i < Hi (0-based). Drop removes the axis (then Hi
// = Lo+1).
type Slice struct {
	Lo, Hi int
	Drop   bool
}

// Attr holds the arguments of an operation that are not nodes.
type Attr struct {
	Slices []Slice // of slice: one per axis; trailing axes without one are kept whole
	// of reshape; of operations by groups: how many levels each index has; of log_sum_exp: the axis
	Shape Shape
}

// nodeKind is how a node gets its value.
type nodeKind uint8

const (
	constant nodeKind = iota
	param
	input
	// row i of the value depends on row i of the row-aligned inputs and on whole inputs: computed in a row
	// loop, block by block
	rowwise
	reduction // accumulated over the rows of its inputs in a row loop
	global    // computed at once from whole inputs
	term      // accumulated in a row loop into the target
)

// loops reports whether nodes of the kind are computed in row loops.
func (k nodeKind) loops() bool { return k == rowwise || k == reduction || k == term }

// A link is how a node that is computed in a loop reads one of its inputs.
type link struct {
	rows bool    // column j of row i reads row i of column cols[j]; else element cols[j] of the whole value
	cols []int32 // one per column of the node; nil: column j, or the whole value as the operation defines
}

// A node is a value or a term of the target. Inputs come before it, so IDs are a topological order.
type node struct {
	kind  nodeKind
	name  string // of a leaf
	op    *op
	in    []ID
	links []link
	shape Shape
	frame int // rows of the loop that computes it
	width int // columns of that loop

	values []float64       // of a constant
	made   []def.Rescaling // of a constant: see Builder.Made; nil where nothing is known
	offset int             // of a parameter's first element in x, of an input's in the inputs
	degree degree          // in x

	recursion *Recursion
	turned    bool     // its rows, and what it reads by row, are columns
	steps     *stepper // of one that has been taken apart
	system    *derivedSystem

	attr   Attr
	index  []int32 // gather: 0-based positions in the table
	fn     *def.Func
	quick  *vectorFunc // of fn, where it has one
	bij    *bijection
	likely *likelihood
	events *eventDensity // of a density of vectors or matrices
	power  float64       // of a term
	room   int           // scratch memory of its steps, for operations on whole matrices
	pivots int           // length of their permutation

	// of a gather of sorted levels: the runs of equal levels in each block of runBlock rows
	runs     [][]vector.Segment
	runBlock int

	inverse []float64      // of a normal density: 1/sigma, where that is constant
	rows    *rowLikelihood // of a likelihood with a row loop of its own
	counted *histogram     // of a likelihood that needs it
	signs   []int8         // of one with a linear predictor that reads them
	linear  linearPart     // of a likelihood with a linear predictor
	levels  *levelPart     // of one whose coefficients differ by level

	// the matrix of a linear predictor, where it is stored in that form; its constant has then no values
	decimals vector.Decimals
}

// degree is how a node depends on x, with received values held fixed.
type degree uint8

const (
	free degree = iota // not at all
	affine
	curved
)

// standard returns what was subtracted from the numbers of a table to make a column of a constant, and by
// what the difference was divided: 0 and 1 where nothing is known.
func (n *node) standard(column int) (center, scale float64) {
	if n.made == nil {
		return 0, 1
	}
	return n.made[column].Center, n.made[column].Scale
}

// makings is standard for all columns.
func (n *node) makings() []def.Rescaling {
	out := make([]def.Rescaling, n.shape.cols())
	for j := range out {
		out[j].Center, out[j].Scale = n.standard(j)
	}
	return out
}

func (n *node) leaf() bool { return n.kind <= input }

// label is the node's operation as printed.
func (n *node) label() string {
	switch n.kind {
	case constant:
		if len(n.values) == 1 && n.name == "" {
			return fmt.Sprintf("%g", n.values[0])
		}
		return "const " + n.name
	case param:
		return "param " + n.name
	case input:
		return "input " + n.name
	}
	switch {
	case n.op == opActive:
		return n.op.name + "." + n.fn.Name
	case n.fn != nil:
		return n.fn.Name
	case n.bij != nil && n.bij.whole != nil:
		return fmt.Sprintf("structured.%s(%d)", n.bij.whole.def.Name, n.bij.whole.size)
	case n.bij != nil:
		return fmt.Sprintf("bijector.%s(%g, %g)", n.bij.def.Name, n.bij.lower, n.bij.upper)
	case n.events != nil:
		return n.op.name + "." + n.events.dist.Name
	case n.likely != nil:
		return n.op.name + "." + n.likely.dist.Name
	case n.recursion != nil:
		return n.op.name + "." + n.recursion.Name
	case n.system != nil:
		return n.op.name + "." + n.system.Name
	}
	return n.op.name + n.attr.String()
}

// String prints the attribute as it follows an operation's name, "" where it is empty.
func (a Attr) String() string {
	switch {
	case a.Shape != nil:
		return fmt.Sprint(a.Shape)
	case len(a.Slices) == 0:
		return ""
	}
	parts := make([]string, len(a.Slices))
	for i, s := range a.Slices {
		parts[i] = fmt.Sprintf("%d:%d", s.Lo, s.Hi)
		if s.Drop {
			parts[i] = fmt.Sprint(s.Lo)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// broadcast returns the shape that two shapes broadcast to by NumPy's rule over trailing axes.
func broadcast(a, b Shape) (Shape, error) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := append(Shape(nil), a...)
	shift := len(a) - len(b)
	for i, d := range b {
		switch e := out[shift+i]; {
		case d == e || d == 1:
		case e == 1:
			out[shift+i] = d
		default:
			return nil, fmt.Errorf("shapes %v and %v do not broadcast", a, b)
		}
	}
	return out, nil
}

// broadcastLink links an operand of shape s to a node of shape out: row by row where it has the leading axis,
// else constant along the rows.
func broadcastLink(s, out Shape) link {
	if s.equal(out) {
		return link{rows: true}
	}
	rows := len(s) == len(out) && s[0] == out[0]
	cols := make([]int32, out.cols())
	shift := len(out) - len(s)
	for j := range cols {
		at, stride, rest := 0, 1, j
		for axis := 1; axis < len(out); axis++ {
			i := rest % out[axis]
			rest /= out[axis]
			if k := axis - shift; k >= 0 {
				if s[k] > 1 {
					at += i * stride
				}
				stride *= s[k]
			}
		}
		cols[j] = int32(at)
	}
	return link{rows: rows, cols: cols}
}
