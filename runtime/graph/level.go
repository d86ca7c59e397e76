package graph

import (
	"cmp"
	"slices"
)

// A Level is a parameter of one element that is added to the predictors of a likelihood, in all rows, and inputs that are added to them too.
type Level struct {
	Name   string
	Offset int // in x
	Inputs []int
}

// Levels finds the levels among the parameters on which neither an output nor any of some other nodes depends: at most one for each argument of a likelihood. They are in the order of x.
func (b *Builder) Levels(others []ID) (levels []Level) {
	others = slices.Clone(others)
	for _, o := range b.outputs {
		others = append(others, o.id)
	}
	received := b.reached(b.inputs)
	for _, l := range b.likelihoods {
		for _, id := range l.theta {
			level, ok := b.level(id, received, others)
			if ok && !slices.ContainsFunc(levels, func(o Level) bool { return o.Offset == level.Offset }) {
				levels = append(levels, level)
			}
		}
	}
	slices.SortFunc(levels, func(a, b Level) int { return cmp.Compare(a.Offset, b.Offset) })
	return levels
}

// level finds the first level in an argument of a likelihood. It goes back through functions of one received value a row to the first that is a sum with an input.
func (b *Builder) level(id ID, received []bool, others []ID) (Level, bool) {
	for received[id] {
		n := &b.nodes[id]
		var inputs []int
		for k, in := range b.inputs {
			if n.shape.Len() > 1 && b.nodes[in].shape.equal(n.shape) && b.addend(id, in) {
				inputs = append(inputs, k)
			}
		}
		if len(inputs) > 0 {
			return b.levelBeside(id, inputs, others)
		}
		next := NoID
		for _, in := range n.in {
			if received[in] && next != NoID {
				return Level{}, false
			} else if received[in] {
				next = in
			}
		}
		if next == NoID || n.kind != rowwise || !b.nodes[next].shape.equal(n.shape) {
			return Level{}, false
		}
		id = next
	}
	return Level{}, false
}

// levelBeside is the first parameter that is a term of a sum, with the inputs that are terms of it.
func (b *Builder) levelBeside(sum ID, inputs []int, others []ID) (Level, bool) {
	for _, p := range b.params {
		n, dependent := &b.nodes[p], b.reached([]ID{p})
		if n.shape.Len() == 1 && b.isTerm(sum, p, dependent) && !slices.ContainsFunc(others, func(id ID) bool { return dependent[id] }) {
			return Level{Name: n.name, Offset: n.offset, Inputs: inputs}, true
		}
	}
	return Level{}, false
}

// isTerm reports whether a value is a parameter of one element plus what does not depend on it.
func (b *Builder) isTerm(id, p ID, dependent []bool) bool {
	if id == p {
		return true
	}
	n, next := &b.nodes[id], NoID
	for k, in := range n.in {
		if !dependent[in] {
			continue
		}
		if next != NoID || n.op == opSub && k == 1 {
			return false
		}
		next = in
	}
	switch n.op {
	case opAdd, opAddN, opSub, opCopy:
		return next != NoID && b.isTerm(next, p, dependent)
	}
	return false
}
