package lsp

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/source"
)

// A role is what a word stands for. Sizes, parties and values share one space of names; functions,
// distributions and modules have their own.
type role int

const (
	value role = iota
	party
	function
	distribution
	module
	member // h.W, the parameter W of the component h: without what stands before the point
	element
	argument
	column
	encoder
	clause // a word that a clause chooses: a transform, a way with missing cells
)

// An occurrence is a word of a text that is a name.
type occurrence struct {
	at       source.Span
	name     string
	role     role
	declares bool
	// kind is what a declaration makes of the name, and stmt the statement that it stands in, or the part of
	// an expression that binds it.
	kind string
	stmt ast.Node
	// of is the thing that the name stands for, the same at each of its places; nil for a word that is
	// declared nowhere in the text.
	of *thing
}

// A thing is what a name of the text stands for.
type thing struct {
	name  string
	role  role
	decl  *occurrence // nil: of a size, before one is chosen
	scope *scope
}

// A scope has the names that a function, a distribution or a loop binds, or those of the file.
type scope struct {
	outer *scope
	by    map[string]*thing // values and parties
}

// names are the occurrences of a text in order.
type names struct {
	all    []*occurrence
	file   *scope
	others map[role]map[string]*thing // functions, distributions and modules
}

// namesOf finds the names in a tree.
func namesOf(tree *ast.File) *names {
	n := &names{file: newScope(nil), others: map[role]map[string]*thing{function: {}, distribution: {},
		module: {}}}
	for _, s := range tree.Stmts {
		n.statement(s, n.file)
	}
	slices.SortStableFunc(n.all, func(a, b *occurrence) int { return a.at.Start - b.at.Start })
	for _, o := range n.all {
		n.resolve(o)
	}
	return n
}

func newScope(outer *scope) *scope { return &scope{outer, map[string]*thing{}} }

// at is the name at a byte, or the one that ends there.
func (n *names) at(offset int) *occurrence {
	var found *occurrence
	for _, o := range n.all {
		if o.at.Start <= offset && offset <= o.at.End && (found == nil || offset >= o.at.Start) {
			found = o
		}
	}
	return found
}

// places lists where a thing is named.
func (n *names) places(t *thing) (out []*occurrence) {
	for _, o := range n.all {
		if o.of == t {
			out = append(out, o)
		}
	}
	return out
}

// add notes a word. Its scope is kept in a thing of its own until all declarations are known.
func (n *names) add(at source.Span, name string, r role, in *scope) *occurrence {
	o := &occurrence{at: at, name: name, role: r, of: &thing{scope: in}}
	n.all = append(n.all, o)
	return o
}

// declare notes the declaration of a name. The first one counts.
func (n *names) declare(id *ast.Ident, r role, kind string, stmt ast.Node, in *scope) {
	o := n.add(id.Span(), id.Name, r, in)
	o.declares, o.kind, o.stmt = true, kind, stmt
	by := in.by
	if r == function || r == distribution || r == module {
		by = n.others[r]
	}
	if t := by[id.Name]; t == nil || t.decl == nil {
		by[id.Name] = &thing{name: id.Name, role: r, decl: o, scope: in}
	}
}

// resolve finds what a word stands for.
func (n *names) resolve(o *occurrence) {
	in := o.of.scope
	o.of = nil
	if by := n.others[o.role]; by != nil {
		o.of = by[o.name]
		return
	}
	if o.role != value && o.role != party {
		return
	}
	for s := in; s != nil; s = s.outer {
		if t := s.by[o.name]; t != nil {
			o.of = t
			if t.decl == nil { // the first place of a size
				t.decl, o.declares, o.kind = o, true, "size"
			}
			if t.role == party {
				o.role = party
			}
			return
		}
	}
}

// statement notes the names of a statement.
func (n *names) statement(s ast.Stmt, in *scope) {
	switch s := s.(type) {
	case *ast.Server:
		n.declare(&s.Name, party, "server", s, in)
	case *ast.Client:
		for _, f := range s.Clients {
			n.declare(&f.Name, party, "client", s, in)
			n.size(f.Count, in)
		}
	case *ast.Fn:
		n.fn(s, in)
	case *ast.Distribution:
		n.dist(s, in)
	case *ast.Import:
		if s.Name != nil {
			n.declare(s.Name, module, "module", s, in)
		}
	case *ast.Transform:
		n.word(&s.Kind, clause)
		for _, r := range s.RhoBy {
			n.add(r.Client.Span(), r.Client.Name, party, in)
			n.expr(r.Value, in)
		}
		for _, t := range s.Terms {
			n.word(&t.Name, argument)
			n.expr(t.Value, in)
		}
		n.expr(s.Rho, in)
	case *ast.Program:
		n.add(s.For.Span(), s.For.Name, party, in)
	case *ast.Private:
		n.add(s.Client.Span(), s.Client.Name, party, in)
	case *ast.Body:
		n.add(s.Name.Span(), s.Name.Name, value, in)
		n.expr(s.Value, in)
	default:
		n.declaration(s, in)
	}
}

// declaration notes the names of a statement that gives one name a value, or of a term of the density.
func (n *names) declaration(s ast.Stmt, in *scope) {
	name, owner := declared(s)
	if name != nil {
		n.declare(name, value, kindOf(s), s, in)
	}
	switch s := s.(type) {
	case *ast.Data:
		n.sizes(s.Type, in)
		n.columns(s, in)
	case *ast.Contribution:
		n.sizes(s.Type, in)
	case *ast.Receive:
		n.sizes(s.Type, in)
		n.add(s.From.Span(), s.From.Name, party, in)
	case *ast.Send:
		for _, to := range s.To {
			n.add(to.Span(), to.Name, party, in)
		}
	case *ast.Weight:
		n.word(s.Init, clause)
	}
	if owner != nil && owner.Name != check.Shared {
		n.add(owner.Span(), owner.Name, party, in)
	}
	for _, child := range ast.Children(s) {
		if _, word := child.(*ast.Ident); !word {
			n.part(child, in)
		}
	}
}

// declared is the name that a statement declares and the owner behind its `@`; nil for none.
func declared(s ast.Stmt) (name, owner *ast.Ident) {
	switch s := s.(type) {
	case *ast.Data:
		return &s.Name, s.Owner
	case *ast.Param:
		return &s.Name, s.Owner
	case *ast.Weight:
		return &s.Name, s.Owner
	case *ast.Contribution:
		return &s.Name, s.Owner
	case *ast.Let:
		return &s.Name, s.Owner
	case *ast.Generate:
		return &s.Name, s.Owner
	case *ast.Const:
		return &s.Name, nil
	case *ast.Levels:
		return &s.Name, nil
	case *ast.Aux:
		return &s.Name, nil
	case *ast.Receive:
		return &s.Name, nil
	case *ast.Send:
		return &s.Name, nil
	}
	return nil, nil
}

// kindOf is what a statement declares, in a word.
func kindOf(s ast.Stmt) string {
	switch s.(type) {
	case *ast.Data:
		return "data"
	case *ast.Param:
		return "param"
	case *ast.Weight:
		return "weight"
	case *ast.Contribution:
		return "contribution"
	case *ast.Generate:
		return "generate"
	case *ast.Const:
		return "const"
	case *ast.Levels:
		return "levels"
	case *ast.Aux:
		return "aux"
	case *ast.Receive:
		return "receive"
	case *ast.Send:
		return "send"
	}
	return "let"
}

// sizes makes the names in the shape of data sizes, where nothing else declares them.
func (n *names) sizes(t *ast.Type, in *scope) {
	if t == nil {
		return
	}
	for _, d := range append(slices.Clone(t.Dims), t.Levels) {
		n.size(d, in)
	}
}

func (n *names) size(e ast.Expr, in *scope) {
	if name, ok := e.(*ast.Name); ok && in.by[name.Name] == nil {
		in.by[name.Name] = &thing{name: name.Name, scope: in}
	}
}

// columns notes the columns and encoders that data read.
func (n *names) columns(s *ast.Data, in *scope) {
	n.word(s.Missing, clause)
	for _, c := range s.From {
		if c.Name != nil {
			n.add(c.Name.Span(), c.Name.Name, column, in)
		}
		n.word(c.Encoder, encoder)
		for _, a := range c.Args {
			n.word(a.Key, argument)
			if a.Column != nil {
				n.add(a.Column.Span(), a.Column.Name, column, in)
			}
		}
	}
}

// word notes a word that is no name of the text.
func (n *names) word(id *ast.Ident, r role) {
	if id != nil {
		n.add(id.Span(), id.Name, r, n.file)
	}
}

func (n *names) fn(s *ast.Fn, in *scope) {
	n.declare(&s.Name, function, "fn", s, in)
	own := newScope(in)
	for _, a := range s.Args {
		for _, id := range a.Names() {
			n.declare(id, value, "argument", s, own)
		}
	}
	for _, inner := range s.Body {
		n.statement(inner, own)
	}
	n.expr(s.Value, own)
	n.expr(s.Plain, own)
}

func (n *names) dist(s *ast.Distribution, in *scope) {
	n.declare(&s.Name, distribution, "dist", s, in)
	own := newScope(in)
	for _, a := range append([]*ast.DistArg{s.Value}, s.Args...) {
		n.declare(&a.Name, value, "argument", s, own)
		if a.Type != nil {
			n.part(a.Type, own)
		}
	}
	for _, inner := range s.Body {
		switch b := inner.(type) {
		case *ast.Body: // log, cdf, …
			n.word(&b.Name, clause)
			n.expr(b.Value, own)
		case *ast.Generate:
			if b.Name.Name == s.Value.Name.Name { // the value itself
				n.add(b.Name.Span(), b.Name.Name, value, own)
				for _, child := range ast.Children(b)[1:] {
					n.part(child, own)
				}
				continue
			}
			n.statement(inner, own)
		default:
			n.statement(inner, own)
		}
	}
	n.expr(s.Plain, own)
}

// expr notes the names of an expression, nil for none.
func (n *names) expr(e ast.Expr, in *scope) {
	if e != nil {
		n.part(e, in)
	}
}

// part notes the names of a part of a statement.
func (n *names) part(p ast.Node, in *scope) {
	switch p := p.(type) {
	case *ast.Name:
		n.dotted(p.Span(), p.Name, value, in)
		return
	case *ast.Call:
		n.call(p, in)
		return
	case *ast.Dist:
		n.dotted(p.Name.Span(), p.Name.Name, distribution, in)
		for _, a := range p.Args {
			n.part(a, in)
		}
		return
	case *ast.Arg:
		n.word(p.Name, argument)
		n.expr(p.Value, in)
		return
	case *ast.Bound:
		n.word(&p.Which, argument)
		n.expr(p.Value, in)
		return
	case *ast.Type:
		n.word(&p.Elem, element)
	case *ast.Sum:
		n.sum(p, in)
		return
	case *ast.Recur:
		n.recur(p, in)
		return
	}
	for _, child := range ast.Children(p) {
		if _, word := child.(*ast.Ident); !word {
			n.part(child, in)
		}
	}
}

// dotted notes a name, or of names joined by points the first and, apart from it, the rest.
func (n *names) dotted(at source.Span, name string, r role, in *scope) {
	first, rest, found := strings.Cut(name, ".")
	if !found {
		n.add(at, name, r, in)
		return
	}
	head := source.Span{Start: at.Start, End: at.Start + len(first)}
	if r == value {
		n.add(head, first, value, in)
	} else {
		n.add(head, first, module, in)
	}
	n.add(source.Span{Start: head.End + 1, End: at.End}, rest, member, in)
}

func (n *names) call(p *ast.Call, in *scope) {
	name, at := p.Name.Name, p.Name.Span()
	if f, by := ast.Grouped(name); by {
		name = f
	}
	if dist, suffix, _, ok := ast.Density(name); ok {
		n.add(source.Span{Start: at.Start, End: at.End - len(suffix)}, dist, distribution, in)
	} else {
		n.dotted(at, name, function, in)
	}
	for k, a := range p.Args {
		if f, ok := a.(*ast.Name); ok && k == 0 && name == ast.OdeWord {
			n.dotted(f.Span(), f.Name, function, in)
			continue
		}
		n.part(a, in)
	}
	for _, a := range p.Named {
		n.part(a, in)
	}
}

func (n *names) sum(p *ast.Sum, in *scope) {
	own := newScope(in)
	n.declare(&p.Var, value, "index", p, own)
	n.expr(p.Body, own)
	if p.Family != nil {
		n.add(p.Family.Span(), p.Family.Name, party, in)
	}
	n.expr(p.Lo, in)
	n.expr(p.Hi, in)
}

// recur notes the names of a recursion. The entries have the name of the let around it.
func (n *names) recur(p *ast.Recur, in *scope) {
	own := newScope(in)
	for _, k := range p.Parts {
		n.declare(&k.Name, value, "part", p, own)
	}
	for _, id := range p.Indices() {
		n.declare(&id, value, "index", p, own)
	}
	at := in
	if p.Ode != nil {
		at = own
		n.expr(p.Ode.Times, in)
		n.expr(p.Ode.By, in)
	}
	for _, e := range p.Init {
		n.add(e.Name.Span(), e.Name.Name, value, at)
		n.expr(e.Index, at)
		n.expr(e.Value, at)
	}
	for _, e := range p.Steps() {
		if e == p.Step {
			n.add(e.Name.Span(), e.Name.Name, value, own)
		}
		n.expr(e.Index, own)
		n.expr(e.Value, own)
	}
	n.expr(p.Lo, in)
	n.expr(p.Hi, in)
}
