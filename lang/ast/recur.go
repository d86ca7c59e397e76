package ast

import "slices"

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
	return e.Var.Name == name || e.Step.Name.Name == name || e.Part(name) != nil
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
		equalAll(a.Steps(), b.Steps(), equalEntries) && Equal(a.Lo, b.Lo) && Equal(a.Hi, b.Hi)
}

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
		if Mentions(n.Lo, name) || Mentions(n.Hi, name) {
			return true
		}
		for _, i := range n.Init {
			if Mentions(i.Index, name) || Mentions(i.Value, name) {
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
