package compile

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/released"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/release"
)

// Moments makes the release of the columns that the model's design names, with the noise of its terms. All
// parties' rows are in this process, which draws the noise of each.
func (b *BoundModel) Moments() (*release.Moments, error) {
	columns, values, err := b.ReleasedRows()
	if err != nil {
		return nil, err
	}
	return b.Design.Release(columns, values, b.Model.Terms(columns))
}

// ReleasedRows are the columns that the model's design names, the response last, with the rows of each.
func (b *BoundModel) ReleasedRows() (columns []release.BoundedColumn, values [][]float64, err error) {
	names := map[string][]string{}
	add := func(c release.BoundedColumn, levels []string) error {
		one, of, err := releasedColumn(b.Values[c.Owner], c.Name)
		if err != nil {
			return err
		}
		if levels != nil {
			one, of = indicators(one[0], len(levels))[1:], nil
		}
		if names[c.Name] = of; len(values) > 0 && len(values[0]) != len(one[0]) {
			return errors.New("its columns have no rows in common")
		}
		values = append(values, one...)
		return nil
	}
	for _, t := range b.Design.Terms {
		if err := add(t.Column, t.Levels); err != nil {
			return nil, nil, err
		}
	}
	if err := add(b.Design.Response, nil); err != nil {
		return nil, nil, err
	}
	columns = b.Design.Columns(func(declared string) []string { return names[declared] })
	return columns, values, nil
}

// indicators is a column of 0 and 1 for each of n categories.
func indicators(codes []float64, n int) [][]float64 {
	out := make([][]float64, n)
	for k := range out {
		out[k] = make([]float64, len(codes))
	}
	for i, code := range codes {
		out[int(code)-1][i] = 1
	}
	return out
}

// releasedColumn are the columns of a declaration, and what they are called.
func releasedColumn(of data.Bindings, name string) (values [][]float64, names []string, err error) {
	v := of[name]
	if v == nil || v.Dims[0] == 0 {
		return nil, nil, fmt.Errorf("%s has no values", name)
	}
	rows := v.Dims[0]
	for k := range len(v.Values) / rows {
		values, names = append(values, v.Values[k*rows:(k+1)*rows]), append(names, v.ColumnName(name, k))
	}
	return values, names, nil
}

// Released are the columns of a party that the manifest has it release, by declaration, with their names in
// the release.
func (p *OneParty) Released() (out []ReleasedData, err error) {
	declared, _ := ReleaseOf(p.Manifest.Release)
	of, at := map[string]int{}, map[string]int{} // the columns of a matrix that stand one by one
	for _, c := range declared {
		of[c.Name]++
	}
	for k, c := range declared {
		if c.Owner != p.Party {
			continue
		}
		values, names, err := releasedColumn(p.Values[p.Party], c.Name)
		if err != nil {
			return nil, err
		}
		if levels := p.Manifest.Release.Columns[k].Levels; levels != nil {
			values, names = indicators(values[0], len(levels))[1:], released.MatrixNames(c.Name, levels[1:])
		} else if len(p.Values[p.Party][c.Name].Dims) > 1 {
			names = released.MatrixNames(c.Name, names)
		}
		if n, i := of[c.Name], at[c.Name]; n > 1 {
			if len(values) != n {
				return nil, fmt.Errorf("%s has %d columns, and the release %d", c.Name, len(values), n)
			}
			values, names, at[c.Name] = values[i:i+1], names[i:i+1], i+1
		}
		out = append(out, ReleasedData{Values: values, Names: names})
	}
	return out, nil
}

// ReleasedData are the columns of a declaration.
type ReleasedData struct {
	Names  []string
	Values [][]float64
}

// Terms are those of the model's release of columns; without noise where it makes none.
func (m *Model) Terms(columns []release.BoundedColumn) release.Terms {
	if m.Design == nil {
		return release.Terms{NoNoise: true}
	}
	t := m.Checked.Transform
	return release.Promise(t.Epsilon, t.Delta, t.Norm, m.noiseless(), columns)
}

// noiseless reports whether a release without noise is accepted.
func (m *Model) noiseless() bool { return m.options.Accept.Code(diag.NoBudget) }

// Noise says by which budget the noise of a release is drawn.
func (m *Model) Noise() string {
	if m.noiseless() {
		return "no"
	}
	t := m.Checked.Transform
	return fmt.Sprintf("noise, epsilon %g at delta %g", t.Epsilon, t.Delta)
}

// Posterior is the model of the posterior given a release, which has no rows: see released.Design.Program.
func (m *Model) Posterior(of *release.Moments) (*Model, diag.List) {
	text, err := m.Design.Program(of)
	if err != nil {
		d := &diag.Diagnostic{Code: diag.BadRelease, Severity: diag.Error,
			Message: "the moments do not fit the model: " + err.Error()}
		return nil, diag.List{d.Note("priors may differ from those of the model that was released, and " +
			"columns be fewer; what else differs needs another release")}
	}
	out, diags := Compile(source.New(m.Source.Name, text), check.Options{Set: m.options.Set})
	if diags.HasErrors() {
		panic("compile: a posterior that is no model: " + data.Errors(diags).Error())
	}
	out.Released = m.Design.Names(of)
	return out, m.otherTerms(of)
}

// otherTerms warns of a budget or norm that is not that of the release: the posterior has the noise of that.
func (m *Model) otherTerms(of *release.Moments) (diags diag.List) {
	own, its := m.Terms(of.Columns), of.Terms
	if own.NoNoise == its.NoNoise && own.Epsilon == its.Epsilon && own.Delta == its.Delta &&
		maps.Equal(own.Norms, its.Norms) {
		return nil
	}
	var at ast.Node = m.File
	for _, s := range m.File.Stmts {
		if t, ok := s.(*ast.Transform); ok {
			at = t
		}
	}
	diags.Warnf(diag.BadRelease, m.Source, at.Span(), "the model says %s, and the release that it is fitted to "+
		"was made with %s, which holds", said(own), said(its)).
		Note("what a release tells was settled when it was made; another budget needs another release")
	return diags
}

// said are terms in words.
func said(t release.Terms) (text string) {
	if text = "no noise"; !t.NoNoise {
		text = fmt.Sprintf("epsilon %g at delta %g", t.Epsilon, t.Delta)
	}
	for _, party := range slices.Sorted(maps.Keys(t.Norms)) {
		text += fmt.Sprintf(", norm %.4g of %s", t.Norms[party], party)
	}
	return text
}
