package repl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/types"
)

// ownersText names the parties whose private names a value depends on.
func ownersText(o types.Owners) string {
	if o.Shared() {
		return check.Shared
	}
	return strings.Join(o, ", ")
}

// parties names the parties of the present model, the server first.
func (s *Session) parties() string {
	p := s.now.built.Checked
	names := []string{p.Server + " (server)"}
	for _, c := range p.Clients {
		name := c.Name
		if c.Family {
			name += "[" + c.Count.String() + "]"
		}
		names = append(names, name)
	}
	return "parties: " + strings.Join(names, ", ")
}

// transformText is the transform in force, as in a model.
func (s *Session) transformText() string {
	t := s.now.built.Checked.Transform
	if text := s.now.built.Assumed(); text != "" { // no transform given: KIND(…); no rho given: rho = …
		_, text, _ = strings.Cut(text, ": ")
		text, _, _ = strings.Cut(text, "; instead: ")
		if !t.Implied {
			text = t.Kind.Name + "(" + text + ")"
		}
		return text
	}
	switch {
	case !t.Kind.Noise():
		return t.Kind.Name
	case len(t.RhoBy) == 0:
		return fmt.Sprintf("%s(rho = %g)", t.Kind.Name, t.Rho)
	}
	var each []string
	for _, name := range slices.Sorted(maps.Keys(t.RhoBy)) {
		each = append(each, fmt.Sprintf("%s: %g", name, t.RhoBy[name]))
	}
	return fmt.Sprintf("%s(rho = {%s})", t.Kind.Name, strings.Join(each, ", "))
}

// overview is a model in one line: its parties, rows, key and transform.
func (s *Session) overview() string {
	if s.now.built == nil {
		return "no model yet: declare one, :open FILE reads one, :demo shows one"
	}
	p := s.now.built.Checked
	counts := map[check.Kind]int{}
	for _, sym := range p.Order {
		counts[sym.Kind]++
	}
	parts := []string{s.parties(), fmt.Sprintf("%d data, %d parameters", counts[check.Data],
		counts[check.Param])}
	if rows, key := s.rowsAndKey(); rows != "" {
		parts = append(parts, rows, key)
	}
	if len(p.Clients) > 0 {
		parts = append(parts, "transform "+s.transformText())
	}
	return strings.Join(parts, "; ")
}

// rowsAndKey says how many rows the tables have and on what they are joined; "" where there are no tables
// yet.
func (s *Session) rowsAndKey() (rows, key string) {
	holders, err := s.holders()
	if err != nil || len(holders) == 0 {
		return "", ""
	}
	var counts []string
	for _, h := range holders {
		if n := fmt.Sprint(h.table.Rows); !slices.Contains(counts, n) {
			counts = append(counts, n)
		}
	}
	key = "key " + s.keyOf(holders)
	if key == "key " {
		key = "no key"
	}
	return strings.Join(counts, ", ") + " rows", key
}

// A holder is a party, or a member of a family, with its table.
type holder struct {
	party string
	file  string
	table *data.Table
}

// holders reads the tables of the model's parties: those that were named and those beside the model's file.
// Tables that cannot be read are an error.
func (s *Session) holders() ([]holder, error) {
	sources, err := s.found()
	if err != nil {
		return nil, err
	}
	var out []holder
	for _, src := range sources {
		for i, file := range src.Files {
			t, diags := data.Open(file)
			if err := refused(diags); err != nil {
				return nil, err
			}
			h := holder{party: src.Name, file: file, table: t}
			if src.Family {
				h.party = fmt.Sprintf("%s[%d]", src.Name, i+1)
			}
			out = append(out, h)
		}
	}
	return out, nil
}

// found finds the files of the parties. Before there is a model its parties are those whose tables were
// named.
func (s *Session) found() (data.Sources, error) {
	if s.now.built != nil {
		return s.now.sources(s.now.built)
	}
	var out data.Sources
	for _, t := range s.now.Tables {
		out = append(out, data.Source{PartyRef: data.PartyRef{Name: t.Party}, Files: []string{t.Files}})
	}
	return out, nil
}

// keyOf is the column on which tables are joined; "" where there is none.
func (s *Session) keyOf(holders []holder) string {
	if s.now.Key != "" {
		return s.now.Key
	}
	for _, h := range holders {
		if _, ok := h.table.Array(data.DefaultKey); !ok {
			return ""
		}
	}
	return data.DefaultKey
}

// dataLine describes a data declaration: its shape and columns where its party has a table, else the sizes by
// name.
func (s *Session) dataLine(sym *check.Symbol) string {
	line := fmt.Sprintf("%s : %s @ %s", sym.Name, sym.Type, sym.Owner)
	bound, why := s.bound(sym)
	if bound == nil {
		return line + why
	}
	if len(bound.Dims) > 0 {
		dims := make([]string, len(bound.Dims))
		for i, d := range bound.Dims {
			dims[i] = fmt.Sprint(d)
		}
		line += " = [" + strings.Join(dims, ", ") + "]"
	}
	switch {
	case len(bound.Labels) > 0:
		line += "; levels " + some(bound.Labels, 8)
	case len(bound.ColumnNames) > 0:
		line += "; columns " + some(bound.ColumnNames, 8)
	}
	return line
}

// some lists names, the first few of many.
func some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(", … (%d)", len(names))
}

// bound is the value of a data declaration from its party's own table, before rows are joined. Where there is
// none it says why.
func (s *Session) bound(sym *check.Symbol) (*data.BoundValue, string) {
	sources, err := s.found()
	if err != nil {
		return nil, ""
	}
	var own data.Sources
	for _, src := range sources {
		if (src.Name == sym.Owner || sym.Owner == check.Shared) && len(src.Files) > 0 {
			own = append(own, src)
		}
	}
	if len(own) == 0 {
		party := sym.Owner
		if party == check.Shared {
			party = s.now.built.Checked.Server
		}
		return nil, fmt.Sprintf("; no table yet: :data %s = FILE", party)
	}
	var wants []data.Want
	for _, w := range lower.Wants(s.now.built.Checked) {
		if w.Owner == sym.Owner {
			wants = append(wants, w)
		}
	}
	if sym.Owner == check.Shared {
		own = holding(own, sym)
	}
	for i := range own {
		own[i].Files = own[i].Files[:1] // of a family, the first member's
	}
	j := s.now.joining()
	if len(own) == 1 {
		j.Intersect = false
	}
	set, diags := data.Load(own, wants, j)
	if diags.HasErrors() {
		return nil, "; " + s.typed(diags[0].Message)
	}
	values, diags := set.Bind(wants)
	if diags.HasErrors() {
		for _, d := range diags {
			if strings.Contains(d.Message, sym.Name) {
				return nil, "; " + s.typed(d.Message)
			}
		}
	}
	for _, party := range slices.Sorted(maps.Keys(values)) {
		if b := values[party][sym.Name]; b != nil {
			return b, ""
		}
	}
	if len(diags) > 0 {
		return nil, "; " + s.typed(diags[0].Message)
	}
	return nil, ""
}

// holding keeps the first source whose table has a column that a shared declaration reads.
func holding(sources data.Sources, sym *check.Symbol) data.Sources {
	for _, src := range sources {
		if t, diags := data.Open(src.Files[0]); !diags.HasErrors() {
			if _, ok := t.Array(sym.Name); ok {
				return data.Sources{src}
			}
		}
	}
	return sources[:1]
}

// priorOf is the prior of a parameter in words.
func (s *Session) priorOf(name string) string {
	for _, p := range s.now.built.Checked.Priors() {
		if p.Parameter == name {
			return p.Text()
		}
	}
	return ""
}
