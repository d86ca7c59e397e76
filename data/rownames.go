package data

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// RowNames lists what tells the rows of a party's table apart, in the order of the run: the texts of the key,
// or where there is none the values that a row has in the party's bindings, which is no text to be shown. It
// is empty where the party has no data by rows.
func (d *Dataset) RowNames(own Bindings) []string {
	for _, h := range d.Parties {
		if k, ok := h.View.Array(h.View.Key); ok && len(k.Dims) == 1 {
			out := make([]string, k.Len())
			for row := range out {
				out[row] = column{h.View, k}.text(row)
			}
			return out
		}
	}
	var rows [][]byte
	for _, name := range slices.Sorted(maps.Keys(own)) {
		b := own[name]
		if !b.ByRow || len(b.Dims) == 0 || b.Dims[0] == 0 || rows != nil && len(rows) != b.Dims[0] {
			continue
		}
		if rows == nil {
			rows = make([][]byte, b.Dims[0])
		}
		for at, v := range b.Values {
			row := &rows[at%b.Dims[0]]
			*row = binary.LittleEndian.AppendUint64(*row, math.Float64bits(v))
		}
	}
	out := make([]string, len(rows))
	for k, r := range rows {
		out[k] = string(r)
	}
	return out
}

// AllRowNames are, by party, what RowNames gives each for itself, with its own table alone.
func (d *Dataset) AllRowNames(values map[string]Bindings) map[string][]string {
	out := map[string][]string{}
	for _, h := range d.Parties {
		out[h.Party] = (&Dataset{Parties: []Holder{h}}).RowNames(values[h.Party])
	}
	return out
}

// SmallestCell is the number of rows of the category with the fewest, of a level made from categories or a
// matrix of factors; ok is false where the data are neither.
func (b *BoundValue) SmallestCell() (rows int, ok bool) {
	if len(b.Dims) == 0 {
		return 0, false
	}
	if b.Labels != nil {
		counts := make([]int, len(b.Labels))
		for _, v := range b.Values {
			if k := int(v); k >= 1 && k <= len(counts) {
				counts[k-1]++
			}
		}
		return slices.Min(append(counts, len(b.Values))), true
	}
	n := b.Dims[0]
	rows = n
	for c := 0; n > 0 && (c+1)*n <= len(b.Values); c++ {
		ones, other := 0, false
		for _, v := range b.Values[c*n:][:n] {
			switch v {
			case 1:
				ones++
			case 0:
			default:
				other = true
			}
		}
		if !other { // a column of two values: a category, or what is left beside it
			rows, ok = min(rows, ones, n-ones), true
		}
	}
	return rows, ok
}
