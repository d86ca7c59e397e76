package ast

import "github.com/vflc/vflc/lang/source"

// Rebuild maps the expressions that an expression holds directly. It returns the expression itself where none
// of them changes.
func Rebuild(e Expr, f func(Expr) Expr) Expr {
	r := rebuilder{f: f}
	out := r.expr(e)
	if !r.changed {
		return e
	}
	return out
}

// Copy is Rebuild for another place in a file: all nodes are new and lie at a place, and made is called for
// each with the node that it is a copy of.
func Copy(e Expr, at At, made func(from, to Node), f func(Expr) Expr) Expr {
	r := rebuilder{f: f, at: &at, made: made}
	out := r.expr(e)
	made(e, out)
	return out
}

// CopyType is Copy for a type, nil for none.
func CopyType(t *Type, at At, made func(from, to Node), f func(Expr) Expr) *Type {
	r := rebuilder{f: f, at: &at, made: made}
	return r.typ(t)
}

// CopyDist is Copy for a distribution.
func CopyDist(d *Dist, at At, made func(from, to Node), f func(Expr) Expr) *Dist {
	r := rebuilder{f: f, at: &at, made: made}
	return r.dist(d)
}

// CopyArgs is Copy for the arguments of a clause, nil for none.
func CopyArgs(list []*Arg, at At, made func(from, to Node), f func(Expr) Expr) []*Arg {
	r := rebuilder{f: f, at: &at, made: made}
	return r.arguments(list)
}

// rebuilder maps the expressions in a node, and notes whether one has changed.
type rebuilder struct {
	f       func(Expr) Expr
	changed bool
	at      *At                 // of the new nodes; nil: where the old ones are
	made    func(from, to Node) // nil: not told
}

func (r *rebuilder) place(at At) At {
	if r.at != nil {
		return *r.at
	}
	return at
}

func (r *rebuilder) ident(i Ident) Ident { return Ident{At: r.place(i.At), Name: i.Name} }

func (r *rebuilder) copied(from, to Node) {
	if r.made != nil {
		r.made(from, to)
	}
}

func (r *rebuilder) span(s source.Span) source.Span {
	if r.at != nil {
		return r.at.Span()
	}
	return s
}

func (r *rebuilder) one(e Expr) Expr {
	if e == nil {
		return nil
	}
	out := r.f(e)
	r.changed = r.changed || out != e
	return out
}

func (r *rebuilder) all(list []Expr) []Expr {
	var out []Expr
	for _, e := range list {
		out = append(out, r.one(e))
	}
	return out
}

func (r *rebuilder) expr(e Expr) Expr {
	switch e := e.(type) {
	case *Number:
		return &Number{At: r.place(e.At), Text: e.Text, Value: e.Value, Int: e.Int}
	case *Name:
		return &Name{At: r.place(e.At), Name: e.Name}
	case *Paren:
		return &Paren{At: r.place(e.At), X: r.one(e.X)}
	case *Unary:
		return &Unary{At: r.place(e.At), Op: e.Op, X: r.one(e.X)}
	case *Binary:
		return &Binary{At: r.place(e.At), Op: e.Op, OpAt: r.span(e.OpAt), X: r.one(e.X), Y: r.one(e.Y)}
	case *Transpose:
		return &Transpose{At: r.place(e.At), X: r.one(e.X)}
	case *Index:
		return &Index{At: r.place(e.At), X: r.one(e.X), Args: r.subscripts(e.Args)}
	case *Call:
		return &Call{At: r.place(e.At), Name: r.ident(e.Name), Args: r.all(e.Args),
			Named: r.arguments(e.Named)}
	case *Recur:
		return r.recur(e)
	case *Text:
		return &Text{At: r.place(e.At), Text: e.Text}
	case *Array:
		return &Array{At: r.place(e.At), Elems: r.all(e.Elems)}
	case *Sum:
		return &Sum{At: r.place(e.At), Each: e.Each, Body: r.one(e.Body), Var: r.ident(e.Var),
			Family: e.Family, Lo: r.one(e.Lo), Hi: r.one(e.Hi)}
	}
	return e
}

func (r *rebuilder) subscripts(list []*Subscript) []*Subscript {
	var out []*Subscript
	for _, s := range list {
		c := &Subscript{At: r.place(s.At), Lo: r.one(s.Lo), Hi: r.one(s.Hi), Slice: s.Slice}
		r.copied(s, c)
		out = append(out, c)
	}
	return out
}

func (r *rebuilder) typ(t *Type) *Type {
	if t == nil {
		return nil
	}
	out := &Type{At: r.place(t.At), Elem: r.ident(t.Elem), Levels: r.one(t.Levels), Dims: r.all(t.Dims)}
	for _, b := range t.Bounds {
		out.Bounds = append(out.Bounds, &Bound{At: r.place(b.At), Which: r.ident(b.Which),
			Value: r.one(b.Value)})
	}
	r.copied(t, out)
	return out
}

func (r *rebuilder) dist(d *Dist) *Dist {
	if d == nil {
		return nil
	}
	out := &Dist{At: r.place(d.At), Name: r.ident(d.Name)}
	r.copied(d, out)
	out.Args = r.arguments(d.Args)
	return out
}

func (r *rebuilder) arguments(list []*Arg) []*Arg {
	var out []*Arg
	for _, a := range list {
		out = append(out, &Arg{At: r.place(a.At), Name: a.Name, Value: r.one(a.Value)})
	}
	return out
}

// RebuildStmt maps the expressions that a statement of a model holds directly. It returns the statement
// itself where none of them changes.
func RebuildStmt(s Stmt, f func(Expr) Expr) Stmt {
	r := rebuilder{f: f}
	out := s
	switch s := s.(type) {
	case *Data:
		out = &Data{At: s.At, Name: s.Name, Type: r.typ(s.Type), Owner: s.Owner, From: s.From,
			Missing: s.Missing, Impute: r.dist(s.Impute)}
	case *Param:
		out = &Param{At: s.At, Name: s.Name, Type: r.typ(s.Type), Dist: r.dist(s.Dist),
			Truncate: r.arguments(s.Truncate), Noncentered: s.Noncentered, Owner: s.Owner}
	case *Weight:
		out = &Weight{At: s.At, Name: s.Name, Type: r.typ(s.Type), Init: s.Init, Owner: s.Owner}
	case *Contribution:
		out = &Contribution{At: s.At, Name: s.Name, Type: r.typ(s.Type), Owner: s.Owner}
	case *Let:
		out = &Let{At: s.At, Name: s.Name, Type: r.typ(s.Type), Value: r.one(s.Value), Owner: s.Owner}
	case *Generate:
		out = &Generate{At: s.At, Name: s.Name, Type: r.typ(s.Type), Value: r.one(s.Value),
			Dist: r.dist(s.Dist), Truncate: r.arguments(s.Truncate), Owner: s.Owner}
	case *Distribution:
		body := make([]Stmt, len(s.Body))
		for i, inner := range s.Body {
			body[i] = RebuildStmt(inner, f)
			r.changed = r.changed || body[i] != inner
		}
		out = &Distribution{At: s.At, Name: s.Name, Value: s.Value, Args: s.Args, Body: body,
			Plain: r.one(s.Plain)}
	case *Body:
		out = &Body{At: s.At, Name: s.Name, Value: r.one(s.Value)}
	case *Factor:
		out = &Factor{At: s.At, Value: r.one(s.Value)}
	case *Const:
		out = &Const{At: s.At, Name: s.Name, Value: r.one(s.Value)}
	case *Likelihood:
		out = &Likelihood{At: s.At, Left: r.one(s.Left), Dist: r.dist(s.Dist),
			Truncate: r.arguments(s.Truncate), Censor: r.arguments(s.Censor), Weights: r.one(s.Weights),
			Power: r.one(s.Power)}
	}
	if !r.changed {
		return s
	}
	return out
}
