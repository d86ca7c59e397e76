package graph

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/spill"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/fn"
)

// A Builder makes a graph node by node. It folds constants and shares equal nodes as they are added; Build
// drops nodes that nothing needs. Misuse that no model can cause (an ID of another builder, a wrong number of
// values) panics.
type Builder struct {
	name        string
	ops         map[string]*op
	funcs       map[string]*def.Func
	nodes       []node
	shared      map[string]ID // nodes by their key
	params      []ID
	inputs      []ID
	outputs     []port
	reports     []port
	terms       []string // names, in order of first use
	parts       []part
	likelihoods []recorded
	dim         int
	held        int // length of all inputs
	plain       bool
	columnsOf   map[ID][]column // the entries of recursions that were taken apart
	rowsOf      map[ID][]ID     // the rows of those that were unrolled
	seldom      bool            // the graph is evaluated a few times: constants stay as they are
	eachRow     bool            // rows are not put together in groups
	together    bool            // they are: likelihoods are written once more
	outer       bool            // the next density is one of these
	saved       bool            // rows, by the last of these
	storage     *spill.Storage
}

// A port names a node that is read from outside.
type port struct {
	name string
	id   ID
}

// A part is one contribution to a term of the target.
type part struct {
	term  int
	node  ID      // term node, or bijector whose log-Jacobian it is; NoID for a constant
	value float64 // a constant part: of data alone, or the carrier of a density
}

// New returns an empty builder. The name is printed with the graph.
func New(name string) *Builder { return NewIn(name, nil) }

// NewIn is New for a graph of which a storage holds what Build makes of large constants.
func NewIn(name string, storage *spill.Storage) *Builder {
	b := &Builder{name: name, ops: map[string]*op{}, funcs: map[string]*def.Func{}, shared: map[string]ID{},
		columnsOf: map[ID][]column{}, rowsOf: map[ID][]ID{}, storage: storage}
	for _, o := range ops {
		b.ops[o.name] = o
	}
	for _, f := range fn.Elementwise() {
		b.funcs[f.Name] = &f
	}
	return b
}

// Seldom says that the graph is evaluated a few times only: large constants are read as they are given, and
// not put in order for evaluations, which takes another copy of them.
func (b *Builder) Seldom() { b.seldom = true }

// Const adds data or a literal, column-major. The values are not copied and must not change.
func (b *Builder) Const(name string, shape Shape, v []float64) ID {
	checkShape(shape)
	if len(v) != shape.Len() {
		panic(fmt.Sprintf("graph: constant %s of shape %v has %d values", name, shape, len(v)))
	}
	return b.push(node{kind: constant, name: name, shape: shape, values: v})
}

// Made records of a constant how each of its columns was made of the numbers of a table. Only the form in
// which a matrix is stored depends on it.
func (b *Builder) Made(constant ID, columns []def.Rescaling) {
	b.check(constant)
	if n := &b.nodes[constant]; columns != nil && len(columns) != n.shape.cols() {
		panic(fmt.Sprintf("graph: constant %s of shape %v has maps of %d columns", n.name, n.shape,
			len(columns)))
	}
	b.nodes[constant].made = columns
}

// Scalar adds a literal number.
func (b *Builder) Scalar(v float64) ID {
	return b.share(fmt.Sprintf("%b", v), func() ID { return b.Const("", Shape{}, []float64{v}) })
}

// Param adds a parameter: the next shape.Len() elements of x, column-major.
func (b *Builder) Param(name string, shape Shape) ID {
	checkShape(shape)
	id := b.push(node{kind: param, name: name, shape: shape, offset: b.dim, degree: affine})
	b.params = append(b.params, id)
	b.dim += shape.Len()
	return id
}

// Dim is the number of elements of the parameters so far.
func (b *Builder) Dim() int { return b.dim }

// Last moves a parameter behind those that have been added.
func (b *Builder) Last(param ID) {
	b.params = append(slices.DeleteFunc(b.params, func(id ID) bool { return id == param }), param)
	b.dim = 0
	for _, id := range b.params {
		b.nodes[id].offset = b.dim
		b.dim += b.nodes[id].shape.Len()
	}
}

// Input adds a received value.
func (b *Builder) Input(name string, shape Shape) ID {
	checkShape(shape)
	id := b.push(node{kind: input, name: name, shape: shape, offset: b.held})
	b.inputs = append(b.inputs, id)
	b.held += shape.Len()
	return id
}

// Apply adds the value of an operation or of an elementwise function of the standard library. The error
// describes what is wrong with the inputs, by shapes and not by the names of variables, for a caller that has
// checked the shapes already.
func (b *Builder) Apply(name string, attr Attr, in ...ID) (ID, error) {
	for _, id := range in {
		b.check(id)
	}
	o, f := b.ops[name], b.funcs[name]
	if o == nil {
		if o = opFunc; f == nil {
			return NoID, fmt.Errorf("%s: no such operation", name)
		}
	}
	if err := o.checkArity(len(in)); err != nil {
		return NoID, fmt.Errorf("%s: %w", name, err)
	}
	if id, ok := b.simplify(name, in); ok {
		return id, nil
	}
	if o.expand != nil {
		return o.expand(b, attr, in)
	}
	if id, ok := b.entry(o, attr, in); ok {
		return id, nil
	}
	if id, ok := b.listed(o, attr, in); ok {
		return id, nil
	}
	if id, ok := b.unrolledRow(o, attr, in); ok {
		return id, nil
	}
	if id, ok := b.gathered(o, in); ok {
		return id, nil
	}
	n := node{op: o, in: append([]ID(nil), in...), attr: attr, fn: f}
	if f != nil && o == opFunc {
		n.quick = vectorFuncs[f.Vector]
	}
	if err := o.infer(b, &n); err != nil {
		return NoID, fmt.Errorf("%s: %w", name, err)
	}
	return b.intern(n), nil
}

// must applies an operation that cannot fail.
func (b *Builder) must(name string, in ...ID) ID { return b.mustWith(name, Attr{}, in...) }

// mustWith is an operation with arguments that are right.
func (b *Builder) mustWith(name string, attr Attr, in ...ID) ID {
	id, err := b.Apply(name, attr, in...)
	if err != nil {
		panic("graph: " + err.Error())
	}
	return id
}

// Bijector adds the constrained value of x; its log-Jacobian is a term of the target, named after x. The
// identity adds nothing.
func (b *Builder) Bijector(bij *def.Bijector, x ID, lower, upper float64) ID {
	b.check(x)
	if bij.Identity {
		return x
	}
	n := node{op: opBijector, in: []ID{x}, bij: &bijection{def: bij, lower: lower, upper: upper}}
	if err := opBijector.infer(b, &n); err != nil {
		panic("graph: " + err.Error())
	}
	if b.constants(n.in) {
		y, jac := b.evaluate(&n)
		b.constantPart("jacobian", jac)
		return b.Const("", n.shape, y)
	}
	b.finish(&n)
	id := b.push(n)
	b.parts = append(b.parts, part{term: b.term("jacobian of " + b.nodes[x].name), node: id})
	return id
}

// Density adds power·Σ weights·log p(x|theta) to the target, normalised: theta and weights broadcast to x's
// shape, weights may be NoID. Of a distribution of vectors or matrices, theta and weights have the leading
// dimensions of x, or none. Parts that depend on constants only are computed once. An element of weight 0 is
// left out, even where its density is not finite.
func (b *Builder) Density(term string, d *def.Dist, x ID, theta []ID, weights ID, power float64) error {
	if len(theta) != len(d.Params) {
		panic(fmt.Sprintf("graph: %s takes %d parameters, got %d", d.Name, len(d.Params), len(theta)))
	}
	b.check(x)
	if d.Flat && b.nodes[x].kind == param && weights == NoID && !b.plain {
		b.constantPart(term, 0)
		return nil
	}
	d, theta = b.predicted(d, theta)
	outer := b.outer
	b.outer = false // parts of it are written in full
	if d.Event != nil {
		if outer && d.Event.Expand == nil {
			return nil // it has been written as it is
		}
		if b.expandEvents(term, d, x, theta, weights, power) ||
			b.knownScatter(term, d, x, theta, weights, power) {
			return nil
		}
		id, err := b.events(d, x, theta, weights)
		if err != nil {
			return err
		}
		return b.Add(term, id, power)
	}
	n := node{op: opDensity, in: append([]ID{x}, theta...), power: power,
		likely: &likelihood{dist: d, weighted: weights != NoID}}
	if weights != NoID {
		n.in = append(n.in, weights)
	}
	for _, id := range n.in {
		b.check(id)
	}
	if err := inferDensity(b, &n); err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	out, written := b.collapse(term, n)
	if outer && !b.saved && d.Expand == nil {
		return nil
	}
	if err := b.carrier(term, &n); err != nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	if n = out; !written && !b.expand(term, &n) && !b.expandWeighted(term, &n) {
		b.addTerm(term, n)
	}
	return nil
}

// Add adds power·Σ id to the target. A sum of elements is added element by element.
func (b *Builder) Add(term string, id ID, power float64) error {
	b.check(id)
	if b.nodes[id].op == opSum {
		id = b.nodes[id].in[0]
	}
	n := node{op: opTarget, in: []ID{id}, power: power}
	if err := opTarget.infer(b, &n); err != nil {
		return err
	}
	b.addTerm(term, n)
	return nil
}

// addTerm adds a term node, or its value if it is constant.
func (b *Builder) addTerm(name string, n node) {
	if b.constants(n.in) {
		_, sum := b.evaluate(&n)
		b.constantPart(name, sum)
		return
	}
	b.finish(&n)
	b.parts = append(b.parts, part{term: b.term(name), node: b.push(n)})
}

func (b *Builder) constantPart(term string, v float64) {
	b.parts = append(b.parts, part{term: b.term(term), node: NoID, value: v})
}

// term is the index of a term's name.
func (b *Builder) term(name string) int {
	for i, t := range b.terms {
		if t == name {
			return i
		}
	}
	b.terms = append(b.terms, name)
	return len(b.terms) - 1
}

// Output marks a boundary and returns its index. A node is marked once.
func (b *Builder) Output(name string, id ID) int {
	b.check(id)
	for _, o := range b.outputs {
		if o.id == id {
			id = b.copyOf(id)
		}
	}
	b.outputs = append(b.outputs, port{name, id})
	return len(b.outputs) - 1
}

// Report marks a value to compute on request, such as a constrained parameter, and returns its index.
func (b *Builder) Report(name string, id ID) int {
	b.check(id)
	b.reports = append(b.reports, port{name, id})
	return len(b.reports) - 1
}

// Shape is the shape of a node.
func (b *Builder) Shape(id ID) Shape { b.check(id); return b.nodes[id].shape }

// Value is the value of a constant node.
func (b *Builder) Value(id ID) ([]float64, bool) {
	b.check(id)
	n := &b.nodes[id]
	return n.values, n.kind == constant
}

// Constant reports whether a node depends on constants only.
func (b *Builder) Constant(id ID) bool {
	b.check(id)
	n := &b.nodes[id]
	return n.kind == constant || !n.leaf() && !slices.ContainsFunc(n.in, func(p ID) bool {
		return !b.Constant(p)
	})
}

func (b *Builder) check(id ID) {
	if id < 0 || int(id) >= len(b.nodes) || b.nodes[id].kind == term {
		panic(fmt.Sprintf("graph: no node %d", id))
	}
}

func checkShape(s Shape) {
	if len(s) > 3 {
		panic(fmt.Sprintf("graph: shape %v has more than three dimensions", s))
	}
	for _, d := range s {
		if d < 0 {
			panic(fmt.Sprintf("graph: negative dimension in %v", s))
		}
	}
}
