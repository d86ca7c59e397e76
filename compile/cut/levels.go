package cut

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// Levels that all parties have repeat a client's values: u[county] has a number for each row, and u one for
// each county. Without noise the client sends u, and the server looks the rows up. With noise it sends the
// rows: a number for each county would have one noise in all rows of the county, which no longer averages.

// A lookup is the level by which all rows of some expressions are looked up.
type lookup struct {
	*cutter
	by *ast.Subscript
}

// levels takes the look-up off what clients add to a sum, where all their terms have the same one. The sum is
// then looked up by it; nil: it has rows, which with noise may repeat a value.
func (c *cutter) levels(parts []part) ([]part, *ast.Subscript) {
	switch {
	case c.Transform.Kind.Noise():
		for k := range parts {
			if _, by := c.unlooked(parts[k : k+1]); by != nil {
				c.repeated(parts[k], by)
			}
		}
	case !c.model.ByRows:
		return c.unlooked(parts)
	}
	return parts, nil
}

// unlooked takes the look-up off parts of a sum, if that makes them smaller.
func (c *cutter) unlooked(parts []part) ([]part, *ast.Subscript) {
	l := &lookup{cutter: c}
	out := make([]part, len(parts))
	for k, p := range parts {
		out[k] = part{p.client, slices.Clone(p.terms)}
		rows := false
		for i, t := range p.terms {
			x, ok := l.under(t.expr)
			if !ok {
				return parts, nil
			}
			out[k].terms[i].expr, rows = x, rows || x != t.expr
		}
		if !rows {
			return parts, nil
		}
	}
	if at := c.Facts(l.by.Lo).Type; !fewer(*at.Levels, at.Dims[0]) {
		return parts, nil
	}
	return out, l.by
}

// fewer reports whether a size is not known to be as large as another.
func fewer(levels, rows types.Size) bool {
	k, known := levels.Int()
	n, also := rows.Int()
	return !known || !also || k < n
}

// under returns an expression of which e is the rows that the level looks up: a number is the same in all.
func (l *lookup) under(e ast.Expr) (ast.Expr, bool) {
	info := l.Facts(e)
	if p, ok := e.(*ast.Paren); ok {
		return l.under(p.X)
	}
	if info.Type.Scalar() {
		return e, true
	}
	var out ast.Expr
	switch x := e.(type) {
	case *ast.Index:
		return l.off(x)
	case *ast.Unary, *ast.Call:
		if call, ok := e.(*ast.Call); ok {
			if _, ok := l.Universe.Func(call.Name.Name); !ok {
				return nil, false
			}
		}
	case *ast.Binary:
		if l.ranges.MatrixProduct(x) {
			return nil, false
		}
	default:
		return nil, false
	}
	shape, good := []types.Size(nil), true
	out = ast.Rebuild(e, func(y ast.Expr) ast.Expr {
		z, ok := l.under(y)
		if good = good && ok; !good {
			return y
		}
		if t := l.Facts(z).Type; !t.Scalar() {
			good = shape == nil || t.SameShape(types.Type{Dims: shape})
			shape = t.Dims
		}
		return z
	})
	if !good {
		return nil, false
	}
	info.Type.Dims = shape
	l.facts[out] = info
	return out, true
}

// off takes a shared level off the first axis.
func (l *lookup) off(e *ast.Index) (ast.Expr, bool) {
	first := e.Args[0]
	at, info := l.Facts(first.Lo), l.Facts(e)
	if l.ofMember(e) || first.Slice || at.Type.Levels == nil || len(at.Type.Dims) != 1 ||
		!at.Owners.Shared() || l.by != nil && format.Expr(l.by.Lo) != format.Expr(first.Lo) {
		return nil, false
	}
	out := e.X
	if len(e.Args) > 1 {
		if next := e.Args[1]; !next.Slice && l.Facts(next.Lo).Type.Levels != nil {
			return nil, false // an entry for each row, of as many as there are pairs of levels
		}
		out = &ast.Index{At: e.At, X: e.X, Args: append([]*ast.Subscript{{At: first.At, Slice: true}},
			e.Args[1:]...)}
		info.Type.Dims = append([]types.Size{*at.Type.Levels}, info.Type.Dims[1:]...)
		l.facts[out] = info
	}
	l.by = first
	return out, true
}

// looked looks the rows of a reference up.
func (c *cutter) looked(ref ast.Expr, by *ast.Subscript) ast.Expr {
	if by == nil {
		return ref
	}
	c.ByLevels = true
	out := &ast.Index{At: ast.At(ref.Span()), X: ref, Args: []*ast.Subscript{by}}
	info := c.Facts(ref)
	info.Type.Dims = append([]types.Size{c.Facts(by.Lo).Type.Dims[0]}, info.Type.Dims[1:]...)
	c.facts[out] = info
	return out
}

// repeated says how noise averages over rows that have one level.
func (c *cutter) repeated(p part, by *ast.Subscript) {
	rows := slices.IndexFunc(p.terms, func(t term) bool { return !c.Facts(t.expr).Type.Scalar() })
	if !c.reading {
		c.remark(diag.NoiseAverages, p.terms[rows].expr, "rows with one level of "+format.Expr(by.Lo)+
			" have one value of "+p.client+" here, each with noise of its own: whoever receives n such rows"+
			" can take their mean, whose noise has the sd rho/√n")
	}
}

// lookedUp reports whether a likelihood has all its cuts looked up by levels.
func (c *cutter) lookedUp(l *Likelihood) bool {
	all := c.ByLevels
	for _, a := range l.Args {
		if a == nil {
			continue
		}
		ast.Walk(a, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			index, looks := n.(*ast.Index)
			if looks && !index.Args[0].Slice && c.Facts(index.Args[0].Lo).Type.Levels != nil {
				return false
			}
			name, is := x.(*ast.Name)
			all = all && !(ok && is && c.Referenced(name.Name) != nil)
			return true
		})
	}
	return all
}
