package graph

import (
	"slices"

	"github.com/vflc/vflc/runtime/vector"
)

// Variants are the data of graphs that are alike in everything else, such as those of one program over
// different rows. One Exec evaluates all of them in turn: its arrays and steps stay in the caches, and what
// differs is read from front to back.
type Variants struct {
	of     *Graph
	all    []variant
	packed bool
	// What differs between variants; the rest is in of.
	constants []ID
	numbers   int // of each: the constants, then reciprocals of scales
	positions int // of all gathers
}

// A variant is the data of one graph: by node until they are packed. Arrays stay where the graph has them.
type variant struct {
	nodes   []nodeData
	numbers [][]float64
	index   [][]int32
	parts   []float64
	runs    [][][]vector.Segment // of the nodes that have them
	counted []*histogram
	signs   [][]int8
	decimal []vector.Decimals
}

// nodeData is what data determine of a node. Values are nil where they are those of the first graph.
type nodeData struct {
	values  []float64
	inverse []float64
	index   []int32
	runs    [][]vector.Segment
	counted *histogram
	signs   []int8
	decimal vector.Decimals
}

// NewVariants begins with the data of a graph, variant 0.
func NewVariants(of *Graph) *Variants {
	v := &Variants{of: of}
	v.Add(of)
	return v
}

// Has reports whether a graph differs from the first in its data alone.
func (v *Variants) Has(g *Graph) bool { return v.of.alike(g) }

// Len is the number of variants.
func (v *Variants) Len() int { return len(v.all) }

// Add adds the data of a graph, of which Has holds, and returns the number of the variant.
func (v *Variants) Add(g *Graph) int {
	if v.packed {
		panic("graph: the variants are packed")
	}
	var d variant
	for id := range g.nodes {
		n := &g.nodes[id]
		at := nodeData{inverse: n.inverse, index: n.index, runs: n.runs, counted: n.counted, signs: n.signs,
			decimal: n.decimals}
		if !slices.Equal(n.values, v.of.nodes[id].values) {
			at.values = n.values
		}
		d.nodes = append(d.nodes, at)
	}
	for _, p := range g.parts {
		d.parts = append(d.parts, p.value)
	}
	v.all = append(v.all, d)
	return len(v.all) - 1
}

// Pack ends the adding. Once packed, variants may be shared between goroutines, each with its own Exec.
func (v *Variants) Pack() {
	v.packed = true
	for id := range v.of.nodes {
		n := &v.of.nodes[id]
		if slices.ContainsFunc(v.all, func(d variant) bool { return d.nodes[id].values != nil }) {
			v.constants = append(v.constants, ID(id))
			v.numbers += len(n.values)
		}
		v.numbers += len(n.inverse)
		v.positions += len(n.index)
	}
	for k := range v.all {
		v.pack(&v.all[k])
	}
}

func (v *Variants) pack(d *variant) {
	for _, id := range v.constants {
		values := d.nodes[id].values
		if values == nil {
			values = v.of.nodes[id].values
		}
		d.numbers = append(d.numbers, values)
	}
	for id := range d.nodes {
		n := &d.nodes[id]
		d.numbers, d.index = append(d.numbers, n.inverse), append(d.index, n.index)
		if n.runs != nil {
			d.runs = append(d.runs, n.runs)
		}
		if n.counted != nil {
			d.counted = append(d.counted, n.counted)
		}
		if n.signs != nil {
			d.signs = append(d.signs, n.signs)
		}
		if n.decimal.Whole != nil {
			d.decimal = append(d.decimal, n.decimal)
		}
	}
	d.nodes = nil
}

// A loaded is what an Exec over variants has of the present one.
type loaded struct {
	from    *Variants
	k       int
	numbers []float64
	index   []int32
	runs    []*node
	counted []*node
	signed  []*node
	decimal []*node
}

// NewExec returns an Exec of variant 0; Load takes another. The variants must be packed.
func (v *Variants) NewExec() *Exec { return v.NewExecIn(NewRoom(v.of)) }

// NewExecIn is NewExec with a Room that other Execs may use too.
func (v *Variants) NewExecIn(room *Room) *Exec {
	g := *v.of
	g.nodes, g.parts = slices.Clone(g.nodes), slices.Clone(g.parts)
	own := &loaded{from: v, k: -1, numbers: make([]float64, v.numbers), index: make([]int32, v.positions)}
	numbers, index := own.numbers, own.index
	take := func(n int) (out []float64) {
		out, numbers = numbers[:n:n], numbers[n:]
		return out
	}
	for _, id := range v.constants {
		g.nodes[id].values = take(len(g.nodes[id].values))
	}
	for id := range g.nodes {
		n := &g.nodes[id]
		if n.inverse != nil {
			n.inverse = take(len(n.inverse))
		}
		if n.index != nil {
			at := len(n.index)
			n.index, index = index[:at:at], index[at:]
		}
		if n.runs != nil {
			own.runs = append(own.runs, n)
		}
		if n.counted != nil {
			own.counted = append(own.counted, n)
		}
		if n.signs != nil {
			own.signed = append(own.signed, n)
		}
		if n.decimals.Whole != nil {
			own.decimal = append(own.decimal, n)
		}
	}
	e := g.NewExecIn(room)
	e.loaded = own
	e.Load(0)
	return e
}

// Load makes the next evaluation one of variant k. What an earlier one has computed stays until then.
func (e *Exec) Load(k int) {
	l := e.loaded
	if l.k == k {
		return
	}
	l.k = k
	d := &l.from.all[k]
	numbers, index := l.numbers, l.index
	for _, s := range d.numbers {
		numbers = numbers[copy(numbers, s):]
	}
	for _, s := range d.index {
		index = index[copy(index, s):]
	}
	for i, v := range d.parts {
		e.g.parts[i].value = v
	}
	for i, n := range l.runs {
		n.runs = d.runs[i]
	}
	for i, n := range l.counted {
		n.counted = d.counted[i]
	}
	for i, n := range l.signed {
		n.signs = d.signs[i]
	}
	for i, n := range l.decimal {
		n.decimals = d.decimal[i]
	}
}

// alike reports whether two graphs differ in their data alone, so that they have the same programs.
func (g *Graph) alike(h *Graph) bool {
	if g == h {
		return true
	}
	same := g.dim == h.dim && g.held == h.held && len(g.nodes) == len(h.nodes) &&
		len(g.parts) == len(h.parts) && slices.Equal(g.terms, h.terms)
	for _, lists := range [][2][]ID{{g.paramIDs, h.paramIDs}, {g.inputIDs, h.inputIDs},
		{g.outputIDs, h.outputIDs}, {g.reportIDs, h.reportIDs}} {
		same = same && slices.Equal(lists[0], lists[1])
	}
	if !same {
		return false
	}
	for i, p := range g.parts {
		if q := h.parts[i]; p.term != q.term || p.node != q.node {
			return false
		}
	}
	for id := range g.nodes {
		if !g.nodes[id].alike(&h.nodes[id]) {
			return false
		}
	}
	return true
}

// alike reports whether two nodes differ in data alone. Nodes with a program or a density of their own count
// as different.
func (n *node) alike(m *node) bool {
	return n.kind == m.kind && n.name == m.name && n.op == m.op && n.shape.equal(m.shape) &&
		n.frame == m.frame && n.width == m.width && n.offset == m.offset &&
		slices.Equal(n.in, m.in) && slices.EqualFunc(n.links, m.links, link.equal) &&
		len(n.values) == len(m.values) && n.degree == m.degree && n.power == m.power &&
		n.room == m.room && n.pivots == m.pivots && n.runBlock == m.runBlock && n.rows == m.rows &&
		n.linear == m.linear && n.levels.equal(m.levels) && n.quick == m.quick &&
		slices.Equal(n.attr.Slices, m.attr.Slices) && n.attr.Shape.equal(m.attr.Shape) &&
		n.recursion == m.recursion && n.turned == m.turned && n.steps == m.steps && n.system == m.system &&
		n.events == m.events && len(n.index) == len(m.index) && len(n.runs) == len(m.runs) &&
		len(n.inverse) == len(m.inverse) && (n.counted == nil) == (m.counted == nil) &&
		len(n.signs) == len(m.signs) &&
		len(n.decimals.Whole) == len(m.decimals.Whole) &&
		n.sameFunction(m) && n.sameLikelihood(m) && n.sameBijection(m)
}

func (l link) equal(m link) bool { return l.rows == m.rows && slices.Equal(l.cols, m.cols) }

func (n *node) sameFunction(m *node) bool {
	return n.fn == m.fn || n.fn != nil && m.fn != nil && n.fn.Name == m.fn.Name
}

func (n *node) sameLikelihood(m *node) bool {
	a, b := n.likely, m.likely
	return a == b || a != nil && b != nil && a.weighted == b.weighted && a.dist.Name == b.dist.Name &&
		len(a.dist.Params) == len(b.dist.Params)
}

func (n *node) sameBijection(m *node) bool {
	a, b := n.bij, m.bij
	return a == b || a != nil && b != nil && a.whole == nil && b.whole == nil && a.def.Name == b.def.Name &&
		a.lower == b.lower && a.upper == b.upper
}
