package compile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

// A OneParty is one party of a deployment: its program, loaded as if a stranger had sent it, with its own
// data and no other's. Bound has one party.
type OneParty struct {
	*BoundModel
	Party    string // "registry", "lab[3]"
	Family   string // "lab" for lab[3], else ""
	Member   int
	public   *check.Program   // what others see of a party with a module of its own; nil: its program
	selected *Selection       // see Keep
	rows     map[string]*held // by the size that the rows have at all parties
}

// Member splits the name of a party: "lab[3]" is member 3 of the family lab.
func Member(party string) (name string, member int, err error) {
	name, rest, in := strings.Cut(party, "[")
	if !in {
		return party, 0, nil
	}
	if member, err = strconv.Atoi(strings.TrimSuffix(rest, "]")); err != nil || member < 1 ||
		party != fmt.Sprintf("%s[%d]", name, member) {
		return "", 0, fmt.Errorf("%s is no name of a party", party)
	}
	return name, member, nil
}

// OwnProgram reads the program of a party with its module written out, from a folder of programs; nil where
// it computes nothing in a module of its own.
func OwnProgram(m *split.Manifest, dir, name string) (*source.File, error) {
	for _, c := range m.Contributions {
		if c.Client != name {
			continue
		}
		entry, _ := m.Party(name)
		file := filepath.Join(dir, OwnDir, entry.Program)
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%w: %s computes %s in a module of its own; compile the model with the "+
				"module at hand, and take the folder %s", err, name, c.Name, OwnDir)
		}
		return source.New(file, string(text)), nil
	}
	return nil, nil
}

// OpenParty loads the program of a party, and where it computes contributions in a module of its own, the
// program with the module written out, which no other party has. The result is usable only where the list has
// no errors.
func OpenParty(m *split.Manifest, party string, program, own *source.File) (*OneParty, diag.List, error) {
	name, member, err := Member(party)
	if err != nil {
		return nil, nil, err
	}
	entry, ok := m.Party(name)
	if !ok || (entry.Family != "") != (member > 0) {
		return nil, nil, fmt.Errorf("the manifest lists no party %s", party)
	}
	universe := stdlib.New()
	checked, diags := split.Load(m, name, program.Name, program.Text, universe)
	if diags.HasErrors() {
		return nil, diags, nil
	}
	var public *check.Program
	if own != nil {
		public, program = checked, own
		if checked, diags = split.Examine(m, name, own.Name, own.Text, universe); diags.HasErrors() {
			return nil, diags, nil
		}
	}
	if checked.Transform.Kind, ok = m.Kind(); !ok {
		return nil, nil, fmt.Errorf("the manifest has an unknown transform %s", m.Transform)
	}
	p := &OneParty{Party: party, Member: member, public: public,
		BoundModel: &BoundModel{Model: &Model{Name: m.Model, Source: program, Universe: universe,
			Checked:  checked,
			Manifest: m}}}
	if member > 0 {
		p.Family = name
		for _, size := range entry.OwnSizes {
			if z := checked.Sizes[size]; z != nil {
				z.Member = name
			}
		}
	}
	return p, diags, nil
}

// Bind reads the party's table and binds its data declarations. tables has one file or address, or none where
// the program has no data. leave are the rows that are left out at all parties, by size (see LeaveOut); nil:
// those that are incomplete at this one.
func (p *OneParty) Bind(tables []string, most int64, j data.Joining,
	leave map[string]RowDisclosure) diag.List {
	wants := p.wants()
	d, diags := p.read(tables, most, p.leaving(j, wants, leave), wants)
	if diags.HasErrors() {
		return diags
	}
	values, diags := d.Bind(wants)
	if !diags.HasErrors() {
		p.take(d, values)
	}
	return diags
}

// FittedModel is what a party keeps of a run for new rows: its encoders, and the sizes of its parameters.
type FittedModel struct {
	Recipes []data.Recipe
	Sizes   map[string]int
}

// BindNew is Bind for the program of a prediction: new rows, with the encoders of a run. Parameters stand on
// their declared scale, and no density is lowered.
func (p *OneParty) BindNew(tables []string, most int64, j data.Joining, leave map[string]RowDisclosure,
	fitted FittedModel) diag.List {
	p.declared, p.given = true, fitted.Sizes
	wants := p.wants()
	for i := range wants {
		if n, ok := fitted.Sizes[wants[i].Level.Name]; ok && wants[i].Elem == types.Level &&
			!wants[i].Level.Own {
			wants[i].Levels = n
		}
	}
	d, diags := p.read(tables, most, p.leaving(j, wants, leave), wants)
	if diags.HasErrors() {
		return diags
	}
	recipes, diags := p.unread(d, wants, fitted.Recipes)
	if diags.HasErrors() {
		return diags
	}
	values, diags := d.Apply(wants, map[string][]data.Recipe{p.own(): recipes}, nil)
	if !diags.HasErrors() {
		p.take(d, values)
	}
	return diags
}

// unread adds the recipes of shared data that the party did not read in the run, as a server that leaves the
// likelihood to its clients. What other parties have fitted to their rows it does not know: such data must be
// plain columns.
func (p *OneParty) unread(d *data.Dataset, wants []data.Want, recipes []data.Recipe) ([]data.Recipe,
	diag.List) {
	missing := slices.DeleteFunc(slices.Clone(wants), func(w data.Want) bool {
		return slices.ContainsFunc(recipes, func(r data.Recipe) bool { return r.Name == w.Name })
	})
	if len(missing) == 0 {
		return recipes, nil
	}
	values, diags := d.Bind(missing)
	if diags.HasErrors() {
		return nil, diags
	}
	recipes = slices.Clone(recipes)
	for _, w := range missing {
		b := values[p.own()][w.Name]
		if b == nil {
			continue
		}
		if !b.Recipe.Plain() {
			diags.Errorf(diag.FittedByOthers, nil, source.Span{},
				"%s did not read %s in the run, and its encoder was fitted by other parties, which do not "+
					"send it: hold %s as plain numbers", p.Party, w.Name, w.Name)
			return nil, diags
		}
		recipes = append(recipes, b.Recipe)
	}
	return recipes, diags
}

// read reads the party's table.
func (p *OneParty) read(tables []string, most int64, j data.Joining, wants []data.Want) (*data.Dataset,
	diag.List) {
	rows := slices.ContainsFunc(wants, func(w data.Want) bool { return w.Rank > 0 })
	if rows && !p.Joins() {
		j.Key = ""
	}
	name, _, _ := Member(p.Party)
	sources, err := data.Named([]data.PartyRef{{Name: name, Family: p.Family != ""}}, tables)
	if err != nil {
		var list data.Errors
		errors.As(err, &list)
		return nil, diag.List(list)
	}
	sources.Limit(most, 0)
	if p.selected != nil {
		some, diags, err := sources.Some(p.selected.Tables, p.selected.Key, p.selected.Keep)
		if err != nil {
			diags.Errorf(diag.DifferentRows, nil, source.Span{}, "%v", err)
		}
		if diags.HasErrors() {
			return nil, diags
		}
		sources = some
	}
	p.sources, p.joining = sources, j
	return data.Load(sources, wants, j)
}

// Texts returns the cells of a column of the party's table as they are written, in the order of the file;
// false where it has no such column. The table is named as in Data.
func (p *OneParty) Texts(table, column string) ([]string, bool, error) {
	return p.sources.Texts(table, column)
}

// own is the party in its data: it has one table, and does not count those of other members.
func (p *OneParty) own() string {
	name, _, _ := Member(p.Party)
	if p.Family != "" {
		name += "[1]"
	}
	return name
}

// take keeps what the party's table gave.
func (p *OneParty) take(d *data.Dataset, values map[string]data.Bindings) {
	own := values[p.own()]
	if own == nil {
		own = data.Bindings{}
	}
	p.Data, p.Values = d, map[string]data.Bindings{p.Party: own}
}

// wants are the declarations that the party's table binds: not the sizes that it learns from the data of
// others.
func (p *OneParty) wants() []data.Want {
	name, _, _ := Member(p.Party)
	return slices.DeleteFunc(lower.Wants(p.Checked), func(w data.Want) bool {
		return slices.ContainsFunc(p.Manifest.Sizes, func(z split.ManifestSize) bool {
			return z.Name == w.Name && slices.Contains(z.To, name)
		})
	})
}
