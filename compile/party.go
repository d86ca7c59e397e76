package compile

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/leak/atload"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// A OneParty is one party of a deployment: its program, loaded as if a stranger had sent it, with its own data and no other's. Bound has one party.
type OneParty struct {
	*Bound
	Party    string // "registry", "lab[3]"
	Family   string // "lab" for lab[3], else ""
	Member   int
	public   *check.Program   // what others see of a party with a module of its own; nil: its program
	selected *Selection       // see Keep
	rows     map[string]*held // by the size that the rows have at all parties
}

// held are the rows of a party's table before incomplete ones are left out, in the order that the parties agree on.
type held struct {
	order      string // digest; "": the order of the file
	incomplete []bool
}

// Rows are what a party discloses of its rows before incomplete ones are left out.
type Rows struct {
	Rows  int    `json:"rows"`
	Order string `json:"order,omitempty"` // salted digest of the keys in their order; "": rows come in the order of the file
	Left  []byte `json:"left,omitempty"`  // a bit for each row, the lowest first: `missing drop` leaves it out; empty: none is
}

// Member splits the name of a party: "lab[3]" is member 3 of the family lab.
func Member(party string) (name string, member int, err error) {
	name, rest, in := strings.Cut(party, "[")
	if !in {
		return party, 0, nil
	}
	if member, err = strconv.Atoi(strings.TrimSuffix(rest, "]")); err != nil || member < 1 || party != fmt.Sprintf("%s[%d]", name, member) {
		return "", 0, fmt.Errorf("%s is no name of a party", party)
	}
	return name, member, nil
}

// OwnProgram reads the program of a party with its module written out, from a folder of programs; nil where it computes nothing in a module of its own.
func OwnProgram(m *split.Manifest, dir, name string) (*source.File, error) {
	for _, c := range m.Contributions {
		if c.Client != name {
			continue
		}
		entry, _ := m.Party(name)
		file := filepath.Join(dir, OwnDir, entry.Program)
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%w: %s computes %s in a module of its own; compile the model with the module at hand, and take the folder %s", err, name, c.Name, OwnDir)
		}
		return source.New(file, string(text)), nil
	}
	return nil, nil
}

// OpenParty loads the program of a party, and where it computes contributions in a module of its own, the program with the module written out, which no other party has.
// The result is usable only where the list has no errors.
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
	if checked.Transform.Kind, ok = universe.Transform(m.Transform); !ok {
		return nil, nil, fmt.Errorf("the manifest has an unknown transform %s", m.Transform)
	}
	p := &OneParty{Party: party, Member: member, public: public, Bound: &Bound{Model: &Model{Name: m.Model, Source: program, Universe: universe, Checked: checked, Manifest: m}}}
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

// Bind reads the party's table and binds its data declarations. tables has one file or address, or none where the program has no data. leave are the rows that are left out at
// all parties, by size (see LeaveOut); nil: those that are incomplete at this one.
func (p *OneParty) Bind(tables []string, most int64, j data.Joining, leave map[string]Rows) diag.List {
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

// Fitted is what a party keeps of a run for new rows: its encoders, and the sizes of its parameters.
type Fitted struct {
	Recipes []data.Recipe
	Sizes   map[string]int
}

// BindNew is Bind for the program of a prediction: new rows, with the encoders of a run. Parameters stand on their declared scale, and no density is lowered.
func (p *OneParty) BindNew(tables []string, most int64, j data.Joining, leave map[string]Rows, fitted Fitted) diag.List {
	p.declared, p.given = true, fitted.Sizes
	wants := p.wants()
	for i := range wants {
		if n, ok := fitted.Sizes[wants[i].Level.Name]; ok && wants[i].Elem == types.Level && !wants[i].Level.Own {
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

// unread adds the recipes of shared data that the party did not read in the run, as a server that leaves the likelihood to its clients. What other parties have fitted to their rows it does not
// know: such data must be plain columns.
func (p *OneParty) unread(d *data.Dataset, wants []data.Want, recipes []data.Recipe) ([]data.Recipe, diag.List) {
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
			diags.Errorf(diag.FittedByOthers, nil, source.Span{}, "%s did not read %s in the run, and its encoder was fitted by other parties, which do not send it: hold %s as plain numbers", p.Party, w.Name, w.Name)
			return nil, diags
		}
		recipes = append(recipes, b.Recipe)
	}
	return recipes, diags
}

// A Selection is some rows of a party's tables.
type Selection struct {
	Tables []string // as data.Join names them
	Key    string   // the column that joins them; "": their order does
	Keep   func(row int, key string) bool
}

// Keep has Bind and BindNew take some rows alone; nil takes all. It is called after one of them, whose rows it chooses from: those that all parties left out there must not be among them.
func (p *OneParty) Keep(s *Selection) { p.selected = s }

// leaving adds the rows that are left out to a joining, and keeps what the party discloses of its rows. Where rows were selected, those that remain are complete at all parties.
func (p *OneParty) leaving(j data.Joining, wants []data.Want, leave map[string]Rows) data.Joining {
	if p.selected != nil {
		return j
	}
	joined := joinedSizes(p.Manifest, wants)
	p.rows = map[string]*held{}
	j.Leave = func(sizes []string, order string, incomplete []bool) []bool {
		out := slices.Clone(incomplete)
		drop := func(size string) {
			for row := range out {
				out[row] = out[row] || bit(leave[size].Left, row)
			}
		}
		for _, size := range sizes {
			if slices.Contains(joined, size) {
				p.rows[size] = &held{order, incomplete}
				drop(size)
			}
		}
		if len(sizes) == 0 && order != "" { // a table of keys alone, which name the rows of other parties
			for size, r := range leave {
				if r.Rows == len(incomplete) {
					drop(size)
				}
			}
		}
		return out
	}
	return j
}

// read reads the party's table.
func (p *OneParty) read(tables []string, most int64, j data.Joining, wants []data.Want) (*data.Dataset, diag.List) {
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
	sources.Limit(most)
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

// Texts returns the cells of a column of the party's table as they are written, in the order of the file; false where it has no such column. The table is named as in Data.
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

// wants are the declarations that the party's table binds: not the sizes that it learns from the data of others.
func (p *OneParty) wants() []data.Want {
	name, _, _ := Member(p.Party)
	return slices.DeleteFunc(lower.Wants(p.Checked), func(w data.Want) bool {
		return slices.ContainsFunc(p.Manifest.Sizes, func(z split.ManifestSize) bool { return z.Name == w.Name && slices.Contains(z.To, name) })
	})
}

// Joins reports whether rows of the party's table correspond to those of other parties.
func (p *OneParty) Joins() bool { return len(p.joined()) > 0 }

// joined lists the sizes of rows of the party's table that correspond to those of other parties: sizes of what crosses, or of shared data.
func (p *OneParty) joined() []string { return joinedSizes(p.Manifest, p.wants()) }

func joinedSizes(m *split.Manifest, wants []data.Want) (out []string) {
	var crossing []string
	for _, c := range m.Cuts {
		crossing = append(crossing, c.Shape...)
	}
	for _, d := range m.SharedData {
		crossing = append(crossing, d.Shape...)
	}
	for _, w := range wants {
		if name := w.Rows.Name; w.Rank > 0 && !w.Rows.Own && slices.Contains(crossing, name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Rows returns what the party discloses of its rows, by size. It is called after Bind.
func (p *OneParty) Rows(salt []byte) map[string]Rows {
	out := map[string]Rows{}
	for size, h := range p.rows {
		r := Rows{Rows: len(h.incomplete)}
		if h.order != "" {
			r.Order = salted(salt, "rows", h.order)
		}
		for row, left := range h.incomplete {
			if left {
				if r.Left == nil {
					r.Left = make([]byte, (len(h.incomplete)+7)/8)
				}
				r.Left[row/8] |= 1 << (row % 8)
			}
		}
		out[size] = r
	}
	return out
}

func bit(bits []byte, k int) bool { return k/8 < len(bits) && bits[k/8]>>(k%8)&1 == 1 }

// LeaveOut finds the rows that `missing drop` leaves out: those that are incomplete at any party, by size. The error is the first *Disagreement.
func LeaveOut(names []string, all map[string]map[string]Rows) (map[string]Rows, error) {
	out, first, ordered := map[string]Rows{}, map[string]string{}, map[string]string{}
	for _, party := range names {
		for _, size := range slices.Sorted(maps.Keys(all[party])) {
			r := all[party][size]
			if r.Left != nil && len(r.Left) != (r.Rows+7)/8 {
				return nil, &Disagreement{Kind: NoList, What: size, Party: party, Other: party, Here: r.Rows, Who: 8 * len(r.Left)}
			}
			if first[size] == "" {
				first[size] = party
			} else if n := all[first[size]][size].Rows; n != r.Rows {
				return nil, &Disagreement{Kind: DifferentSize, What: size, Party: first[size], Other: party, Here: n, Who: r.Rows}
			}
			if o := ordered[size]; o == "" && r.Order != "" {
				ordered[size] = party
			} else if r.Order != "" && all[o][size].Order != r.Order {
				return nil, &Disagreement{Kind: DifferentOrder, Party: o, Other: party}
			}
			if r.Left == nil {
				continue
			}
			if out[size].Left == nil {
				out[size] = Rows{Rows: r.Rows, Left: make([]byte, len(r.Left))}
			}
			for k, b := range r.Left {
				out[size].Left[k] |= b
			}
		}
	}
	return out, nil
}

// Facts are what a party discloses of its data before a run: sizes, and digests by which parties with the same salt find whether they hold the same.
type Facts struct {
	Sizes  map[string]lower.SizeFact `json:"sizes,omitempty"`
	Rows   int                       `json:"rows,omitempty"`
	Order  string                    `json:"order,omitempty"`  // salted digest of the keys of the rows in their order; "": rows come in the order of the file
	Shared map[string]string         `json:"shared,omitempty"` // salted digests of shared data, by name
	Levels map[string]string         `json:"levels,omitempty"` // salted digests of the categories of levels, by size
}

// Facts returns what the party tells. It is called after Bind.
func (p *OneParty) Facts(salt []byte) (Facts, diag.List) {
	own := p.Values[p.Party]
	sizes, diags := lower.SizeFacts(p.Checked, p.Party, own)
	if p.public != nil {
		maps.DeleteFunc(sizes, func(name string, _ lower.SizeFact) bool { return !p.tells(name) })
	}
	for name, n := range p.given { // of the parameters of a run, for new rows
		if _, ok := sizes[name]; !ok && p.tells(name) {
			sizes[name] = lower.SizeFact{Value: n}
		}
	}
	f := Facts{Sizes: sizes, Shared: map[string]string{}, Levels: map[string]string{}}
	for _, j := range p.Data.Joins {
		f.Rows, f.Order = j.Rows, salted(salt, "order", j.Digest)
	}
	for _, s := range p.Checked.Order {
		b := own[s.Name]
		if b == nil || s.Kind != check.Data {
			continue
		}
		if s.Owner == check.Shared {
			f.Shared[s.Name] = salted(salt, "shared", b.Digest())
		}
		if s.Type.Levels != nil && len(b.Labels) > 0 {
			for _, size := range s.Type.Levels.Names() {
				if p.tells(size) {
					f.Levels[size] = salted(salt, "levels", fmt.Sprintf("%q", b.Labels))
				}
			}
		}
	}
	return f, diags
}

// tells reports whether other parties are told a size: not one of a member alone, nor one of a module that they do not know.
func (p *OneParty) tells(size string) bool {
	in := p.Checked
	if p.public != nil {
		in = p.public
	}
	z := in.Sizes[size]
	return z != nil && z.Member == ""
}

func salted(salt []byte, purpose, text string) string {
	h := hmac.New(sha256.New, salt)
	fmt.Fprintf(h, "%s\n%s", purpose, text)
	return hex.EncodeToString(h.Sum(nil))
}

// Lower lowers the party's program, given the sizes that all parties agree on and the numbers of members of families, and checks that what it will send is not its
// data. The diagnostics are for the party alone.
func (p *OneParty) Lower(sizes, members map[string]int) (diags diag.List) {
	if p.Sizes, diags = lower.Unify(p.Checked, p.Values, members, func(name string) (int, string, bool) { n, ok := sizes[name]; return n, "", ok }); diags.HasErrors() {
		return diags
	}
	found := lower.Support(p.Checked, p.Values, p.Sizes, p.where)
	if diags = append(diags, found...); diags.HasErrors() {
		return diags
	}
	lowered, found := lower.Lower(lower.Party{Program: p.Checked, Name: p.Party, Family: p.Family, Member: p.Member, Data: p.Values, Sizes: p.Sizes, Declared: p.declared})
	if diags = append(diags, found...); diags.HasErrors() {
		return diags
	}
	p.Lowered = []*lower.Lowered{lowered}
	if p.Party != p.Manifest.Server {
		diags = append(diags, atload.Check(lowered.Party, p.terms())...)
	}
	return diags
}

// Outline is what the other parties need of this one, after Lower.
func (p *OneParty) Outline() lower.Outline { return p.Lowered[0].Outline() }

// Link wires the run from the outlines of all parties, the server first. The process that plays the server calls it; the others Take its wiring.
func (p *OneParty) Link(outlines []lower.Outline) (Wiring, error) {
	all := []*lower.Lowered{p.Lowered[0]}
	for _, o := range outlines[1:] {
		l, err := o.Elsewhere()
		if err != nil {
			return Wiring{}, err
		}
		all = append(all, l)
	}
	plan, err := lower.Link(all)
	if err != nil {
		return Wiring{}, err
	}
	return Wiring{Names: plan.Names, Groups: plan.Groups, Shared: plan.Shared, Power: plan.Power, Exact: plan.Exact}, nil
}

// A Wiring is a plan without the parties' graphs, as it is sent to them.
type Wiring struct {
	Names  []string       `json:"names"`
	Groups []model.Group  `json:"groups"`
	Shared []model.Shared `json:"shared"`
	Power  bool           `json:"power,omitempty"`
	Exact  bool           `json:"exact,omitempty"`
}

// Take sets the plan of the run from a wiring, after Lower. The error says where it does not fit this party's program and the manifest.
func (p *OneParty) Take(w Wiring) (index int, err error) {
	if index = slices.Index(w.Names, p.Party); index < 0 {
		return -1, fmt.Errorf("the wiring lists no party %s", p.Party)
	}
	if err := p.mayBe(w); err != nil {
		return -1, err
	}
	plan := &model.Plan{Names: w.Names, Parties: make([]*model.Spec, len(w.Names)), Groups: w.Groups, Shared: w.Shared, Power: w.Power, Exact: w.Exact}
	spec := p.Lowered[0].Spec
	plan.Parties[index] = spec
	for g, group := range w.Groups {
		for _, m := range group.Members {
			if m.Party == index && m.Index >= 0 && m.Index < len(spec.Cuts) {
				spec.Cuts[m.Index].Group = g
			}
		}
	}
	if err := plan.Verify(); err != nil {
		return -1, err
	}
	all := make([]*lower.Lowered, len(w.Names))
	all[index] = p.Lowered[0]
	lower.Label(plan, all, p.Values[p.Party])
	p.Plan = plan
	return index, nil
}

// mayBe compares a wiring with the manifest.
func (p *OneParty) mayBe(w Wiring) error {
	kind := p.Checked.Transform.Kind
	switch {
	case w.Names[0] != p.Manifest.Server:
		return fmt.Errorf("the wiring's server is %s, the manifest's %s", w.Names[0], p.Manifest.Server)
	case len(w.Groups) > 0 && (w.Power != kind.AtClients || w.Exact != kind.CutsCross):
		return fmt.Errorf("the wiring is not of transform %s, which the manifest names", kind)
	}
	listed := map[string]bool{}
	for _, name := range w.Names {
		base, _, err := Member(name)
		if err != nil {
			return err
		}
		if _, ok := p.Manifest.Party(base); !ok || listed[name] {
			return fmt.Errorf("the wiring lists %s, and the manifest does not", name)
		}
		listed[name] = true
	}
	for _, s := range w.Shared {
		if !slices.ContainsFunc(p.Manifest.Shared, func(m split.ManifestShared) bool { return m.Name == s.Name }) {
			return fmt.Errorf("the wiring shares %s, and the manifest does not", s.Name)
		}
	}
	for _, q := range p.Manifest.Parties {
		member := func(name string) bool { base, _, _ := Member(name); return base == q.Name }
		if !slices.ContainsFunc(w.Names, member) {
			return fmt.Errorf("the wiring leaves out %s, which the manifest lists", q.Name)
		}
	}
	return nil
}

// terms are what the manifest says to a client's check of its own data.
func (p *OneParty) terms() atload.Terms {
	t := atload.Terms{Shared: map[string]*check.Symbol{}, Accepted: p.Manifest.Accepted}
	for _, s := range p.Manifest.Shared {
		t.Shared[s.Name] = s.Declared(p.Universe)
	}
	return t
}
