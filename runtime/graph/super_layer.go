package graph

import (
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// opLayer is matmul plus one number per column, such as an intercept or the biases of a network's layer:
// inputs X, W and c.
var opLayer = &op{
	name: "layer", doc: "c + X·W in one step, c one number for each column", least: 3, most: 3,
	infer:   func(*Builder, *node) error { return nil }, // made by a rewrite, shape and links with it
	forward: layerForward,
	vjp:     layerBack,
	needs: func(k int) need {
		if k == 2 {
			return 0
		}
		return inputs(1 - k)
	},
	degree: func(in []degree) degree { return max(bilinear(in[:2]), in[2]) },
}

func layerForward(c *call) {
	x, w := &c.in[0].val, c.in[1].val.buf
	k := c.inner()
	vector.Dense(c.n, c.y(0), c.out.val.stride, x.col(0, c.row), x.stride, w, 1, k, k, c.width,
		c.in[2].val.buf)
}

func layerBack(c *call) {
	matmulBack(c)
	if c.wants(2) {
		vector.ColumnSumsAdd(c.n, c.in[2].adj.buf, c.dy(0), c.out.adj.stride, c.width)
	}
}

// opActive is a layer of a network with its activation, a function whose derivative follows from its value,
// so that the sums before it need not be stored.
var opActive = &op{
	name: "layer", doc: "a function of c + X·W in one step", least: 3, most: 3,
	infer: func(*Builder, *node) error { return nil }, // made by a rewrite, shape and links with it
	forward: func(c *call) {
		if c.node.fn.Vector == def.ReluLoop {
			x := &c.in[0].val
			k := c.inner()
			vector.DenseRelu(c.n, c.y(0), c.out.val.stride, x.col(0, c.row), x.stride, c.in[1].val.buf, 1, k,
				k, c.width, c.in[2].val.buf)
			return
		}
		layerForward(c)
		c.eachColumn(func(n, j int) { c.node.quick.forward(n, c.y(j), c.y(j)) })
	},
	vjp: func(c *call) {
		own := view{buf: c.own, stride: len(c.own) / max(1, c.width)}
		c.eachColumn(func(n, j int) { c.node.quick.back(n, own.col(j, 0), nil, c.dy(j), nil, c.y(j)) })
		after := c.out.adj
		c.out.adj = own
		layerBack(c)
		c.out.adj = after
	},
	needs: func(k int) need {
		if k == 2 {
			return output
		}
		return output | inputs(1-k)
	},
}

// rewriteActive fuses a function with the layer that it is applied to, where nothing else reads that layer.
var rewriteActive = rewrite{"active", func(g *Graph, id ID) {
	n := &g.nodes[id]
	if n.op != opFunc || n.quick == nil || !n.quick.fromValue {
		return
	}
	if l := &g.nodes[n.in[0]]; l.op == opLayer && g.uses(n.in[0]) == 1 && n.links[0].cols == nil {
		n.op, n.in, n.links = opActive, l.in, l.links
	}
}}

// rewriteLayer fuses matmul + c and c + matmul, where nothing else reads the product.
var rewriteLayer = rewrite{"layer", func(g *Graph, id ID) {
	n := &g.nodes[id]
	if n.op != opAdd {
		return
	}
	for k := range 2 {
		m := &g.nodes[n.in[k]]
		if m.op != opMatMul || g.uses(n.in[k]) > 1 || !n.links[k].rows || n.links[k].cols != nil ||
			!perColumn(&n.links[1-k], n.width) {
			continue
		}
		n.op, n.in = opLayer, []ID{m.in[0], m.in[1], n.in[1-k]}
		n.links = []link{m.links[0], m.links[1], {}}
		return
	}
}}

// perColumn reports whether a link reads element j for column j in every row.
func perColumn(l *link, columns int) bool {
	for j := range columns {
		if l.rows || l.cols != nil && l.cols[j] != int32(j) {
			return false
		}
	}
	return true
}
