package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// Operations by groups, NAME by: the inputs after the first are constant vectors of positions 1, 2, …, one
// for each row of the first, and Attr.Shape says how many positions each has. The value has an axis for each
// of them, then the further axes of the first input.

var opSumBy = &op{
	name: "sum by", doc: "the sum of the rows of each group: the reverse of a gather", least: 2, most: 4,
	infer: func(b *Builder, n *node) (err error) {
		if n.index, err = groupIndex(b, n.attr.Shape, n.in); err != nil {
			return err
		}
		from := b.nodes[n.in[0]].shape
		n.reduces(from, grouped(n.attr.Shape, from))
		clear(n.links[1:])
		return nil
	},
	forward: func(c *call) {
		for j := range c.width {
			vector.ScatterAdd(c.n, c.out.val.buf[j*c.groups():], c.node.index[c.row:], c.vec(0, j))
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			table := c.out.adj.buf[j*c.groups():]
			if c.in[0].set {
				vector.Gather(c.n, c.dvec(0, j), table, c.node.index[c.row:])
				continue
			}
			vector.Gather(c.n, c.scratch[0], table, c.node.index[c.row:])
			vector.Accumulate(c.n, c.dvec(0, j), c.scratch[0])
		}
	},
	flat:   func(k int) bool { return k > 0 },
	degree: func(in []degree) degree { return in[0] },
}

// opSumRuns is a sum by groups whose index is sorted.
var opSumRuns = &op{
	name: "sum by", doc: "a sum by sorted groups", least: 2, most: 4,
	infer: func(*Builder, *node) error { return nil }, // made by a rewrite, with shape and links
	forward: func(c *call) {
		for j := range c.width {
			table := c.out.val.buf[j*c.groups():][:c.groups()]
			vector.SegmentSumsAdd(c.node.runs[c.row/c.node.runBlock], table, c.vec(0, j)[:c.n])
		}
	},
	vjp: func(c *call) {
		for j := range c.width {
			table, to := c.out.adj.buf[j*c.groups():][:c.groups()], c.scratch[0][:c.n]
			if c.in[0].set {
				to = c.dvec(0, j)[:c.n]
			}
			vector.SegmentFill(c.node.runs[c.row/c.node.runBlock], to, table)
			if !c.in[0].set {
				vector.Accumulate(c.n, c.dvec(0, j), to)
			}
		}
	},
	flat:   opSumBy.flat,
	degree: opSumBy.degree,
}

// groups is the number of groups of a step whose columns are those of its first input.
func (c *call) groups() int { return c.node.attr.Shape.Len() }

// grouped is the shape of a value by groups, made of an array of a shape.
func grouped(groups, from Shape) Shape { return append(slices.Clone(groups), from[1:]...) }

// mostGroups bounds the groups of pairs and triples of levels, of which few have rows where there are many.
const mostGroups = 1 << 26

// groupIndex returns the group of each row.
func groupIndex(b *Builder, groups Shape, in []ID) ([]int32, error) {
	from := b.nodes[in[0]].shape
	if len(from) == 0 || len(groups) != len(in)-1 {
		return nil, fmt.Errorf("takes an array and its groups, got shape %v and %d indices for %v", from,
			len(in)-1, groups)
	}
	size := 1
	for _, d := range groups {
		if size > mostGroups/max(d, 1) {
			return nil, fmt.Errorf("groups of %v levels are more than %d", groups, mostGroups)
		}
		size *= d
	}
	n := node{in: in}
	if err := gatherIndex(b, &n, groups); err != nil {
		return nil, err
	}
	if len(n.index) != from[0] {
		return nil, fmt.Errorf("an index of %d rows for %d", len(n.index), from[0])
	}
	return n.index, nil
}

var opMeanBy = &op{
	name: "mean by", doc: "the mean of the rows of each group: sum/number", least: 2, most: 4,
	expand: func(b *Builder, attr Attr, in []ID) (ID, error) {
		index, err := groupIndex(b, attr.Shape, in)
		if err != nil {
			return NoID, err
		}
		count := make([]float64, attr.Shape.Len())
		for _, k := range index {
			count[k]++
		}
		sum, err := b.Apply(opSumBy.name, attr, in...)
		if err != nil {
			return NoID, err
		}
		shape := slices.Clone(attr.Shape)
		for range b.Shape(in[0])[1:] {
			shape = append(shape, 1)
		}
		return b.Apply("div", Attr{}, sum, b.Const("", shape, count))
	},
}

// wholeGroups fills a node that is computed at once, whose index has the place in its value of each element
// of its first input, and whose room has some numbers for each element of its value.
func wholeGroups(b *Builder, n *node, room int) error {
	rows, err := groupIndex(b, n.attr.Shape, n.in)
	if err != nil {
		return err
	}
	from, size := b.nodes[n.in[0]].shape, n.attr.Shape.Len()
	for j := range from.cols() {
		for _, k := range rows {
			n.index = append(n.index, int32(j*size)+k)
		}
	}
	n.whole(grouped(n.attr.Shape, from))
	n.room = room * n.shape.Len()
	return nil
}

var (
	opMaxBy  = extremeOf("max by", "the largest of the rows of each group", inGroups, largest)
	opMinBy  = extremeOf("min by", "the smallest of the rows of each group", inGroups, smallest)
	opRowMax = extremeOf("row_max", "the largest of each row of a matrix", inRows, largest)
	opRowMin = extremeOf("row_min", "the smallest of each row of a matrix", inRows, smallest)
	opColMax = extremeOf("col_max", "the largest of each column of a matrix", inColumns, largest)
	opColMin = extremeOf("col_min", "the smallest of each column of a matrix", inColumns, smallest)
)

// The sign of numbers by which the one that is looked for is the largest.
const largest, smallest = 1.0, -1.0

func inGroups(b *Builder, n *node) error { return wholeGroups(b, n, 1) }

func inRows(b *Builder, n *node) error {
	return overMatrix(b, n, 0, func(i, _ int) int { return i })
}

func inColumns(b *Builder, n *node) error {
	return overMatrix(b, n, 1, func(_, j int) int { return j })
}

// overMatrix is wholeGroups for the rows or the columns of a matrix, which is the axis that remains.
func overMatrix(b *Builder, n *node, axis int, of func(i, j int) int) error {
	s := b.nodes[n.in[0]].shape
	if len(s) != 2 || s[1-axis] == 0 {
		return fmt.Errorf("takes a matrix with rows and columns, got shape %v", s)
	}
	for j := range s[1] {
		for i := range s[0] {
			n.index = append(n.index, int32(of(i, j)))
		}
	}
	n.whole(Shape{s[axis]})
	n.room = s[axis]
	return nil
}

// extremeOf is the largest element of each group, or the smallest. Equal elements: the first has the
// gradient.
func extremeOf(name, doc string, infer func(b *Builder, n *node) error, sign float64) *op {
	return &op{
		name: name, doc: doc, least: 1, most: 4, infer: infer,
		forward: func(c *call) {
			x, y := c.in[0].val.buf, c.out.val.buf
			vector.Fill(len(y), y, math.Inf(-int(sign)))
			for i, k := range c.node.index {
				if v := x[i]; sign*v > sign*y[k] || v != v { // also where it is not a number
					y[k] = v
				}
			}
		},
		vjp: func(c *call) {
			x, dx, y, dy, given := c.in[0].val.buf, c.in[0].adj.buf, c.out.val.buf, c.out.adj.buf, c.own
			clear(given)
			for i, k := range c.node.index {
				if x[i] == y[k] && given[k] == 0 {
					given[k] = 1
					dx[i] += dy[k]
				}
			}
		},
		needs: func(k int) need { return inputs(k) | output },
		flat:  opSumBy.flat,
	}
}

var opLogSumExpBy = &op{
	name: "log_sum_exp by", doc: "log Σ exp of the rows of each group, -∞ where it has none", least: 2,
	most:  4,
	infer: func(b *Builder, n *node) error { return wholeGroups(b, n, 2) },
	forward: func(c *call) {
		x, y, index := c.in[0].val.buf, c.out.val.buf, c.node.index
		largest, sum, t := c.own[:len(y)], c.own[len(y):], c.scratch[0]
		vector.Fill(len(y), largest, math.Inf(-1))
		for i, k := range index {
			largest[k] = max(largest[k], x[i])
		}
		clear(sum)
		for lo := 0; lo < len(x); lo += len(t) {
			n := min(len(t), len(x)-lo)
			vector.Gather(n, t, largest, index[lo:])
			vector.Sub(n, t, x[lo:], t)
			vector.Exp(n, t, t)
			vector.ScatterAdd(n, sum, index[lo:], t)
		}
		for k, v := range largest {
			if y[k] = v; !math.IsInf(v, 0) {
				y[k] += portable.Log(sum[k])
			}
		}
	},
	vjp: func(c *call) {
		x, dx, y, dy, index := c.in[0].val.buf, c.in[0].adj.buf, c.out.val.buf, c.out.adj.buf, c.node.index
		t, by := c.scratch[0], c.scratch[1]
		for lo := 0; lo < len(x); lo += len(t) {
			n := min(len(t), len(x)-lo)
			vector.Gather(n, t, y, index[lo:])
			vector.Sub(n, t, x[lo:], t)
			vector.Exp(n, t, t)
			for i := range n {
				if math.IsInf(x[lo+i], -1) { // also where y is -∞
					t[i] = 0
				}
			}
			vector.Gather(n, by, dy, index[lo:])
			vector.MulAdd(n, dx[lo:], t, by)
		}
	},
	needs: func(k int) need { return inputs(k) | output },
	flat:  opSumBy.flat,
}
