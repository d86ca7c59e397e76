package check

import (
	"math"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
)

// A bodyName is what a name in the body of a distribution stands for: a number.
type bodyName struct {
	kind  bodyKind
	at    int      // of an argument, or of a step of the generator: which one
	let   ast.Expr // of a let
	value bool     // it depends on the value
	// pieces reports that a let is made of pieces, and size is how many nodes it has with its lets written
	// out.
	pieces bool
	size   int
}

// mostWritten bounds a mean, in which lets are written out.
const mostWritten = 10_000

type bodyKind int

const (
	theValue bodyKind = iota
	anArgument
	aLet
	aStep // of the generator
)

// let reads an intermediate value.
func (d *declaration) let(s *ast.Let) {
	if s.Owner != nil || s.Type != nil {
		d.errorf(diag.BadDistribution, s, "a let of a distribution is a number without type and owner")
	}
	if d.fresh(&s.Name) && d.expression(s.Value, false) {
		d.names[s.Name.Name] = &bodyName{kind: aLet, let: s.Value, value: d.moves(s.Value),
			pieces: d.chooses(s.Value), size: d.size(s.Value)}
	}
}

func (d *declaration) fresh(name *ast.Ident) bool {
	if d.names[name.Name] != nil {
		d.errorf(diag.DeclaredTwice, name, "%s is declared twice in %s", name.Name, d.stmt.Name.Name)
		return false
	}
	return true
}

// generates reads a step of the generator.
func (d *declaration) generates(s *ast.Generate) {
	last := s.Name.Name == d.stmt.Value.Name.Name
	switch {
	case d.drawn != nil && last:
		d.errorf(diag.BadGenerator, s, "%s is generated twice", s.Name.Name).
			NoteAt(d.File.Source, d.drawn.Span(), "it is here")
		return
	case d.drawn != nil:
		d.errorf(diag.BadGenerator, s, "%s is generated already, so that nothing uses %s",
			d.stmt.Value.Name.Name, s.Name.Name)
		return
	case s.Owner != nil || s.Type != nil || s.Truncate != nil:
		d.errorf(diag.BadGenerator, s, "a step of a generator is generate NAME = EXPRESSION or generate NAME ~ "+
			"DISTRIBUTION, one number")
		return
	case !last && !d.fresh(&s.Name):
		return
	}
	step := dist.GeneratorStep{}
	if s.Dist != nil {
		step.Dist, step.Args = d.drawnFrom(s.Dist)
	} else if d.expression(s.Value, true) {
		step.Is = d.formula(s.Value)
	}
	if last {
		d.drawn = s
	} else {
		d.names[s.Name.Name] = &bodyName{kind: aStep, at: len(d.out.Steps)}
	}
	d.out.Steps = append(d.out.Steps, step)
}

// drawnFrom reads the distribution of a step.
func (d *declaration) drawnFrom(call *ast.Dist) (*def.Dist, []dist.Formula) {
	good := true
	for _, a := range call.Args {
		good = d.expression(a.Value, true) && good
	}
	if !good || !d.uses(call, call.Name.Name) {
		return nil, nil
	}
	errors := len(d.diags)
	of, args := d.matched(call)
	switch {
	case of == nil:
		d.bad = d.bad || len(d.diags) > errors
		return nil, nil
	case of.Event != nil || of.Sample == nil:
		d.errorf(diag.BadGenerator, call, "a step of a generator is drawn from a distribution of numbers with "+
			"a generator, which %s is not", of.Name)
		return nil, nil
	}
	var out []dist.Formula
	for k, a := range args {
		if a == nil {
			v := of.Params[k].Default
			out = append(out, func(b def.DensityBuilder, _ def.Value, _ []def.Value) def.Value {
				return b.Number(v)
			})
			continue
		}
		out = append(out, d.formula(a))
	}
	return of, out
}

// uses reports a distribution that a declaration needs before it is declared, as its own.
func (d *declaration) uses(at ast.Node, name string) bool {
	if name == d.stmt.Name.Name {
		d.errorf(diag.DistributionCycle, at, "%s is declared by itself", name).
			Note("a step is drawn from a distribution that is built in, or declared above")
		return false
	}
	return true
}

// expression checks what stands in a body; without is set where the value has none, in a mean or a
// generator.
func (d *declaration) expression(e ast.Expr, without bool) bool {
	before := len(d.diags)
	d.check(e, without)
	return len(d.diags) == before
}

func (d *declaration) check(e ast.Expr, without bool) {
	switch x := e.(type) {
	case *ast.Number:
		return
	case *ast.Name:
		d.visible(x, without)
		return
	case *ast.Paren, *ast.Unary, *ast.Binary:
	case *ast.Call:
		if !d.callable(x) {
			return
		}
	default:
		m := d.errorf(diag.DistributionBody, e, "the body of a distribution is about one value: every name and "+
			"every expression in it is a number")
		m.Note("it works element by element on arrays, as any distribution; indices and sums stand where it " +
			"is used")
		return
	}
	for _, child := range ast.Children(e) {
		if x, ok := child.(ast.Expr); ok {
			d.check(x, without)
		}
	}
}

// visible checks a name in a body.
func (d *declaration) visible(n *ast.Name, without bool) {
	known := d.names[n.Name]
	switch {
	case known == nil:
		d.unseen(n)
	case without && known.kind == theValue:
		d.errorf(diag.DistributionScope, n, "a mean and a generator do not have the value %s", n.Name)
	case without && known.value:
		d.errorf(diag.DistributionScope, n, "%s depends on the value %s, which a mean and a generator do not "+
			"have", n.Name, d.stmt.Value.Name.Name)
	case !without && known.kind == aStep:
		d.errorf(diag.DistributionScope, n, "%s is drawn, and only later steps of the generator have it", n.Name)
	}
}

// unseen reports a name that a body does not see.
func (d *declaration) unseen(n *ast.Name) {
	what := "nothing in it has that name"
	if at, model := d.later[n.Name]; model && d.Linked.Calls[n] == nil {
		what = "that is a name of the model"
		if d.checker.party(at.Name) {
			what = "that is a party of the model"
		}
	}
	m := d.errorf(diag.DistributionScope, n, "%s sees %s, what it defines and consts; %s is neither: %s",
		d.stmt.Name.Name, strings.Join(d.stmt.Names(), ", "), n.Name, what)
	m.Note("make it an argument: dist %s(%s | …, %s)", d.stmt.Name.Name, d.stmt.Value.Name.Name, n.Name)
	d.names[n.Name] = &bodyName{kind: aLet, let: &ast.Number{Text: "0"}} // reported once
}

func (c *checker) party(name string) bool {
	_, client := c.Client(name)
	return client || name == c.Server
}

// ofNumbers are the functions of several numbers, with how many they take.
var ofNumbers = map[string]int{"pi": 0, "pow": 2, "min": 2, "max": 2, "where": 3, "log_sum_exp": 2,
	"log_mix": 3}

// callable checks the function of a call, and the number of its arguments.
func (d *declaration) callable(call *ast.Call) bool {
	name := call.Name.Name
	wanted, several := ofNumbers[name]
	if _, one := d.Universe.Func(name); one {
		wanted, several = 1, true
	}
	of, _, _, density := ast.Density(name)
	switch {
	case several && len(call.Args) == wanted:
		return true
	case several:
		d.errorf(diag.BadArguments, call, "%s of numbers takes %s, but here %d", name, count(wanted, "argument"),
			len(call.Args))
	case density && !d.uses(call, of):
	case density:
		d.errorf(diag.DistributionBody, call, "the body of a distribution calls no density").
			Note("write its formula: `vflc doc %s` has it", of)
	case d.checker.isFunction(name):
		d.errorf(diag.DistributionBody, call, "%s is a function of arrays, and in the body of a distribution "+
			"every name is a number", name)
	default:
		d.checker.unknownFunction(call)
		d.bad = true
	}
	return false
}

// moves reports whether an expression depends on the value.
func (d *declaration) moves(e ast.Expr) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		found = found || ok && d.names[x.Name] != nil && d.names[x.Name].value
		return !found
	})
	return found
}

// chooses reports whether an expression is made of pieces.
func (d *declaration) chooses(e ast.Expr) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Call:
			found = found || x.Name.Name == "where" || x.Name.Name == "min" || x.Name.Name == "max"
		case *ast.Name:
			found = found || d.names[x.Name] != nil && d.names[x.Name].pieces
		}
		return !found
	})
	return found
}

// size is how many nodes an expression has with its lets written out, up to a bound.
func (d *declaration) size(e ast.Expr) (n int) {
	ast.Walk(e, func(node ast.Node) bool {
		n++
		if x, ok := node.(*ast.Name); ok && d.names[x.Name] != nil {
			n += d.names[x.Name].size
		}
		n = min(n, mostWritten+1)
		return true
	})
	return n
}

// written is an expression without lets, element by element.
func (d *declaration) written(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.Name:
		if n := d.names[x.Name]; n.kind == aLet {
			return &ast.Paren{X: d.written(n.let)}
		}
	case *ast.Binary:
		if op := map[string]string{"*": ".*", "/": "./"}[x.Op]; op != "" {
			return &ast.Binary{Op: op, X: d.written(x.X), Y: d.written(x.Y)}
		}
	}
	return ast.Rebuild(e, d.written)
}

// formula is an expression of a body as what writes it into any builder.
func (d *declaration) formula(e ast.Expr) dist.Formula {
	params := len(d.stmt.Args)
	return func(b def.DensityBuilder, x def.Value, theta []def.Value) def.Value {
		r := replay{DensityBuilder: b, names: d.names, x: x, theta: theta, params: params,
			lets: map[string]def.Value{}}
		return r.write(e)
	}
}

// A replay writes an expression.
type replay struct {
	def.DensityBuilder
	names  map[string]*bodyName
	x      def.Value
	theta  []def.Value // the arguments, and the steps of the generator behind them
	params int
	lets   map[string]def.Value
}

func (r *replay) write(e ast.Expr) def.Value {
	switch e := e.(type) {
	case *ast.Number:
		return r.Number(e.Value)
	case *ast.Paren:
		return r.write(e.X)
	case *ast.Name:
		return r.name(e.Name)
	case *ast.Unary:
		switch e.Op {
		case "-":
			return r.Func("neg", r.write(e.X))
		case "!":
			return r.Call("not", r.write(e.X))
		}
		return r.write(e.X)
	case *ast.Binary:
		return r.binary(e.Op, r.write(e.X), r.write(e.Y))
	case *ast.Call:
		return r.call(e)
	}
	panic("check: an expression that no body has")
}

func (r *replay) name(name string) def.Value {
	switch n := r.names[name]; n.kind {
	case theValue:
		return r.x
	case anArgument:
		return r.theta[n.at]
	case aStep:
		return r.theta[r.params+n.at]
	default:
		v, ok := r.lets[name]
		if !ok {
			v = r.write(n.let)
			r.lets[name] = v
		}
		return v
	}
}

func (r *replay) binary(op string, a, b def.Value) def.Value {
	switch op {
	case "+":
		return r.Add(a, b)
	case "-":
		return r.Sub(a, b)
	case "*", ".*":
		return r.Mul(a, b)
	case "/", "./":
		return r.Div(a, b)
	case "^":
		if v, known := r.Const(b); known && v == 2 {
			return r.Mul(a, a)
		}
		return r.Call("pow", a, b)
	}
	return r.Call(comparisons[op], a, b)
}

// comparisons names the operations that compare.
var comparisons = map[string]string{"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge",
	"&&": "and", "||": "or"}

func (r *replay) call(e *ast.Call) def.Value {
	args := make([]def.Value, len(e.Args))
	for i, a := range e.Args {
		args[i] = r.write(a)
	}
	switch e.Name.Name {
	case "pi":
		return r.Number(math.Pi)
	case "log_mix":
		return r.Call("log_sum_exp", r.Add(r.Func("log", args[0]), args[1]),
			r.Add(r.Func("log1m", args[0]), args[2]))
	case "pow", "min", "max", "where", "log_sum_exp":
		return r.Call(e.Name.Name, args...)
	}
	return r.Func(e.Name.Name, args[0])
}
