package compile

import (
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// WithEncryptedRows returns the model for a run whose rows stay encrypted. Its warnings are those
// of m, and are left out.
func (m *Model) WithEncryptedRows() (*Model, diag.List) {
	o := m.options
	o.Transform, o.Rho, o.RhoBy, o.Encrypted = stdlib.Exact, 0, nil, true
	other, diags := Compile(m.Source, o)
	if !diags.HasErrors() {
		diags = nil
	}
	return other, diags
}

// WithRows returns the model with cuts of rows alone, as algorithms that exchange moments of rows have them:
// m where it has no others.
func (m *Model) WithRows() *Model {
	if m.Cuts == nil || !m.Cuts.ByLevels {
		return m
	}
	o := m.options
	o.ByRows = true
	other, diags := Compile(m.Source, o)
	if diags.HasErrors() {
		panic("compile: a model without levels does not compile: " + diags.Shown()[0].Message)
	}
	return other
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
