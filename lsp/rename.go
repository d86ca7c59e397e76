package lsp

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// renamed finds the name at a place that can be changed, or says why none can.
func (d *document) renamed(offset int) (*occurrence, error) {
	r := d.reading()
	o := r.names.at(offset)
	switch {
	case r.broken.HasErrors():
		return nil, fmt.Errorf("the text has errors of syntax, in which a name may stand unseen: mend them first")
	case o == nil || o.of == nil || o.of.decl == nil || o.role == module:
		return nil, fmt.Errorf("here is no name that this file declares")
	}
	switch s := o.of.decl.stmt.(type) {
	case *ast.Data:
		if s.From == nil && s.Type != nil && len(s.Type.Dims) != 1 && len(s.Type.Dims) != 2 {
			return nil, fmt.Errorf("%s is read by its name, and `from` gives vectors and matrices alone", o.name)
		}
	case *ast.Param, *ast.Weight:
		if o.of.scope != r.names.file && slices.ContainsFunc(r.names.all, func(m *occurrence) bool {
			return m.role == member
		}) {
			return nil, fmt.Errorf("%s is a parameter of a component, which others may read as a member", o.name)
		}
	}
	return o, nil
}

func (s *server) prepareRename(p *ofDocument) (any, error) {
	d := s.docs[p.uri()]
	if d == nil {
		return nil, nil
	}
	o, err := d.renamed(d.lines.offset(p.Position))
	if err != nil {
		return nil, err
	}
	return map[string]any{"range": d.lines.rangeOf(o.at), "placeholder": o.name}, nil
}

// rename changes a name at all its places. A vector of data that is read by its name keeps its column, by a
// clause `from`. It is refused where the new text would mean something else.
func (s *server) rename(p *renameParams) (any, error) {
	d := s.docs[p.uri()]
	if d == nil {
		return nil, nil
	}
	o, err := d.renamed(d.lines.offset(p.Position))
	if err != nil {
		return nil, err
	}
	if err := nameable(p.NewName, o.of.role); err != nil {
		return nil, err
	}
	edits := d.renaming(o.of, p.NewName)
	if err := s.keeps(d, o.of, p.NewName, applied(d.text(), edits)); err != nil {
		return nil, err
	}
	out := []textEdit{}
	for _, e := range edits {
		out = append(out, textEdit{d.lines.rangeOf(e.at), e.text})
	}
	return workspaceEdit{map[string][]textEdit{d.uri: out}}, nil
}

// An edit replaces a part of a text.
type edit struct {
	at   source.Span
	text string
}

// applied is a text after edits, which are in order and do not overlap.
func applied(text string, edits []edit) string {
	for _, e := range slices.Backward(edits) {
		text = text[:e.at.Start] + e.text + text[e.at.End:]
	}
	return text
}

// nameable says why a word is no name of this kind.
func nameable(name string, r role) error {
	form := map[role]string{function: "fn %s(x) = x", distribution: "dist %s(y) = -y", party: "server %s"}[r]
	if form == "" {
		form = "const %s = 1"
	}
	tree, diags := parser.Parse(source.New("", fmt.Sprintf(form, name)+"\n"))
	found := namesOf(tree).all
	if diags.HasErrors() || len(found) == 0 || found[0].name != name {
		return fmt.Errorf("%q cannot be a name: it is a word of the language, or no word", name)
	}
	if _, suffix, _, density := ast.Density(name); density {
		return fmt.Errorf("a name that ends in %s is that of a density function", suffix)
	}
	return nil
}

// renaming lists the edits of a rename.
func (d *document) renaming(t *thing, name string) (out []edit) {
	for _, o := range d.reading().names.places(t) {
		out = append(out, edit{o.at, name})
	}
	if s, ok := t.decl.stmt.(*ast.Data); ok && s.From == nil && s.Type != nil && len(s.Type.Dims) == 1 &&
		t.decl.kind == "data" {
		at := s.Type.Span().End
		if s.Owner != nil {
			at = s.Owner.Span().End
		}
		out = append(out, edit{source.Span{Start: at, End: at}, " from " + t.name})
		slices.SortStableFunc(out, func(a, b edit) int { return a.at.Start - b.at.Start })
	}
	return out
}

// keeps says where a renamed text would mean something else: a name that is taken, that a loop or a function
// binds, or that the compiler refuses.
func (s *server) keeps(d *document, t *thing, name, text string) error {
	file := source.New(d.path, text)
	tree, _ := parser.Parse(file)
	before, after := d.reading().names, namesOf(tree)
	if !alike(before, after) {
		return fmt.Errorf("%s means something else already where %s stands: choose another name", name, t.name)
	}
	_, diags, err := s.tools.Compile(file, s.texts())
	if err != nil || !diags.HasErrors() || d.facts == nil || !d.facts.whole || d.facts.file != d.file {
		return nil
	}
	return fmt.Errorf("%s cannot be named %s: %s", t.name, name, diags.Shown()[0].Message)
}

// alike reports whether the words of two texts stand for one another. A column that only the second one names
// is left out.
func alike(a, b *names) bool {
	pick := func(n *names) (out []*occurrence) {
		for _, o := range n.all {
			if o.role != column {
				out = append(out, o)
			}
		}
		return out
	}
	x, y := pick(a), pick(b)
	if len(x) != len(y) {
		return false
	}
	to, from := map[*thing]*thing{}, map[*thing]*thing{}
	for i := range x {
		p, q := x[i].of, y[i].of
		if (p == nil) != (q == nil) {
			return false
		}
		if p == nil {
			continue
		}
		if to[p] == nil && from[q] == nil {
			to[p], from[q] = q, p
		}
		if to[p] != q || from[q] != p {
			return false
		}
	}
	return true
}
