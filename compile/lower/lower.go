// Package lower turns a checked program and its data into a graph: party programs one by one, or a whole
// pooled model.
package lower

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/spill"
)

// A PartyData is what is lowered: one party's program with that party's data, or a model with all parties'
// data.
type PartyData struct {
	Program *check.Program
	Name    string // "registry", "lab[3]"; for a pooled model, the server
	Family  string // "lab" for lab[3], else ""
	Member  int    // 3 for lab[3], else 0
	// Data holds the bindings by party. A party program needs its own entry only.
	Data  map[string]data.Bindings
	Sizes *Sizes
	// Declared lowers parameters to themselves, on their declared scale: for quantities that follow from
	// them, not for inference.
	Declared bool
	// Window selects the rows that are lowered; nil selects all.
	Window *Window
	// Storage holds what graphs make of large data; nil: memory does.
	Storage *spill.Storage
}

// A Lowered is a party's spec with the names of its ports, from which Link makes the wiring.
type Lowered struct {
	Spec    *model.Spec
	Program *check.Program
	PartyData
	inputs  []inputPort
	outputs []string // names of the server parameters sent, in the order of graph outputs
}

// inputPort describes what a graph input carries: a sum of z by the names of the auxiliary variables, or the
// value of one name.
type inputPort struct {
	name   string   // a shared parameter or the others' sum
	sum    []string // z whose sum is received
	member int      // of a family's z that is received separately, else 0
	// drawn is true of an input that holds a generated quantity; read of a sum that generated quantities
	// depend on; early of what must come before the cuts.
	drawn, read, early bool
	// the inputs to which a shared parameter is added in a likelihood of the party: graph.Builder.Beside
	beside []int
	at     []int // of a sum that is looked up: the element of each row, from 0; else nil
}

// Lower builds the graph of a party.
func Lower(p PartyData) (*Lowered, diag.List) {
	l := &lowerer{
		Lowered: &Lowered{Program: p.Program, PartyData: p, Spec: &model.Spec{Party: p.Name}},
		b:       graph.NewIn(p.Name, p.Storage),
		names:   map[string]graph.ID{}, vars: map[string]int{}, memo: map[memoKey]graph.ID{},
		sums: map[string]graph.ID{},
	}
	if p.Window != nil {
		l.b.EachRow() // graphs of windows that differ in their data alone are one
	}
	l.gaps = l.imputed
	l.run()
	if l.diags.HasErrors() {
		return nil, l.diags
	}
	l.noteRoots()
	l.noteProducts()
	l.noteJoint()
	beside := l.b.Beside()
	intercepts, err := l.intercepts()
	if err != nil {
		l.errorf(diag.CannotEvaluate, p.Program.File, "%v", err)
		return nil, l.diags
	}
	g, err := l.b.Build()
	if errors.Is(err, spill.ErrFile) {
		l.errorf(diag.NoSpill, p.Program.File, "%v", err)
		return nil, l.diags
	}
	if err != nil {
		l.errorf(diag.CannotEvaluate, p.Program.File, "%v", err)
		return nil, l.diags
	}
	l.Spec.Graph, l.Spec.Split = g, l.b.Splitter()
	for k, in := range g.Inputs() {
		l.inputs[k].early, l.inputs[k].beside = in.Early, beside[k]
	}
	l.Spec.Intercepts = intercepts
	l.Spec.Separable = l.separable()
	if l.Spec.Recentring, err = l.recentring(); err != nil {
		l.errorf(diag.CannotEvaluate, p.Program.File, "%v", err)
	}
	l.Spec.Standardises = l.standardises()
	return l.Lowered, l.diags
}

type lowerer struct {
	*Lowered
	b     *graph.Builder
	diags diag.List
	// names maps a declared name to its node; a member's value in a pooled model, or a z received from each
	// member, is name[k].
	names        map[string]graph.ID
	vars         map[string]int // comprehension variables
	member       int            // the member whose declaration is lowered in a pooled model
	memo         map[memoKey]graph.ID
	mixed        bool                // a function whose density may have several modes has been called
	sums         map[string]graph.ID // additive sums of received z
	groups       []zSum
	single       map[string]bool // z that are received separately
	generated    []*check.Symbol
	draws        []drawing
	dependent    []string // parameters whose priors depend on others
	effects      []effects
	joint        []effects // walks and processes
	bounded      []bounded
	plain        []graph.ID // parameters that are their coordinates, and no weights of networks
	standardised []standardised
	offset       int // into the reported values
	// For forward simulation: the facts of expressions that the cutter built, and the value of a group of
	// cuts.
	facts     func(ast.Expr) check.ExprInfo
	reference func(*ast.Name) (graph.ID, bool)
	awaits    bool     // data may be NaN, which are still to be drawn
	body      *body    // of the recursion whose step is lowered
	cells     []func() // report missing cells, after all other parameters
	// lowers imputed data; nil: to the values that fill the missing cells
	gaps func(s *check.Symbol, b *data.BoundValue)
}

// memoKey identifies an expression in a context.
type memoKey struct {
	expr    ast.Expr
	context string
}

func (l *lowerer) errorf(code diag.Code, at ast.Node, format string, args ...any) *diag.Diagnostic {
	return l.diags.Errorf(code, l.Program.File.Source, at.Span(), format, args...)
}

func (l *lowerer) run() {
	p := l.Program
	l.groups, l.single = sumsOf(p)
	for _, s := range p.Order {
		l.eachMember(s.Family && s.Kind != check.Receive, s.Owner, func() { l.declare(s) })
	}
	for _, s := range p.Order {
		if s.Leaves() != nil {
			l.cut(s)
		}
	}
	for _, stmt := range p.File.Stmts {
		if s, ok := stmt.(*ast.Send); ok && s.Value == nil {
			l.send(s)
		}
	}
	for _, report := range l.cells {
		report()
	}
	for _, s := range l.generated {
		if l.Window == nil { // computed per draw, and so over all rows
			l.eachMember(s.Family, s.Owner, func() { l.generate(s) })
		}
	}
	l.laws()
	for _, k := range p.Likelihoods {
		l.eachMember(k.Family != "" && p.For == "", k.Family, func() { l.likelihood(k) })
	}
}

// eachMember runs f once, or for each member of a family in a pooled model.
func (l *lowerer) eachMember(family bool, owner string, f func()) {
	if !family {
		f()
		return
	}
	for k := 1; k <= l.Sizes.Members[owner]; k++ {
		l.member = k
		f()
	}
	l.member = 0
}

// key is the name under which a value of the current member is kept.
func (l *lowerer) key(name string) string { return memberName(name, l.member) }

func memberName(name string, member int) string {
	if member == 0 {
		return name
	}
	return fmt.Sprintf("%s[%d]", name, member)
}

func (l *lowerer) declare(s *check.Symbol) {
	if l.diags.HasErrors() {
		return
	}
	switch s.Kind {
	case check.Data:
		l.data(s)
	case check.Param:
		l.param(s)
	case check.Let:
		l.names[l.key(s.Name)] = l.expr(s.Decl.(*ast.Let).Value)
	case check.Const:
		l.names[s.Name] = l.b.Scalar(s.Value)
	case check.Receive:
		l.receive(s)
	case check.Generated:
		l.generated = append(l.generated, s)
	}
}

// holder is the party whose bindings hold a symbol's data.
func (l *lowerer) holder(s *check.Symbol) string {
	switch {
	case l.Program.For != "" || s.Owner == check.Shared:
		return l.Name
	case s.Family:
		return memberName(s.Owner, l.member)
	}
	return s.Owner
}

func (l *lowerer) data(s *check.Symbol) {
	if v, ok := l.size(s.Name); ok && s.Type.Scalar() {
		l.names[s.Name] = l.b.Scalar(float64(v))
		return
	}
	b := l.Data[l.holder(s)][s.Name]
	if b == nil {
		for _, other := range l.Data { // shared data of a pooled model: any party's copy
			if b == nil {
				b = other[s.Name]
			}
		}
	}
	if b == nil {
		l.errorf(diag.CannotEvaluate, s.Ident, "the data %s are not bound", s.Name)
		return
	}
	if l.gaps != nil && s.Imputed() {
		l.gaps(s, b)
		return
	}
	dims, values := l.Window.of(s, b)
	l.names[l.key(s.Name)] = l.table(s, b, dims, values)
}

// table adds the rows of bound data that are lowered.
func (l *lowerer) table(s *check.Symbol, b *data.BoundValue, dims graph.Shape, values []float64) graph.ID {
	id := l.b.Const(s.Name, dims, values)
	l.b.Made(id, b.Made())
	return id
}

// shape evaluates the dimensions of a symbol.
func (l *lowerer) shape(s *check.Symbol) (graph.Shape, bool) {
	shape := graph.Shape{}
	for _, d := range s.Type.Dims {
		n, err := d.Eval(l.size)
		if err == nil && n < 0 {
			l.errorf(diag.CannotEvaluate, s.Ident, "%s: the size %s is %d", s.Name, d,
				n).Note("the data have too few rows, columns or categories for this size")
			return nil, false
		}
		if err != nil {
			l.errorf(diag.CannotEvaluate, s.Ident, "%s: %v", s.Name, err)
			return nil, false
		}
		shape = append(shape, n)
	}
	return shape, true
}

// size gives the value of a size name for the current member.
func (l *lowerer) size(name string) (int, bool) {
	if v, ok := l.vars[name]; ok {
		return v, true
	}
	if n, ok := l.Window.size(name); ok {
		return n, true
	}
	member := l.Name
	if l.Program.For == "" && l.member > 0 {
		if z := l.Program.Sizes[name]; z != nil && z.Member != "" {
			member = memberName(z.Member, l.member)
		}
	}
	return l.Sizes.Value(name, member)
}

func (l *lowerer) receive(s *check.Symbol) {
	shape, ok := l.shape(s)
	if !ok {
		return
	}
	switch {
	case !isZ(l.Program, s.Name):
		l.input(s.Name, shape, inputPort{name: s.Name})
	case !l.single[s.Name]: // received in a sum, which is lowered where it is first used
	case s.Family:
		for k := 1; k <= l.Sizes.Members[s.Owner]; k++ {
			l.input(memberName(s.Name, k), shape, inputPort{sum: []string{s.Name}, member: k})
		}
	default:
		l.input(s.Name, shape, inputPort{sum: []string{s.Name}})
	}
}

func (l *lowerer) input(key string, shape graph.Shape, port inputPort) {
	l.names[key] = l.b.Input(key, shape)
	l.inputs = append(l.inputs, port)
}

// cut lowers `z ~ normal(cut, rho)` or `send z = cut`: the cut becomes an output of the graph.
func (l *lowerer) cut(s *check.Symbol) {
	shape, ok := l.shape(s)
	if !ok || l.diags.HasErrors() {
		return
	}
	rho := 0.0
	if s.Kind == check.Aux {
		rho, _ = l.Program.ConstValue(s.Args[1])
	}
	id := l.expr(s.Leaves())
	if l.diags.HasErrors() {
		return
	}
	id = l.spread(id, shape)
	l.b.Output(s.Name, id)
	l.Spec.Bends = l.Spec.Bends || l.b.Bends(id)
	if s.Kind == check.Cut {
		l.names[s.Name] = id
	}
	rows, cols := 1, 1
	for i, d := range shape {
		if i == 0 {
			rows = d
		} else {
			cols *= d
		}
	}
	cut := density.Cut{Name: s.Name, Rows: rows, Cols: cols, Rho: rho}
	if n := len(l.Spec.Cuts); n > 0 {
		last := l.Spec.Cuts[n-1]
		cut.Offset = last.Offset + last.Len()
	}
	l.Spec.Cuts = append(l.Spec.Cuts, cut)
}

// spread broadcasts a value to its declared shape.
func (l *lowerer) spread(id graph.ID, shape graph.Shape) graph.ID {
	if l.diags.HasErrors() {
		return graph.NoID
	}
	if sameShape(l.b.Shape(id), shape) {
		return id
	}
	return l.apply(l.Program.File, "add", graph.Attr{}, id, l.zeros(shape))
}

func sameShape(a, b graph.Shape) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (l *lowerer) send(s *ast.Send) {
	if sym := l.Program.Symbols[s.Name.Name]; sym.Kind == check.Param {
		l.b.Output(s.Name.Name, l.names[s.Name.Name])
		l.outputs = append(l.outputs, s.Name.Name)
	}
}

func (l *lowerer) likelihood(k *check.Likelihood) {
	if l.diags.HasErrors() {
		return
	}
	left := l.left(k)
	theta := make([]graph.ID, len(k.Dist.Params))
	for j, a := range k.Args {
		if a == nil {
			theta[j] = l.b.Scalar(k.Dist.Params[j].Default)
			continue
		}
		theta[j] = l.expr(a)
	}
	weights, power := graph.NoID, 1.0
	switch {
	case k.Stmt.Weights != nil:
		weights = l.expr(k.Stmt.Weights)
	case l.Program.PriorOnly:
		weights = l.gapsOf(l.Program.ImputedBy(k))
	}
	if k.Stmt.Power != nil {
		v, ok := l.b.Value(l.expr(k.Stmt.Power))
		if !ok || len(v) != 1 {
			l.errorf(diag.CannotEvaluate, k.Stmt.Power, "the power of a likelihood is a constant")
			return
		}
		power = v[0]
	}
	if l.diags.HasErrors() {
		return
	}
	power *= l.scale(k)
	l.Spec.Mixture = l.Spec.Mixture || l.mixed || k.Dist.Mixes()
	if location, scale := k.Dist.Spread(); location >= 0 {
		l.Spec.Bends = l.Spec.Bends || l.b.Bends(theta[location])
		l.Spec.Interpolates = l.Spec.Interpolates ||
			scale >= 0 && l.b.Interpolates(left, theta[location], theta[scale])
	}
	term := l.key(Term(k.Stmt))
	if err := l.b.Likelihood(term, k.Dist, left, theta, weights, power); err != nil {
		l.errorf(diag.CannotEvaluate, k.Stmt, "%v", err)
	}
}

// left lowers the left side of a likelihood; a factor has zeros in its place.
func (l *lowerer) left(k *check.Likelihood) graph.ID {
	if !k.Factor() {
		return l.expr(k.Stmt.Left)
	}
	value := l.expr(k.Args[0])
	if l.diags.HasErrors() {
		return graph.NoID
	}
	return l.zeros(l.b.Shape(value))
}

func (l *lowerer) zeros(shape graph.Shape) graph.ID {
	return l.b.Const("", shape, make([]float64, shape.Len()))
}

// Term is the name of a likelihood among the terms of the log density.
func Term(s *ast.Likelihood) string {
	if s.Left == nil {
		return s.Dist.Name.Name
	}
	return format.Expr(s.Left) + " ~ " + s.Dist.Name.Name
}

func (l *lowerer) apply(at ast.Node, op string, attr graph.Attr, in ...graph.ID) graph.ID {
	if l.diags.HasErrors() {
		return graph.NoID
	}
	id, err := l.b.Apply(op, attr, in...)
	if err != nil {
		l.errorf(diag.CannotEvaluate, at, "%v", err)
	}
	return id
}

// context identifies what an expression's value depends on besides its names: the current member and
// comprehension variables.
func (l *lowerer) context() string {
	if l.member == 0 && len(l.vars) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(strconv.Itoa(l.member))
	for _, v := range sortedKeys(l.vars) {
		fmt.Fprintf(&b, ",%s=%d", v, l.vars[v])
	}
	return b.String()
}
