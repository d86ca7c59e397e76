package graph

import "slices"

// An Intercept is coordinates of x that, moved together by 1, change predictors of a likelihood by 1 in all rows, and the inputs that are added to these. They are one parameter, or the location of effects with these effects.
type Intercept struct {
	Name   string // of the first parameter
	At     []int  // in x
	Inputs []int
}

// Params lists the parameters in the order of x.
func (b *Builder) Params() []ID { return slices.Clone(b.params) }

// Intercepts finds the intercepts among some sets of parameters: for each argument of a likelihood the first, and none that an output depends on.
func (b *Builder) Intercepts(sets [][]ID) (intercepts []Intercept) {
	var candidates []candidate
	for _, set := range sets {
		if reached := b.reached(set); !slices.ContainsFunc(b.outputs, func(o port) bool { return reached[o.id] }) {
			candidates = append(candidates, candidate{set, reached})
		}
	}
	received := b.reached(b.inputs)
	for _, l := range b.likelihoods {
		for _, id := range l.theta {
			inputs, sum := b.predictorBeside(id, received)
			for _, c := range candidates {
				if len(inputs) > 0 && b.moves(sum, c.set, c.reached) {
					if intercept := b.interceptOf(c.set, inputs); !slices.ContainsFunc(intercepts, func(o Intercept) bool { return o.At[0] == intercept.At[0] }) {
						intercepts = append(intercepts, intercept)
					}
					break
				}
			}
		}
	}
	return intercepts
}

// A candidate is parameters that may be an intercept, and the nodes that depend on them.
type candidate struct {
	set     []ID
	reached []bool
}

func (b *Builder) interceptOf(set []ID, inputs []int) Intercept {
	intercept := Intercept{Name: b.nodes[set[0]].name, Inputs: inputs}
	for _, p := range set {
		for i := range b.nodes[p].shape.Len() {
			intercept.At = append(intercept.At, b.nodes[p].offset+i)
		}
	}
	return intercept
}

// predictorBeside goes from an argument of a likelihood back through functions of one received value a row to the first value that is a sum with inputs among its terms.
func (b *Builder) predictorBeside(id ID, received []bool) (inputs []int, sum ID) {
	for received[id] {
		n := &b.nodes[id]
		for k, in := range b.inputs {
			if n.shape.Len() > 1 && b.nodes[in].shape.equal(n.shape) && b.addend(id, in) {
				inputs = append(inputs, k)
			}
		}
		if len(inputs) > 0 {
			return inputs, id
		}
		next := NoID
		for _, in := range n.in {
			if received[in] && next != NoID {
				return nil, NoID
			} else if received[in] {
				next = in
			}
		}
		if next == NoID || n.kind != rowwise || !b.nodes[next].shape.equal(n.shape) {
			return nil, NoID
		}
		id = next
	}
	return nil, NoID
}

// Moves reports whether every element of a value moves by 1 when some parameters move by 1.
func (b *Builder) Moves(id ID, set []ID) bool {
	b.check(id)
	return b.moves(id, set, b.reached(set))
}

func (b *Builder) moves(id ID, set []ID, reached []bool) bool {
	if slices.Contains(set, id) {
		return true
	}
	n, next := &b.nodes[id], NoID
	for k, in := range n.in {
		if !reached[in] {
			continue
		}
		if next != NoID || k > 0 && (n.op == opSub || n.op == opGather) {
			return false
		}
		next = in
	}
	switch n.op {
	case opAdd, opAddN, opSub, opCopy, opGather:
		return next != NoID && b.moves(next, set, reached)
	}
	return false
}
