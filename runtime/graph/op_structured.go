package graph

import "github.com/vflc/vflc/stdlib/def"

// A wholeMap is a map to vectors or matrices whose elements depend on each other.
type wholeMap struct {
	def  *def.Structured
	size int
}

// room is the length of the scratch memory of one step: x, its gradient, y, its adjoint, and the work array.
func (m *wholeMap) room() int {
	return 2*m.def.Free(m.size) + 2*m.def.Len(m.size) + m.def.Room(m.size)
}

// parts divides the scratch memory.
func (m *wholeMap) parts(own []float64) (x, dx, y, dy, work []float64) {
	free, n := m.def.Free(m.size), m.def.Len(m.size)
	x, own = own[:free], own[free:]
	dx, own = own[:free], own[free:]
	y, own = own[:n], own[n:]
	dy, own = own[:n], own[n:]
	return x, dx, y, dy, own
}

// opStructured is the map to an array of structured values, one after another. Its log-Jacobian is
// accumulated where the values are computed, as that of opBijector.
var opStructured = &op{
	name: "structured",
	doc: "unconstrained coordinates mapped to vectors or matrices of a set; the log-Jacobian " +
		"is a term of the target", least: 1, most: 1,
	forward: func(c *call) {
		m := c.node.bij.whole
		x, _, y, _, work := m.parts(c.own)
		events := c.events(len(y))
		for e := range events {
			pickEvent(x, c.in[0].val.buf, e, events)
			*c.sum += m.def.Forward(y, x, work, m.size)
			putEvent(c.out.val.buf, y, e, events)
		}
	},
	vjp: func(c *call) {
		if c.mode == neither {
			return
		}
		m := c.node.bij.whole
		x, dx, y, dy, work := m.parts(c.own)
		events := c.events(len(y))
		for e := range events {
			pickEvent(x, c.in[0].val.buf, e, events)
			pickEvent(y, c.out.val.buf, e, events)
			clear(dx)
			if clear(dy); c.mode != onlyJacobian {
				pickEvent(dy, c.out.adj.buf, e, events)
			}
			m.def.Backward(dx, dy, x, y, work, m.size, c.mode != noJacobian)
			addEvent(c.in[0].adj.buf, dx, e, events)
		}
	},
	needs: func(int) need { return inputs(0) | output },
}

// events is the number of values of so many elements in the output.
func (c *call) events(length int) int { return len(c.out.val.buf) / max(length, 1) }

// pickEvent gathers the elements of value e of an array of so many values.
func pickEvent(dst, from []float64, e, events int) {
	for i := range dst {
		dst[i] = from[e+i*events]
	}
}

// putEvent is the reverse of pickEvent, and addEvent adds.
func putEvent(to, v []float64, e, events int) {
	for i, x := range v {
		to[e+i*events] = x
	}
}

func addEvent(to, v []float64, e, events int) {
	for i, x := range v {
		to[e+i*events] += x
	}
}

// InverseStructured returns coordinates of structured values of size k, which come one after another as those
// of Structured do; wrong is the first that is not in the set, or -1.
func InverseStructured(s *def.Structured, values []float64, k int) (coordinates []float64, wrong int) {
	x, y := make([]float64, s.Free(k)), make([]float64, s.Len(k))
	events := len(values) / max(len(y), 1)
	coordinates = make([]float64, events*len(x))
	for e := range events {
		pickEvent(y, values, e, events)
		if !s.Contains(y, k) {
			return nil, e
		}
		s.Inverse(x, y, k)
		putEvent(coordinates, x, e, events)
	}
	return coordinates, -1
}

// Structured adds structured values of size k at the coordinates x, of shape lead + [Free(k)]: of shape lead
// + [k], or lead + [k, k]. The log-Jacobian is a term of the target, named after x.
func (b *Builder) Structured(s *def.Structured, x ID, k int) ID {
	b.check(x)
	shape := append(Shape(nil), b.nodes[x].shape...)
	if n := len(shape) - 1; n < 0 || shape[n] != s.Free(k) {
		panic("graph: coordinates of " + s.Name + " have the wrong shape")
	}
	shape[len(shape)-1] = k
	if s.Rank == 2 {
		shape = append(shape, k)
	}
	checkShape(shape)
	n := node{op: opStructured, in: []ID{x}, bij: &bijection{whole: &wholeMap{s, k}}}
	n.whole(shape)
	term := "jacobian of " + b.nodes[x].name
	if b.constants(n.in) {
		y, jacobian := b.evaluate(&n)
		b.constantPart(term, jacobian)
		return b.Const("", shape, y)
	}
	b.finish(&n)
	id := b.push(n)
	b.parts = append(b.parts, part{term: b.term(term), node: id})
	return id
}
