package data

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// kept tells for each row of a table, in the order of the file, whether it stays: whether it has a value in every column of data that are declared with
// `missing drop`. nil: all stay.
type kept []bool

// has reports whether a row stays.
func (k kept) has(row uint32) bool { return k == nil || k[row] }

// some reports whether a table leaves out rows.
func some(keep []kept) bool {
	return slices.ContainsFunc(keep, func(k kept) bool { return k != nil })
}

// complete finds the rows of a table that stay, before the table is arranged. A document has no rows, so it may not have missing cells.
func (h *Holder) complete(wants []Want, list *diag.List) kept {
	b := binder{view: h.View, wants: h.wants(wants)}
	var out kept
	for _, w := range b.wants {
		if !w.Drop || w.Owner == OwnerShared && !b.has(w) {
			continue
		}
		names := b.named(w)
		if starred(b.source(w)) {
			names = append(names, b.rest()...)
		}
		for _, name := range names {
			a, ok := h.View.Array(name)
			if !ok || a.problem != "" {
				continue
			}
			gaps := a.gaps(w.Elem)
			if len(gaps) > 0 && h.View.Document {
				(column{h.View, a}).fail(list, issue{diag.MissingCell, "has missing values, and `missing drop` leaves out the rows of a table; give the data as CSV or Parquet, or without these"})
				continue
			}
			for _, i := range gaps {
				if out == nil {
					out = slices.Repeat(kept{true}, h.View.Rows)
				}
				out[i] = false
			}
		}
	}
	return out
}

// gaps lists the missing cells of an array. In a level, NaN is one.
func (a *Array) gaps(elem types.Elem) (out []int) {
	for i := range a.Len() {
		if a.Missing(i) || elem == types.Level && a.Words != nil && blankWord(a.Words[a.Codes[i]]) {
			out = append(out, i)
		}
	}
	return out
}

// dropInOrder leaves out rows of tables that correspond in the order of their files.
func (a *Alignment) dropInOrder(tables []*Table, keep []kept) {
	order := []uint32{}
	for row := range uint32(a.Rows) {
		if !slices.ContainsFunc(keep, func(k kept) bool { return !k.has(row) }) {
			order = append(order, row)
		}
	}
	a.Short = make([]int, len(tables))
	for i, t := range tables {
		for row := range a.Rows {
			if !keep[i].has(uint32(row)) {
				a.Short[i]++
			}
		}
		if !t.Document {
			a.Order[i] = order
		}
	}
	a.Left, a.Rows = a.Rows-len(order), len(order)
	a.Digest = digest("rows in file order, some left out", len(order), func(dst []byte, i int) []byte { return fmt.Append(dst, order[i]) })
}

// dropByKey leaves out the rows that a table does not keep at all tables that have their keys. all are the keys of the tables, of which those in joining are
// joined; nil: all.
func (a *Alignment) dropByKey(all, sorted []*keys, keep []kept, joining map[string]bool) {
	a.Short = make([]int, len(all))
	left := map[string]bool{}
	for i, k := range all {
		if k == nil {
			continue
		}
		for at, row := range k.order {
			if key := string(k.append(nil, at)); !keep[i].has(row) && (joining == nil || joining[key]) {
				a.Short[i]++
				left[key] = true
			}
		}
	}
	for i, k := range all {
		if k == nil {
			continue
		}
		in := map[string]bool{}
		for at := range k.order {
			if key := string(k.append(nil, at)); !left[key] && (joining == nil || joining[key]) {
				in[key] = true
			}
		}
		sorted[i], a.Order[i] = k.restricted(in)
	}
}

// dropAlone leaves out rows of a table that is joined with no other.
func (d *Dataset) dropAlone(h *Holder, wants []Want, list *diag.List) {
	keep := h.complete(wants, list)
	if keep == nil || list.HasErrors() {
		return
	}
	a := Alignment{Rows: h.View.Rows, Order: make([][]uint32, 1)}
	a.dropInOrder([]*Table{h.View.Table}, []kept{keep})
	if a.Rows == 0 {
		noneComplete(h.View.Table, list)
		return
	}
	h.View.arrange(a.Order[0], h.View.Rows)
	d.Joins = append(d.Joins, Join{Parties: []string{h.Party}, Key: RowOrder, Rows: a.Rows, Dropped: a.Left, Incomplete: a.Short, Digest: a.Digest})
}

func noneComplete(t *Table, list *diag.List) {
	fail(list, diag.EmptyTable, place(t.Name, 1), "every row has a missing cell at one party or another, so that `missing drop` leaves none")
}
