package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
)

// Sizes are the values of size names, agreed by all parties or a member's own.
type Sizes struct {
	Common  map[string]int            // the same everywhere
	Own     map[string]map[string]int // per member: "lab[3]" → P → 2
	Members map[string]int            // per family
}

// Value returns the value of a size for a party.
func (s *Sizes) Value(name, party string) (int, bool) {
	if v, ok := s.Own[party][name]; ok {
		return v, true
	}
	v, ok := s.Common[name]
	return v, ok
}

// Wants lists the data declarations of a model for the data package.
func Wants(p *check.Program) []data.Want {
	var out []data.Want
	for _, s := range p.Order {
		if s.Kind != check.Data || s.Type.Scalar() && s.Type.Elem == types.Int && boundByShape(p, s.Name) {
			continue
		}
		d := s.Decl.(*ast.Data)
		w := data.Want{Name: s.Name, Owner: s.Owner, Elem: s.Type.Elem, Rank: len(s.Type.Dims),
			From: columns(p.Universe, d), Drop: s.Drops(), Impute: s.Imputed()}
		if s.Type.Levels != nil {
			w.Levels, _ = s.Type.Levels.Int()
		}
		w.Level.Name, w.Level.Own, w.Coding = p.LevelSize(s.Type)
		if w.Coding != nil {
			w.Levels = len(w.Coding)
		}
		w.Rows = rowsOf(p, s)
		w.Lower, w.Upper = constant(p, s.Lower), constant(p, s.Upper)
		out = append(out, w)
	}
	return out
}

// rowsOf returns the size of the first dimension of data.
func rowsOf(p *check.Program, s *check.Symbol) data.Size {
	if s.Type.Scalar() {
		return data.Size{}
	}
	out := data.Size{Name: s.Type.Dims[0].String()}
	for _, name := range s.Type.Dims[0].Names() {
		if z := p.Sizes[name]; z != nil && z.Member != "" {
			out.Own = true
		}
	}
	return out
}

func constant(p *check.Program, e ast.Expr) *float64 {
	if e == nil {
		return nil
	}
	v, ok := p.ConstValue(e)
	if !ok {
		return nil
	}
	return &v
}

// boundByShape reports whether a scalar's name is also a dimension of other data, so that those give its
// value.
func boundByShape(p *check.Program, name string) bool {
	for _, s := range p.Order {
		if s.Kind != check.Data {
			continue
		}
		for _, d := range s.Type.Dims {
			if d.Equal(types.Named(name)) {
				return true
			}
		}
	}
	return false
}

func columns(u *stdlib.Universe, d *ast.Data) []data.FromItem {
	var out []data.FromItem
	for _, c := range d.From {
		col := data.FromItem{Star: c.Star}
		if c.Name != nil {
			col.Columns = []string{c.Name.Name}
		}
		if c.Encoder != nil {
			e, _ := u.Encoder(c.Encoder.Name)
			args := check.EncoderArguments(e, c)
			col.Encoder, col.Columns, col.Further = e.Name, args.Columns, args.Further
			for _, pair := range args.Named {
				col.Options = append(col.Options, data.Option{Name: pair[0], Value: pair[1]})
			}
		}
		out = append(out, col)
	}
	return out
}

// Unify determines every size of a model from the bound data of all parties. given returns sizes that a JSON
// document gives, with the place.
func Unify(p *check.Program, bound map[string]data.Bindings, members map[string]int,
	given func(name string) (int, string, bool)) (*Sizes, diag.List) {
	u := newUnifier(p)
	u.families(members)
	u.read(bound)
	for _, name := range slices.Sorted(maps.Keys(p.Sizes)) {
		if v, where, ok := given(name); ok {
			u.stated(name, v, where)
		}
	}
	u.differing()
	u.missing()
	u.compound(bound)
	return u.Sizes, u.diags
}

func newUnifier(p *check.Program) *unifier {
	return &unifier{program: p, Sizes: &Sizes{Common: map[string]int{}, Own: map[string]map[string]int{},
		Members: map[string]int{}}, from: map[string]string{}, levels: map[string]bool{},
		largest: map[string][]largest{}}
}

// A SizeFact is what the data of one party say of a size.
type SizeFact struct {
	Value int
	// AtLeast: the size is a number of categories, of which other parties may have more.
	AtLeast bool
}

// SizeFacts returns the sizes that the data of one party set, by name. Sizes of a member's own are left out:
// no other party needs them.
func SizeFacts(p *check.Program, party string, values data.Bindings) (map[string]SizeFact, diag.List) {
	u := newUnifier(p)
	u.read(map[string]data.Bindings{party: values})
	out := map[string]SizeFact{}
	for name, n := range u.Common {
		out[name] = SizeFact{n, u.levels[name]}
	}
	return out, u.diags
}

// read takes the sizes that the model lists and that bound data give.
func (u *unifier) read(bound map[string]data.Bindings) {
	u.listed()
	p := u.program
	for _, s := range p.Order {
		if s.Kind != check.Data {
			continue
		}
		for _, party := range slices.Sorted(maps.Keys(bound)) {
			if b := bound[party][s.Name]; b != nil && owns(s, party) {
				u.data(s, b, party)
			}
		}
	}
}

// owns reports whether a party's value of a declaration counts: its own, or a shared one.
func owns(s *check.Symbol, party string) bool {
	if s.Owner == check.Shared || s.Owner == party {
		return true
	}
	return strings.HasPrefix(party, s.Owner+"[")
}

type unifier struct {
	*Sizes
	program *check.Program
	diags   diag.List
	from    map[string]string // where a size got its value
	levels  map[string]bool   // sizes that so far come only from categories
	largest map[string][]largest
}

func (u *unifier) families(members map[string]int) {
	for _, c := range u.program.Clients {
		if !c.Family {
			continue
		}
		n := members[c.Name]
		if k, fixed := c.Count.Int(); fixed {
			if n != k {
				u.errorf(diag.MemberCount, c.Span,
					"the family %s has %d members, but %d tables are bound to it", c.Name, k, n).
					Note("bind %d tables, or write client %s[J], which has as many members as tables", k,
						c.Name)
			}
			n = k
		} else if n == 0 {
			u.errorf(diag.MemberCount, c.Span, "no table is bound to the family %s",
				c.Name).Note("give one per member: --data %s=a.csv,b.csv", c.Name)
		} else {
			for _, name := range c.Count.Names() {
				u.set(name, "", n, fmt.Sprintf("%s (%d tables)", c.Name, n), c.Span)
			}
		}
		u.Members[c.Name] = n
	}
}

func (u *unifier) errorf(code diag.Code, at source.Span, format string, args ...any) *diag.Diagnostic {
	return u.diags.Errorf(code, u.program.File.Source, at, format, args...)
}

// data takes the sizes that one bound declaration gives.
func (u *unifier) data(s *check.Symbol, b *data.BoundValue, party string) {
	from := s.Name
	if s.Owner != check.Shared {
		from += " of " + party
	}
	if s.Type.Scalar() && s.Type.Elem == types.Int && len(b.Values) == 1 {
		u.set(s.Name, party, int(b.Values[0]), from, s.Ident.Span())
	}
	for i, d := range s.Type.Dims {
		if names := d.Names(); len(names) == 1 && d.Equal(types.Named(names[0])) && i < len(b.Dims) {
			u.set(names[0], party, b.Dims[i], from, s.Ident.Span())
		}
	}
	if s.Type.Levels == nil {
		return
	}
	if names := s.Type.Levels.Names(); len(names) == 1 && s.Type.Levels.Equal(types.Named(names[0])) {
		u.level(names[0], party, b.Levels, from, s.Owner == check.Shared)
	}
}

// listed takes the sizes whose categories the model lists.
func (u *unifier) listed() {
	for _, name := range slices.Sorted(maps.Keys(u.program.Levels)) {
		u.set(name, "", len(u.program.Levels[name]), "levels "+name, u.program.Sizes[name].Span)
	}
}

// largest is the number of categories of a level in a column.
type largest struct {
	party  string // "" where it is shared
	column string
	n      int
}

// differing reports sizes that nothing but the columns of several parties sets, and these differently. A
// shared column sets its size.
func (u *unifier) differing() {
	for _, name := range slices.Sorted(maps.Keys(u.largest)) {
		if !u.levels[name] {
			continue
		}
		by, columns := map[string]int{}, map[string]string{}
		for _, l := range u.largest[name] {
			if l.n > by[l.party] {
				by[l.party], columns[l.party] = l.n, l.column
			}
		}
		u.compare(name, by, columns)
	}
}

// compare compares the largest codes of the parties, by party, with those of shared columns, or with each
// other.
func (u *unifier) compare(name string, by map[string]int, columns map[string]string) {
	parties := slices.Sorted(maps.Keys(by))
	first := parties[0] // shared columns, if there are any
	for _, other := range parties[1:] {
		if by[other] == by[first] || first == "" && by[other] < by[first] {
			continue
		}
		u.errorf(diag.DifferentLevels, u.program.Sizes[name].Span,
			"the largest codes of level(%s) differ between %s and %s, so that the "+
				"data do not set the size %s", name, columns[first], columns[other], name).
			Note("give it: const %[1]s = NUMBER, data %[1]s : int, or a list, levels %[1]s = …", name)
		return
	}
}

// level takes a number of categories: the largest seen, unless something else fixes the size.
func (u *unifier) level(name, party string, n int, from string, shared bool) {
	table, key := u.table(name, party)
	if key == name && u.program.Levels[name] == nil {
		l := largest{party, from, n}
		if shared || len(u.program.Clients) == 0 {
			l.party = ""
		}
		u.largest[name] = append(u.largest[name], l)
	}
	old, known := table[name]
	if !known || u.levels[key] && n > old {
		table[name], u.levels[key], u.from[key] = n, true, from
		return
	}
	if !u.levels[key] && n > old {
		u.diags.Errorf(diag.SizeConflict, u.program.File.Source, u.program.Sizes[name].Span,
			"%s is %d in %s, but %s has %d categories", name, old, u.from[key], from, n).
			Note("leave out what sets %s, so that the categories do, or correct the column", name)
	}
}

// set gives a size a value; a second, different one is an error.
func (u *unifier) set(name, party string, n int, from string, at source.Span) {
	if u.program.Sizes[name] == nil {
		return // a const, folded into the shapes
	}
	table, key := u.table(name, party)
	old, known := table[name]
	switch {
	case !known, u.levels[key] && n >= old:
		table[name], u.from[key] = n, from
		delete(u.levels, key)
	case old != n:
		u.errorf(diag.SizeConflict, at, "the size %s is %d in %s, but %d in %s", name, old, u.from[key], n,
			from).
			Note("a size has one value in the whole model: correct one of the two, or give " +
				"it a size of another name")
	}
}

// table returns where the value of a size is kept, and its key among those of all parties. The categories
// that the model lists are common to all members.
func (u *unifier) table(name, party string) (map[string]int, string) {
	if u.program.Sizes[name].Member == "" || party == "" || u.program.Levels[name] != nil {
		return u.Common, name
	}
	if u.Own[party] == nil {
		u.Own[party] = map[string]int{}
	}
	return u.Own[party], party + "." + name
}

// stated compares a size that a document gives with that of the data, or sets it.
func (u *unifier) stated(name string, n int, where string) {
	old, known := u.Common[name]
	if !known || u.levels[name] && n >= old {
		u.Common[name], u.from[name] = n, where
		delete(u.levels, name)
		return
	}
	if old != n {
		in := "the document"
		if where == "" {
			in = "the run"
		}
		d := u.errorf(diag.SizeConflict, u.program.Sizes[name].Span, "the size %s is %d in %s, but %d in %s",
			name, old, u.from[name], n, in)
		if d.Data = where; where != "" {
			d.Note("leave %s out of the document, so that the shapes of its arrays set it, "+
				"or correct one of the two", name)
		} else {
			d.Note("the parameters of the run have this size; where it counts rows, or categories that the " +
				"run did not see, the model has no parameter for new ones")
		}
	}
}

// missing reports sizes that the data do not bind.
func (u *unifier) missing() {
	for _, name := range slices.Sorted(maps.Keys(u.program.Sizes)) {
		z := u.program.Sizes[name]
		if _, ok := u.Common[name]; ok || z.Member != "" || u.diags.HasErrors() {
			continue
		}
		u.errorf(diag.SizeConflict, z.Span, "these data do not set the size %s", name)
	}
}

// compound checks dimensions that are expressions, as [P + 1], against the data.
func (u *unifier) compound(bound map[string]data.Bindings) {
	if u.diags.HasErrors() {
		return
	}
	for _, s := range u.program.Order {
		if s.Kind != check.Data {
			continue
		}
		for _, party := range slices.Sorted(maps.Keys(bound)) {
			b := bound[party][s.Name]
			if b == nil || !owns(s, party) {
				continue
			}
			for i, d := range s.Type.Dims {
				n, err := d.Eval(func(name string) (int, bool) { return u.Value(name, party) })
				if err == nil && i < len(b.Dims) && n != b.Dims[i] {
					u.errorf(diag.SizeConflict, s.Ident.Span(),
						"%s has the size %s = %d, but its data have %d", s.Name, d, n, b.Dims[i])
					return
				}
			}
		}
	}
}
