package lsp

import (
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// definition is where the name at a place is declared, in the text or in a module beside it.
func (s *server) definition(d *document, p ofDocument) any {
	offset := d.lines.offset(p.Position)
	o := d.reading().names.at(offset)
	switch {
	case o == nil:
		return s.imported(d, offset)
	case o.of != nil && o.of.decl != nil && o.role != module:
		return location{d.uri, d.lines.rangeOf(o.of.decl.at)}
	case o.role == member || o.role == module:
		return s.inModule(d, o)
	}
	return nil
}

// imported is the file that an import statement around a byte names.
func (s *server) imported(d *document, offset int) any {
	for _, st := range d.reading().tree.Stmts {
		at := st.Span()
		if i, ok := st.(*ast.Import); ok && i.Path != "" && at.Start <= offset && offset <= at.End {
			return location{URI: s.uriOf(filepath.Join(filepath.Dir(d.path), filepath.FromSlash(i.Path)))}
		}
	}
	return nil
}

// inModule finds a function of a module that is a file, or the file.
func (s *server) inModule(d *document, o *occurrence) any {
	head, name := o.name, ""
	if o.role == member {
		head, name = d.head(o), o.name
	}
	path, _ := d.module(s, head)
	if path == "" {
		return nil
	}
	at := textRange{}
	if f, tree := d.function(s, head, name); f != nil {
		at = newLines(tree.Source.Text, s.bytes).rangeOf(f.Name.Span())
	}
	return location{s.uriOf(path), at}
}

// function finds a function of a module, with the module's tree; nil where there is none.
func (d *document) function(s *server, module, name string) (*ast.Fn, *ast.File) {
	_, tree := d.module(s, module)
	if tree == nil {
		return nil, nil
	}
	for _, st := range tree.Stmts {
		if f, ok := st.(*ast.Fn); ok && f.Name.Name == name {
			return f, tree
		}
	}
	return nil, tree
}

// module is the tree of a module that the text imports, with its path, "" for one of the standard library;
// nil where there is none.
func (d *document) module(s *server, name string) (string, *ast.File) {
	if text, ok := s.universe.Module(name); ok {
		tree, _ := parser.Parse(source.New(name, text))
		return "", tree
	}
	if d.facts == nil || d.facts.model == nil {
		return "", nil
	}
	for _, k := range d.facts.model.Modules() {
		if k.Name == name && k.Path != "" {
			tree, _ := parser.Parse(k.File)
			return filepath.Join(filepath.Dir(d.path), filepath.FromSlash(k.Path)), tree
		}
	}
	return "", nil
}

// same lists the places of what the name at a byte stands for.
func (d *document) same(offset int) []*occurrence {
	names := d.reading().names
	o := names.at(offset)
	if o == nil || o.of == nil {
		return nil
	}
	return names.places(o.of)
}

func (s *server) references(d *document, p referencesParams) any {
	out := []location{}
	for _, o := range d.same(d.lines.offset(p.Position)) {
		if !o.declares || p.Context.IncludeDeclaration {
			out = append(out, location{d.uri, d.lines.rangeOf(o.at)})
		}
	}
	return out
}

func (s *server) highlight(d *document, p ofDocument) any {
	const reading, writing = 2, 3
	out := []documentHighlight{}
	for _, o := range d.same(d.lines.offset(p.Position)) {
		kind := reading
		if o.declares {
			kind = writing
		}
		out = append(out, documentHighlight{d.lines.rangeOf(o.at), kind})
	}
	return out
}

// symbols lists the declarations of a text.
func (s *server) symbols(d *document, _ ofDocument) any {
	out := []documentSymbol{}
	r := d.reading()
	for _, o := range r.names.all {
		st, whole := o.stmt.(ast.Stmt)
		if !o.declares || !whole || o.of == nil || o.of.decl != o {
			continue
		}
		x := documentSymbol{Name: o.name, Detail: o.kind, Kind: symbolKind(o),
			Range: d.lines.rangeOf(st.Span()), SelectionRange: d.lines.rangeOf(o.at)}
		if t := typeOf(st); t != nil {
			x.Detail += " " + format.Type(t)
		}
		if o.of.scope == r.names.file {
			out = append(out, x)
		} else if n := len(out) - 1; n >= 0 { // of the function or distribution that is open
			x.Range = x.SelectionRange
			out[n].Children = append(out[n].Children, x)
		}
	}
	return out
}

// typeOf is the type that is written in a declaration.
func typeOf(s ast.Stmt) *ast.Type {
	for _, child := range ast.Children(s) {
		if t, ok := child.(*ast.Type); ok {
			return t
		}
	}
	return nil
}

func symbolKind(o *occurrence) int {
	switch {
	case o.role == party:
		return symbolModule
	case o.role == function, o.role == distribution:
		return symbolFunction
	}
	switch o.kind {
	case "data", "levels":
		return symbolField
	case "const":
		return symbolConstant
	}
	return symbolVariable
}

// folds lists the statements and the blocks of comments that take several lines.
func (s *server) folds(d *document, _ ofDocument) any {
	out := []foldingRange{}
	fold := func(at source.Span, kind string) {
		r := d.lines.rangeOf(at)
		if r.End.Line > r.Start.Line {
			out = append(out, foldingRange{r.Start.Line, r.End.Line, kind})
		}
	}
	tree := d.reading().tree
	for _, st := range tree.Stmts {
		fold(st.Span(), "")
	}
	var block source.Span
	for _, c := range tree.Comments {
		at := c.Span()
		if block.End > 0 && strings.TrimSpace(d.text()[block.End:at.Start]) == "" &&
			strings.Count(d.text()[block.End:at.Start], "\n") == 1 {
			block.End = at.End
			continue
		}
		fold(block, "comment")
		block = at
	}
	fold(block, "comment")
	return out
}
