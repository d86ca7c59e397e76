package graph

import (
	"fmt"

	"github.com/vflc/vflc/stdlib/def"
)

// opEvents is the log density of every vector or matrix of an array, or of every number given vectors: inputs
// are x and the parameters. An input that has as many events as the output has one each; any other has one
// for all.
var opEvents = &op{
	name: "events", doc: "the log density of each vector or matrix of an array, normalised", least: 1,
	forward: func(c *call) { c.eventDensity(c.out.val.buf, nil) },
	vjp:     func(c *call) { c.eventDensity(nil, c.out.adj.buf) },
	needs:   func(int) need { return allInputs },
}

// allInputs is the need of the values of every input.
const allInputs = need(output - 1)

// An eventDensity is a density of vectors or matrices of a size, or with such parameters. each[k] reports
// whether parameter k has a value for each event, and own[k] is the length of one that has its own.
type eventDensity struct {
	dist *def.Dist
	size int
	each []bool
	own  []int
}

// block makes the block of arguments of a step with so many events; its arrays are set at each evaluation.
func (e *eventDensity) block(events int) *def.Events {
	n := len(e.each)
	b := &def.Events{N: events, Theta: make([]def.EventArg, n), DTheta: make([][]float64, n),
		Work: make([]float64, e.dist.Event.Room(e.size)), Products: matrixProducts}
	b.X = e.arg(e.dist.Event.Rank, true, events)
	for k := range b.Theta {
		b.Theta[k] = e.arg(e.dist.Params[k].Rank, e.each[k], events)
		if e.dist.Params[k].OwnSize {
			b.Theta[k].Len = e.own[k]
		}
	}
	return b
}

func (e *eventDensity) arg(rank int, each bool, events int) def.EventArg {
	a := def.EventArg{Stride: 1, Len: 1}
	for range rank {
		a.Len *= e.size
	}
	if each {
		a.Step, a.Stride = 1, events
	}
	return a
}

func (c *call) eventDensity(lp, weights []float64) {
	b := c.block
	b.LP, b.W, b.Again = lp, weights, b.Again && lp == nil
	if b.DX = nil; weights != nil && c.wants(0) {
		b.DX = c.in[0].adj.buf
	}
	b.X.V = c.in[0].val.buf
	for k := range b.Theta {
		b.Theta[k].V = c.in[k+1].val.buf
		if b.DTheta[k] = nil; weights != nil && c.wants(k+1) {
			b.DTheta[k] = c.in[k+1].adj.buf
		}
	}
	c.node.events.dist.Event.Density(b)
	b.Again = b.Again || lp != nil // for the derivatives, which follow the values
}

// events adds the log density of each event, times its weight; a weight of 0 gives 0.
func (b *Builder) events(d *def.Dist, x ID, theta []ID, weights ID) (ID, error) {
	if len(theta) != len(d.Params) {
		panic(fmt.Sprintf("graph: %s takes %d parameters, got %d", d.Name, len(d.Params), len(theta)))
	}
	for _, id := range append([]ID{x}, theta...) {
		b.check(id)
	}
	shape := b.nodes[x].shape
	lead := len(shape) - d.Event.Rank
	if lead < 0 || d.Event.Rank == 2 && shape[lead] != shape[lead+1] {
		return NoID, fmt.Errorf("%s: the left side has the shape %v", d.Name, shape)
	}
	size := b.eventSize(d, shape, theta)
	if size < d.Event.Least {
		return NoID, fmt.Errorf("%s: a value has %d elements, and needs at least %d", d.Name, size,
			d.Event.Least)
	}
	e := &eventDensity{dist: d, size: size, own: make([]int, len(theta))}
	n := node{op: opEvents, in: []ID{x}, events: e}
	for k, id := range theta {
		one := Shape{}
		for range d.Params[k].Rank {
			one = append(one, size)
		}
		if d.Params[k].OwnSize {
			e.own[k] = b.nodes[id].shape.Len()
			one = Shape{e.own[k]}
		}
		fitted, err := b.fit(id, one, shape[:lead])
		if err != nil {
			return NoID, fmt.Errorf("%s of %s: %w", d.Params[k].Name, d.Name, err)
		}
		n.in, e.each = append(n.in, fitted), append(e.each, len(b.nodes[fitted].shape) > len(one))
	}
	n.whole(append(Shape(nil), shape[:lead]...))
	return b.weighted(b.intern(n), weights)
}

// eventSize is the size of the vectors and matrices: the last dimension of x, or of the first parameter that
// has vectors.
func (b *Builder) eventSize(d *def.Dist, shape Shape, theta []ID) int {
	if d.Event.Rank > 0 {
		return shape[len(shape)-1]
	}
	for k, p := range d.Params {
		if s := b.nodes[theta[k]].shape; p.Rank > 0 && len(s) > 0 {
			return s[len(s)-1]
		}
	}
	return 1
}

// fit broadcasts a parameter to one event for all, or one for each of lead.
func (b *Builder) fit(id ID, one, lead Shape) (ID, error) {
	s := b.nodes[id].shape
	each := append(append(Shape(nil), lead...), one...)
	want := each
	if len(s) <= len(one) {
		want = one
	}
	if s.equal(want) {
		return id, nil
	}
	if to, err := broadcast(s, want); err != nil || !to.equal(want) {
		return NoID, fmt.Errorf("the shape %v is neither %v nor %v", s, one, each)
	}
	return b.must("add", id, b.Const("", want, make([]float64, want.Len()))), nil
}
