package ast

// Equal reports whether two expressions are the same up to places, parentheses and the spelling of numbers.
// Nil equals only nil.
func Equal(a, b Expr) bool {
	a, b = Unparen(a), Unparen(b)
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	switch a := a.(type) {
	case *Number:
		b, ok := b.(*Number)
		return ok && a.Value == b.Value && a.Int == b.Int
	case *Name:
		b, ok := b.(*Name)
		return ok && a.Name == b.Name
	case *Unary:
		b, ok := b.(*Unary)
		return ok && a.Op == b.Op && Equal(a.X, b.X)
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op && Equal(a.X, b.X) && Equal(a.Y, b.Y)
	case *Transpose:
		b, ok := b.(*Transpose)
		return ok && Equal(a.X, b.X)
	case *Index:
		b, ok := b.(*Index)
		return ok && Equal(a.X, b.X) && equalAll(a.Args, b.Args, equalSubscripts)
	case *Call:
		b, ok := b.(*Call)
		return ok && a.Name.Name == b.Name.Name && equalAll(a.Args, b.Args, Equal) &&
			equalAll(a.Named, b.Named, equalNamed)
	case *Array:
		b, ok := b.(*Array)
		return ok && equalAll(a.Elems, b.Elems, Equal)
	case *Text:
		b, ok := b.(*Text)
		return ok && a.Text == b.Text
	case *Recur:
		b, ok := b.(*Recur)
		return ok && equalRecursions(a, b)
	case *Sum:
		b, ok := b.(*Sum)
		return ok && equalSums(a, b)
	}
	return false
}

// Unparen returns e without the parentheses around it.
func Unparen(e Expr) Expr {
	for {
		p, ok := e.(*Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}

func equalSubscripts(a, b *Subscript) bool {
	return a.Slice == b.Slice && Equal(a.Lo, b.Lo) && Equal(a.Hi, b.Hi)
}

// equalSums compares the names of the variables too: sums that differ only in these names are not equal.
func equalSums(a, b *Sum) bool {
	if (a.Family == nil) != (b.Family == nil) || a.Family != nil && a.Family.Name != b.Family.Name {
		return false
	}
	return a.Each == b.Each && a.Var.Name == b.Var.Name &&
		Equal(a.Body, b.Body) && Equal(a.Lo, b.Lo) && Equal(a.Hi, b.Hi)
}

func equalAll[T any](a, b []T, equal func(T, T) bool) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(a[i], b[i]) {
			return false
		}
	}
	return true
}
