package data

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/vflc/vflc/lang/diag"
)

// DefaultKey is the key column that is used if none is named and every table has it.
const DefaultKey = "id"

// An Alignment is the row order that the parties agree on.
type Alignment struct {
	Key    string     // the column joined on; "": the rows correspond in the order of the files
	Rows   int        // how many
	Order  [][]uint32 // per table: the row of the table that comes i-th; nil: the order of the file
	Digest string     // SHA-256 of the order in hexadecimal: equal at all parties, each of which can compute it
}

// Align finds the row order of the parties' tables. With a key, rows come in the order of their keys: by value if all are whole
// numbers, else by bytes; every table must hold the same keys, each once. A single table is not joined on the default key, and
// keeps its order. Without a key, every CSV must have the same number of rows. A document is joined if it has an entry with the name of the key.
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

// defaultKey is "id" if every table has it and there are at least two to join; if only some have it, it reports a warning.
func defaultKey(tables []*Table, list *diag.List) string {
	var with, without []string
	for _, t := range tables {
		if _, ok := t.Array(DefaultKey); ok {
			with = append(with, t.Name)
		} else if !t.Document {
			without = append(without, t.Name)
		}
	}
	switch {
	case len(tables) < 2 || len(with) == 0:
		return ""
	case len(without) == 0:
		return DefaultKey
	}
	warn(list, diag.SomeKeys, place(without[0], 1), "%s without a column %s, and %s with one: rows are taken in the order of the files; add the column, or name another with --key",
		listed(without), DefaultKey, listed(with))
	return ""
}

// sameCounts is the alignment by file order.
func sameCounts(tables []*Table, list *diag.List) Alignment {
	a := Alignment{Order: make([][]uint32, len(tables))}
	var first *Table
	for _, t := range tables {
		switch {
		case t.Document:
		case first == nil:
			first, a.Rows = t, t.Rows
		case t.Rows != first.Rows:
			fail(list, diag.DifferentRows, place(t.Name, 1), "%s, but %s has %d; without a key the rows must correspond one to one: give every table a column %s, or name one with --key",
				count(t.Rows, "row"), first.Name, first.Rows, DefaultKey)
		}
	}
	a.Digest = digest("rows in file order", 1, func(dst []byte, _ int) []byte { return fmt.Append(dst, a.Rows) })
	return a
}

// joined is the alignment by key.
func joined(tables []*Table, key string, list *diag.List) Alignment {
	a := Alignment{Key: key, Order: make([][]uint32, len(tables))}
	first := &keys{}
	for i, t := range tables {
		k, ok := t.keys(key, list)
		switch {
		case !ok || k == nil:
		case first.table == nil:
			first, a.Order[i] = k, k.order
		case sameRows(first, k, key, list):
			a.Order[i] = k.order
		}
	}
	a.Rows, a.Digest = len(first.order), digest("rows by key", len(first.order), first.append)
	return a
}

// sameRows reports how many keys of two tables differ. It quotes none: whoever reads the message of one party is not to learn which rows another has.
func sameRows(t, u *keys, key string, list *diag.List) bool {
	if t.equal(u) {
		return true
	}
	var parts []string
	for _, side := range [][2]*keys{{t, u}, {u, t}} {
		if n := difference(side[0], side[1]); n > 0 {
			parts = append(parts, fmt.Sprintf("%s only in %s", count(n, "row"), side[0].table.Name))
		}
	}
	if len(parts) == 0 { // the same keys, one of which appears twice
		return true
	}
	fail(list, diag.DifferentRows, place(u.table.Name, 1), "column %s: the parties hold different rows: %s; keep the rows that all of them have", key, strings.Join(parts, " and "))
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
