package compile

import (
	"errors"
	"fmt"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/release"
)

// Moments releases the second moments that the model's design names, with the noise of its terms. All parties' rows are
// in this process, which draws the noise of each.
func (b *Bound) Moments() (*release.Moments, error) {
	var values [][]float64
	names := map[string][]string{}
	add := func(c release.Column, levels []string) error {
		v := b.Values[c.Owner][c.Name]
		if v == nil {
			return fmt.Errorf("%s has no values", c.Name)
		}
		rows := v.Dims[0]
		names[c.Name] = nil
		if levels != nil {
			values = append(values, indicators(v.Values, len(levels))[1:]...)
		}
		for k := 0; levels == nil && k < len(v.Values)/max(1, rows); k++ {
			values = append(values, v.Values[k*rows:(k+1)*rows])
			names[c.Name] = append(names[c.Name], v.ColumnName(c.Name, k))
		}
		if rows == 0 || len(values[0]) != rows {
			return errors.New("its columns have no rows in common")
		}
		return nil
	}
	for _, t := range b.Design.Terms {
		if err := add(t.Column, t.Levels); err != nil {
			return nil, err
		}
	}
	if err := add(b.Design.Response, nil); err != nil {
		return nil, err
	}
	columns := b.Design.Columns(func(declared string) []string { return names[declared] })
	return b.Design.Release(columns, values, b.Model.terms(columns))
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

// terms are those of the model's release.
func (m *Model) terms(columns []release.Column) release.Terms {
	t := m.Checked.Transform
	norms := release.Widest(columns)
	if t.Norm > 0 {
		for p := range norms {
			norms[p] = t.Norm
		}
	}
	if m.noiseless() {
		return release.Terms{Norms: norms, NoNoise: true}
	}
	rho := release.Rho(t.Epsilon, t.Delta)
	return release.Terms{Epsilon: t.Epsilon, Delta: t.Delta, Rho: rho, Mu: release.Mu(rho), Norms: norms}
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
		d := &diag.Diagnostic{Code: diag.BadRelease, Severity: diag.Error, Message: "the moments do not fit the model: " + err.Error()}
		return nil, diag.List{d.Note("priors may differ from those of the model that was released, and columns be fewer; what else differs needs another release")}
	}
	out, diags := Compile(source.New(m.Source.Name, text), check.Options{Set: m.options.Set})
	if diags.HasErrors() {
		panic("compile: a posterior that is no model: " + data.Errors(diags).Error())
	}
	out.Released = m.Design.Names(of)
	return out, nil
}
