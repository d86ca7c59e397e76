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
)

// DefaultKey is the key column that is used if none is named and every table has it.
const DefaultKey = "id"

// RowOrder in place of a key joins rows by their order in the files.
const RowOrder = "none"

// A Joining is how rows of several tables are matched.
type Joining struct {
	Key string // the key column; "": the default key; RowOrder: the order of the files
	// Intersect keeps the rows whose key every table has. Otherwise it is an error if the tables hold
	// different rows.
	Intersect bool
	// Leave, where it is set, chooses the rows that are left out, in their agreed order: it is given the
	// sizes of the rows, the digest of their order where they have keys, and which of them have missing cells
	// of data that are declared with `missing drop`. These rows alone are left out where it is nil.
	Leave func(sizes []string, order string, incomplete []bool) []bool
	// Told, where it is set, is told the columns of the tables as they were read, also where their rows
	// cannot be joined.
	Told func([]Described)
	// Rows, where it is set, is told before anything is computed from them what tells the rows of each party
	// apart (RowNames). Errors end the run.
	Rows func(byParty map[string][]string) (diag.List, error)
}

// leaving is Leave for rows of these sizes.
func (j Joining) leaving(sizes []string) leaving {
	if j.Leave == nil {
		return nil
	}
	return func(order string, incomplete []bool) []bool { return j.Leave(sizes, order, incomplete) }
}

// leaving chooses the rows that are left out; nil: the incomplete ones.
type leaving func(order string, incomplete []bool) []bool

// An Alignment is the row order that the parties agree on.
type Alignment struct {
	Key   string     // the column joined on; "": the rows correspond in the order of the files
	Rows  int        // how many
	Order [][]uint32 // per table: the row of the table that comes i-th; nil: the order of the file
	Held  []int      // per table that has keys: its rows, of which Rows are joined
	Left  int        // rows left out since a table does not keep them
	// per table: the rows among those to be joined that it does not keep; nil: every table keeps all
	Short []int
	// SHA-256 of the order in hexadecimal: equal at all parties, each of which can compute it
	Digest string
}

// Align finds the row order of tables that hold the same rows. With a key, rows come in the order of their
// keys: by value if all are whole numbers, else by bytes; every table must hold the same keys, each once. A
// single table is not joined on the default key, and keeps its order. By row order, every CSV must have the
// same number of rows. A document is joined on a key if it has an entry of that name.
func Align(tables []*Table, j Joining) (Alignment, diag.List) {
	var list diag.List
	if j.Key == "" {
		j.Key = defaultKey(tables, nil, &list)
	}
	return align(tables, j, nil, nil, &list), list
}

// align is Align that leaves out the rows that one of the tables does not keep.
func align(tables []*Table, j Joining, keep []kept, leave leaving, list *diag.List) Alignment {
	switch {
	case list.HasErrors():
		return Alignment{Order: make([][]uint32, len(tables))}
	case j.Key == RowOrder || j.Key == "":
		return sameCounts(tables, keep, leave, list)
	}
	return joined(tables, j, keep, leave, list)
}

// defaultKey is "id" if every table has it and there are at least two to join, and row order where all are
// documents. Otherwise it is an error, which proposes a column that no declaration binds. bound are the
// columns that declarations bind.
func defaultKey(tables []*Table, bound map[string]bool, list *diag.List) string {
	var with, without []string
	documents := 0
	for _, t := range tables {
		_, ok := t.Array(DefaultKey)
		switch {
		case ok:
			with = append(with, t.Name)
		case t.Document:
			documents++
		default:
			without = append(without, t.Name)
		}
	}
	switch {
	case len(tables) < 2 || documents == len(tables):
		return ""
	case len(without) == 0:
		return DefaultKey
	}
	way := "; name a column that is unique in each with --key, or take the rows in the order " +
		"of the files with --key " + RowOrder
	if keys := keysOf(tables, bound); len(keys) > 0 {
		way = fmt.Sprintf("; write --key %s if that column names the rows (it is unique in each), or --key "+
			"%s to take the rows in the order of the files", keys[0], RowOrder)
	}
	if len(with) > 0 {
		fail(list, diag.SomeKeys, place(without[0], 1),
			"%s without a column %s, and %s with one: the rows of these tables correspond, "+
				"and nothing joins them%s", listed(without), DefaultKey, listed(with), way)
	} else {
		fail(list, diag.NoKey, place(without[0], 1),
			"no column %s: the rows of %s correspond, and nothing joins them%s", DefaultKey,
			tableNames(tables), way)
	}
	return ""
}

func tableNames(tables []*Table) string {
	var out []string
	for _, t := range tables {
		out = append(out, t.Name)
	}
	return listed(out)
}

// Keys lists the columns on which the rows of tables could be joined: every table has them, without a value
// that appears twice.
func Keys(tables []*Table) []string {
	if !slices.ContainsFunc(tables, func(t *Table) bool { return !t.Document }) {
		return nil
	}
	return keysOf(tables, nil)
}

// keysOf lists columns that every CSV has, without a value that appears twice, and that no declaration binds.
// There must be a CSV.
func keysOf(tables []*Table, bound map[string]bool) []string {
	var out []string
	for _, a := range tables[slices.IndexFunc(tables, func(t *Table) bool { return !t.Document })].Arrays {
		if bound[a.Name] {
			continue
		}
		if !slices.ContainsFunc(tables, func(t *Table) bool { return !t.Document && !t.unique(a.Name) }) {
			out = append(out, a.Name)
		}
	}
	return out
}

// unique reports whether a column looks like a key: no value appears twice, and numbers are whole.
func (t *Table) unique(name string) bool {
	a, ok := t.Array(name)
	if !ok {
		return false
	}
	var problems diag.List
	_, ok = t.keys(name, &problems)
	return ok && !slices.ContainsFunc(a.Numbers, func(v float64) bool { return v != math.Trunc(v) })
}

// sameCounts is the alignment by file order.
func sameCounts(tables []*Table, keep []kept, leave leaving, list *diag.List) Alignment {
	a := Alignment{Order: make([][]uint32, len(tables))}
	var first *Table
	for _, t := range tables {
		switch {
		case t.Document:
		case first == nil:
			first, a.Rows = t, t.Rows
		case t.Rows != first.Rows:
			fail(list, diag.DifferentRows, place(t.Name, 1),
				"%s, but %s has %d; without a key the rows must correspond one to one: give every table a "+
					"column %s, or name one with --key",
				grouped.Count(t.Rows, "row"), first.Name, first.Rows, DefaultKey)
		}
	}
	a.Digest = digest("rows in file order", 1, func(dst []byte, _ int) []byte {
		return fmt.Append(dst, a.Rows)
	})
	if (some(keep) || leave != nil) && !list.HasErrors() {
		a.dropInOrder(tables, keep, leave)
	}
	return a
}

// joined is the alignment by key.
func joined(tables []*Table, j Joining, keep []kept, leave leaving, list *diag.List) Alignment {
	a := Alignment{Key: j.Key, Order: make([][]uint32, len(tables))}
	sorted := make([]*keys, len(tables))
	for i, t := range tables {
		k, ok := t.keys(j.Key, list)
		if ok && k != nil {
			sorted[i], a.Order[i] = k, k.order
			a.Held = append(a.Held, len(k.order))
		}
	}
	all := slices.Clone(sorted)
	if j.Intersect && !list.HasErrors() {
		in := common(sorted)
		for i, k := range sorted {
			if k != nil {
				sorted[i], a.Order[i] = k.restricted(in)
			}
		}
	}
	first := &keys{}
	for i, k := range sorted {
		switch {
		case k == nil:
		case first.table == nil:
			first = k
		case !sameRows(first, k, j.Key, list):
			a.Order[i] = nil
		}
	}
	if (some(keep) || leave != nil && first.table != nil) && !list.HasErrors() {
		before := len(first.order)
		a.dropByKey(all, sorted, keep, leave)
		first = sorted[slices.IndexFunc(sorted, func(k *keys) bool { return k != nil })]
		a.Left = before - len(first.order)
	}
	a.Rows, a.Digest = len(first.order), digest("rows by key", len(first.order), first.append)
	if a.Rows == 0 && a.Left == 0 && len(a.Held) > 1 && !list.HasErrors() {
		fail(list, diag.DifferentRows, place(first.table.Name, 1),
			"column %s: the parties have no row in common", j.Key)
	}
	return a
}

// common returns the keys that every table has.
func common(tables []*keys) map[string]bool {
	var out map[string]bool
	for _, k := range tables {
		if k == nil {
			continue
		}
		next := map[string]bool{}
		for i := range k.order {
			if key := string(k.append(nil, i)); out == nil || out[key] {
				next[key] = true
			}
		}
		out = next
	}
	return out
}

// sameRows reports how many keys of two tables differ. It names none: a party learns nothing of the rows of
// another.
func sameRows(t, u *keys, key string, list *diag.List) bool {
	if t.equal(u) {
		return true
	}
	var parts []string
	for _, side := range [][2]*keys{{t, u}, {u, t}} {
		if n := difference(side[0], side[1]); n > 0 {
			parts = append(parts, fmt.Sprintf("%s only in %s", grouped.Count(n, "row"), side[0].table.Name))
		}
	}
	if len(parts) == 0 { // the same keys, one of which appears twice
		return true
	}
	fail(list, diag.DifferentRows, place(u.table.Name, 1),
		"column %s: the parties hold different rows: %s; keep the rows that all of them have (in a "+
			"simulation, --rows intersect)", key, strings.Join(parts, " and "))
	return false
}

// difference counts the keys of a that are not in b.
func difference(a, b *keys) (n int) {
	in := make(map[string]bool, len(b.order))
	for i := range b.order {
		in[string(b.append(nil, i))] = true
	}
	for i := range a.order {
		if !in[string(a.append(nil, i))] {
			n++
		}
	}
	return n
}

// digest hashes n texts with their lengths, so that no two lists of texts give the same bytes.
func digest(purpose string, n int, text func(dst []byte, i int) []byte) string {
	h := sha256.New()
	var buffer, one []byte
	write := func(text []byte) {
		buffer = binary.LittleEndian.AppendUint64(buffer, uint64(len(text)))
		buffer = append(buffer, text...)
		if len(buffer) > 1<<12 {
			h.Write(buffer)
			buffer = buffer[:0]
		}
	}
	write([]byte("vflc " + purpose))
	for i := range n {
		one = text(one[:0], i)
		write(one)
	}
	h.Write(buffer)
	return hex.EncodeToString(h.Sum(nil))
}
