package lower

import (
	"iter"
	"math"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// A Probe is a client's program with its data, as a function of its parameters and of all that it receives:
// for rules about what may cross, which draw these and look at what would be sent.
type Probe struct {
	Graph *graph.Graph
	// Params are the client's parameters and what it receives, in the order of the graph's parameters;
	// noncentered ones are standard. What has no prior here is Improper.
	Params []model.Param
	Sent   []ProbeCut // the outputs of the graph
	// Rows are the likelihoods that read the client's data.
	Rows []ProbeRows
}

// A ProbeCut is what the client sends.
type ProbeCut struct {
	Name       string
	Expr       ast.Expr
	Rows, Cols int
}

// ProbeRows are the weights of a likelihood's rows, which input Input of the graph holds: Rows of them along
// the first dimension of its left side.
type ProbeRows struct {
	Of          *check.Likelihood
	Args        []ast.Expr
	Input, Rows int
}

// A Probing says what of a program is probed.
type Probing struct {
	// the declaration of one element of a received parameter, nil where it is unknown
	Prior func(name string) *check.Symbol
	Sent  iter.Seq2[string, ast.Expr] // what the client sends, by name
	// the arguments of a likelihood, as far as they are looked at
	Args func(likely *check.Likelihood) []ast.Expr
}

// NewProbe lowers the program of a client.
func NewProbe(p PartyData, q Probing) (*Probe, diag.List) {
	l := &prober{
		generative: &generative{
			lowerer: &lowerer{
				Lowered: &Lowered{Program: p.Program, PartyData: p},
				b:       graph.New(p.Name),
				names:   map[string]graph.ID{}, vars: map[string]int{}, memo: map[memoKey]graph.ID{},
				sums: map[string]graph.ID{},
			},
			model: &model.SimulatedModel{},
		},
		Probing: q, probe: &Probe{},
	}
	l.b.Seldom()
	l.lower()
	if l.diags.HasErrors() {
		return nil, l.diags
	}
	built, err := l.b.Build()
	if err != nil {
		l.errorf(diag.CannotEvaluate, p.Program.File, "%v", err)
		return nil, l.diags
	}
	l.probe.Graph, l.probe.Params = built, l.model.Params
	return l.probe, nil
}

// A prober lowers parameters and what is received to parameters of the graph, cuts to outputs, and
// likelihoods with weights.
type prober struct {
	*generative
	Probing
	probe *Probe
}

func (l *prober) lower() {
	for _, s := range l.Program.Order {
		switch {
		case l.diags.HasErrors():
			return
		case s.Kind == check.Param && s.Noncentered():
			l.standard(s)
		case s.Kind == check.Param:
			l.declared(s)
		case s.Kind == check.Receive:
			l.received(s)
		case s.Kind != check.Generated:
			l.declare(s)
		}
	}
	for name, x := range l.Sent {
		l.cut(name, x)
	}
	for _, k := range l.Program.Likelihoods {
		if args := l.Args(k); l.reads(append([]ast.Expr{k.Stmt.Left, k.Stmt.Weights}, args...), ownData) {
			l.rows(k, args)
		}
	}
}

// standard lowers a noncentered parameter to the standard one that it is made of.
func (l *prober) standard(s *check.Symbol) {
	shape, ok := l.shape(s)
	if !ok {
		return
	}
	args := l.arguments(s.Dist, s.Args)
	lower, upper, ok := l.support(s, args)
	if !ok || l.diags.HasErrors() {
		return
	}
	value, args := l.noncentered(s, l.b.Param(s.Name, shape), args)
	if l.diags.HasErrors() {
		return
	}
	l.names[s.Name] = l.spread(value, shape)
	l.model.Params = append(l.model.Params, model.Param{Name: s.Name, Owner: s.Owner,
		Law: l.law(s.Dist, args, shape), Lower: lower, Upper: upper,
		Improper: l.improper(s, args, lower, upper)})
}

// received lowers a received value to a parameter, with the prior that is known of it.
func (l *prober) received(s *check.Symbol) {
	if known := l.Prior(s.Name); known != nil {
		whole := *known
		whole.Type.Dims = s.Type.Dims
		l.declared(&whole)
		return
	}
	if shape, ok := l.shape(s); ok {
		l.names[s.Name] = l.b.Param(s.Name, shape)
		l.model.Params = append(l.model.Params, model.Param{Name: s.Name, Lower: math.Inf(-1),
			Upper: math.Inf(1), Improper: "is received, and its prior is unknown"})
	}
}

func (l *prober) cut(name string, x ast.Expr) {
	if l.diags.HasErrors() {
		return
	}
	id := l.expr(x)
	if l.diags.HasErrors() {
		return
	}
	cut := ProbeCut{Name: name, Expr: x, Rows: 1, Cols: 1}
	if shape := l.b.Shape(id); len(shape) > 0 {
		cut.Rows, cut.Cols = shape[0], shape[1:].Len()
	}
	l.names[name] = id
	l.b.Output(name, id)
	l.probe.Sent = append(l.probe.Sent, cut)
}

// ownData reports whether a symbol is data of the client.
func ownData(s *check.Symbol) bool { return s.Kind == check.Data && s.Owner != check.Shared }

// rows lowers a likelihood with a weight for each element, an input.
func (l *prober) rows(k *check.Likelihood, exprs []ast.Expr) {
	if l.diags.HasErrors() {
		return
	}
	left := l.left(k)
	args := l.arguments(k.Dist, exprs)
	if l.diags.HasErrors() {
		return
	}
	shape := l.b.Shape(left)
	weights := l.b.Input(Term(k.Stmt), shape)
	r := ProbeRows{Of: k, Args: exprs, Input: len(l.probe.Rows), Rows: 1}
	if len(shape) > 0 {
		r.Rows = shape[0]
	}
	if k.Stmt.Weights != nil {
		weights = l.apply(k.Stmt.Weights, "mul", graph.Attr{}, weights, l.expr(k.Stmt.Weights))
	}
	if l.diags.HasErrors() {
		return
	}
	if err := l.b.Density(Term(k.Stmt), k.Dist, left, args, weights, 1); err != nil {
		l.errorf(diag.CannotEvaluate, k.Stmt, "%v", err)
		return
	}
	l.probe.Rows = append(l.probe.Rows, r)
}
