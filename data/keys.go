package data

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/diag"
)

// keys are the key column of a table, sorted: whole numbers by value, however many digits they have, anything
// else by bytes.
type keys struct {
	table *Table
	order []uint32 // order[i] is the row that comes i-th
	// numbers or texts are the keys in the order of the file.
	numbers []float64
	texts   []string
}

// keys sorts a table by its key, and reports keys that are missing or appear twice. It is nil for a document
// without the key.
func (t *Table) keys(key string, list *diag.List) (*keys, bool) {
	a, found := t.Array(key)
	if !found && t.Document {
		return nil, true
	}
	c, ok := View{Table: t}.find(key, list)
	if !ok {
		return nil, false
	}
	if len(a.Dims) != 1 {
		c.fail(list, issue{diag.BadKey, "is " + shapeWords(a.Dims) + "; a key has one value per row"})
		return nil, false
	}
	k := &keys{table: t, order: make([]uint32, a.Len()), numbers: a.Numbers}
	if !a.serial {
		texts, err := c.texts()
		if err != nil {
			fail(list, diag.Unreadable, t.Name, "%v", err)
			return nil, false
		}
		k.numbers, k.texts = nil, texts
	}
	for i := range k.order {
		k.order[i] = uint32(i)
	}
	s := k.sorter()
	s.sort(k.order)
	return k, c.unique(k, s, list)
}

// append appends the i-th key in order.
func (k *keys) append(dst []byte, i int) []byte {
	if k.texts != nil {
		return append(dst, k.texts[k.order[i]]...)
	}
	return strconv.AppendInt(dst, int64(k.numbers[k.order[i]]), 10)
}

// restricted returns the keys that are in a set, in their own order, and the rows of the table that have
// them.
func (k *keys) restricted(in map[string]bool) (*keys, []uint32) {
	out, rows := &keys{table: k.table}, []uint32{}
	for i, row := range k.order {
		if !in[string(k.append(nil, i))] {
			continue
		}
		out.order, rows = append(out.order, uint32(len(rows))), append(rows, row)
		if k.texts != nil {
			out.texts = append(out.texts, k.texts[row])
		} else {
			out.numbers = append(out.numbers, k.numbers[row])
		}
	}
	if len(rows) > 0 {
		out.sorter().sort(out.order)
	}
	order := make([]uint32, len(rows))
	for i, at := range out.order {
		order[i] = rows[at]
	}
	return out, order
}

// equal reports whether two tables have the same keys, as they are written.
func (k *keys) equal(other *keys) bool {
	if len(k.order) != len(other.order) {
		return false
	}
	var a, b []byte
	for i := range k.order {
		a, b = k.append(a[:0], i), other.append(b[:0], i)
		if string(a) != string(b) {
			return false
		}
	}
	return true
}

// unique reports keys that are empty or appear twice, in the order of the keys, where equal ones are
// adjacent.
func (c column) unique(k *keys, s sorter, list *diag.List) bool {
	bad := faults{list: list, col: c}
	for i, row := range k.order {
		is := k.issue(c, s, i)
		switch {
		case !is.bad():
		case bad.count == 0:
			bad.add(int(row), is)
		default:
			bad.count++
		}
	}
	return bad.done()
}

// issue returns the error in the i-th key in order.
func (k *keys) issue(c column, s sorter, i int) issue {
	row := k.order[i]
	switch {
	case k.texts != nil && k.texts[row] == "":
		return issue{diag.BadKey, "is an empty key; every row needs one"}
	case i > 0 && s.compare(row, k.order[i-1]) == 0:
		return issue{diag.BadKey, fmt.Sprintf("appears twice, first in line %d; a key must name one row",
			c.lineNumber(int(k.order[i-1])))}
	}
	return issue{}
}

// A sorter compares rows by an integer that has the order of the keys, and rows with equal integers by tie,
// which is nil if their keys are equal.
type sorter struct {
	rank []uint64
	tie  func(a, b uint32) int
}

func (s sorter) compare(a, b uint32) int {
	if c := cmp.Compare(s.rank[a], s.rank[b]); c != 0 || s.tie == nil {
		return c
	}
	return s.tie(a, b)
}

// sort sorts rows that are in the order of the file; rows with equal keys keep it.
func (s sorter) sort(order []uint32) {
	if slices.IsSortedFunc(order, s.compare) {
		return
	}
	type entry struct {
		rank uint64
		row  uint32
	}
	entries := make([]entry, len(order))
	for i, row := range order {
		entries[i] = entry{s.rank[row], row}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		c := cmp.Compare(a.rank, b.rank)
		if c == 0 && s.tie != nil {
			c = s.tie(a.row, b.row)
		}
		return cmp.Or(c, cmp.Compare(a.row, b.row))
	})
	for i, e := range entries {
		order[i] = e.row
	}
}

// ofInteger maps a signed number to an unsigned one of the same order.
func ofInteger(v int64) uint64 { return uint64(v) ^ 1<<63 }

func (k *keys) sorter() sorter {
	s := sorter{rank: make([]uint64, len(k.order))}
	if k.texts == nil {
		for i, v := range k.numbers {
			s.rank[i] = ofInteger(int64(v))
		}
		return s
	}
	if k.integers(s.rank) {
		return s
	}
	if values := k.bigIntegers(); values != nil {
		clear(s.rank)
		s.tie = func(a, b uint32) int { return values[a].Cmp(values[b]) }
		return s
	}
	for i, text := range k.texts {
		var prefix [8]byte
		copy(prefix[:], text)
		s.rank[i] = binary.BigEndian.Uint64(prefix[:])
	}
	s.tie = func(a, b uint32) int { return strings.Compare(k.texts[a], k.texts[b]) }
	return s
}

// integers ranks the keys if all are whole numbers of at most 64 bits.
func (k *keys) integers(rank []uint64) bool {
	for i, text := range k.texts {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return false
		}
		rank[i] = ofInteger(v)
	}
	return true
}

// bigIntegers returns the values of the keys if all are whole numbers, else nil.
func (k *keys) bigIntegers() []*big.Int {
	values := make([]*big.Int, len(k.texts))
	for i, text := range k.texts {
		v, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return nil
		}
		values[i] = v
	}
	return values
}
