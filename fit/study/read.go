package study

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
)

// Read reads a study. tables is the folder that holds its tables, "" for the one that the study names. Models
// are relative to the file, and so is the folder it names.
func Read(file *source.File, tables string) (*Study, diag.List) {
	r := &reader{study: &Study{File: file}}
	root := parse(file, &r.list)
	if root == nil {
		return nil, r.list
	}
	r.known(root, "the study", []string{"title", "text", "folder", "flags", "data", "cells", "table",
		"figure", "reference"})
	s := r.study
	s.Title, s.Text, s.Folder = r.text(root, "title"), r.text(root, "text"), tables
	if own := r.text(root, "folder"); own != "" && tables == "" {
		s.Folder = r.relative(own)
	}
	r.flags = r.flagsOf(root.field("flags"))
	r.data = r.tablesOf(root, "data")
	for _, block := range r.blocks(root, "cells") {
		r.cells(block)
	}
	if len(s.Cells) == 0 && len(r.list) == 0 {
		r.errorf(diag.BadStudy, source.Span{},
			"the study has no cells").Note("[[cells]] with model = \"FILE.vfl\" is a fit; " +
			"vary makes a grid of it")
	}
	for _, block := range r.blocks(root, "table") {
		r.table(block)
	}
	for _, block := range r.blocks(root, "figure") {
		r.figure(block)
	}
	r.reference(root.field("reference"))
	return s, r.list
}

// A reader turns the nodes of a file into a study.
type reader struct {
	study *Study
	list  diag.List
	flags []cells.Flag
	data  *node
}

func (r *reader) errorf(code diag.Code, span source.Span, format string, args ...any) *diag.Diagnostic {
	return r.list.Errorf(code, r.study.File, span, format, args...)
}

// relative is a path of the study, as an absolute one.
func (r *reader) relative(path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.study.File.Name), path)
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// known reports keys that a table does not have.
func (r *reader) known(n *node, what string, keys []string) {
	for _, f := range n.fields {
		if !slices.Contains(keys, f.name) {
			r.errorf(diag.BadStudy, f.span, "%s has no key %s%s", what, f.name,
				posterior.Suggestion(f.name, keys)).Note("it has %s", strings.Join(keys, ", "))
		}
	}
}

// want reports a value of another kind.
func (r *reader) want(n *node, what string, k kind) bool {
	if n.kind == k {
		return true
	}
	r.errorf(diag.BadStudy, n.span, "%s is %v, and here stands %v", what, k, n.kind)
	return false
}

// text returns a text of a table, "" where it is left out.
func (r *reader) text(n *node, key string) string {
	v := n.field(key)
	if v == nil || !r.want(v, key, text) {
		return ""
	}
	return v.text
}

// listOf returns a text or a list of texts of a table.
func (r *reader) listOf(n *node, key string) []string {
	v := n.field(key)
	if v == nil {
		return nil
	}
	out, ok := v.texts()
	if !ok {
		r.errorf(diag.BadStudy, v.span, "%s is a list of texts, as [\"a\", \"b\"]", key)
	}
	return out
}

// tablesOf returns a table of a table, an empty one where it is left out.
func (r *reader) tablesOf(n *node, key string) *node {
	v := n.field(key)
	if v == nil || !r.want(v, key, table) {
		return &node{}
	}
	return v
}

// blocks returns the blocks of [[key]].
func (r *reader) blocks(root *node, key string) []*node {
	v := root.field(key)
	if v == nil {
		return nil
	}
	if v.kind != array || slices.ContainsFunc(v.list, func(n *node) bool { return n.kind != table }) {
		r.errorf(diag.BadStudy, v.span, "%s is a list of tables: write [[%s]]", key, key)
		return nil
	}
	return v.list
}

// axes returns a list of axes that cells have.
func (r *reader) axes(n *node, key string) []string {
	out := r.listOf(n, key)
	all := r.study.Axes()
	for _, axis := range out {
		if !slices.Contains(all, axis) {
			r.noAxis(n.field(key).span, axis, all)
		}
	}
	return out
}

func (r *reader) noAxis(span source.Span, axis string, all []string) {
	r.errorf(diag.BadSelection, span, "no cell has a value of %s%s", axis,
		posterior.Suggestion(axis, all)).Note("the axes are %s", strings.Join(all, ", "))
}

// where returns conditions on the cells of a table of axes and values, each of which a cell has.
func (r *reader) where(n *node) []Condition {
	var out []Condition
	if n == nil || !r.want(n, "where", table) {
		return nil
	}
	all := r.study.Axes()
	for _, f := range n.fields {
		values, ok := f.value.texts()
		if !ok {
			r.errorf(diag.BadStudy, f.span, "%s is a value of an axis, or a list of values", f.name)
			continue
		}
		if !slices.Contains(all, f.name) {
			r.noAxis(f.span, f.name, all)
			continue
		}
		for _, v := range values {
			r.value(f, v)
		}
		out = append(out, Condition{f.name, values})
	}
	return out
}

// value reports a value of an axis that no cell has.
func (r *reader) value(f *field, value string) {
	var all []string
	for _, c := range r.study.Cells {
		if v, ok := c.Label(f.name); ok && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	if !slices.Contains(all, value) {
		r.errorf(diag.BadSelection, f.value.span, "no cell has %s %s%s", f.name, value,
			posterior.Suggestion(value, all)).Note("%s is %s", f.name, strings.Join(all, ", "))
	}
}

func (r *reader) table(n *node) {
	r.known(n, "a table", []string{"name", "title", "note", "rows", "over", "columns", "where", "beside"})
	var taken []string
	for _, t := range r.study.Tables {
		taken = append(taken, t.Name)
	}
	t := Table{Name: r.name(n, "a table", taken), Title: r.text(n, "title"), Note: r.text(n, "note"),
		Rows: r.axes(n, "rows"), Over: r.axes(n, "over"), Span: n.span}
	if n.field("where") != nil {
		t.Where = r.where(n.field("where"))
	}
	if v := n.field("columns"); v == nil || v.kind != array || len(v.list) == 0 {
		r.errorf(diag.BadStudy, n.span,
			"a table has columns, a list of quantities").Note("such as columns = " +
			"[\"elbo.value\", \"mean b\"]")
	} else {
		for _, c := range v.list {
			t.Columns = append(t.Columns, r.column(c))
		}
	}
	for _, b := range r.blocks(n, "beside") {
		t.Beside = append(t.Beside, r.beside(b, &t))
	}
	r.study.Tables = append(r.study.Tables, t)
}

// column reads a quantity: "QUANTITY", "QUANTITY PARAMETER", or a table with a title for it.
func (r *reader) column(n *node) Heading {
	of, title := n, ""
	if n.kind == table {
		r.known(n, "a column", []string{"of", "title"})
		title = r.text(n, "title")
		if of = n.field("of"); of == nil {
			r.errorf(diag.BadStudy, n.span, "a column has a quantity, as { of = \"mean b\", title = \"b\" }")
			return Heading{Span: n.span}
		}
	}
	if !r.want(of, "a quantity", text) {
		return Heading{Span: n.span}
	}
	c := Heading{Title: of.text, Span: of.span}
	c.Quantity, c.Parameter, _ = strings.Cut(of.text, " ")
	if title != "" {
		c.Title = title
	}
	if all := Quantities(); !slices.Contains(all, c.Quantity) {
		r.errorf(diag.BadSelection, of.span, "there is no quantity %s%s", c.Quantity,
			posterior.Suggestion(c.Quantity, all)).Note("there are %s", strings.Join(all, ", "))
	}
	return c
}

// beside reads numbers from elsewhere.
func (r *reader) beside(n *node, t *Table) Beside {
	r.known(n, "beside", []string{"source", "lines"})
	b := Beside{Source: r.text(n, "source")}
	var titles []string
	for _, c := range t.Columns {
		titles = append(titles, c.Title)
	}
	for _, line := range r.blocks(n, "lines") {
		one, axes := BesideLine{Values: map[string]string{}}, &node{span: line.span}
		for _, f := range line.fields {
			switch {
			case slices.Contains(titles, f.name):
				one.Values[f.name] = f.value.text
			case slices.Contains(t.Rows, f.name):
				axes.fields = append(axes.fields, f)
			default:
				r.errorf(diag.BadSelection, f.span,
					"%s is neither an axis of the rows nor a column of the table%s", f.name,
					posterior.Suggestion(f.name, slices.Concat(t.Rows, titles)))
			}
		}
		one.Where = r.where(axes)
		b.Lines = append(b.Lines, one)
	}
	return b
}

// name is a name that a file can have, and that no other table, or no other figure, has.
func (r *reader) name(n *node, what string, taken []string) string {
	name := r.text(n, "name")
	usual := func(c rune) bool {
		return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	if name == "" || strings.TrimFunc(name, usual) != "" {
		r.errorf(diag.BadStudy, n.span, "%s has a name of letters, digits, - and _, which its file takes",
			what)
	}
	if slices.Contains(taken, name) {
		r.errorf(diag.BadStudy, n.span, "%s before this one has the name %s too", what, name)
	}
	return name
}

func (r *reader) figure(n *node) {
	r.known(n, "a figure", []string{"name", "kind", "note", "each", "runs", "where", "parameters"})
	var taken []string
	for _, f := range r.study.Figures {
		taken = append(taken, f.Name)
	}
	f := StudyFigure{Name: r.name(n, "a figure", taken), Kind: r.text(n, "kind"), Note: r.text(n, "note"),
		Each: r.axes(n, "each"), Runs: r.axes(n, "runs"), Parameters: r.listOf(n, "parameters"), Span: n.span}
	if kinds := plot.NamesOfDraws(); !slices.Contains(kinds, f.Kind) {
		r.errorf(diag.BadSelection, spanOr(n.field("kind"), n), "a figure is of a kind that vflc plot has%s",
			posterior.Suggestion(f.Kind, kinds)).Note("kind is one of %s", strings.Join(kinds, ", "))
	}
	if n.field("where") != nil {
		f.Where = r.where(n.field("where"))
	}
	r.study.Figures = append(r.study.Figures, f)
}

func spanOr(n, otherwise *node) source.Span {
	if n == nil {
		return otherwise.span
	}
	return n.span
}

func (r *reader) reference(n *node) {
	if n == nil || !r.want(n, "reference", table) {
		return
	}
	r.known(n, "reference", []string{"where", "same"})
	ref := &Baseline{Same: r.axes(n, "same"), Span: n.span}
	if n.field("where") == nil {
		r.errorf(diag.BadStudy, n.span, "reference says where: the cells that others are compared with")
	} else {
		ref.Where = r.where(n.field("where"))
	}
	r.study.Reference = ref
}
