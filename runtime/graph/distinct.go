package graph

import (
	"encoding/binary"
	"math"
	"slices"
)

// distinct is a density of data whose parameters are data too or one number each, written as that of the
// rows that differ, each with how often it occurs for its weight: counts take few values. Where most rows
// differ it is left as it is.
func (b *Builder) distinct(n node) node {
	x, d := b.nodes[n.in[0]], n.likely.dist
	if b.plain || b.seldom || !d.Discrete || n.likely.weighted || x.kind != constant || len(x.shape) != 1 ||
		x.shape[0] <= fewRows {
		return n
	}
	columns := [][]float64{x.values}
	place := []int{0} // of the inputs that are columns
	for k, id := range n.in[1:] {
		switch p := &b.nodes[id]; {
		case p.shape.Len() == 1:
		case p.kind == constant && p.shape.equal(x.shape):
			columns, place = append(columns, p.values), append(place, k+1)
		default:
			return n
		}
	}
	rows, times := distinctRows(columns)
	if rows == nil {
		return n
	}
	out := n
	out.in = slices.Clone(n.in)
	for c, k := range place {
		v := make([]float64, len(rows))
		for i, row := range rows {
			v[i] = columns[c][row]
		}
		out.in[k] = b.Const(b.nodes[n.in[k]].name, Shape{len(rows)}, v)
	}
	likely := *n.likely
	likely.weighted = true
	out.likely, out.links = &likely, nil
	out.in = append(out.in, b.Const("times", Shape{len(rows)}, times))
	if err := inferDensity(b, &out); err != nil {
		panic("graph: " + err.Error())
	}
	return out
}

// distinctRows lists the first rows of each kind, and how often it occurs; nil where there are more than a
// quarter as many kinds as rows.
func distinctRows(columns [][]float64) (first []int, times []float64) {
	n := len(columns[0])
	kinds, key := map[string]int{}, make([]byte, 8*len(columns))
	for i := range n {
		for c, v := range columns {
			binary.LittleEndian.PutUint64(key[8*c:], math.Float64bits(v[i]))
		}
		k, seen := kinds[string(key)]
		if !seen {
			k = len(first)
			if 4*(k+1) > n {
				return nil, nil
			}
			kinds[string(key)], first, times = k, append(first, i), append(times, 0)
		}
		times[k]++
	}
	return first, times
}
