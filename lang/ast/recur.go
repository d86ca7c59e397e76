package ast

// Recur is `recur h[1] = A, h[t] = B for t in 2..T`: an array whose entries follow from those before (or
// behind) them. The first entries are Init; Step gives the others, for Var from Lo to Hi.
type Recur struct {
	At
	Init   []*Entry
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

func equalRecursions(a, b *Recur) bool {
	return a.Var.Name == b.Var.Name && equalAll(a.Init, b.Init, equalEntries) &&
		equalEntries(a.Step, b.Step) && Equal(a.Lo, b.Lo) && Equal(a.Hi, b.Hi)
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
		return n.Var.Name != name && n.Step.Name.Name != name && Mentions(n.Step.Value, name)
	}
	for _, child := range Children(n) {
		if Mentions(child, name) {
			return true
		}
	}
	return false
}
