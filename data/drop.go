package data

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// kept tells for each row of a table, in the order of the file, whether it stays: whether it has a value in
// every column of data that are declared with `missing drop`. nil: all stay.
type kept []bool

// has reports whether a row stays.
func (k kept) has(row uint32) bool { return k == nil || k[row] }

// some reports whether a table leaves out rows.
func some(keep []kept) bool {
	return slices.ContainsFunc(keep, func(k kept) bool { return k != nil })
}

// complete finds the rows of a table that stay, before the table is arranged. A document has no rows, so it
// may not have missing cells.
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
				(column{h.View, a}).fail(list,
					issue{diag.MissingCell,
						"has missing values, and `missing drop` leaves out the rows of a table; give the " +
							"data as CSV or Parquet, or without these"})
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
func (a *Alignment) dropInOrder(tables []*Table, keep []kept, leave leaving) {
	incomplete, short := make([]bool, a.Rows), make([]int, len(tables))
	for i := range tables {
		for row := range a.Rows {
			if !keep[i].has(uint32(row)) {
				short[i]++
				incomplete[row] = true
			}
		}
	}
	if leave != nil {
		if incomplete = leave("", incomplete); !slices.Contains(incomplete, true) {
			return
		}
	}
	order := []uint32{}
	for row, left := range incomplete {
		if !left {
			order = append(order, uint32(row))
		}
	}
	a.Short = short
	for i, t := range tables {
		if !t.Document {
			a.Order[i] = order
		}
	}
	a.Left, a.Rows = a.Rows-len(order), len(order)
	a.Digest = digest("rows in file order, some left out", len(order), func(dst []byte, i int) []byte {
		return fmt.Append(dst, order[i])
	})
}

// dropByKey leaves out the rows that a table does not keep at all tables that have their keys. all are the
// keys of the tables, of which sorted are those that are joined.
func (a *Alignment) dropByKey(all, sorted []*keys, keep []kept, leave leaving) {
	first := sorted[slices.IndexFunc(sorted, func(k *keys) bool { return k != nil })]
	at, incomplete, short := make(map[string]int, len(first.order)), make([]bool, len(first.order)),
		make([]int, len(all))
	for i := range first.order {
		at[string(first.append(nil, i))] = i
	}
	for i, k := range all {
		if k == nil {
			continue
		}
		for j, row := range k.order {
			if keep[i].has(row) {
				continue
			}
			if place, joined := at[string(k.append(nil, j))]; joined {
				short[i]++
				incomplete[place] = true
			}
		}
	}
	if leave != nil {
		if incomplete = leave(digest("rows by key", len(first.order), first.append),
			incomplete); !slices.Contains(incomplete, true) {
			return
		}
	}
	a.Short = short
	for i, k := range all {
		if k == nil {
			continue
		}
		in := map[string]bool{}
		for j := range k.order {
			key := string(k.append(nil, j))
			if place, joined := at[key]; joined && !incomplete[place] {
				in[key] = true
			}
		}
		sorted[i], a.Order[i] = k.restricted(in)
	}
}

// dropAlone leaves out rows of a table that is joined with no other.
func (d *Dataset) dropAlone(h *Holder, wants []Want, j Joining, list *diag.List) {
	keep := h.complete(wants, list)
	sizes, _ := h.rowSizes(wants)
	leave := j.leaving(sizes)
	if h.View.Document || len(sizes) == 0 {
		leave = nil // nothing tells which rows these are
	}
	if keep == nil && leave == nil || list.HasErrors() {
		return
	}
	a := Alignment{Rows: h.View.Rows, Order: make([][]uint32, 1)}
	if a.dropInOrder([]*Table{h.View.Table}, []kept{keep}, leave); a.Short == nil {
		return
	}
	if a.Rows == 0 {
		noneComplete(h.View.Table, list)
		return
	}
	h.View.arrange(a.Order[0], h.View.Rows)
	d.Joins = append(d.Joins, Join{Parties: []string{h.Party}, Key: RowOrder, Rows: a.Rows, Dropped: a.Left,
		Incomplete: a.Short, Digest: a.Digest})
}

func noneComplete(t *Table, list *diag.List) {
	fail(list, diag.EmptyTable, place(t.Name, 1),
		"every row has a missing cell at one party or another, so that `missing drop` leaves none")
}
