package check

import (
	"fmt"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// recur types a recursion: an array over the values that its index has, whose entries have the type of the
// first one.
func (c *checker) recur(e *ast.Recur) (ExprInfo, bool) {
	if !c.recurNames(e) {
		return ExprInfo{}, false
	}
	out, ok := c.initial(e)
	if !ok {
		return out, false
	}
	length, ok := c.recurRange(e)
	if !ok {
		return out, false
	}
	state := out.Type
	out.Type = types.Type{Dims: append([]types.Size{length}, state.Dims...)}
	if len(out.Type.Dims) > 3 {
		c.errorf(diag.RecurForm, e, "the entries of a recursion are scalars, vectors or matrices")
		return out, false
	}
	t := &Symbol{Name: e.Var.Name, Kind: IndexVar, Ident: e.Var, Type: types.Type{Elem: types.Int},
		Owner: Shared}
	self := &Symbol{Name: e.Step.Name.Name, Kind: Let, Ident: e.Step.Name, Type: out.Type, Owner: Shared,
		Random: out.Random}
	body, ok := c.step(e, t, self)
	if ok && body.Random && !self.Random { // then so is the entry before
		self.Random = true
		body, ok = c.step(e, t, self)
	}
	if !ok {
		return out, false
	}
	if !body.Type.SameShape(state) {
		c.errorf(diag.RecurForm, e.Step.Value, "an entry of %s is %s, but this is %s", self.Name, state,
			body.Type)
		return out, false
	}
	out.Owners = out.Owners.Join(body.Owners).Join(c.CountedBy(e.Lo)).Join(c.CountedBy(e.Hi))
	out.Random = out.Random || body.Random
	return out, true
}

// step types the expression of an entry.
func (c *checker) step(e *ast.Recur, t, self *Symbol) (ExprInfo, bool) {
	c.vars = append(c.vars, self, t)
	defer func() { c.vars = c.vars[:len(c.vars)-2] }()
	body, ok := c.expr(e.Step.Value)
	return body, ok && c.numeric(e.Step.Value, body.Type, "recur")
}

// recurNames checks the names of a recursion: one for all entries, and another for the index.
func (c *checker) recurNames(e *ast.Recur) bool {
	name := e.Step.Name.Name
	for _, i := range e.Init {
		if i.Name.Name != name {
			c.errorf(diag.RecurForm, i.Name,
				"all entries of a recursion have one name, and the last one's is %s", name)
			return false
		}
	}
	if v, ok := e.Step.Index.(*ast.Name); !ok || v.Name != e.Var.Name {
		c.errorf(diag.RecurForm, e.Step.Index,
			"the last entry is for every %[1]s of the range: write %[2]s[%[1]s] = …", e.Var.Name, name)
		return false
	}
	for _, id := range []ast.Ident{e.Var, e.Step.Name} {
		old, taken := c.Symbols[id.Name]
		if at, later := c.later[id.Name]; id == e.Var && (taken || later || c.Sizes[id.Name] != nil) {
			d := c.errorf(diag.DeclaredTwice, id, "%s is a name of the model: choose another for the index",
				id.Name)
			if later {
				d.NoteAt(c.File.Source, at.Span(), "declared here")
			}
			return false
		} else if id != e.Var && taken {
			c.errorf(diag.DeclaredTwice, id, "%s is declared already", id.Name).NoteAt(c.File.Source,
				old.Ident.Span(), "declared here")
			return false
		}
	}
	if e.Var.Name == name {
		c.errorf(diag.RecurForm, e.Var, "the index and the array need two names")
		return false
	}
	return c.selfReferences(e, e.Step.Value)
}

// selfReferences checks that a body reads the recursion at fixed distances only, and that nothing in it has
// the name of its index.
func (c *checker) selfReferences(e *ast.Recur, n ast.Node) bool {
	name, t := e.Step.Name.Name, e.Var.Name
	switch n := n.(type) {
	case *ast.Index:
		if x, ok := n.X.(*ast.Name); ok && x.Name == name {
			if _, ok := c.Lag(e, n); !ok {
				return c.badLag(e, n)
			}
			for _, a := range n.Args[1:] {
				if !c.selfReferences(e, a) {
					return false
				}
			}
			return true
		}
	case *ast.Name:
		if n.Name == name {
			c.errorf(diag.RecurIndex, n, "inside its recursion %s is read entry by entry: %s[%s - 1]", name,
				name, t)
			return false
		}
	case *ast.Sum, *ast.Recur:
		if !ast.Mentions(n, name) && !ast.Mentions(n, t) {
			return true
		}
		if r, ok := n.(*ast.Recur); ok {
			c.errorf(diag.RecurForm, r,
				"a recursion inside a step of a recursion").Note("give the inner one a let of its own")
			return false
		}
		if v := n.(*ast.Sum).Var; v.Name == name || v.Name == t {
			c.errorf(diag.DeclaredTwice, v,
				"%s is a name of the recursion: choose another for the index of the sum", v.Name)
			return false
		}
	}
	for _, child := range ast.Children(n) {
		if !c.selfReferences(e, child) {
			return false
		}
	}
	return true
}

func (c *checker) badLag(e *ast.Recur, n *ast.Index) bool {
	c.errorf(diag.RecurIndex, n, "%s is read at a fixed distance from %s, such as %s[%s - 1]",
		e.Step.Name.Name, e.Var.Name, e.Step.Name.Name, e.Var.Name).
		Note("the distance is a whole number other than 0, on one side for all of a recursion; in a sum it " +
			"may be its index: sum(a[k] * e[t - k] for k in 1..2)")
	return false
}

// Lag returns how far back a body reads the recursion, below 0 for ahead; ok is false where it is not written
// t - K or t + K with a constant K ≥ 1, or the index of a sum.
func (p *Program) Lag(e *ast.Recur, n *ast.Index) (lag float64, ok bool) {
	a := n.Args[0]
	b, isBinary := ast.Unparen(a.Lo).(*ast.Binary)
	if a.Slice || !isBinary || b.Op != "-" && b.Op != "+" {
		return 0, false
	}
	x, named := ast.Unparen(b.X).(*ast.Name)
	if !named || x.Name != e.Var.Name {
		return 0, false
	}
	sign := 1.0
	if b.Op == "+" {
		sign = -1
	}
	if k, constant := p.ConstValue(b.Y); constant {
		return sign * k, k >= 1 && k == float64(int(k))
	}
	_, variable := ast.Unparen(b.Y).(*ast.Name)
	// of a sum: its value is known where data are bound
	return sign, variable && !ast.Mentions(b.Y, e.Var.Name)
}

// initial types the entries that a recursion begins with.
func (c *checker) initial(e *ast.Recur) (ExprInfo, bool) {
	if len(e.Init) == 0 {
		info := ExprInfo{}
		c.errorf(diag.RecurForm, e,
			"a recursion says how it begins: recur %[1]s[1] = …, %[1]s[%[2]s] = … for %[2]s in 2..T",
			e.Step.Name.Name, e.Var.Name)
		return info, false
	}
	var out ExprInfo
	for k, i := range e.Init {
		info, ok := c.expr(i.Value)
		if !ok || !c.numeric(i.Value, info.Type, "recur") {
			return info, false
		}
		if _, ok := c.size(i.Index); !ok {
			return info, false
		}
		if k > 0 && !info.Type.SameShape(types.Type{Dims: out.Type.Dims}) {
			c.errorf(diag.RecurForm, i.Value,
				"the entries of a recursion have one shape: this is %s, and the first is %s", info.Type,
				types.Type{Dims: out.Type.Dims})
			return info, false
		}
		out = ExprInfo{Type: types.Type{Dims: info.Type.Dims},
			Owners: out.Owners.Join(info.Owners).Join(c.CountedBy(i.Index)), Random: out.Random ||
				info.Random}
	}
	return out, true
}

// Backward reports whether a recursion runs from its last entry to its first: it reads entries ahead, or is
// written so.
func (p *Program) Backward(e *ast.Recur) bool {
	backward, decided := false, false
	ast.Walk(e.Step.Value, func(n ast.Node) bool {
		if x, ok := n.(*ast.Index); ok && !decided {
			if name, is := x.X.(*ast.Name); is && name.Name == e.Step.Name.Name {
				lag, _ := p.Lag(e, x)
				backward, decided = lag < 0, true
			}
		}
		return true
	})
	if !decided {
		lo, known := p.ConstValue(e.Lo)
		hi, both := p.ConstValue(e.Hi)
		backward = known && both && hi < lo
	}
	return backward
}

// recurRange checks that the range and the initial entries together are every entry once, and returns their
// number.
func (c *checker) recurRange(e *ast.Recur) (types.Size, bool) {
	lo, ok := c.whole(e.Lo)
	hi, ok2 := c.whole(e.Hi)
	if !ok || !ok2 {
		return lo, false
	}
	n, name := len(e.Init), e.Step.Name.Name
	backward := c.Backward(e)
	first, length := types.Const(1), hi
	if backward {
		first, length = lo.Add(types.Const(1), 1), lo.Add(types.Const(n), 1)
	}
	for k, i := range e.Init {
		at, _ := c.size(i.Index)
		if want := first.Add(types.Const(k), 1); !at.Equal(want) {
			if backward && len(e.Init) == 1 && at.Equal(types.Const(1)) && !hi.Equal(types.Const(1)) {
				c.errorf(diag.RecurRange, e.Step,
					"this step reads entries ahead, and the range runs up from %s", lo).
					Note("a recursion reads entries behind it, %s[%s - 1], or runs down from its last "+
						"entry: recur %s[T] = …, %s[%s] = … for %s in T - 1..1", name, e.Var.Name, name, name,
						e.Var.Name, e.Var.Name)
				return length, false
			}
			c.errorf(diag.RecurRange, i.Index,
				"the initial entries are %s in this order, so that this one must be %s[%s]",
				c.wanted(name, first, n), name, want)
			return length, false
		}
	}
	begin := lo
	if !backward && !begin.Equal(types.Const(n+1)) {
		c.errorf(diag.RecurRange, e.Lo, "the range begins behind the initial entries, at %d",
			n+1).Note("each entry from 1 on is given once: %s", c.wanted(name, first, n))
		return length, false
	}
	if backward && !hi.Equal(types.Const(1)) {
		c.errorf(diag.RecurRange, e.Hi,
			"a recursion that reads entries ahead runs down to 1").Note("write for %s in %s..1", e.Var.Name,
			lo)
		return length, false
	}
	return length, c.reaches(e, n, backward)
}

func (c *checker) wanted(name string, first types.Size, n int) string {
	var out []string
	for k := range n {
		out = append(out, name+"["+first.Add(types.Const(k), 1).String()+"]")
	}
	return strings.Join(out, ", ")
}

// reaches checks that no step reads before the first entry, and that all read on one side.
func (c *checker) reaches(e *ast.Recur, n int, backward bool) bool {
	good := true
	ast.Walk(e.Step.Value, func(node ast.Node) bool {
		x, ok := node.(*ast.Index)
		if !ok || !good {
			return good
		}
		if name, is := x.X.(*ast.Name); !is || name.Name != e.Step.Name.Name {
			return true
		}
		lag, _ := c.Lag(e, x)
		switch {
		case (lag < 0) != backward:
			good = c.badLag(e, x)
		case int(max(lag, -lag)) > n:
			c.errorf(diag.RecurRange, x,
				"this reads %d entries away, but there %s: the first step would read one that is not there",
				int(max(lag, -lag)), initialEntries(n))
			good = false
		}
		return good
	})
	return good
}

func initialEntries(n int) string {
	if n == 1 {
		return "is 1 initial entry"
	}
	return fmt.Sprintf("are %d initial entries", n)
}

// namesItself checks that a let and its recursion have one name; of a component, the name in its function.
func (c *checker) namesItself(s *ast.Let, r *ast.Recur) bool {
	own := s.Name.Name[strings.LastIndex(s.Name.Name, ".")+1:]
	name := r.Step.Name.Name
	if strings.TrimRight(name, "_") == strings.TrimRight(own, "_") || c.Linked.Calls[r] != nil {
		return true
	}
	c.errorf(diag.RecurForm, r.Step.Name, "the entries of the let %s are written %s[…], not %s[…]", own, own,
		name)
	return false
}
