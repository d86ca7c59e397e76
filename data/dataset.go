package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/spill"
)

// A Dataset holds the tables of a run, with rows that correspond in one order.
type Dataset struct {
	Joins   []Join
	Sources Sources
	Parties []Holder // in the order of Sources; members of a family are lab[1], lab[2], …
	formats []string // what is particular about files, also once the tables are dropped
	Shared  *Holder  // the table for all parties; nil: none
}

// A Holder is a party with its table.
type Holder struct {
	Party  string // "registry", "lab[3]"
	Family string // "lab", else ""
	View   View
}

// Load reads the tables, and joins the rows of those in which the declarations have a size of rows in common.
// The data set is nil if and only if the list has errors.
func Load(sources Sources, wants []Want, j Joining) (*Dataset, diag.List) {
	var list diag.List
	d := &Dataset{Sources: sources}
	for _, s := range sources {
		d.open(s, &list)
	}
	if list.HasErrors() {
		return nil, list
	}
	if j.Told != nil {
		j.Told(d.describe(wants, j.Key))
	}
	d.join(wants, j, &list)
	if list.HasErrors() {
		return nil, list
	}
	return d, list
}

func (d *Dataset) open(s Source, list *diag.List) {
	for k := range s.tables() {
		t, problems := s.read(k)
		*list = append(*list, problems...)
		if t != nil && t.Format != "" {
			d.formats = append(d.formats, t.Name+": "+t.Format)
		}
		h := Holder{Party: s.Name, View: View{Table: t}}
		if s.Family {
			h.Party, h.Family = fmt.Sprintf("%s[%d]", s.Name, k+1), s.Name
		}
		if s.Name == OwnerShared {
			d.Shared = &h
		} else {
			d.Parties = append(d.Parties, h)
		}
	}
}

// Release drops the tables, so that Bind and Integer no longer find them. Values that have been bound remain.
func (d *Dataset) Release() {
	held := 0
	for _, h := range d.holders() {
		held += h.View.held
	}
	d.Parties, d.Shared = nil, nil
	d.Sources.Storage().Rest()
	spill.GiveBack(held)
}

// holders returns all tables, the shared one last.
func (d *Dataset) holders() []*Holder {
	var out []*Holder
	for i := range d.Parties {
		out = append(out, &d.Parties[i])
	}
	if d.Shared != nil {
		out = append(out, d.Shared)
	}
	return out
}

// Bind gives every declaration its value, per party: Bind(…)["hospital_a"]["XA"]. A party's bindings hold the
// data that it owns and those that are shared. Shared data are read from every table that has them, and these
// must agree; every party of the data set gets them. The bindings are complete when the list has no errors.
func (d *Dataset) Bind(wants []Want) (map[string]Bindings, diag.List) {
	out, list := d.bindBy(wants, func(list *diag.List) func(*Holder) Bindings {
		coded := codes(d.holders(), wants, d.alone(), list)
		return func(h *Holder) Bindings { return bind(h.View, coded[h], list) }
	})
	numbers := 0
	for _, bound := range out {
		for _, b := range bound {
			numbers += len(b.Values)
		}
	}
	d.Sources.Storage().Bound(numbers)
	return out, list
}

// bindBy is Bind with a function that makes the values of one table.
func (d *Dataset) bindBy(wants []Want, prepare func(*diag.List) func(*Holder) Bindings) (map[string]Bindings,
	diag.List) {
	var list diag.List
	out := map[string]Bindings{}
	for _, s := range d.Sources {
		if s.tables() == 0 {
			d.without(s, wants, &list)
			if s.Name != OwnerShared && !s.Family {
				out[s.Name] = Bindings{}
			}
		}
	}
	shared := Bindings{}
	found := map[string]*Holder{}
	one := prepare(&list)
	if list.HasErrors() {
		return out, list
	}
	for _, h := range d.holders() {
		bound := one(h)
		if h != d.Shared {
			out[h.Party] = bound
		}
		for _, w := range wants {
			if w.Owner == OwnerShared {
				merge(shared, found, bound[w.Name], h, &list)
			}
		}
	}
	if !list.HasErrors() {
		d.unfound(wants, shared, &list)
	}
	for _, b := range out {
		for name, value := range shared {
			b[name] = value
		}
	}
	return out, list
}

// alone reports whether one party has all tables.
func (d *Dataset) alone() bool {
	parties := 0
	for _, s := range d.Sources {
		switch {
		case s.Family:
			return false
		case s.Name != OwnerShared:
			parties++
		}
	}
	return parties <= 1
}

// wants returns the declarations that a table may bind: shared ones, and those of its party.
func (h *Holder) wants(all []Want) []Want {
	return slices.DeleteFunc(slices.Clone(all), func(w Want) bool {
		return w.Owner != OwnerShared && w.Owner != h.Party && (h.Family == "" || w.Owner != h.Family)
	})
}

// without reports a party that owns data and has no table.
func (d *Dataset) without(s Source, wants []Want, list *diag.List) {
	var names []string
	for _, w := range wants {
		if w.Owner == s.Name && w.Owner != OwnerShared {
			names = append(names, w.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	flag := "--data " + s.Name + "=FILE"
	switch {
	case s.Family:
		flag += ",FILE,…"
	case len(d.Sources) == 2: // the server and the shared table: no clients
		flag = "--data FILE"
	}
	fail(list, diag.NoTable, s.Looked,
		"%s has no table for its data %s: there is no such file; name one with %s", s.Name, listed(names),
		flag)
}

// merge keeps the value of shared data that the first holder has, and compares those of the others with it.
func merge(shared Bindings, found map[string]*Holder, b *BoundValue, h *Holder, list *diag.List) {
	if b == nil {
		return
	}
	first, ok := shared[b.Name]
	if !ok {
		shared[b.Name], found[b.Name] = b, h
		b.Holders = []string{h.Party}
		return
	}
	first.Holders = append(first.Holders, h.Party)
	if first.Digest() != b.Digest() {
		where, text := differ(first, b, h)
		fail(list, diag.SharedData, where, "%s: is @ shared but differs from %s%s", b.Name,
			found[b.Name].View.Name, text)
	}
}

// differ finds the first row at which shared data of two tables differ. No values are quoted, since one of
// two tells the other; and categories of hb alone, in whose table the place is.
func differ(a *BoundValue, b *BoundValue, hb *Holder) (where, text string) {
	where = place(hb.View.Name, 1)
	if !slices.Equal(a.Dims, b.Dims) {
		return where, fmt.Sprintf(" in size: %v there, %v here", a.Dims, b.Dims)
	}
	if n, first := differences(a.Values, b.Values); n > 0 {
		if !a.ByRow || !b.ByRow {
			return where, fmt.Sprintf(" in %d of %s; the first is element %d", n,
				grouped.Count(len(a.Values), "value"), first+1)
		}
		row := first % a.Dims[0]
		here := column{hb.View, hb.View.Arrays[0]}
		return here.line(row), fmt.Sprintf(" in %d of %s; the first is in this row%s", n,
			grouped.Count(len(a.Values), "value"), hb.View.key(row))
	}
	return where, " in its number of categories"
}

// differences counts the elements that differ, and finds the first.
func differences(a, b []float64) (n, first int) {
	first = -1
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) {
			if n++; first < 0 {
				first = i
			}
		}
	}
	return n, first
}

// unfound reports shared data that no table has.
func (d *Dataset) unfound(wants []Want, shared Bindings, list *diag.List) {
	var tables, columns []string
	for _, h := range d.holders() {
		tables = append(tables, h.View.Name)
		columns = append(columns, h.View.names()...)
	}
	if len(tables) == 0 {
		tables = []string{d.Sources[0].Looked}
	}
	for _, w := range wants {
		if w.Owner != OwnerShared || shared[w.Name] != nil {
			continue
		}
		names := (&binder{view: View{Table: &Table{}}}).named(w)
		at := place(tables[0], 1)
		switch {
		case len(columns) == 0:
			fail(list, diag.NoTable, tables[0],
				"no table has the data %s: there is no such file; name one with --data", w.Name)
		case w.Rank == 0 || w.Rank > 2:
			fail(list, diag.DataShape, at,
				"%s: no document has it, and a CSV has only vectors and matrices; %s", w.Name, jsonHint(w))
		case w.From == nil && w.Rank == 2:
			fail(list, diag.SharedData, at,
				"%s: is @ shared, but no table has columns left for it; name them with from (tables: %s)",
				w.Name, listed(tables))
		default:
			fail(list, diag.SharedData, at,
				"%s: is @ shared, but no table has %s%s (tables: %s); name one with --data shared=FILE",
				w.Name, strings.Join(names, ", "), suggestion(strings.Join(names, ", "), columns),
				listed(tables))
		}
	}
}

// Where returns the place of a row, counted from 0, of a party's value, and " (KEY VALUE)" where rows have
// keys; both are "" where the value does not come from rows of a table.
func (d *Dataset) Where(party string, b *BoundValue, row int) (where, key string) {
	if len(b.Holders) > 0 {
		party = b.Holders[0]
	}
	for _, h := range d.holders() {
		a, ok := h.View.Array(b.Encoders[0].Column)
		if (h.Party != party && !(h == d.Shared && party == OwnerShared)) || !ok || len(a.Dims) == 0 ||
			row*a.stride() >= a.Len() {
			continue
		}
		c := column{h.View, a}
		if c.byRow() {
			key = h.View.key(row)
		}
		return c.line(row * a.stride()), key
	}
	return "", ""
}

// Integer returns a whole number that a document holds as a scalar, and its place. Stan's data files hold
// sizes in this form.
func (d *Dataset) Integer(name string) (value int, where string, ok bool) {
	for _, h := range d.holders() {
		a, found := h.View.Array(name)
		if !h.View.Document || !found || len(a.Dims) != 0 || a.problem != "" {
			continue
		}
		if v, is := whole(column{h.View, a}.text(0)); !is.bad() {
			return int(v), place(h.View.Name, a.line), true
		}
	}
	return 0, "", false
}

// Sizes returns an error for every size that a document gives as something other than a whole number.
func (d *Dataset) Sizes(names []string) (list diag.List) {
	for _, h := range d.holders() {
		for _, name := range names {
			a, found := h.View.Array(name)
			if !h.View.Document || !found {
				continue
			}
			at := place(h.View.Name, a.line)
			if len(a.Dims) != 0 || a.problem != "" {
				fail(&list, diag.NotWhole, at,
					"%s is the size of an array, and so one whole number, but here it "+
						"is an array or an object", name)
				continue
			}
			text := column{h.View, a}.text(0)
			if _, is := natural(text); is.bad() {
				fail(&list, is.code, at,
					"%s is the size of an array, and so a whole number, 0 or more, but its value is %q: "+
						"correct it, or remove the entry where the lengths of arrays give the size", name,
					text)
			}
		}
	}
	return list
}

// Digest is the SHA-256 of a value in hexadecimal: type, sizes, numbers bit for bit, and categories. Two
// parties have the same value if the digests are equal.
func (b *BoundValue) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "vflc shared data v1 %s %v %q %d\n", b.Elem, b.Dims, b.Labels, b.Levels)
	var buffer []byte
	for part := range slices.Chunk(b.Values, 512) {
		buffer = buffer[:0]
		for _, v := range part {
			buffer = binary.LittleEndian.AppendUint64(buffer, math.Float64bits(v))
		}
		h.Write(buffer)
	}
	return hex.EncodeToString(h.Sum(nil))
}
