package check

import (
	"math"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib/def"
)

// Ranges infers between which ends the values of expressions are, from the supports of parameters and the
// ranges of functions and operators. The true range may be narrower: a name that stands twice is taken for
// two. It errs on the quiet side for data, which are not known here: all of an expression without parameters
// is taken to be between 0 and 1, and checked when data are bound.
type Ranges struct {
	*Program
	Facts func(ast.Expr) ExprInfo
	memo  map[ast.Expr]def.Range
}

// Ranges returns the ranges of expressions with the given facts.
func (p *Program) Ranges(facts func(ast.Expr) ExprInfo) *Ranges {
	return &Ranges{Program: p, Facts: facts, memo: map[ast.Expr]def.Range{}}
}

// Of returns the range of an expression.
func (r *Ranges) Of(e ast.Expr) def.Range {
	if out, ok := r.memo[e]; ok {
		return out
	}
	out := r.Given(e, r.Of)
	r.memo[e] = out
	return out
}

// Beside returns the range of an expression in which there is no noise. One that may be outside the domain of
// a function is any number: it is where it would be without noise elsewhere too.
func (r *Ranges) Beside(e ast.Expr) def.Range {
	if out := r.Of(e); out.Defined() {
		return out
	}
	return def.Reals()
}

// Given returns the range of an expression whose operands have the ranges that operand returns.
func (r *Ranges) Given(e ast.Expr, operand func(ast.Expr) def.Range) def.Range {
	if v, ok := r.ConstValue(e); ok {
		return def.Point(v)
	}
	if !r.Facts(e).Random {
		return def.Open(0, 1)
	}
	switch e := e.(type) {
	case *ast.Paren:
		return operand(e.X)
	case *ast.Transpose:
		return operand(e.X)
	case *ast.Index:
		out := operand(e.X)
		if x, ok := e.X.(*ast.Name); ok && diagonal(e) && r.setOf(x).PositiveDiagonal() {
			out.Lower = 0
		}
		return out
	case *ast.Sum:
		if e.Each {
			return operand(e.Body)
		}
		return operand(e.Body).Total()
	case *ast.Unary:
		if e.Op == "-" {
			return operand(e.X).Neg()
		}
		return operand(e.X)
	case *ast.Name:
		return r.named(e)
	case *ast.Binary:
		return r.binary(e, operand)
	case *ast.Call:
		return r.call(e, operand)
	}
	return def.Reals()
}

func (r *Ranges) binary(e *ast.Binary, operand func(ast.Expr) def.Range) def.Range {
	op, ok := r.Universe.Operator(e.Op)
	if !ok {
		return def.Reals()
	}
	out := op.Range(operand(e.X), operand(e.Y))
	if r.MatrixProduct(e) {
		return out.Total()
	}
	return out
}

// MatrixProduct reports whether an operation adds products of elements, rather than going element by element.
func (r *Ranges) MatrixProduct(e *ast.Binary) bool {
	return e.Op == "*" && !r.Facts(e.X).Type.Scalar() && !r.Facts(e.Y).Type.Scalar()
}

func (r *Ranges) call(e *ast.Call, operand func(ast.Expr) def.Range) def.Range {
	if d, ok := r.Density(e); ok {
		if d.Kind != ast.LogDensity || d.Dist.Discrete { // the logarithm of a probability
			return def.AtLeast0().Neg()
		}
		return def.Reals()
	}
	if f, ok := r.Universe.Func(e.Name.Name); ok {
		return f.Image(operand(e.Args[0]))
	}
	f, ok := r.Universe.Structural(e.Name.Name)
	if !ok {
		return def.Reals()
	}
	args := make([]def.Range, len(e.Args))
	for i, a := range e.Args {
		args[i] = operand(a)
	}
	return f.Range(args)
}

// diagonal reports whether an index takes an element of the diagonal of a matrix: the same one along both
// axes.
func diagonal(e *ast.Index) bool {
	if len(e.Args) != 2 || e.Args[0].Slice || e.Args[1].Slice {
		return false
	}
	return format.Expr(e.Args[0].Lo) == format.Expr(e.Args[1].Lo)
}

// setOf is the set of vectors or matrices that the values of a parameter lie in, by its type or else by its
// distribution; RealLine for another name.
func (r *Ranges) setOf(e *ast.Name) def.Support {
	s := r.Symbols[e.Name]
	switch {
	case s == nil || s.Kind != Param:
		return def.RealLine
	case s.Structure != nil:
		return s.Structure.Support
	case s.Dist != nil:
		return s.Dist.Support
	}
	return def.RealLine
}

// named gives the range of a named value. What stands for a cut may be any number; a received value is what
// its sender makes it.
func (r *Ranges) named(e *ast.Name) def.Range {
	s := r.Symbols[e.Name]
	switch {
	case s == nil:
		return def.Reals()
	case s.Kind == Let:
		return r.Of(s.Decl.(*ast.Let).Value)
	case s.Kind != Param:
		return def.Open(0, 1)
	}
	if s.Structure != nil {
		return def.Open(s.Structure.Support.Bounds(nil))
	}
	lower, upper := s.Dist.Bounds(r.known(s.Dist, s.Args))
	return def.Open(r.bound(s.Lower, lower, 0, math.Inf(-1)), r.bound(s.Upper, upper, 1, math.Inf(1)))
}

// bound is an end of the values of a parameter: its declared bound, data where the value is not known, else
// that of the support.
func (r *Ranges) bound(declared ast.Expr, support, data, none float64) float64 {
	v, ok := r.ConstValue(declared)
	switch {
	case ok:
		return v
	case declared != nil:
		return data
	case math.IsNaN(support):
		return none
	}
	return support
}

// Monotone reports whether the value of an operation is monotone in an operand, or affine in it. Each of the
// other operands may have any value of its range.
func (r *Ranges) Monotone(e, operand ast.Expr, at func(ast.Expr) def.Range) bool {
	switch e := e.(type) {
	case *ast.Paren, *ast.Transpose, *ast.Index, *ast.Sum, *ast.Unary:
		return true
	case *ast.Binary:
		op, ok := r.Universe.Operator(e.Op)
		if !ok {
			return false
		}
		left, right := op.Monotone(at(e.X), at(e.Y))
		return (left || e.X != operand) && (right || e.Y != operand)
	case *ast.Call:
		if f, ok := r.Universe.Func(e.Name.Name); ok {
			return f.Moves(at(e.Args[0]))
		}
		return r.moves(e, operand, at)
	}
	return false
}

// moves is Monotone for a function that changes shapes or has several arguments.
func (r *Ranges) moves(e *ast.Call, operand ast.Expr, at func(ast.Expr) def.Range) bool {
	f, ok := r.Universe.Structural(e.Name.Name)
	if !ok {
		return false
	}
	args := make([]def.Range, len(e.Args))
	for i, a := range e.Args {
		args[i] = at(a)
	}
	for i, moves := range f.MovesIn(args) {
		if e.Args[i] == operand && !moves {
			return false
		}
	}
	return true
}

// Gives is the set of vectors that the values of a call lie in whatever its arguments, such as the simplexes
// of softmax; RealLine where there is none.
func (r *Ranges) Gives(e ast.Expr) def.Support {
	switch e := e.(type) {
	case *ast.Paren:
		return r.Gives(e.X)
	case *ast.Index:
		return r.Gives(e.X)
	case *ast.Call:
		if f, ok := r.Universe.Structural(e.Name.Name); ok {
			return f.Gives
		}
	}
	return def.RealLine
}

// Inside reports whether every value of an argument of a distribution lies in its domain, given its range.
func (r *Ranges) Inside(e ast.Expr, values def.Range, domain def.Support) bool {
	if domain.OfWholes() {
		return r.Gives(e) == domain
	}
	return values.Within(domain)
}
