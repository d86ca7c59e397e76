package compile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/released"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/release"
	"github.com/vflc/vflc/stdlib"
)

// Apart is what the parties of a model under transform private run where each has its data: programs that
// declare the columns of the release and evaluate nothing, and a manifest of what is released.
func (m *Model) Apart() (*Model, diag.List) {
	columns := m.Design.Declared()
	var text strings.Builder
	for _, s := range m.Checked.File.Stmts {
		switch d := s.(type) {
		case *ast.Client, *ast.Const, *ast.Levels:
		case *ast.Data:
			if !slices.ContainsFunc(columns, func(c release.BoundedColumn) bool {
				return c.Name == d.Name.Name
			}) {
				continue
			}
			s = unbounded(d)
		default:
			continue
		}
		text.WriteString(format.Stmt(s) + "\n")
	}
	o := check.Options{Set: m.options.Set, Server: m.Checked.Server, Transform: stdlib.Exact,
		Accept: m.options.Accept}
	out, diags := Compile(source.New(m.Source.Name, text.String()), o)
	if diags.HasErrors() {
		return nil, diags
	}
	t := m.Checked.Transform
	out.Manifest.Transform = stdlib.Private.Name
	out.Manifest.Accepted = m.options.Accept
	out.Manifest.Release = manifestRelease(m.Design, t.Epsilon, t.Delta, t.Norm,
		m.noiseless())
	return out, diags
}

// unbounded is a declaration without bounds: a value beyond counts as the bound, and to refuse it would tell
// of the row.
func unbounded(d *ast.Data) *ast.Data {
	out, of := *d, *d.Type
	of.Bounds, out.Type = nil, &of
	return &out
}

// manifestRelease is what a manifest says of a release.
func manifestRelease(d *released.Design, epsilon, delta, norm float64, noNoise bool) *split.ManifestRelease {
	text := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	m := &split.ManifestRelease{Family: d.Family, NoNoise: noNoise, Epsilon: text(epsilon),
		Delta: text(delta), Norm: text(norm)}
	for _, c := range d.Declared() {
		m.Columns = append(m.Columns, split.ManifestColumn{Name: c.Name, Owner: c.Owner,
			Lower: text(c.Lower), Upper: text(c.Upper), Binary: c.Binary, Levels: d.LevelsOf(c.Name)})
	}
	return m
}

// ReleaseOf are the declarations that a manifest has parties release, and the terms of a release of so many
// rows of their columns.
func ReleaseOf(m *split.ManifestRelease) (declared []release.BoundedColumn,
	terms func([]release.BoundedColumn, int) release.Terms) {
	number := func(text string) float64 {
		v, _ := strconv.ParseFloat(text, 64) // a manifest that was checked has numbers
		return v
	}
	for _, c := range m.Columns {
		declared = append(declared, release.BoundedColumn{Name: c.Name, Owner: c.Owner,
			Lower: number(c.Lower),
			Upper: number(c.Upper), Binary: c.Binary})
	}
	return declared, func(columns []release.BoundedColumn, rows int) release.Terms {
		return released.Terms(m.Family, columns, rows, release.Promise(number(m.Epsilon), number(m.Delta),
			number(m.Norm), m.NoNoise, columns))
	}
}
