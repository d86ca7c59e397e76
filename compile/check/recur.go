package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// recur types a recursion: an array over the values that its index has, whose entries have the type of the
// first one.
func (c *checker) recur(e *ast.Recur) (ExprInfo, bool) {
	if e.Ode != nil {
		return c.ode(e)
	}
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
	if !c.reaches(e, len(e.Init), c.Backward(e)) {
		return out, false
	}
	t := indexOf(e.Var)
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

// indexOf is the symbol of an index while what it runs over is typed.
func indexOf(id ast.Ident) *Symbol {
	return &Symbol{Name: id.Name, Kind: IndexVar, Ident: id, Type: types.Type{Elem: types.Int}, Owner: Shared}
}

// step types the expression of an entry, after the parts of a step: a part is an array too, of which the step
// reads the element of its own.
func (c *checker) step(e *ast.Recur, t, self *Symbol) (out ExprInfo, ok bool) {
	before := len(c.vars)
	c.vars = append(c.vars, self, t)
	defer func() { c.vars = c.vars[:before] }()
	for _, s := range e.Steps() {
		info, ok := c.expr(s.Value)
		if !ok || !c.numeric(s.Value, info.Type, "recur") {
			return info, false
		}
		if out = info; s == e.Step {
			break
		}
		if len(info.Type.Dims) > 2 {
			c.errorf(diag.RecurForm, s.Value, "the parts of a step are scalars, vectors or matrices")
			return info, false
		}
		info.Type = types.Type{Dims: append(self.Type.Dims[:1:1], info.Type.Dims...)}
		c.vars = append(c.vars, &Symbol{Name: s.Name.Name, Kind: Let, Ident: s.Name, Type: info.Type,
			Owner: Shared, Owners: info.Owners, Random: info.Random})
	}
	return out, true
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
	for i, id := range c.givenNames(e) {
		old, taken := c.Symbols[id.Name]
		if at, later := c.later[id.Name]; i > 0 && (taken || later || c.Sizes[id.Name] != nil) {
			d := c.errorf(diag.DeclaredTwice, id, "%s is a name of the model: choose another for %s", id.Name,
				map[bool]string{true: "the index", false: "a part of a step"}[i <= len(e.Indices())])
			if later {
				d.NoteAt(c.File.Source, at.Span(), "declared here")
			}
			return false
		} else if i == 0 && taken {
			c.errorf(diag.DeclaredTwice, id, "%s is declared already", id.Name).NoteAt(c.File.Source,
				old.Ident.Span(), "declared here")
			return false
		}
	}
	if e.Var.Name == name {
		c.errorf(diag.RecurForm, e.Var, "the index and the array need two names")
		return false
	}
	for k, s := range e.Steps() {
		reads := c.selfReferences
		if e.Ode != nil {
			reads = c.odeReads
		}
		if !c.partNames(e, s, k) || !reads(e, s.Value) {
			return false
		}
	}
	return true
}

// partNames checks that the k-th entry of a step has a name of its own, and reads no part behind it.
func (c *checker) partNames(e *ast.Recur, s *ast.Entry, k int) bool {
	earlier := &ast.Recur{Var: e.Var, Step: e.Step, Parts: e.Parts[:k:k]}
	if s != e.Step && earlier.Binds(s.Name.Name) {
		c.errorf(diag.DeclaredTwice, s.Name, "%s stands for two things in a step: choose another name",
			s.Name.Name)
		return false
	}
	for _, later := range e.Parts[k:] {
		if name := later.Name.Name; ast.Mentions(s.Value, name) {
			c.errorf(diag.RecurForm, s.Value, "%s needs %s, which the step computes behind it", s.Name.Name, name).
				Note("the parts of a step are computed in their order: move %s[%s] = … to the front", name,
					e.Var.Name)
			return false
		}
	}
	return true
}

// givenNames lists the names that a recursion gives: its own, its index, and those of the parts of a step.
func (c *checker) givenNames(e *ast.Recur) []ast.Ident {
	out := append([]ast.Ident{e.Step.Name}, e.Indices()...)
	for _, p := range e.Parts {
		out = append(out, p.Name)
	}
	return out
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
		} else if ok && e.Part(x.Name) != nil {
			v, here := n.Args[0].Lo.(*ast.Name)
			if !here || n.Args[0].Slice || v.Name != t {
				return c.badPart(e, n, x.Name)
			}
			for _, a := range n.Args[1:] {
				if !c.selfReferences(e, a) {
					return false
				}
			}
			return true
		}
	case *ast.Name:
		if e.Part(n.Name) != nil {
			return c.badPart(e, n, n.Name)
		}
		if n.Name == name {
			c.errorf(diag.RecurIndex, n, "inside its recursion %s is read entry by entry: %s[%s - 1]", name,
				name, t)
			return false
		}
	case *ast.Sum, *ast.Recur:
		given := func(id ast.Ident) bool { return ast.Mentions(n, id.Name) }
		if !slices.ContainsFunc(c.givenNames(e), given) {
			return true
		}
		if r, ok := n.(*ast.Recur); ok {
			c.errorf(diag.RecurForm, r,
				"a recursion inside a step of a recursion").Note("give the inner one a let of its own")
			return false
		}
		if v := n.(*ast.Sum).Var; e.Binds(v.Name) {
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

func (c *checker) badPart(e *ast.Recur, n ast.Node, name string) bool {
	c.errorf(diag.RecurIndex, n, "%s is a part of each step, and is read in it alone: %s[%s]", name, name,
		e.Var.Name).
		Note("what a later step reads is an entry of the recursion, %s[%s - 1]", e.Step.Name.Name, e.Var.Name)
	return false
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

// stepsOf is a node with the values of a step alone below it.
func stepsOf(e *ast.Recur) ast.Node {
	out := &ast.Array{}
	for _, s := range e.Steps() {
		out.Elems = append(out.Elems, s.Value)
	}
	return out
}

// Backward reports whether a recursion runs from its last entry to its first: it reads entries ahead, or is
// written so.
func (p *Program) Backward(e *ast.Recur) bool {
	backward, decided := false, false
	ast.Walk(stepsOf(e), func(n ast.Node) bool {
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
	return length, true
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
	ast.Walk(stepsOf(e), func(node ast.Node) bool {
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
