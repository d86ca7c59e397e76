package compile

import (
	"bytes"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// conceal sets the programs and the manifest to those of the model without the modules of clients, and the
// clients' own programs apart. A module that changes anything but these is refused: what others run would
// tell of it.
func (m *Model) conceal() diag.List {
	if len(m.Inlined.Privates) == 0 {
		return nil
	}
	o := m.options
	o.Module = nil
	public, diags := Compile(m.Source, o)
	if diags.HasErrors() {
		return diags
	}
	m.public, m.whole, m.split = public, m.Manifest, m.Programs
	m.Programs, m.Manifest = public.Programs, public.Manifest
	for i, p := range m.split {
		if m.hasModule(p.Party) {
			m.Own = append(m.Own, p)
		} else if p.Text != m.Programs[i].Text {
			return m.shows("the program of " + p.Party)
		}
	}
	if !bytes.Equal(m.withoutModules(m.whole), m.withoutModules(m.Manifest)) {
		return m.shows("the manifest")
	}
	return nil
}

// withoutModules is a manifest without what it lists of clients with modules: the contributions, the digests
// of their programs, and the sizes that they are told, which their own data may bind. Whether rows are
// independent of each other is nothing that others can know.
func (m *Model) withoutModules(of *split.Manifest) []byte {
	w := *of
	w.Contributions, w.Parties, w.Sizes, w.Rows = nil, slices.Clone(w.Parties), nil, ""
	for i, p := range w.Parties {
		if m.hasModule(p.Name) {
			w.Parties[i].SHA256 = ""
		}
	}
	for _, z := range of.Sizes {
		if z.To = slices.DeleteFunc(slices.Clone(z.To), m.hasModule); len(z.To) > 0 {
			w.Sizes = append(w.Sizes, z)
		}
	}
	return w.JSON()
}

func (m *Model) hasModule(party string) bool {
	return slices.ContainsFunc(m.Inlined.Privates, func(k check.Module) bool { return k.Name == party })
}

// shows reports that modules change what others see.
func (m *Model) shows(what string) (diags diag.List) {
	for _, s := range m.File.Stmts {
		if c, ok := s.(*ast.Contribution); ok && m.hasModule(c.Owner.Name) {
			diags.Errorf(diag.PrivateShows, m.Source, c.Span(),
				"with the module of %s %s is another than the public model gives, so that others "+
					"would learn of the module", c.Owner.Name, what).
				Note("an additive term of data alone, for example, is a data offset, which the manifest " +
					"lists: write it into the model")
			return diags
		}
	}
	return nil
}

// Incomplete reports contributions whose modules are not at hand.
func (m *Model) Incomplete() (diags diag.List) {
	for _, s := range m.Checked.Order {
		if s.Opaque {
			diags.Errorf(diag.NoModule, m.Source, s.Ident.Span(),
				"what %s is made of stands in the module of %s, which is not at hand", s.Name, s.Owner).
				Note("a run needs it: give it by --module %s=FILE, or put it at %s/%s.vfl", s.Owner, m.Name,
					s.Owner)
		}
	}
	return diags
}

// own returns the program of a client with its module written out.
func (m *Model) own(party string) (split.PartyProgram, bool) {
	i := slices.IndexFunc(m.Own, func(p split.PartyProgram) bool { return p.Party == party })
	if i < 0 {
		return split.PartyProgram{}, false
	}
	return m.Own[i], true
}
