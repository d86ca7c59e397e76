package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/diag"
)

// A Join is a set of tables whose rows correspond, since declarations give them a size in common.
type Join struct {
	Parties []string
	Key     string // the column joined on; "none": the order of the files
	Rows    int
	Held    []int // the rows of each table, where rows that not all tables have were left out
	// Dropped counts the rows that `missing drop` left out, and Incomplete those among them in which a party
	// has a missing cell, by party.
	Dropped    int
	Incomplete []int
	Digest     string // see Alignment
}

// String describes the join to a user: "569 rows joined on id".
func (j Join) String() string { return j.joined() + j.dropped() }

// dropped tells how many rows were left out, and which party had missing cells in how many; not in which.
func (j Join) dropped() string {
	if j.Dropped == 0 {
		return ""
	}
	var parts []string
	for i, n := range j.Incomplete {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s", j.Parties[i], grouped.Digits(n)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"at other parties"}
	}
	return fmt.Sprintf("; missing drop left out %s (missing cells: %s)", grouped.Count(j.Dropped, "row"),
		strings.Join(parts, ", "))
}

func (j Join) joined() string {
	rows := grouped.Digits(j.Rows)
	if j.Held != nil {
		held := make([]string, len(j.Held))
		for i, n := range j.Held {
			held[i] = grouped.Digits(n)
		}
		rows += " of " + strings.Join(held, ", ")
	}
	if j.Rows == 1 && j.Held == nil {
		rows += " row"
	} else {
		rows += " rows"
	}
	switch {
	case j.Key == RowOrder && len(j.Parties) == 1:
		return rows + " of " + j.Parties[0]
	case j.Key == RowOrder:
		return rows + " joined by their order in the files"
	}
	return rows + " joined on " + j.Key
}

// A rowSet is tables that have a size of rows in common.
type rowSet struct {
	sizes   []string
	holders []*Holder
	dims    []int // of each table: the length of its arrays of the size, 0 for a table of columns
}

// rowSets finds the tables whose rows correspond: those that hold data with the same size of rows, directly
// or through a third. A size that members of a family have for themselves joins nothing. All columns of a
// table have the same rows; the entries of a document need not.
func rowSets(holders []*Holder, wants []Want) []rowSet {
	var out []rowSet
	for _, h := range holders {
		sizes, dims := h.rowSizes(wants)
		switch {
		case len(sizes) == 0:
		case h.View.Document:
			for i, s := range sizes {
				out = merged(out, rowSet{[]string{s}, []*Holder{h}, dims[i : i+1]})
			}
		default:
			out = merged(out, rowSet{sizes, []*Holder{h}, []int{0}})
		}
	}
	return out
}

// merged adds a set, and joins those that share a size with it.
func merged(sets []rowSet, s rowSet) []rowSet {
	var out []rowSet
	at := -1
	for _, old := range sets {
		if !slices.ContainsFunc(old.sizes, func(size string) bool { return slices.Contains(s.sizes, size) }) {
			out = append(out, old)
			continue
		}
		s = rowSet{append(old.sizes, s.sizes...), append(old.holders, s.holders...),
			append(old.dims, s.dims...)}
		if at < 0 {
			at = len(out)
			out = append(out, s)
		}
		out[at] = s
	}
	if at < 0 {
		out = append(out, s)
	}
	return out
}

// rowSizes lists the sizes of rows of the data in a table, and the lengths of their arrays.
func (h *Holder) rowSizes(wants []Want) (sizes []string, dims []int) {
	b := binder{view: h.View, wants: h.wants(wants)}
	for _, w := range b.wants {
		if w.Rank == 0 || w.Rows.Own || w.Rows.Name == "" || slices.Contains(sizes, w.Rows.Name) ||
			w.Owner == OwnerShared && !b.has(w) {
			continue
		}
		n := 0
		if names := b.named(w); len(names) > 0 {
			if a, ok := h.View.Array(names[0]); ok && len(a.Dims) > 0 {
				n = a.Dims[0]
			}
		}
		sizes, dims = append(sizes, w.Rows.Name), append(dims, n)
	}
	return sizes, dims
}

// join brings the rows of all tables into the orders that the parties agree on. Only the tables of one row
// set are joined. A key that is named orders also a party's table that is the only one, or has no rows in
// common with the table of shared data beside it.
func (d *Dataset) join(wants []Want, j Joining, list *diag.List) {
	all := d.holders()
	for _, h := range all {
		h.View.Key = h.keyColumn(j.Key)
	}
	alone := (len(d.Parties) == 1 || len(all) == 1) && j.Key != "" && j.Key != RowOrder
	together := map[*Holder]bool{}
	for _, s := range rowSets(all, wants) {
		if len(s.holders) < 2 {
			continue
		}
		for _, h := range s.holders {
			together[h] = true
		}
		set := j
		if set.Key == "" || set.Key != RowOrder && !s.has(set.Key) && d.has(set.Key) {
			set.Key = defaultKey(s.tables(), boundColumns(s.holders, wants), list)
		}
		d.joinSet(s, wants, set, list)
	}
	for _, h := range all {
		switch {
		case together[h]:
		case alone && (h.Party != OwnerShared || len(all) == 1):
			sizes, _ := h.rowSizes(wants)
			d.joinSet(rowSet{sizes: sizes, holders: []*Holder{h}, dims: []int{0}}, wants, j, list)
		default:
			d.dropAlone(h, wants, j, list)
		}
	}
}

// has reports whether a table of the set has a column.
func (s rowSet) has(name string) bool {
	return slices.ContainsFunc(s.holders, func(h *Holder) bool { _, ok := h.View.Array(name); return ok })
}

func (d *Dataset) has(name string) bool { return rowSet{holders: d.holders()}.has(name) }

// keyColumn is the column of a table that names its rows, and so is no covariate: the named one, else the
// default one, else "".
func (h *Holder) keyColumn(named string) string {
	for _, name := range []string{named, DefaultKey} {
		if _, ok := h.View.Array(name); ok && name != RowOrder {
			return name
		}
	}
	return ""
}

func (s rowSet) tables() []*Table {
	out := make([]*Table, len(s.holders))
	for i, h := range s.holders {
		out[i] = h.View.Table
	}
	return out
}

// boundColumns returns the columns that declarations name.
func boundColumns(holders []*Holder, wants []Want) map[string]bool {
	out := map[string]bool{}
	for _, h := range holders {
		b := binder{view: h.View, wants: h.wants(wants)}
		for _, w := range b.wants {
			for _, name := range b.named(w) {
				out[name] = true
			}
		}
	}
	return out
}

// joinSet aligns the tables of a row set.
func (d *Dataset) joinSet(s rowSet, wants []Want, j Joining, list *diag.List) {
	tables := s.tables()
	var keep []kept
	for _, h := range s.holders {
		keep = append(keep, h.complete(wants, list))
	}
	a := align(tables, j, keep, j.leaving(s.sizes), list)
	if a.Short != nil && a.Rows == 0 {
		noneComplete(tables[0], list)
	}
	if list.HasErrors() {
		return
	}
	out := Join{Key: a.Key, Rows: a.Rows, Digest: a.Digest, Incomplete: a.Short, Dropped: a.Left}
	for i, h := range s.holders {
		out.Parties = append(out.Parties, h.Party)
		switch {
		case a.Key == "" && a.Short != nil && h.View.Document:
			fail(list, diag.DifferentRows, place(h.View.Name, 1),
				"`missing drop` leaves out %s of the rows, but this document has no key by which to leave "+
					"them out; give it a key, or its rows as CSV", grouped.Digits(a.Left))
		case a.Key == "":
			out.Rows = max(out.Rows, s.dims[i])
			if a.Order[i] != nil {
				h.View.arrange(a.Order[i], h.View.Rows)
			}
		case a.Order[i] == nil:
			h.View.Key, h.View.apart = a.Key, s.dims[i]
		case h.View.order != nil || h.View.Document && h.View.Rows > 0:
			fail(list, diag.BadKey, place(h.View.Name, 1),
				"the document has rows of several sizes that are joined with other tables; give "+
					"them in files of their own")
		default:
			h.View.Key = a.Key
			key, _ := h.View.Array(a.Key)
			h.View.arrange(a.Order[i], key.Dims[0])
		}
	}
	if a.Key == "" {
		out.Key = RowOrder
	}
	if j.Intersect && a.Key != "" {
		out.Held = a.Held
	}
	d.Joins = append(d.Joins, out)
}

// FileRow returns the row of a party's file that comes i-th among the rows that the parties joined.
func (d *Dataset) FileRow(party string, i int) int {
	for _, h := range d.holders() {
		if h.Party == party && h.View.order != nil {
			return int(h.View.order[i])
		}
	}
	return i
}

// Joined lists what is particular about the files, and how rows were joined, a line per set of tables.
func (d *Dataset) Joined() []string {
	out := slices.Clone(d.formats)
	for _, j := range d.Joins {
		text := j.String()
		if len(d.Joins) > 1 {
			text = fmt.Sprintf("%s: %s", strings.Join(j.Parties, ", "), text)
		}
		out = append(out, text)
	}
	return out
}
