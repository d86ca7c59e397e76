package compile

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// A reach is how the rows of a statement depend on states: each on that of its own row, or on that of its
// group.
type reach struct {
	s      *summer
	plate  types.Size // of the parameters
	rows   types.Size // of the statement
	group  ast.Expr   // nil: each row has a state of its own
	direct bool
	bad    ast.Node // what mixes rows
}

// reach finds how the rows of an expression depend on states; false, with a message, where several enter one.
func (c *component) reach(t *term, e ...ast.Expr) (*reach, bool) {
	s, of := c.summer, c.of
	r := &reach{s: s, plate: of[0].sym.Type.Dims[0]}
	for _, x := range e {
		if x != nil && r.bad == nil {
			r.expr(x)
		}
	}
	if r.bad == nil && r.direct && r.group != nil {
		r.bad = r.group
	}
	if r.bad == nil && (t.prior != nil && r.group != nil ||
		t.prior == nil && (t.axes == 0 || t.axes > 2 || !t.sizes[0].Equal(r.rows))) {
		r.bad = t.stmt
	}
	if r.bad == nil {
		return r, true
	}
	s.errorf(diag.LatentRows, r.bad,
		"%s depends on states of several rows, and a row is summed out by itself", text(r.bad)).
		Note("%s has a state for each %s: the row that a state enters is its own, or one of its group, as mu[%s] "+
			"or mu[%s[g]]", of[0].name(), r.plate, of[0].name(), of[0].name()).
		Note("states that follow each other are a hidden Markov model: factor hmm_marginal(…), see vflc doc hmm_marginal")
	return nil, false
}

// text is an expression as it is written.
func text(n ast.Node) string {
	if e, ok := n.(ast.Expr); ok {
		return format.Expr(e)
	}
	return "this"
}

// fails notes the innermost node that mixes rows.
func (r *reach) fails(n ast.Node) {
	if r.bad == nil {
		r.bad = n
	}
}

// latent reports whether an expression is a discrete parameter, or that of the group of each row, and takes
// note of the rows.
func (r *reach) latent(e ast.Expr) bool {
	e = ast.Unparen(e)
	if name, ok := e.(*ast.Name); ok && r.s.named(name.Name) != nil {
		r.direct, r.rows = true, r.plate
		return true
	}
	x, ok := e.(*ast.Index)
	if !ok || r.s.named(format.Expr(x.X)) == nil || len(x.Args) != 1 || x.Args[0].Slice {
		return false
	}
	group := x.Args[0].Lo
	info, typed := r.s.Info[group]
	if !typed || info.Type.Elem != types.Level || len(info.Type.Dims) != 1 || r.s.any(group) ||
		r.group != nil && !ast.Equal(r.group, group) {
		return false
	}
	r.group, r.rows = group, info.Type.Dims[0]
	return true
}

// expr reports what in an expression mixes rows.
func (r *reach) expr(e ast.Expr) {
	if !r.s.any(e) || r.latent(e) {
		return
	}
	switch e := e.(type) {
	case *ast.Name:
		if let, ok := r.s.Symbols[e.Name].Decl.(*ast.Let); ok {
			r.expr(let.Value)
			return
		}
		r.fails(e)
	case *ast.Paren:
		r.expr(e.X)
	case *ast.Unary:
		r.expr(e.X)
	case *ast.Binary:
		if e.Op == ".." || e.Op == "*" && !r.scalar(e.X) && !r.scalar(e.Y) && r.s.any(e.Y) {
			r.fails(e)
			return
		}
		r.expr(e.X)
		r.expr(e.Y)
	case *ast.Index:
		r.index(e)
	case *ast.Call:
		if !r.s.rowWise(e) {
			r.fails(e)
			return
		}
		for _, a := range e.Args {
			r.expr(a)
		}
	case *ast.Sum:
		if e.Each || e.Family != nil {
			r.fails(e)
			return
		}
		r.expr(e.Body)
	default:
		r.fails(e)
	}
	dims := r.s.Info[e].Type.Dims
	if _, bare := e.(*ast.Name); !bare && r.bad == nil && (len(dims) == 0 || !dims[0].Equal(r.rows)) {
		r.fails(e)
	}
}

func (r *reach) scalar(e ast.Expr) bool { return r.s.Info[e].Type.Scalar() }

// index reports a look-up by states that mixes rows.
func (r *reach) index(e *ast.Index) {
	if r.s.any(e.X) {
		if a := e.Args[0]; a.Slice && a.Lo == nil && a.Hi == nil {
			r.expr(e.X)
			return
		}
		r.fails(e)
		return
	}
	ahead := false // something before the first level keeps an axis
	for _, a := range e.Args {
		state := a.Lo != nil && r.s.any(a.Lo)
		if state && (a.Slice || ahead || !r.latent(a.Lo)) {
			r.fails(e)
			return
		}
		ahead = ahead || a.Slice || r.s.Info[a.Lo].Type.Elem != types.Level && !r.scalar(a.Lo)
	}
}

// named returns the discrete parameter of a name, nil for another.
func (s *summer) named(name string) *latent {
	at := slices.IndexFunc(s.latents, func(k *latent) bool { return k.name() == name })
	if at < 0 {
		return nil
	}
	return s.latents[at]
}

// any reports whether an expression depends on a discrete parameter.
func (s *summer) any(e ast.Expr) bool {
	return slices.ContainsFunc(s.latents, func(k *latent) bool { return s.depends(e, k) })
}

// rowWise reports whether row i of a call depends on row i of its arguments alone.
func (s *summer) rowWise(e *ast.Call) bool {
	if _, elementwise := s.Universe.Func(e.Name.Name); elementwise || ast.IsDensity(e) {
		return true
	}
	f, ok := s.Universe.Structural(e.Name.Name)
	return ok && (f.RowWise || f.AddsDensities)
}

// let returns the value of a name that a let has, nil for another name.
func (s *summer) let(name string) ast.Expr {
	if sym := s.Symbols[name]; sym != nil && sym.Kind == check.Let && len(s.uses[sym.Decl]) > 0 {
		return sym.Decl.(*ast.Let).Value
	}
	return nil
}
