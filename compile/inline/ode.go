package inline

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
)

// The arguments of `ode` before those of its function.
const odeArguments = 3

// ode writes `ode(f, y0, times, a, t0 = 0, by = g)` as the differential equation that it stands for, in which
// f is called with the time, the state and what follows the times. A name of g in y0 or behind the times is
// that of the member. A call that is not of this form is left to the checker.
func (x *expander) ode(c *ast.Call, sc *scope) (*ast.Recur, bool) {
	f := x.solved(c, sc)
	if f == nil {
		return nil, false
	}
	name := func(k int, fallback string, others ...string) ast.Ident {
		if k >= 0 && k < len(f.Args) && f.Args[k].Name != nil {
			fallback = f.Args[k].Name.Name
		}
		own := fallback == x.self && k == 1 // which its value cannot read
		for !own && (x.taken[fallback] || x.names[fallback]) || sc != nil && sc.mentions(fallback) ||
			ast.Mentions(c, fallback) || slices.Contains(others, fallback) {
			fallback += "_"
		}
		return ast.Ident{At: c.At, Name: fallback}
	}
	time := name(0, "t")
	state := name(1, "y", time.Name)
	out := &ast.Recur{At: c.At, Var: time, Ode: &ast.Ode{Times: c.Args[2]}}
	member := func(e ast.Expr) ast.Expr { return e }
	var t0 ast.Expr = &ast.Number{At: c.At, Int: true}
	for _, a := range c.Named {
		switch a.Name.Name {
		case "by":
			id := name(-1, "s", time.Name, state.Name)
			out.Ode.Member, out.Ode.By = &id, a.Value
			member = func(e ast.Expr) ast.Expr { return ofMember(e, a.Value, id) }
		case "t0":
			t0 = a.Value
		default:
			out.Ode.Settings = append(out.Ode.Settings, a)
		}
	}
	at := func() ast.Expr { return &ast.Name{At: c.At, Name: time.Name} }
	call := &ast.Call{At: c.At, Name: ast.Ident{At: ast.At(c.Args[0].Span()),
		Name: c.Args[0].(*ast.Name).Name}, Args: []ast.Expr{at(), &ast.Index{At: c.At,
		X: &ast.Name{At: c.At, Name: state.Name}, Args: []*ast.Subscript{{At: c.At, Lo: at()}}}}}
	for _, a := range c.Args[odeArguments:] {
		call.Args = append(call.Args, member(a))
	}
	out.Init = []*ast.Entry{{At: c.At, Name: state, Index: member(t0), Value: member(c.Args[1])}}
	out.Step = &ast.Entry{At: c.At, Name: state, Index: at(), Value: call}
	return out, true
}

// solved returns the function that a call of `ode` names, nil where it names none.
func (x *expander) solved(c *ast.Call, sc *scope) *function {
	if c.Name.Name != ast.OdeWord || len(c.Args) < odeArguments {
		return nil
	}
	n, ok := c.Args[0].(*ast.Name)
	if !ok {
		return nil
	}
	home := x.home
	if sc.inside() {
		home = sc.home
	}
	list := x.functions(home, n.Name)
	if len(list) == 0 {
		return nil
	}
	for _, f := range list {
		if len(f.Args) == len(c.Args)-1 {
			return f
		}
	}
	return list[0] // whose call is reported
}

// ofMember writes the member of a group for the level by which groups are made.
func ofMember(e, by ast.Expr, member ast.Ident) ast.Expr {
	if ast.Equal(e, by) {
		return &ast.Name{At: ast.At(e.Span()), Name: member.Name}
	}
	return ast.Rebuild(e, func(y ast.Expr) ast.Expr { return ofMember(y, by, member) })
}
