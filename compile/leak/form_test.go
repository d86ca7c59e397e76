package leak

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

const scalars = `client a
data x : real @ a
param k ~ normal(0, 1) @ shared
param t ~ half_normal(1) @ a
param b ~ normal(0, 1) @ a
param c ~ normal(k * x, t) noncentered @ a
let l = b * x - k
`

// expression writes a random expression over the names above.
func expression(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 5).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom([]string{"x", "k", "t", "b", "c", "l", "2", "0.5", "0"}).Draw(t, "name")
	}
	a := expression(t, depth-1)
	switch rapid.IntRange(0, 6).Draw(t, "form") {
	case 0:
		return "-(" + a + ")"
	case 1:
		return "tanh(" + a + ")"
	case 2:
		return "(" + a + ") ^ " + rapid.SampledFrom([]string{"0", "1", "2", "3"}).Draw(t, "exponent")
	}
	return "(" + a + ") " + rapid.SampledFrom([]string{"+", "-", "*", ".*", "/"}).Draw(t, "operator") + " (" +
		expression(t, depth-1) + ")"
}

// read checks the text `let out = …` after the names above, and returns the form of out and its expression.
func read(t *rapid.T, text string) (form, ast.Expr, *check.Program) {
	file, diags := parser.Parse(source.New("m.vfl", scalars+"let out = "+text+"\n"))
	if !diags.HasErrors() {
		var p *check.Program
		if p, diags = check.Check(&check.Linked{File: file}, stdlib.New(),
			check.Options{}); !diags.HasErrors() {
			e := p.Symbols["out"].Decl.(*ast.Let).Value
			return newReader(p, func(x ast.Expr) check.ExprInfo { return p.Info[x] }, "a").read(e), e, p
		}
	}
	t.Fatalf("%s: %s", text, diags.Shown()[0].Message)
	return nil, nil, nil
}

var at = map[string]float64{"x": 1.3, "k": 0.7, "t": 0.4, "b": -0.9, "c": 0.6}

// value of an expression, NaN where something is divided by 0; c is the standard variable of the noncentered
// parameter.
func value(p *check.Program, e ast.Expr, at map[string]float64) float64 {
	switch e := e.(type) {
	case *ast.Number:
		return e.Value
	case *ast.Paren:
		return value(p, e.X, at)
	case *ast.Name:
		switch e.Name {
		case "c":
			return at["k"]*at["x"] + at["t"]*at["c"]
		case "l":
			return at["b"]*at["x"] - at["k"]
		}
		return at[e.Name]
	case *ast.Unary:
		return -value(p, e.X, at)
	case *ast.Call:
		return math.Tanh(value(p, e.Args[0], at))
	case *ast.Binary:
		x, y := value(p, e.X, at), value(p, e.Y, at)
		if math.IsNaN(x) || math.IsNaN(y) || e.Op == "/" && y == 0 {
			return math.NaN() // also NaN ^ 0
		}
		switch e.Op {
		case "+":
			return x + y
		case "-":
			return x - y
		case "/":
			return x / y
		case "^":
			return math.Pow(x, y)
		}
		return x * y
	}
	panic("leak: not an expression of this test")
}

// A form has the value of its expression wherever both are numbers: with atoms read back as expressions.
func TestAFormHasTheValueOfItsExpression(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := expression(r, 4)
		f, e, p := read(r, text)
		want := value(p, e, at)
		got := 0.0
		for _, term := range f {
			v := term.coef
			for _, x := range term.factors {
				v *= math.Pow(atomValue(r, x.key, p), float64(x.power))
			}
			got += v
		}
		if scale := math.Abs(want); scale < 1e6 && !(math.Abs(got-want) <= 1e-6*(1+scale)) &&
			!math.IsNaN(got) {
			r.Errorf("%s is %v, its form %v is %v", text, want, f, got)
		}
	})
}

// atomValue evaluates an atom by its key, which is an expression where it is not cut short; a key has the
// standard variable for c, by its name.
func atomValue(t *rapid.T, key string, p *check.Program) float64 {
	if len(key) >= maxKey/2 {
		return math.NaN()
	}
	file, diags := parser.Parse(source.New("key.vfl", "let out = "+key+"\n"))
	if diags.HasErrors() {
		return math.NaN()
	}
	return standard(p, file.Stmts[0].(*ast.Let).Value)
}

// standard is value with c as it is.
func standard(p *check.Program, e ast.Expr) float64 {
	with := map[string]float64{"k": at["k"], "x": 0, "t": 1, "c": at["c"], "b": at["b"]}
	if !mentions(e, "c") {
		return value(p, e, at)
	}
	if n, ok := e.(*ast.Name); ok && n.Name == "c" {
		return value(p, e, with)
	}
	return math.NaN()
}

func mentions(e ast.Expr, name string) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		found = found || ok && x.Name == name
		return !found
	})
	return found
}

// The derivative by k depends on b and c as the paths say: where no path has them, it is the same at other
// values of these.
func TestPathsSayOnWhatADerivativeDepends(t *testing.T) {
	derivative := func(p *check.Program, e ast.Expr, at map[string]float64) float64 {
		const h = 1e-5
		up, down := map[string]float64{}, map[string]float64{}
		for name, v := range at {
			up[name], down[name] = v, v
		}
		up["k"], down["k"] = at["k"]+h, at["k"]-h
		return (value(p, e, up) - value(p, e, down)) / (2 * h)
	}
	rapid.Check(t, func(r *rapid.T) {
		text := expression(r, 3)
		f, e, p := read(r, text)
		w := f.paths()["k"]
		d := derivative(p, e, at)
		if math.IsNaN(d) || math.Abs(d) > 1e4 || math.Abs(value(p, e, at)) > 1e4 {
			return
		}
		if w == 0 && math.Abs(d) > 1e-6 {
			r.Errorf("%s has the derivative %v, but no path", text, d)
		}
		if w&(way(onPrivate)|way(onPrivate|onData)) == 0 {
			other := map[string]float64{"x": at["x"], "k": at["k"], "t": 0.8, "b": 0.3, "c": -1.1}
			if d2 := derivative(p, e, other); math.Abs(d-d2) > 1e-5*(1+math.Abs(d)) && math.Abs(d2) < 1e4 {
				r.Errorf("%s: the derivative is %v and, at other values of the client's parameters, %v", text,
					d, d2)
			}
		}
		if w&(way(onData)|way(onPrivate|onData)) == 0 {
			other := map[string]float64{"x": 2.1, "k": at["k"], "t": at["t"], "b": at["b"], "c": at["c"]}
			if d2 := derivative(p, e, other); math.Abs(d-d2) > 1e-5*(1+math.Abs(d)) && math.Abs(d2) < 1e4 {
				r.Errorf("%s: the derivative is %v and, at other data, %v", text, d, d2)
			}
		}
	})
}
