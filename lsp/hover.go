package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/pages"
)

// hover says what the word at a place is: of a name of the model its type, owner and declaration, of what is
// built in its page; and which cut the place is in.
func (s *server) hover(d *document, p ofDocument) any {
	offset := d.lines.offset(p.Position)
	at, text := s.word(d, offset)
	parts := slices.DeleteFunc([]string{text, d.crossingAt(offset)}, func(t string) bool { return t == "" })
	if len(parts) == 0 {
		return nil
	}
	out := hover{Contents: *markdown(strings.Join(parts, "\n\n---\n\n"))}
	if text != "" {
		r := d.lines.rangeOf(at)
		out.Range = &r
	}
	return out
}

// word describes the word at a byte.
func (s *server) word(d *document, offset int) (source.Span, string) {
	r := d.reading()
	if o := r.names.at(offset); o != nil {
		return o.at, s.described(d, o)
	}
	for _, w := range parser.Words(d.text()) { // a keyword, or a word of a broken statement
		if w.Start <= offset && offset < w.End {
			name := d.text()[w.Start:w.End]
			if t := r.names.file.by[name]; t != nil && t.decl != nil {
				return w, s.declaration(d, t)
			}
			return w, s.pages(name, "")
		}
	}
	return source.Span{}, ""
}

// described is what is said of a name.
func (s *server) described(d *document, o *occurrence) string {
	switch {
	case o.of != nil && o.of.decl != nil:
		return s.declaration(d, o.of)
	case o.role == distribution:
		return s.pages(o.name, "distribution")
	case o.role == function:
		return s.pages(o.name, "function")
	case o.role == member:
		return s.ofMember(d, o)
	}
	return s.pages(o.name, map[role]string{encoder: "encoder", element: "type"}[o.role])
}

// ofMember describes what stands behind a point: a function of a module, or a parameter of a component.
func (s *server) ofMember(d *document, o *occurrence) string {
	head := d.head(o)
	if f, tree := d.function(s, head, o.name); f != nil {
		return code("fn "+head+"."+signatureOf(f)) + "\n" + doc(tree, &occurrence{stmt: f})
	}
	if sym := d.symbol(head + "." + o.name); sym != nil {
		return code(sym.Kind.String()+" "+sym.Name) + "\ntype `" + sym.Type.String() + "`; owner `" +
			ownerOf(sym) + "`"
	}
	return ""
}

// head is the word before the point that a member stands behind.
func (d *document) head(o *occurrence) string {
	before := d.text()[:o.at.Start-1]
	return before[wordStart(before):]
}

// pages are what vflc doc prints of a name, of one kind where it is given.
func (s *server) pages(name, kind string) string {
	var out []string
	for _, p := range pages.Of(s.universe, name) {
		if kind == "" || p.Kind == kind {
			out = append(out, page(p))
		}
	}
	return strings.Join(out, "\n\n---\n\n")
}

// page is a page of vflc doc as Markdown.
func page(p pages.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", code(p.Usage), strings.TrimSpace(p.Doc))
	for _, e := range append(slices.Clone(p.Arguments), p.Properties...) {
		fmt.Fprintf(&b, "- `%s`: %s\n", e.Name, e.Doc)
	}
	for _, e := range p.Examples {
		b.WriteString("\n" + code(strings.TrimSpace(e)))
	}
	return strings.TrimSpace(b.String())
}

func code(text string) string { return "```vfl\n" + text + "\n```\n" }

// declaration describes a thing of the text: its declaration, type and owner, and the comment above it.
func (s *server) declaration(d *document, t *thing) string {
	o := t.decl
	line := d.lines.position(o.at.Start).Line + 1
	var facts []string
	text := o.kind + " " + t.name
	if st, ok := o.stmt.(ast.Stmt); ok && t.role == value && o.kind != "argument" {
		text = format.Stmt(st)
	}
	if sym := d.symbol(t.name); sym != nil && t.scope == d.reading().names.file && t.role == value {
		facts = append(facts, "type `"+sym.Type.String()+"`", "owner `"+ownerOf(sym)+"`")
	}
	if o.kind == "size" {
		facts = append(facts, sizeOf(d.program(), t.name))
	}
	facts = append(facts, fmt.Sprintf("declared in line %d", line))
	return code(text) + "\n" + doc(d.reading().tree, o) + strings.Join(facts, "; ")
}

// ownerOf names who holds the value of a symbol: for what is computed, the parties that it depends on.
func ownerOf(sym *check.Symbol) string {
	switch sym.Kind {
	case check.Let, check.Generated:
		return owners(sym.Owners)
	case check.Const:
		return check.Shared
	}
	if sym.Family {
		return sym.Owner + "[each]"
	}
	return sym.Owner
}

func owners(o types.Owners) string {
	if o.Shared() {
		return check.Shared
	}
	return strings.Join(o, ", ")
}

// sizeOf says who knows a size.
func sizeOf(p *check.Program, name string) string {
	if p == nil || p.Sizes[name] == nil {
		return "a size, which data bind"
	}
	return "a size, which data of " + owners(p.Sizes[name].Owners) + " bind"
}

// doc is the documentation of a declaration: the comments of three slashes above it.
func doc(tree *ast.File, o *occurrence) string {
	st, ok := o.stmt.(ast.Stmt)
	if !ok || tree.Source == nil {
		return ""
	}
	var out []string
	next := tree.Source.Position(st.Span().Start).Line
	for _, c := range slices.Backward(tree.Comments) {
		at := tree.Source.Position(c.Span().Start)
		if c.Doc && at.Line == next-1 {
			out, next = append(out, strings.TrimSpace(strings.TrimPrefix(c.Text, "///"))), at.Line
		}
	}
	if out == nil {
		return ""
	}
	slices.Reverse(out)
	return strings.Join(out, " ") + "\n\n"
}

// crossingAt says what crosses for the innermost cut around a byte.
func (d *document) crossingAt(offset int) string {
	var found *crossing
	for _, c := range d.cuts() {
		at, ok := d.place(c.cut.Expr.Span())
		if ok && at.Start <= offset && offset <= at.End && (found == nil || at.End-at.Start <
			found.cut.Expr.Span().End-found.cut.Expr.Span().Start) {
			found = &c
		}
	}
	if found == nil {
		return ""
	}
	return found.sentence()
}

// place is where a part of the last whole text stands now.
func (d *document) place(at source.Span) (source.Span, bool) {
	if at.End == 0 {
		return at, false
	}
	start, ok := moved(d.good.file.Text, d.text(), at.Start)
	end, too := moved(d.good.file.Text, d.text(), at.End)
	return source.Span{Start: start, End: end}, ok && too && start < end
}

// sentence says what crosses, to whom, and what its receiver can compute, in the words of the audit.
func (c *crossing) sentence() string {
	return fmt.Sprintf("**Crosses** from `%s` to `%s`: %s, %s, %s; masked: %s.\n\n%s can compute: %s.", c.row.From,
		c.row.To, c.row.What, numbers(c.row.Shape), c.row.Often, c.row.Masked, c.row.To, c.row.Learns)
}
