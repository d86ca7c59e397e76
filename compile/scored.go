package compile

import (
	"math"
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/stdlib/def"
)

// A law is a distribution with an expression for each parameter, for which densities are written.
type law struct {
	*def.Dist
	args []ast.Expr
}

// lawOf is a distribution with arguments, defaults written out.
func lawOf(d *def.Dist, args []ast.Expr) law {
	out := law{d, slices.Clone(args)}
	for i, a := range args {
		if a == nil {
			out.args[i] = written(d.Params[i].Default)
		}
	}
	return out
}

// written is a number as an expression.
func written(v float64) ast.Expr {
	if v < 0 {
		return &ast.Paren{X: &ast.Unary{Op: "-", X: written(-v)}}
	}
	return &ast.Number{Value: v, Int: v == math.Trunc(v)}
}

func call(name string, args ...ast.Expr) ast.Expr {
	return &ast.Call{Name: ast.Ident{Name: name}, Args: args}
}

func binary(op string, x, y ast.Expr) ast.Expr {
	return &ast.Binary{Op: op, X: &ast.Paren{X: x}, Y: &ast.Paren{X: y}}
}

// density is the log density at x, that of each row.
func (l law) density(x ast.Expr) ast.Expr {
	if l.Form == nil {
		suffix := "_lpdf"
		if l.Discrete {
			suffix = "_lpmf"
		}
		return l.function(suffix, x)
	}
	of := l.parts()
	switch l.Form.Kind {
	case def.MixtureForm:
		return l.mixed(func(k law) ast.Expr { return k.density(x) })
	case def.TruncatedForm:
		return binary("-", of[0].density(x), of[0].between(l.end(def.LowerEnd), l.end(def.UpperEnd)))
	}
	return of[0].censored(l, x)
}

// function is a density function of a distribution of the language.
func (l law) function(suffix string, x ast.Expr) ast.Expr {
	return call(l.Name+suffix, append([]ast.Expr{x}, l.args...)...)
}

// parts are the distributions that one is made of.
func (l law) parts() (out []law) {
	from := 0
	for _, d := range l.Form.Of {
		out, from = append(out, law{d, l.args[from : from+len(d.Params)]}), from+len(d.Params)
	}
	return out
}

// end is the argument of a clause, nil where it is not written.
func (l law) end(name string) ast.Expr {
	for k := len(l.Form.Of[0].Params); k < len(l.Params); k++ {
		if l.Params[k].Name == name {
			return l.args[k]
		}
	}
	return nil
}

// mixed adds up a function of the components, with their weights.
func (l law) mixed(of func(law) ast.Expr) ast.Expr {
	parts := l.parts()
	weights := l.args
	for _, k := range parts {
		weights = weights[len(k.args):]
	}
	if len(weights) == 1 {
		return call("log_mix", weights[0], of(parts[0]), of(parts[1]))
	}
	var sum ast.Expr
	for k, w := range weights {
		term := binary("+", call("log", w), of(parts[k]))
		if k == 0 {
			sum = term
		} else {
			sum = call("log_sum_exp", sum, term)
		}
	}
	return sum
}

// between is the log probability of what lies between ends, which belong to it; nil is none.
func (l law) between(lower, upper ast.Expr) ast.Expr {
	if l.Form != nil && l.Form.Kind == def.MixtureForm {
		return l.mixed(func(k law) ast.Expr { return k.between(lower, upper) })
	}
	if l.Form != nil {
		of, low, high := l.parts()[0], l.end(def.LowerEnd), l.end(def.UpperEnd)
		return binary("-", of.between(narrower("max", lower, low), narrower("min", upper, high)),
			of.between(low, high))
	}
	if l.Discrete && lower != nil { // what is no greater than the value below it lies outside
		lower = binary("-", lower, written(1))
	}
	switch {
	case upper == nil:
		return l.function("_lccdf", lower)
	case lower == nil:
		return l.function("_lcdf", upper)
	}
	a, b := l.function("_lcdf", upper), l.function("_lcdf", lower)
	return binary("+", a, call("log1m_exp", binary("-", b, a)))
}

// narrower is the narrower of two ends, either of which may be none.
func narrower(function string, a, b ast.Expr) ast.Expr {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return call(function, a, b)
}

// censored is the log density of rows of which some are known by a bound, as those of a censored law say; the
// first way that holds counts.
func (l law) censored(by law, x ast.Expr) ast.Expr {
	out := l.density(x)
	for k := len(by.Params) - 1; k >= len(l.Params); k-- {
		p, arg := by.Params[k], by.args[k]
		flag, at := arg, x
		if right := p.Name == "right"; !p.Integral && p.Name != "interval" {
			flag, at = binary(map[bool]string{true: ">=", false: "<="}[right], x, arg), arg
		}
		switch p.Name {
		case "right":
			out = call("where", flag, l.between(at, nil), out)
		case "left":
			out = call("where", flag, l.between(nil, at), out)
		default:
			out = call("where", binary("!=", arg, x), l.between(x, arg), out)
		}
	}
	return out
}

// replicated is a draw of a censored law, which measuring stops at the bounds; false where what censors says
// what became of each row, so that another draw has no such.
func (l law) replicated(drawn ast.Expr) (ast.Expr, bool) {
	if l.Form == nil || l.Form.Kind != def.CensoredForm {
		return drawn, true
	}
	for k := len(l.Form.Of[0].Params); k < len(l.Params); k++ {
		switch p := l.Params[k]; {
		case p.Integral || p.Name == "interval":
			return drawn, false
		case p.Name == "right":
			drawn = call("min", drawn, l.args[k])
		default:
			drawn = call("max", drawn, l.args[k])
		}
	}
	return drawn, true
}
