package leak

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
)

// A reader writes expressions of one client as forms: lets are expanded, and a noncentered parameter is its
// location plus its scale times a standard one.
type reader struct {
	*check.Program
	facts  func(ast.Expr) check.ExprInfo
	client string
	names  map[string]form
	// noncentered parameters by the shared parameters in their locations and scales
	located map[string]string
	told    told                  // parameters of the client that are read as shared ones
	length  func(name string) int // of an array of the client's, where data are bound; else nil
	found   bool                  // categories and columns of two values are known
	partial map[string]bool       // told arrays of which only elements are
}

func newReader(p *check.Program, facts func(ast.Expr) check.ExprInfo, client string) *reader {
	return &reader{Program: p, facts: facts, client: client, names: map[string]form{},
		located: map[string]string{}}
}

// readerOf reads the program of a client.
func readerOf(p *check.Program) *reader {
	return newReader(p, func(e ast.Expr) check.ExprInfo { return p.Info[e] }, p.For)
}

func (r *reader) read(e ast.Expr) form {
	switch e := e.(type) {
	case *ast.Number:
		return number(e.Value)
	case *ast.Paren:
		return r.read(e.X)
	case *ast.Name:
		return r.name(e.Name)
	case *ast.Unary:
		if e.Op == "!" {
			return r.operation(e, "!", nil, 0).of([]form{r.read(e.X)})
		}
		return sum(r.chain(e, 1, nil))
	case *ast.Binary:
		return r.binary(e)
	case *ast.Transpose:
		return r.operation(e, "transpose", [][]int{{0}}, 0).of([]form{r.read(e.X)})
	case *ast.Index:
		return r.index(e)
	case *ast.Call:
		return r.call(e)
	case *ast.Text:
		return single(atom{key: strconv.Quote(e.Text), scalar: true})
	case *ast.Array:
		return r.array(e)
	case *ast.Sum:
		return r.sum(e)
	case *ast.Recur:
		return r.recur(e)
	}
	panic(fmt.Sprintf("leak: %T is no expression", e))
}

// operation is one whose value an expression is.
func (r *reader) operation(e ast.Expr, name string, linear [][]int, more deps) operation {
	return operation{name: name, linear: linear, more: more, scalar: r.facts(e).Type.Scalar()}
}

func (r *reader) array(e *ast.Array) form {
	elems, all := make([]form, len(e.Elems)), make([]int, len(e.Elems))
	for i, x := range e.Elems {
		elems[i], all[i] = r.read(x), i
	}
	return r.operation(e, "array", [][]int{all}, 0).of(elems)
}

// chain adds the terms of a chain of + and -, which may be long.
func (r *reader) chain(e ast.Expr, sign float64, out []term) []term {
	switch x := e.(type) {
	case *ast.Paren:
		return r.chain(x.X, sign, out)
	case *ast.Unary:
		if x.Op == "-" {
			return r.chain(x.X, -sign, out)
		}
		if x.Op == "+" {
			return r.chain(x.X, sign, out)
		}
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			out = r.chain(x.X, sign, out)
			if x.Op == "-" {
				sign = -sign
			}
			return r.chain(x.Y, sign, out)
		}
	}
	return append(out, scaled(r.read(e), sign)...)
}

func (r *reader) binary(e *ast.Binary) form {
	switch e.Op {
	case "+", "-":
		return sum(r.chain(e, 1, nil))
	case "*":
		x, y := r.read(e.X), r.read(e.Y)
		if r.facts(e.X).Type.Scalar() || r.facts(e.Y).Type.Scalar() {
			return product(x, y)
		}
		return r.operation(e, "*", [][]int{{0}, {1}}, 0).of([]form{x, y})
	case ".*":
		return product(r.read(e.X), r.read(e.Y))
	case "/", "./":
		y := r.read(e.Y)
		if len(y) == 0 { // 1 / 0 is no number
			return r.operation(e, e.Op, nil, 0).of([]form{r.read(e.X), y})
		}
		return product(r.read(e.X), inverse(y))
	case "^":
		return power(r.read(e.X), r.read(e.Y))
	}
	return r.operation(e, e.Op, nil, 0).of([]form{r.read(e.X), r.read(e.Y)})
}

// maxPower bounds the exponents that are multiplied out.
const maxPower = 8

func power(x, y form) form {
	n, ok := y.constant()
	switch {
	case !ok || n != math.Trunc(n) || math.Abs(n) > maxPower || len(x) == 0:
		return operation{name: "^", scalar: x.scalar() && y.scalar()}.of([]form{x, y})
	case n == 0:
		return number(1)
	case len(x) == 1:
		return sum([]term{x[0].raised(int(n))})
	case n < 0:
		return inverse(power(x, number(-n)))
	}
	out := x
	for range int(n) - 1 {
		out = product(out, x)
	}
	return out
}

func (r *reader) index(e *ast.Index) form {
	if name := format.Expr(e); r.told[name] != "" {
		return single(atom{key: name, deps: onShared, paths: pathMap{name: way(0)}, scalar: true})
	}
	array, named := e.X.(*ast.Name)
	if named && r.partial[array.Name] && r.facts(e).Type.Scalar() && !r.counted(e) {
		return single(atom{key: format.Expr(e), deps: onPrivate, scalar: true})
	}
	text, more := "[", deps(0)
	part := func(x ast.Expr) string {
		if x == nil {
			return ""
		}
		f := r.read(x)
		more |= f.deps()
		return f.String()
	}
	for i, a := range e.Args {
		if i > 0 {
			text += ", "
		}
		text += part(a.Lo)
		if a.Slice {
			text += ":" + part(a.Hi)
		}
	}
	return r.operation(e, text+"]", [][]int{{0}}, more).of([]form{r.read(e.X)})
}

func (r *reader) call(e *ast.Call) form {
	o := r.operation(e, e.Name.Name, r.Universe.LinearIn(e.Name.Name, len(e.Args)), 0)
	if _, ok := r.Universe.Func(e.Name.Name); ok {
		o.tells = len(e.Args) == 1
	}
	args := make([]form, len(e.Args))
	for i, a := range e.Args {
		args[i] = r.read(a)
	}
	return o.of(args)
}

// sum reads a comprehension. Its variable is a number that is known when data are bound.
func (r *reader) sum(e *ast.Sum) form {
	old, hidden := r.names[e.Var.Name]
	r.names[e.Var.Name] = single(atom{key: e.Var.Name, scalar: true})
	body := r.read(e.Body)
	delete(r.names, e.Var.Name)
	if hidden {
		r.names[e.Var.Name] = old
	}
	over, more := "", deps(0)
	if e.Family != nil {
		over = e.Family.Name
	} else {
		lo, hi := r.read(e.Lo), r.read(e.Hi)
		over, more = lo.String()+".."+hi.String(), lo.deps()|hi.deps()
	}
	what := "sum for "
	if e.Each {
		what = "each for "
	}
	return r.operation(e, what+e.Var.Name+" in "+over, [][]int{{0}}, more).of([]form{body})
}

func (r *reader) name(name string) form {
	f, ok := r.names[name]
	if !ok {
		f = r.symbol(name)
		r.names[name] = f
	}
	return f
}

func (r *reader) symbol(name string) form {
	s := r.Symbols[name]
	if s == nil {
		return single(atom{key: name, scalar: true}) // a size
	}
	switch {
	case r.Sums[name]: // of what others contribute
		return single(atom{key: name, scalar: s.Type.Scalar()})
	case s.Leaves() != nil:
		return r.read(s.Leaves())
	case s.Kind == check.Let:
		return r.read(s.Decl.(*ast.Let).Value)
	case s.Kind == check.Const:
		return number(s.Value)
	case s.Kind == check.Data && s.Owner == r.client && !(r.found && canBeFound(s.Type)):
		return single(atom{key: name, deps: onData, scalar: s.Type.Scalar()})
	case s.Kind == check.Param && s.Owner == r.client:
		return r.param(s)
	case s.Kind == check.Param || s.Kind == check.Receive:
		return single(atom{key: name, deps: onShared, paths: pathMap{name: way(0)}, scalar: s.Type.Scalar()})
	}
	return single(atom{key: name, scalar: s.Type.Scalar()})
}

func (r *reader) param(s *check.Symbol) form {
	if r.told[s.Name] != "" {
		return single(atom{key: s.Name, deps: onShared, paths: pathMap{s.Name: way(0)},
			scalar: s.Type.Scalar()})
	}
	raw := single(atom{key: s.Name, deps: onPrivate, scalar: s.Type.Scalar()})
	if !s.Noncentered() {
		return raw
	}
	value := product(raw, r.placed(s, s.Dist.ScaleAt))
	if s.Dist.LocationAt >= 0 {
		value = sum(slices.Concat(value, r.placed(s, s.Dist.LocationAt)))
	}
	return value
}

// placed reads the location or scale of a noncentered parameter, and notes the shared parameters in it.
func (r *reader) placed(s *check.Symbol, k int) form {
	f := r.argument(s, k)
	for name := range f.paths() {
		r.located[name] = s.Name
	}
	return f
}

func (r *reader) argument(s *check.Symbol, k int) form {
	if e := s.Args[k]; e != nil {
		return r.read(e)
	}
	return number(s.Dist.Params[k].Default)
}
