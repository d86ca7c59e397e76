package graph

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// Rows with the same parameters, as those of one group under one treatment are, have a likelihood that needs
// few numbers of theirs: how many they are, their mean. It is written as one of groups of rows where there
// are few groups for the rows; groups are told apart by the data that the parameters are computed from.

// rowsPerSet is how many rows the average group has at least, and mostSets how many groups there are at
// most, of large data.
const (
	rowsPerSet = 4
	mostSets   = 1 << 18
)

// EachRow says that rows are not put together in groups: graphs of other rows must be alike.
func (b *Builder) EachRow() { b.eachRow = true }

// grouped is a builder whose likelihoods are written in groups of rows where that saves rows; b itself where
// it saves none. What is found out about parameters by where they are used is found out before.
func (b *Builder) grouped() *Builder {
	if b.plain || b.seldom || b.eachRow || len(b.likelihoods) == 0 {
		return b
	}
	c := *b
	c.nodes, c.shared, c.parts, c.together = slices.Clone(b.nodes), maps.Clone(b.shared), nil, true
	done := 0
	for _, l := range b.likelihoods {
		if b.nodes[l.x].kind != constant || l.weights != NoID {
			continue
		}
		c.parts, c.saved = append(c.parts, b.parts[done:l.first]...), false
		c.outer = true
		from := len(c.parts)
		if err := c.Density(l.term, l.dist, l.x, l.theta, l.weights, l.power); err != nil {
			panic("graph: " + err.Error()) // it was written before
		}
		if done = l.last; !c.saved {
			c.parts = append(c.parts[:from], b.parts[l.first:l.last]...)
		}
	}
	c.parts = append(c.parts, b.parts[done:]...)
	return &c
}

// collapse writes a density of data in groups of rows with the same parameters, or as the density of the rows
// that differ, each with how often it occurs for its weight. It returns n where neither saves rows, and
// reports whether the whole density has been written.
func (b *Builder) collapse(term string, n node) (node, bool) {
	x, d := b.nodes[n.in[0]], n.likely.dist
	several := func(id ID) bool { return b.nodes[id].shape.Len() > 1 }
	if b.together && len(x.shape) > 1 && !n.likely.weighted && !slices.ContainsFunc(n.in[1:], several) {
		n.in, n.links = b.flattened(x.shape, n.in), nil
		if err := inferDensity(b, &n); err != nil {
			panic("graph: " + err.Error())
		}
		x = b.nodes[n.in[0]]
	}
	if !b.together || n.likely.weighted || x.kind != constant || len(x.shape) != 1 || x.shape[0] <= fewRows ||
		!b.inside(&n) {
		return n, false
	}
	switch {
	case d.Rows == def.NormalRows:
		b.saved = b.reduce(term, &n)
		return n, b.saved
	case !d.Discrete && d.Grouped == nil:
		return n, false
	}
	columns, ok := b.rowData(x.shape, n.in[1:]...)
	if !ok {
		return n, false
	}
	most := x.shape[0] / rowsPerSet
	g := groupsOf(columns, x.shape[0], most)
	if g != nil && d.Grouped != nil && b.inGroups(term, &n, g) {
		b.saved = true
		return n, true
	}
	if g != nil && d.Discrete {
		g = g.divided(x.values, most)
	}
	if g == nil || !d.Discrete {
		return n, false
	}
	b.saved = true
	out := n
	out.in = b.pickAll(n.in, g)
	likely := *n.likely
	likely.weighted = true
	out.likely, out.links = &likely, nil
	out.in = append(out.in, b.Const("times", Shape{len(g.first)}, g.count))
	if err := inferDensity(b, &out); err != nil {
		panic("graph: " + err.Error())
	}
	return out, false
}

// rowData is the data by which the rows of values differ; it reports false where they differ by others.
func (b *Builder) rowData(shape Shape, ids ...ID) ([][]float64, bool) {
	r := &rowReader{b, shape, map[ID]bool{}, nil}
	for _, id := range ids {
		if !r.read(id) {
			return nil, false
		}
	}
	return r.columns, true
}

// A rowReader collects columns of data, each once.
type rowReader struct {
	*Builder
	shape   Shape
	known   map[ID]bool // whether the rows of a value differ by these alone
	columns [][]float64
}

func (r *rowReader) read(id ID) bool {
	if ok, known := r.known[id]; known {
		return ok
	}
	n := &r.nodes[id]
	reads, ok := n.in, true
	switch {
	case n.shape.Len() == 1:
		reads = nil
	case n.kind == constant && n.shape.rows() == r.shape[0]:
		for j := range n.shape.cols() {
			r.columns = append(r.columns, n.values[j*r.shape[0]:][:r.shape[0]])
		}
	case !n.shape.equal(r.shape) || r.isOutput(id) || n.op == nil:
		ok = false
	case n.op == opGather:
		reads = n.in[1:]
	case n.op == opMatMul && r.nodes[n.in[0]].kind == constant:
		reads = n.in[:1]
	default:
		ok = n.op.elements
	}
	for _, p := range reads {
		ok = ok && r.read(p)
	}
	r.known[id] = ok
	return ok
}

// groups are sets of rows: of each row its group, nil where there is one, and of each group its first row and
// how many it has.
type groups struct {
	rows  int
	of    []int32
	first []int
	count []float64
}

func oneGroup(rows int) *groups {
	return &groups{rows: rows, first: []int{0}, count: []float64{float64(rows)}}
}

// groupsOf puts rows together that are the same in all columns, in the order of these; nil where that makes
// more groups than most.
func groupsOf(columns [][]float64, rows, most int) *groups {
	g := oneGroup(rows)
	for _, c := range columns {
		if g = g.divided(c, most); g == nil {
			return nil
		}
	}
	g.sort(columns)
	return g
}

// at is the group of a row.
func (g *groups) at(row int) int32 {
	if g.of == nil {
		return 0
	}
	return g.of[row]
}

// divided divides groups by a column; nil where there are too many then.
func (g *groups) divided(column []float64, most int) *groups {
	type key struct {
		group int32
		bits  uint64
	}
	out, found := &groups{rows: g.rows}, map[key]int32{}
	for i, v := range column {
		at := key{g.at(i), math.Float64bits(v)}
		k, known := found[at]
		if !known {
			k = int32(len(out.first))
			if len(out.first) >= min(most, mostSets) {
				return nil
			}
			found[at] = k
			out.first, out.count = append(out.first, i), append(out.count, 0)
		}
		out.of = append(out.of, k)
		out.count[k]++
	}
	return out
}

// sort puts groups in the order of their columns: a value looked up by level is then often the table.
func (g *groups) sort(columns [][]float64) {
	order := make([]int32, len(g.first))
	for k := range order {
		order[k] = int32(k)
	}
	slices.SortStableFunc(order, func(k, m int32) int {
		for _, c := range columns {
			if by := cmp.Compare(c[g.first[k]], c[g.first[m]]); by != 0 {
				return by
			}
		}
		return 0
	})
	at := make([]int32, len(order))
	for k, from := range order {
		at[from] = int32(k)
	}
	g.first, g.count = permuted(g.first, order), permuted(g.count, order)
	for i, k := range g.of {
		g.of[i] = at[k]
	}
}

// each calls do with the rows of one group after another, at most some at a time.
func (g *groups) each(some int, do func(group int, rows []int32)) {
	all, next := make([]int32, min(some, g.rows)), 0
	if g.of != nil {
		all = make([]int32, g.rows)
		ends := make([]int, len(g.count))
		for k, n := range g.count {
			ends[k], next = next, next+int(n)
		}
		for i, k := range g.of {
			all[ends[k]] = int32(i)
			ends[k]++
		}
	}
	next = 0
	for k, n := range g.count {
		for end := next + int(n); next < end; {
			rows := min(some, end-next)
			if g.of != nil {
				do(k, all[next:][:rows])
			} else {
				for i := range rows {
					all[i] = int32(next + i)
				}
				do(k, all[:rows])
			}
			next += rows
		}
	}
}

// pickAll takes one row of each group.
func (b *Builder) pickAll(in []ID, g *groups) []ID {
	p := picking{b, map[ID]ID{}, Shape{g.rows}, g.first}
	out := slices.Clone(in)
	for k, id := range in {
		out[k] = p.of(id)
	}
	return out
}

// inGroups writes a density by what it needs of the values of each group. It reports false where that is not
// finite.
func (b *Builder) inGroups(term string, n *node, g *groups) bool {
	form := n.likely.dist.Grouped
	rest, finite := make([][]float64, len(form.Rest)), true
	var ones []float64
	keep := func(list *[]float64, v float64) {
		*list, finite = append(*list, v), finite && v-v == 0
	}
	values := b.nodes[n.in[0]].values
	g.each(g.rows, func(_ int, rows []int32) {
		x := permuted(values, rows)
		one := form.One(x)
		keep(&ones, one)
		for k, r := range form.Rest {
			keep(&rest[k], r.Of(x, one))
		}
	})
	if !finite {
		return false
	}
	shape := Shape{len(g.first)}
	e := &expanding{b, term, n.power, shape, shape[0], false}
	column := func(v []float64) def.Value { return def.Value(b.Const("", shape, v)) }
	var theta []def.Value
	for _, id := range b.pickAll(n.in[1:], g) {
		theta = append(theta, def.Value(id))
	}
	one := column(ones)
	b.together = false // groups are no rows
	form.Write(e, one, column(g.count), theta)
	b.together = true
	for k, r := range form.Rest {
		e.Sum(e.Mul(column(rest[k]), r.By(e, one, theta)), 1)
	}
	return true
}
