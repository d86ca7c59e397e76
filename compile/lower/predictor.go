package lower

import (
	"math"

	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/fn"
)

// predictor returns how the auxiliary variables enter a likelihood of rows: through one scalar predictor to
// which they are added. Otherwise it returns the reason why they do not; "" where none enter it.
func (g *generative) predictor(k *cut.Likelihood, args []graph.ID,
	shape graph.Shape) (*model.NoisyPredictor,
	string) {
	if len(k.Groups) == 0 || !g.Program.Transform.Kind.Noise() {
		return nil, ""
	}
	if why := g.dependent(k, shape); why != "" {
		return nil, why
	}
	if k.Dist.Event != nil {
		return nil, k.Dist.Name + " has vectors or matrices for parameters"
	}
	name := k.Groups[0].Reference()
	param, several := -1, false
	for i, a := range k.Args {
		if a != nil && mentions([]ast.Expr{a}, []string{name}) {
			several = several || param >= 0
			param = i
		}
	}
	if several {
		return nil, "several parameters of " + k.Dist.Name + " depend on the auxiliary variables"
	}
	inner, through := Unwrap(k.Args[param])
	if !Addend(inner, name) {
		return nil, "the noise is not added to one predictor"
	}
	out := &model.NoisyPredictor{Param: param, Through: through,
		Eta: g.report(g.spread(g.expr(inner), shape))}
	for i, a := range k.Args {
		if i != param && a != nil && g.cuts.Facts(a).Random && g.b.Shape(args[i]).Len() == 1 &&
			k.Dist.Params[i].Domain == def.Positive {
			out.Free = append(out.Free, i)
		}
	}
	squares, clients := squaredNoise(g.cuts, k, g.Sizes)
	out.Rho, out.Clients = math.Sqrt(squares/float64(clients)), clients
	return out, ""
}

// Unwrap takes off the elementwise functions of one argument around an expression; the innermost is returned
// first.
func Unwrap(e ast.Expr) (inner ast.Expr, through []*def.Func) {
	switch x := e.(type) {
	case *ast.Paren:
		return Unwrap(x.X)
	case *ast.Call:
		for _, f := range fn.Elementwise() {
			if f.Name == x.Name.Name && len(x.Args) == 1 {
				inner, through = Unwrap(x.Args[0])
				return inner, append(through, &f)
			}
		}
	}
	return e, nil
}

// Addend reports whether an expression is a sum of which a name is one term, with either sign.
func Addend(e ast.Expr, name string) bool {
	switch x := e.(type) {
	case *ast.Name:
		return x.Name == name
	case *ast.Paren:
		return Addend(x.X, name)
	case *ast.Unary:
		return (x.Op == "-" || x.Op == "+") && Addend(x.X, name)
	case *ast.Binary:
		if x.Op != "+" && x.Op != "-" {
			return false
		}
		left, right := mentions([]ast.Expr{x.X}, []string{name}), mentions([]ast.Expr{x.Y}, []string{name})
		return left != right && (!left || Addend(x.X, name)) && (!right || Addend(x.Y, name))
	}
	return false
}
