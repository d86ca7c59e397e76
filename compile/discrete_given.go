package compile

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/types"
)

// states are those of discrete parameters: numbers, or the indices of sums.
type states map[*latent]ast.Expr

func (s states) with(k *latent, state ast.Expr) states { return s.and(states{k: state}) }

func (s states) and(more states) states {
	out := maps.Clone(s)
	maps.Copy(out, more)
	return out
}

// given writes an expression with states in the place of discrete parameters, and lets of them written out.
// A look-up of rows of a matrix keeps its rows; that of numbers is one number.
func (s *summer) given(e ast.Expr, at states) ast.Expr {
	switch x := e.(type) {
	case *ast.Name:
		if k := s.named(x.Name); k != nil {
			return at[k]
		}
		if value := s.let(x.Name); value != nil {
			return &ast.Paren{X: s.given(value, at)}
		}
	case *ast.Binary:
		if level, category, ok := check.Category(x); ok && s.any(level) {
			_, _, list := s.LevelSize(s.Info[level].Type)
			code := number(check.Code(list, category.Text))
			return &ast.Binary{At: x.At, Op: x.Op, OpAt: x.OpAt, X: s.given(level, at), Y: code}
		}
	case *ast.Index:
		if k := s.lookedUp(x); k != nil {
			return at[k]
		}
		if !s.any(x.X) {
			return s.subscripts(x, true, func(e ast.Expr) ast.Expr { return s.given(e, at) })
		}
	}
	return ast.Rebuild(e, func(e ast.Expr) ast.Expr { return s.given(e, at) })
}

// lookedUp returns the parameter whose states by groups an expression is: k of k[g].
func (s *summer) lookedUp(x *ast.Index) *latent {
	name, ok := x.X.(*ast.Name)
	if !ok {
		return nil
	}
	return s.named(name.Name)
}

// subscripts writes an index with the states that state gives in the place of discrete parameters. Where keep
// is true, a look-up of rows of a matrix has one for each state, in the place of one that all share.
func (s *summer) subscripts(x *ast.Index, keep bool, state func(ast.Expr) ast.Expr) ast.Expr {
	out := &ast.Index{At: x.At, X: x.X}
	for _, a := range x.Args { // another level has the rows
		keep = keep && (a.Lo == nil || s.any(a.Lo) || s.Info[a.Lo].Type.Elem != types.Level)
	}
	for _, a := range x.Args {
		c := *a
		if a.Lo != nil && !a.Slice && s.any(a.Lo) {
			c.Lo = state(a.Lo)
			if keep && len(s.Info[a.Lo].Type.Dims) == 1 && len(s.Info[x].Type.Dims) > 1 {
				c.Lo = &ast.Sum{Each: true, Body: c.Lo, Var: ast.Ident{Name: "row.number"}, Lo: number(1),
					Hi: s.count(a.Lo)}
			}
		}
		out.Args = append(out.Args, &c)
	}
	return out
}

// count is the number of rows of k, or of k[g].
func (s *summer) count(e ast.Expr) ast.Expr {
	if x, ok := ast.Unparen(e).(*ast.Index); ok {
		return callOf("size", x.Args[0].Lo)
	}
	return s.named(ast.Unparen(e).(*ast.Name).Name).rows()
}

// perDraw writes an expression of a generated quantity, in which a discrete parameter is the state that was
// drawn: what it looks up is chosen among what each state does.
func (s *summer) perDraw(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.Name:
		if value := s.let(x.Name); value != nil {
			return &ast.Paren{X: s.perDraw(value)}
		}
		for _, c := range s.parts {
			for _, k := range c.of {
				if x.Name == k.name()+probability {
					return c.probabilities(k)
				}
			}
		}
	case *ast.Index:
		if s.lookedUp(x) != nil || !slices.ContainsFunc(x.Args, func(a *ast.Subscript) bool {
			return a.Lo != nil && !a.Slice && s.any(a.Lo)
		}) {
			break
		}
		return s.chosenOf(x)
	}
	return ast.Rebuild(e, s.perDraw)
}

// chosenOf is what discrete parameters look up, at their states.
func (s *summer) chosenOf(x *ast.Index) ast.Expr {
	var chosen []ast.Expr
	value := s.subscripts(x, false, func(state ast.Expr) ast.Expr {
		chosen = append(chosen, state)
		return s.latentOf(state).index
	})
	for _, state := range chosen {
		k := s.latentOf(state)
		if len(s.Info[state].Type.Dims) == 1 && len(s.Info[x].Type.Dims) == 2 { // rows of a matrix
			is := callOf("col", infix("==", state, k.index))
			value = s.added(k, infix(".*", is, callOf("row", value)))
			continue
		}
		value = s.chosenAt(k, state, value)
	}
	return value
}

// latentOf is the parameter of k, or of k[g].
func (s *summer) latentOf(e ast.Expr) *latent {
	e = ast.Unparen(e)
	if x, ok := e.(*ast.Index); ok {
		e = x.X
	}
	return s.named(e.(*ast.Name).Name)
}

// chosenAt is the value of an expression of the index of k at the state that k has.
func (s *summer) chosenAt(k *latent, state, e ast.Expr) ast.Expr {
	return s.added(k, callOf("where", infix("==", state, k.index), e, number(0)))
}

// added is the sum of an expression over the states of k.
func (s *summer) added(k *latent, e ast.Expr) ast.Expr {
	return &ast.Sum{Body: e, Var: ast.Ident{Name: k.index.Name}, Lo: k.first(), Hi: k.last}
}
