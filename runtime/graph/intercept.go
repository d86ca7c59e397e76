package graph

import "slices"

// An Intercept is coordinates of x that, moved together by 1, change predictors of a likelihood by 1 in all
// rows, and the inputs that are added to these. They are one parameter, or the location of effects with these
// effects. Where an output depends on them it may be another party's likelihood, which the graph does not
// know: they have no Inputs.
type Intercept struct {
	Name   string // of the first parameter
	At     []int  // in x
	Inputs []int
	// Output is the one output that depends on them, whose elements they move by 1 too; -1 where none does.
	Output int
	// Own is the derivative by x of the mean over the rows of what else is added there: of terms that are
	// affine in x and move with no intercept.
	Own []float64
}

// Params lists the parameters in the order of x.
func (b *Builder) Params() []ID { return slices.Clone(b.params) }

// Intercepts finds the intercepts among some sets of parameters: for each argument of a likelihood the first
// that no output depends on, and those on which one output depends.
func (b *Builder) Intercepts(sets [][]ID) (intercepts []Intercept, err error) {
	var here [][]ID
	for _, set := range sets {
		switch output := b.moved(set); {
		case output == unmoved:
			here = append(here, set)
		case output >= 0:
			intercepts = append(intercepts, b.interceptOf(set, nil, output))
		}
	}
	var sums []ID
	added := len(intercepts)
	b.added(here, func(k int, inputs []int, sum ID) {
		intercept := b.interceptOf(here[k], inputs, unmoved)
		if !slices.ContainsFunc(intercepts, func(o Intercept) bool { return o.At[0] == intercept.At[0] }) {
			intercepts, sums = append(intercepts, intercept), append(sums, sum)
		}
	})
	for k, sum := range sums {
		if intercepts[added+k].Own, err = b.own(sum, intercepts); err != nil {
			return nil, err
		}
	}
	return intercepts, nil
}

// What moved returns in place of an output.
const (
	unmoved = -1 // none depends on the set
	skewed  = -2 // several do, or one that it does not move by 1
)

// moved is the one output that depends on some parameters and that they move by 1.
func (b *Builder) moved(set []ID) int {
	reached, found := b.reached(set), unmoved
	for k, o := range b.outputs {
		switch {
		case !reached[o.id]:
		case found != unmoved || !b.moves(o.id, set, reached):
			return skewed
		default:
			found = k
		}
	}
	return found
}

// Beside lists, for each input, those to which it is added in the argument of a likelihood: each of its
// elements, moved by 1, changes a sum of them by 1. There are none for inputs that an output depends on, and
// one value is added to an argument.
func (b *Builder) Beside() [][]int {
	out := make([][]int, len(b.inputs))
	var sets [][]ID
	var of []int
	for k, in := range b.inputs {
		if set := []ID{in}; b.moved(set) == unmoved {
			sets, of = append(sets, set), append(of, k)
		}
	}
	b.added(sets, func(k int, inputs []int, _ ID) {
		if out[of[k]] == nil {
			out[of[k]] = inputs
		}
	})
	return out
}

// added calls do with the first of some sets that moves a sum in the argument of a likelihood to which inputs
// are added, for each argument; a graph without inputs is all that is added.
func (b *Builder) added(sets [][]ID, do func(k int, inputs []int, sum ID)) {
	reached := make([][]bool, len(sets))
	for k, set := range sets {
		reached[k] = b.reached(set)
	}
	received := b.reached(b.inputs)
	for _, l := range b.likelihoods {
		for _, id := range l.theta {
			inputs, sum := b.predictorBeside(id, received)
			if len(inputs) == 0 && len(b.inputs) > 0 {
				continue
			}
			for k, set := range sets {
				if len(b.inputs) == 0 {
					sum = b.behind(id, set, reached[k])
				}
				if sum == NoID {
					continue
				}
				if !slices.ContainsFunc(inputs, func(in int) bool {
					return slices.Contains(set, b.inputs[in])
				}) && b.moves(sum, set, reached[k]) {
					do(k, inputs, sum)
					break
				}
			}
		}
	}
}

// own computes Intercept.Own of the intercept that is added in a sum.
func (b *Builder) own(sum ID, intercepts []Intercept) ([]float64, error) {
	c, received := New(b.name), b.reached(b.inputs)
	c.Seldom()
	known := c.CopyParams(b)
	var seeds [][]float64
	b.eachTerm(sum, 1, func(term ID, sign float64) {
		n := &b.nodes[term]
		if received[term] || n.degree != affine {
			return
		}
		seed := make([]float64, n.shape.Len())
		for i := range seed {
			seed[i] = sign / float64(len(seed))
		}
		c.Output(n.name, c.Copy(b, term, known))
		seeds = append(seeds, seed)
	})
	g, err := c.Build()
	if err != nil {
		return nil, err
	}
	e := g.NewExec()
	e.Forward(make([]float64, g.Dim()))
	e.Pull(seeds)
	own := slices.Clone(e.Grad())
	for _, intercept := range intercepts {
		for _, i := range intercept.At {
			own[i] = 0
		}
	}
	return own, nil
}

// eachTerm takes a sum apart.
func (b *Builder) eachTerm(id ID, sign float64, do func(term ID, sign float64)) {
	n := &b.nodes[id]
	switch n.op {
	case opAdd, opAddN, opSub, opCopy:
		for k, in := range n.in {
			by := sign
			if n.op == opSub && k == 1 {
				by = -sign
			}
			b.eachTerm(in, by, do)
		}
	default:
		do(id, sign)
	}
}

// behind goes from an argument of a likelihood back through functions of one value a row that depends on a
// set to the first value that the set moves; NoID where there is none.
func (b *Builder) behind(id ID, set []ID, reached []bool) ID {
	for reached[id] && b.nodes[id].shape.Len() > 1 {
		n, next := &b.nodes[id], NoID
		if b.moves(id, set, reached) {
			return id
		}
		for _, in := range n.in {
			if reached[in] && next != NoID {
				return NoID
			} else if reached[in] {
				next = in
			}
		}
		if next == NoID || n.kind != rowwise || !b.nodes[next].shape.equal(n.shape) {
			return NoID
		}
		id = next
	}
	return NoID
}

func (b *Builder) interceptOf(set []ID, inputs []int, output int) Intercept {
	intercept := Intercept{Name: b.nodes[set[0]].name, Inputs: inputs, Output: output}
	for _, p := range set {
		for i := range b.nodes[p].shape.Len() {
			intercept.At = append(intercept.At, b.nodes[p].offset+i)
		}
	}
	return intercept
}

// predictorBeside goes from an argument of a likelihood back through functions of one received value a row to
// the first value that is a sum with inputs among its terms.
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
