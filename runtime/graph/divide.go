package graph

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/vflc/vflc/stdlib/def"
)

// A Split divides a target into likelihoods of rows, each a function of one predictor a row or of several,
// and the rest.
type Split struct {
	// Predictors has the predictor of likelihood k as output k: affine in the parameters and the inputs
	// together.
	Predictors *Graph
	Rows       []Rows
	// Rest has the other terms, which depend on no input.
	Rest *Graph
}

// A Splitter divides a target when that is first asked for, and keeps the parts and not the builder.
type Splitter struct {
	once    sync.Once
	builder *Builder
	split   *Split
	err     error
	given   *Split // of a target that is divided given some parameters alone
	ungiven error
}

// Splitter returns the splitter of the target that the builder holds.
func (b *Builder) Splitter() *Splitter { return &Splitter{builder: b} }

// errReleased is the error of a splitter that was not asked in time.
var errReleased = errors.New("what it was made of has been released")

// Split is Builder.Split. All callers have the same sums.
func (s *Splitter) Split(sums []int) (*Split, error) {
	s.divide(sums)
	return s.split, s.err
}

// Given is Split where a predictor may be any function of the parameters to which an input is added, such as
// an affine one given some of them, and where the rest may depend on inputs that are no sums, if there are no
// sums. The rest of a graph without inputs has no likelihood whose rows depend on parameters in one argument
// alone.
func (s *Splitter) Given(sums []int) (*Split, error) {
	s.divide(sums)
	return s.given, s.ungiven
}

func (s *Splitter) divide(sums []int) {
	s.once.Do(func() {
		s.split, s.err = s.builder.Split(sums)
		if s.given, s.ungiven = s.split, s.err; s.err != nil || len(s.builder.inputs) == 0 {
			s.given, s.ungiven = s.builder.divide(sums, true)
		}
		s.builder = nil
	})
}

// Release drops the builder, which holds the data, where the target has not been divided.
func (s *Splitter) Release() {
	s.once.Do(func() { s.err, s.ungiven, s.builder = errReleased, errReleased, nil })
}

// Rows is a likelihood of rows.
type Rows struct {
	Term string
	// Input is added to the predictor, element by element.
	Input int
	// Graph has the predictor as input 0 and the log density of each row as output 0. Where rows are many and
	// each has values of its own it is of some of them: see Blocks.
	Graph *Graph
	// Blocks are the data of Graph for the rows, one block after another; the last block has the last rows,
	// of which others may be in that before. Nil: Graph has all rows.
	Blocks *Variants
	Width  int // predictors of a row, the columns of the predictor
	Len    int // rows
	// Globals are the parameters that the log density depends on beside the predictor, such as a scale.
	Globals []Port
	Law     Law
}

// A Law is the distribution of the values of a likelihood of rows.
type Law struct {
	Dist    *def.Dist
	Param   int         // the parameter that the predictor gives
	Link    *def.Func   // as this function of it; nil: the predictor is the parameter
	Factor  float64     // times this; 0: 1
	Falling bool        // of the predictor's negative
	Linked  bool        // by that: else by more than one function
	Theta   [][]float64 // values of the other parameters, one or one a row; nil: that has globals
	X       []float64   // the values of the rows
	Plain   bool        // without weights, and not to a power
}

// A recorded likelihood is a density of data that was added to the target.
type recorded struct {
	term        string
	dist        *def.Dist
	x           ID
	theta       []ID
	weights     ID
	power       float64
	first, last int // its parts
}

// Likelihood is Density for a likelihood, which Split then treats by itself.
func (b *Builder) Likelihood(term string, d *def.Dist, x ID, theta []ID, weights ID, power float64) error {
	first := len(b.parts)
	if err := b.Density(term, d, x, theta, weights, power); err != nil {
		return err
	}
	b.likelihoods = append(b.likelihoods, recorded{term, d, x, slices.Clone(theta), weights, power, first,
		len(b.parts)})
	return nil
}

// Split divides the target that the builder holds. sums are the inputs that are sums of contributions, one of
// which each likelihood that depends on an input must see. The error says which term has another form, and
// why.
func (b *Builder) Split(sums []int) (*Split, error) { return b.divide(sums, false) }

// divide is Split; given: with the predictors of Splitter.Given.
func (b *Builder) divide(sums []int, given bool) (*Split, error) {
	s := &Split{}
	received := b.reached(b.inputs)
	alone := given && len(b.inputs) == 0
	if alone {
		received = b.reached(b.parameters())
	}
	predictors, rest := b.fork(), b.fork()
	predictors.keepJacobians(b)
	rest.terms, rest.parts = b.terms, slices.Clone(b.parts)
	for _, l := range slices.Backward(b.likelihoods) {
		if !slices.ContainsFunc(l.all(), func(id ID) bool { return received[id] }) {
			continue
		}
		rows, eta, err := b.rows(&l, sums, received, given)
		if err != nil && alone {
			continue // the density of a parameter, or what is not of one predictor, stays with the rest
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.term, err)
		}
		s.Rows = append(s.Rows, rows)
		predictors.Output(l.term, eta)
		rest.parts = slices.Delete(rest.parts, l.first, l.last)
	}
	for _, p := range rest.parts {
		if p.node != NoID && received[p.node] && !alone && !(given && len(sums) == 0) {
			return nil, fmt.Errorf("%s: it depends on what another party sends", b.terms[p.term])
		}
	}
	var err error
	if s.Predictors, err = predictors.Build(); err == nil {
		s.Rest, err = rest.Build()
	}
	return s, err
}

// all lists the inputs of the density.
func (l *recorded) all() []ID {
	ids := append([]ID{l.x}, l.theta...)
	if l.weights != NoID {
		ids = append(ids, l.weights)
	}
	return ids
}

// fork returns a builder with the same nodes and nothing to compute. Operations are not fused, and
// constants not put in tiles: it is evaluated a few times only.
func (b *Builder) fork() *Builder {
	c := *b
	c.nodes, c.shared, c.plain, c.seldom = slices.Clone(b.nodes), map[string]ID{}, true, true
	c.outputs, c.reports, c.terms, c.parts, c.likelihoods = nil, nil, nil, nil, nil
	return &c
}

// reached marks the nodes that depend on some others.
func (b *Builder) reached(from []ID) []bool {
	out := make([]bool, len(b.nodes))
	for _, id := range from {
		out[id] = true
	}
	for id := range b.nodes {
		out[id] = out[id] || slices.ContainsFunc(b.nodes[id].in, func(p ID) bool { return out[p] })
	}
	return out
}

// The reasons why a likelihood is not a function of one predictor a row.
var (
	errEvents    = errors.New("its values are vectors or matrices, or are not independent by row")
	errLeft      = errors.New("its left side or its weights are not data")
	errSeveral   = errors.New("several of its parameters depend on the clients' contributions")
	errPredictor = errors.New("it does not see each row through one predictor to which the clients' " +
		"contributions are added")
	errTwo = errors.New("it sees several sums of contributions")
)

// rows separates a likelihood, and returns its predictor.
func (b *Builder) rows(l *recorded, sums []int, received []bool, given bool) (Rows, ID, error) {
	out := Rows{Term: l.term, Input: -1}
	shape := b.nodes[l.x].shape
	if e := l.dist.Event; e != nil && (given || e.Joint != "" || e.Rank > 0 || len(shape) != 1) {
		return out, NoID, errEvents
	}
	if b.nodes[l.x].kind != constant || l.weights != NoID && b.nodes[l.weights].kind != constant {
		return out, NoID, errLeft
	}
	at, alone := -1, given && len(b.inputs) == 0
	for k, id := range l.theta {
		switch {
		case alone && k != l.dist.Link.Param: // whatever depends on parameters beside the predictor is given
			out.Globals = b.leaves(id, out.Globals)
		case received[id] && at >= 0:
			return out, NoID, errSeveral
		case received[id]:
			at = k
		default:
			out.Globals = b.leaves(id, out.Globals)
		}
	}
	if at < 0 {
		return out, NoID, errPredictor
	}
	out.Width = 1
	if l.dist.Params[at].Rank == 1 {
		of := b.nodes[l.theta[at]].shape
		out.Width = of[len(of)-1]
		shape = Shape{shape[0], out.Width}
	}
	eta, err := b.predictorOf(l.theta[at], shape)
	if given && (alone || err != nil) {
		eta, err = b.carrierOf(l.theta[at], shape, sums)
	}
	if err != nil {
		return out, NoID, err
	}
	for _, k := range sums {
		if !b.reached([]ID{b.inputs[k]})[eta] {
			continue
		}
		if out.Input >= 0 {
			return out, NoID, errTwo
		}
		if !b.addend(eta, b.inputs[k]) {
			return out, NoID, errPredictor
		}
		out.Input = k
	}
	if out.Input < 0 && !alone {
		return out, NoID, errPredictor
	}
	out.Law = b.law(l, at, eta)
	return out, eta, b.given(eta, l, &out)
}

// law describes a likelihood whose parameter at is given by the predictor eta.
func (b *Builder) law(l *recorded, at int, eta ID) Law {
	dist, theta := b.predicted(l.dist, l.theta)
	if dist.Event != nil {
		return Law{Dist: dist}
	}
	out := Law{Dist: dist, Param: at, X: b.nodes[l.x].values, Plain: l.weights == NoID && l.power == 1}
	link := b.multiple(theta[at], eta, &out)
	if link == eta {
		out.Linked = out.Factor == 0
	} else if link != NoID && b.nodes[link].fn != nil && slices.Equal(b.nodes[link].in, []ID{eta}) {
		n := &b.nodes[link]
		out.Link, out.Linked = n.fn, !out.Falling || n.fn.Name == "exp"
	}
	for k, id := range theta {
		var values []float64
		if n := &b.nodes[id]; k != at && n.kind == constant {
			values = n.values
		}
		out.Theta = append(out.Theta, values)
	}
	return out
}

// multiple is the value of which another is a multiple, or a number divided by it: the predictor eta itself,
// or what no number is taken out of. There is none (NoID) where numbers differ between rows.
func (b *Builder) multiple(id, eta ID, law *Law) ID {
	for n := &b.nodes[id]; id != eta && (n.op == opMul || n.op == opDiv); n = &b.nodes[id] {
		k := 0
		if b.nodes[n.in[0]].kind == constant {
			k = 1
		}
		c := b.nodes[n.in[1-k]].values
		if len(c) == 0 || slices.ContainsFunc(c, func(v float64) bool {
			return v != c[0]
		}) || n.op == opDiv && k == 1 && law.Falling {
			return NoID
		}
		factor := c[0]
		if n.op == opDiv && k == 0 {
			factor = 1 / factor
		}
		if id = n.in[k]; law.Factor != 0 {
			factor *= law.Factor
		}
		law.Factor, law.Falling = factor, law.Falling || n.op == opDiv && k == 1
	}
	return id
}

// leaves adds the parameters that a value depends on to a list, each once.
func (b *Builder) leaves(value ID, list []Port) []Port {
	needed := make([]bool, value+1)
	needed[value] = true
	for id := value; id >= 0; id-- {
		n := &b.nodes[id]
		if !needed[id] {
			continue
		}
		for _, in := range n.in {
			needed[in] = true
		}
		p := Port{Name: n.name, Offset: n.offset, Len: n.shape.Len()}
		if n.kind == param && !slices.ContainsFunc(list, func(q Port) bool { return q.Offset == p.Offset }) {
			list = append(list, p)
		}
	}
	return list
}

// predictorOf goes from a parameter of a density back through functions of one value a row to the first value
// that is affine in parameters and inputs.
func (b *Builder) predictorOf(id ID, shape Shape) (ID, error) {
	degrees := b.jointDegrees()
	for degrees[id] == curved {
		n, next := &b.nodes[id], NoID
		for k, p := range n.in {
			if degrees[p] == free {
				continue
			}
			if next != NoID || n.kind != rowwise || !n.links[k].rows || n.links[k].cols != nil {
				return NoID, errPredictor
			}
			next = p
		}
		if next == NoID || !b.nodes[next].shape.equal(n.shape) {
			return NoID, errPredictor
		}
		id = next
	}
	if !b.nodes[id].shape.equal(shape) {
		return NoID, errPredictor
	}
	return id, nil
}

// carrierOf goes from a parameter of a density back through functions of one value a row to the first value
// to which one of the inputs is added; without inputs as far as there is one value.
func (b *Builder) carrierOf(id ID, shape Shape, sums []int) (ID, error) {
	varies := b.reached(append(b.parameters(), b.inputs...))
	added := func(id ID) bool {
		return slices.ContainsFunc(sums, func(k int) bool {
			return b.reached([]ID{b.inputs[k]})[id] && b.addend(id, b.inputs[k])
		})
	}
	for !added(id) {
		n, next, several := &b.nodes[id], NoID, false
		for k, p := range n.in {
			if varies[p] {
				several = several || next != NoID || n.kind != rowwise || !n.links[k].rows ||
					n.links[k].cols != nil
				next = p
			}
		}
		if several || next == NoID || !b.nodes[next].shape.equal(n.shape) {
			if len(sums) > 0 || n.kind == constant {
				return NoID, errPredictor
			}
			break
		}
		id = next
	}
	if !b.nodes[id].shape.equal(shape) {
		return NoID, errPredictor
	}
	return id, nil
}

// parameters lists the nodes that are parameters.
func (b *Builder) parameters() (ids []ID) {
	for id := range b.nodes {
		if b.nodes[id].kind == param {
			ids = append(ids, ID(id))
		}
	}
	return ids
}

// jointDegrees are the degrees of all nodes in the parameters and the inputs together.
func (b *Builder) jointDegrees() []degree {
	out := make([]degree, len(b.nodes))
	for id := range b.nodes {
		n := &b.nodes[id]
		switch {
		case n.kind == constant:
		case n.leaf():
			out[id] = affine
		default:
			in := make([]degree, len(n.in))
			for k, p := range n.in {
				in[k] = out[p]
			}
			out[id] = n.op.combine(in)
		}
	}
	return out
}

// addend reports whether a value is an input plus what does not depend on it, element by element.
func (b *Builder) addend(id, in ID) bool {
	if id == in {
		return true
	}
	n, next := &b.nodes[id], NoID
	reached := b.reached([]ID{in})
	for k, p := range n.in {
		if !reached[p] {
			continue
		}
		if next != NoID || !b.nodes[p].shape.equal(n.shape) || n.op == opSub && k == 1 {
			return false
		}
		next = p
	}
	switch n.op {
	case opAdd, opAddN, opSub, opCopy:
		return next != NoID && b.addend(next, in)
	}
	return false
}

// keepJacobians keeps the terms of bijectors, which add their log-Jacobian up wherever they are computed.
func (c *Builder) keepJacobians(b *Builder) {
	c.terms = b.terms
	for _, p := range b.parts {
		if p.node != NoID && b.nodes[p.node].bij != nil {
			c.parts = append(c.parts, p)
		}
	}
}

// inBlock is how many rows are evaluated at a time, about, where each has values of its own: what they need
// is in a cache then, and no memory is taken by rows.
const inBlock = 4096

// given finds the graph of a likelihood, given its predictor, or the graphs of blocks of rows.
func (b *Builder) given(eta ID, l *recorded, out *Rows) (err error) {
	out.Len = b.nodes[eta].shape.rows()
	if out.Blocks, err = b.blocks(eta, l, out.Len); err != nil {
		return err
	}
	if out.Blocks != nil {
		out.Graph = out.Blocks.of
		return nil
	}
	out.Graph, err = b.block(eta, l, nil, 0, out.Len)
	return err
}

// blocks are the graphs of blocks of n rows; nil where these are few, or are not by themselves.
func (b *Builder) blocks(eta ID, l *recorded, n int) (*Variants, error) {
	byRow := b.byRow(eta, l)
	if byRow == nil || n <= inBlock {
		return nil, nil
	}
	count := (n + inBlock - 1) / inBlock
	size := ((n+count-1)/count + 7) / 8 * 8
	var blocks *Variants
	for from := 0; from < n; from += size {
		from := min(from, n-size)
		g, err := b.block(eta, l, byRow, from, from+size)
		switch {
		case err != nil:
			return nil, err
		case blocks == nil:
			blocks = NewVariants(g)
		case !blocks.Has(g):
			return nil, nil
		default:
			blocks.Add(g)
		}
	}
	blocks.Pack()
	return blocks, nil
}

// byRow lists the nodes of a likelihood, but the predictor, that have a number for each row; nil where a row
// depends on others, or one of them has data beside its values.
func (b *Builder) byRow(eta ID, l *recorded) (needed []ID) {
	shape, seen := b.nodes[eta].shape, make([]bool, len(b.nodes))
	for _, id := range l.all() {
		seen[id] = true
	}
	for id := ID(len(b.nodes) - 1); id >= 0; id-- {
		n := &b.nodes[id]
		if !seen[id] || id == eta {
			continue
		}
		for _, p := range n.in {
			seen[p] = true
			if len(n.shape) == 0 && len(b.nodes[p].shape) > 0 {
				return nil
			}
		}
		switch {
		case len(n.shape) == 0:
		case !n.shape.equal(shape) || len(shape) != 1, n.kind != constant && (n.op == nil || !n.op.elements),
			n.index != nil || n.runs != nil || n.bij != nil:
			return nil
		default:
			needed = append(needed, id)
		}
	}
	return needed
}

// block is the graph of some rows of a likelihood, given their predictor.
func (b *Builder) block(eta ID, l *recorded, byRow []ID, from, to int) (*Graph, error) {
	c := b.fork()
	c.plain = b.plain
	c.keepJacobians(b)
	shape := c.nodes[eta].shape
	if to-from < shape.rows() {
		for _, id := range byRow {
			n := &c.nodes[id]
			if n.shape = (Shape{to - from}); n.kind == constant {
				n.values = n.values[from:to:to]
			} else {
				n.frame = to - from
			}
		}
		shape = Shape{to - from}
	}
	c.nodes[eta] = node{kind: input, name: "predictor", shape: shape}
	c.inputs, c.held = []ID{eta}, shape.Len()
	id, err := c.LogDensityByVectors(l.dist, l.x, l.theta, l.weights)
	if err != nil {
		return nil, err
	}
	if l.power != 1 {
		id = c.must("mul", id, c.Scalar(l.power))
	}
	c.Output("log density", id)
	return c.Build()
}
