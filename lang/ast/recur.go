package ast

import "slices"

// OdeWord begins a differential equation, and is the function that writes one.
const OdeWord = "ode"

// Recur is `recur h[1] = A, h[t] = B for t in 2..T`: an array whose entries follow from those before (or
// behind) them. The first entries are Init; Step gives the others, for Var from Lo to Hi. Parts are values of
// a step that have a name, as k in `recur h[1] = A, k[t] = C, h[t] = B for t in 2..T`: the step reads k[t].
type Recur struct {
	At
	Init   []*Entry
	Parts  []*Entry
	Step   *Entry
	Var    Ident
	Lo, Hi Expr
	Ode    *Ode // nil: a recursion
}

// Ode is what an ordinary differential equation has in place of a range, which is then nil:
// `ode z[0] = A, z'[t] = B for t in Times by s in By with (rel_tol = C)`. Init is then the state at one time,
// Step its derivative, and Var the time.
type Ode struct {
	Times    Expr
	Member   *Ident // the variable of groups, nil where there is one
	By       Expr
	Settings []*Arg
}

// Entry is `NAME[INDEX] = VALUE`, a part of a recursion.
type Entry struct {
	At
	Name         Ident
	Index, Value Expr
}

func (*Recur) expr() {}

// Steps lists the entries that are computed for each value of the index, in order.
func (e *Recur) Steps() []*Entry { return append(slices.Clip(e.Parts), e.Step) }

// Binds reports whether the steps of a recursion have a name of their own.
func (e *Recur) Binds(name string) bool {
	return e.Var.Name == name || e.Step.Name.Name == name || e.Part(name) != nil || e.member(name)
}

// Indices lists the variables over which a recursion runs: its index, or the time and the member.
func (e *Recur) Indices() []Ident {
	if e.Ode != nil && e.Ode.Member != nil {
		return []Ident{e.Var, *e.Ode.Member}
	}
	return []Ident{e.Var}
}

// member reports whether a name is that of the groups of a differential equation.
func (e *Recur) member(name string) bool {
	return e.Ode != nil && e.Ode.Member != nil && e.Ode.Member.Name == name
}

// outside lists what stands outside of the entries.
func (e *Recur) outside() (out []Node) {
	if o := e.Ode; o != nil {
		return list(out, o.Times, o.By)
	}
	return list(out, e.Lo, e.Hi)
}

// Part returns the part of a step that has a name, nil where there is none.
func (e *Recur) Part(name string) *Entry {
	for _, p := range e.Parts {
		if p.Name.Name == name {
			return p
		}
	}
	return nil
}

func equalRecursions(a, b *Recur) bool {
	return a.Var.Name == b.Var.Name && equalAll(a.Init, b.Init, equalEntries) &&
		equalAll(a.Steps(), b.Steps(), equalEntries) && Equal(a.Lo, b.Lo) && Equal(a.Hi, b.Hi) &&
		equalOdes(a.Ode, b.Ode)
}

func equalOdes(a, b *Ode) bool {
	if a == nil || b == nil {
		return a == b
	}
	named := a.Member == b.Member || a.Member != nil && b.Member != nil && a.Member.Name == b.Member.Name
	return named && Equal(a.Times, b.Times) && Equal(a.By, b.By) &&
		equalAll(a.Settings, b.Settings, equalNamed)
}

func equalNamed(a, b *Arg) bool { return a.Name.Name == b.Name.Name && Equal(a.Value, b.Value) }

func equalEntries(a, b *Entry) bool {
	return a.Name.Name == b.Name.Name && Equal(a.Index, b.Index) && Equal(a.Value, b.Value)
}

func (r *rebuilder) entry(e *Entry) *Entry {
	out := &Entry{At: r.place(e.At), Name: r.ident(e.Name), Index: r.one(e.Index), Value: r.one(e.Value)}
	r.copied(e, out)
	return out
}

func (r *rebuilder) recur(e *Recur) *Recur {
	out := &Recur{At: r.place(e.At)}
	for _, i := range e.Init {
		out.Init = append(out.Init, r.entry(i))
	}
	for _, p := range e.Parts {
		out.Parts = append(out.Parts, r.entry(p))
	}
	out.Step, out.Var = r.entry(e.Step), r.ident(e.Var)
	out.Lo, out.Hi = r.one(e.Lo), r.one(e.Hi)
	if o := e.Ode; o != nil {
		out.Ode = &Ode{Times: r.one(o.Times), Member: o.Member, By: r.one(o.By),
			Settings: r.arguments(o.Settings)}
	}
	return out
}

// Mentions reports whether a name occurs in a node, other than as the variable of a comprehension or a name
// of a recursion inside it.
func Mentions(n Node, name string) bool {
	switch n := n.(type) {
	case *Name:
		return n.Name == name
	case *Sum:
		return n.Var.Name != name && Mentions(n.Body, name) || n.Lo != nil && Mentions(n.Lo, name) ||
			n.Hi != nil && Mentions(n.Hi, name)
	case *Recur:
		for _, e := range n.outside() {
			if Mentions(e, name) {
				return true
			}
		}
		for _, i := range n.Init {
			if !n.member(name) && (Mentions(i.Index, name) || Mentions(i.Value, name)) {
				return true
			}
		}
		return !n.Binds(name) && slices.ContainsFunc(n.Steps(), func(s *Entry) bool {
			return Mentions(s.Value, name)
		})
	}
	for _, child := range Children(n) {
		if Mentions(child, name) {
			return true
		}
	}
	return false
}
