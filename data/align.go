package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/diag"
)

// DefaultKey is the key column used without being asked for, if every table has it.
const DefaultKey = "id"

// An Alignment is the row order that the parties agree on.
type Alignment struct {
	Key    string   // the column joined on; "": the rows correspond in the order of the files
	Rows   int      // how many
	Order  [][]int  // per table: the row of the table that comes i-th; nil: the order of the file
	Digest string   // SHA-256 of the order in hexadecimal: equal at all parties, and computable by each alone
	Keys   []string // the keys in order; nil without a key
}

// Align finds the row order of the parties' tables. With a key, rows come in the order of their keys: by value if all are whole
// numbers, else by bytes; every table must hold the same keys, each once. The default key is not needed to read a single table, which
// keeps its order. Without a key, every CSV must have the same number of rows. A document takes part if it has an entry of the key's name.
func Align(tables []*Table, key string) (Alignment, diag.List) {
	var list diag.List
	if key == "" {
		key = defaultKey(tables, &list)
	}
	if key == "" || list.HasErrors() {
		return sameCounts(tables, &list), list
	}
	return joined(tables, key, &list), list
}

// defaultKey is "id" if every table has it and there are at least two to join; if only some have it, a warning says so.
func defaultKey(tables []*Table, list *diag.List) string {
	var with, without []string
	for _, t := range tables {
		if _, ok := t.Array(DefaultKey); ok {
			with = append(with, t.Name)
		} else if t.CSV {
			without = append(without, t.Name)
		}
	}
	switch {
	case len(tables) < 2 || len(with) == 0:
		return ""
	case len(without) == 0:
		return DefaultKey
	}
	warn(list, diag.SomeKeys, place(without[0], 1), "%s without a column %s, and %s with one: rows are taken in the order of the files; add the column, or name another by --key",
		listed(without), DefaultKey, listed(with))
	return ""
}

// sameCounts is the alignment by file order.
func sameCounts(tables []*Table, list *diag.List) Alignment {
	a := Alignment{Order: make([][]int, len(tables))}
	var first *Table
	for _, t := range tables {
		switch {
		case !t.CSV:
		case first == nil:
			first, a.Rows = t, t.Rows
		case t.Rows != first.Rows:
			fail(list, diag.DifferentRows, place(t.Name, 1), "%s, but %s has %d; without a key the rows must correspond one to one: give every table a column %s, or name one by --key",
				count(t.Rows, "row"), first.Name, first.Rows, DefaultKey)
		}
	}
	a.Digest = digest("rows in file order", []string{fmt.Sprint(a.Rows)})
	return a
}

// joined is the alignment by key.
func joined(tables []*Table, key string, list *diag.List) Alignment {
	a := Alignment{Key: key, Order: make([][]int, len(tables))}
	var first *Table
	for i, t := range tables {
		order, keys, ok := t.order(key, list)
		switch {
		case !ok || order == nil:
		case first == nil:
			first, a.Keys, a.Order[i] = t, keys, order
		case sameRows(first, a.Keys, t, keys, key, list):
			a.Order[i] = order
		}
	}
	a.Rows, a.Digest = len(a.Keys), digest("rows by key", a.Keys)
	return a
}

// order sorts a table by its key, and reports keys that are missing or stand twice. A document without the key has no order.
func (t *Table) order(key string, list *diag.List) (order []int, keys []string, ok bool) {
	k, found := t.Array(key)
	if !found && !t.CSV {
		return nil, nil, true
	}
	c, ok := View{Table: t}.find(key, list)
	if !ok {
		return nil, nil, false
	}
	if len(k.Dims) != 1 {
		c.fail(list, issue{diag.BadKey, "is " + shapeWords(k.Dims) + "; a key has one value per row"})
		return nil, nil, false
	}
	less := comparison(k.Cells)
	order = make([]int, len(k.Cells))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return less(k.Cells[i], k.Cells[j]) })
	keys = make([]string, len(order))
	for i, row := range order {
		keys[i] = k.Cells[row]
	}
	return order, keys, c.unique(order, less, list)
}

// unique reports keys that are empty or stand twice; equal keys are neighbours in the order.
func (c column) unique(order []int, compare func(a, b string) int, list *diag.List) bool {
	bad := faults{list: list, col: c}
	for i, row := range order {
		cell := c.array.Cells[row]
		if cell == "" {
			bad.add(row, issue{diag.BadKey, "is an empty key; every row needs one"})
		} else if i > 0 && compare(cell, c.array.Cells[order[i-1]]) == 0 {
			bad.add(row, issue{diag.BadKey, fmt.Sprintf("stands twice, first in line %d; a key names one row", c.array.lines[order[i-1]])})
		}
	}
	return bad.done()
}

// comparison orders keys: whole numbers by value, however many digits they have, anything else by bytes.
func comparison(keys []string) func(a, b string) int {
	values := make(map[string]*big.Int, len(keys))
	for _, k := range keys {
		v, ok := new(big.Int).SetString(k, 10)
		if !ok {
			return strings.Compare
		}
		values[k] = v
	}
	return func(a, b string) int { return values[a].Cmp(values[b]) }
}

// maxExamples is how many keys a message about different row sets quotes.
const maxExamples = 3

// sameRows reports how two sorted key lists differ.
func sameRows(t *Table, keys []string, u *Table, other []string, key string, list *diag.List) bool {
	onlyT, onlyU := difference(keys, other), difference(other, keys)
	if len(onlyT)+len(onlyU) == 0 {
		return true
	}
	var parts []string
	for _, side := range []struct {
		table *Table
		keys  []string
	}{{t, onlyT}, {u, onlyU}} {
		if n := len(side.keys); n > 0 {
			text := strings.Join(side.keys[:min(n, maxExamples)], ", ")
			if n > maxExamples {
				text += ", …"
			}
			parts = append(parts, fmt.Sprintf("%s only in %s (%s)", count(n, "row"), side.table.Name, text))
		}
	}
	fail(list, diag.DifferentRows, place(u.Name, 1), "column %s: the parties hold different rows: %s; keep the rows that all have", key, strings.Join(parts, " and "))
	return false
}

// difference lists what is in a and not in b, in the order of a.
func difference(a, b []string) []string {
	in := make(map[string]bool, len(b))
	for _, k := range b {
		in[k] = true
	}
	var out []string
	for _, k := range a {
		if !in[k] {
			out = append(out, k)
		}
	}
	return out
}

// digest hashes texts with their lengths, so that no two lists of texts give the same bytes.
func digest(purpose string, texts []string) string {
	h := sha256.New()
	write := func(s string) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	write("vflc " + purpose)
	for _, s := range texts {
		write(s)
	}
	return hex.EncodeToString(h.Sum(nil))
}
