package fit

import (
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/release"
)

// NeedsRows refuses to evaluate rows of a model under a transform that has a release of them alone.
func NeedsRows(m *compile.Model) (diags diag.List) {
	if m.Checked.Transform.Kind.Released() && !m.Checked.PriorOnly {
		diags = append(diags, &diag.Diagnostic{Code: diag.ReleasedOnly, Severity: diag.Error,
			Message: "under transform private rows are not evaluated, and no party has a program: `vflc run` makes one release of them in a simulation, and fits the posterior given it"})
		diags[0].Note("give --transform with another one, which has no budget")
	}
	return diags
}

// Release reads the tables of a model under transform private and makes its release, in this process. Each call spends
// the model's budget anew.
func Release(m *compile.Model, sources data.Sources, joining data.Joining) (*release.Moments, diag.List, error) {
	b, diags, err := compile.Bind(m, sources, joining)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	out, err := b.Moments()
	return out, diags, err
}
