package compile

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/transforms"
)

// WithRho returns the model with one standard deviation for the auxiliary variables of all clients, in place
// of its own. Its warnings are those of m, and are left out.
func (m *Model) WithRho(rho float64) (*Model, diag.List) {
	o := m.options
	o.Rho, o.RhoBy = rho, nil
	return m.with(o)
}

// WithTransform returns the model under another transform, as WithRho does with another rho.
func (m *Model) WithTransform(kind def.Transform) (*Model, diag.List) {
	o := m.options
	o.Transform, o.Rho, o.RhoBy = kind, 0, nil
	return m.with(o)
}

// WithEncryptedRows returns the model for a run whose rows stay encrypted, as WithRho does with another rho.
func (m *Model) WithEncryptedRows() (*Model, diag.List) {
	o := m.options
	o.Transform, o.Rho, o.RhoBy, o.Encrypted = transforms.Exact, 0, nil, true
	return m.with(o)
}

func (m *Model) with(o check.Options) (*Model, diag.List) {
	other, diags := Compile(m.Source, o)
	if !diags.HasErrors() {
		diags = nil
	}
	return other, diags
}

// Addends is the largest number of clients with a cut in one statement, J in ρ√J; the members of a family are
// as many as it has tables. It is 0 where no client has a cut, or where a family has no tables.
func (m *Model) Addends(sources data.Sources) int {
	members := map[string]int{}
	for _, c := range m.Checked.Clients {
		if c.Family {
			members[c.Name] = sources.Members(c.Name)
		}
	}
	return m.Cuts.Addends(members)
}
