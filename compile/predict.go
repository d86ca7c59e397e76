package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/fn"
)

// A Prediction is a model in which every response is a quantity that is drawn: with the parameters of a run
// and the data of new rows it gives predictions.
type Prediction struct {
	*Model
	Responses []Predicted
}

// A Predicted is a response that is drawn; the manifest of a prediction lists them.
type Predicted = split.Predicted

// A PredictionPart is what a quantity of a prediction is to a response.
type PredictionPart int

// The parts.
const (
	OfNone  PredictionPart = iota // it belongs to no response
	OfDraw                        // a draw of the response
	OfMean                        // its expectation
	OfScore                       // the log density of what was observed
)

// ResponseOf finds the response that a reported quantity belongs to. Of a member, name is "lab[2].y".
func (p *Prediction) ResponseOf(name string) (*Predicted, PredictionPart) {
	name = name[strings.LastIndex(name, ".")+1:]
	for k := range p.Responses {
		switch r := &p.Responses[k]; name {
		case r.Name:
			return r, OfDraw
		case r.Mean:
			return r, OfMean
		case r.Score:
			return r, OfScore
		}
	}
	return nil, OfNone
}

// Prediction writes the model for prediction. Where there are clients, they send their cuts for the new rows
// themselves, without noise: predictions are those of the model as it is written. Where scores are wanted,
// the new rows have their responses, and the log density of each is computed too. The error says why the
// model has none; the diagnostics are those of the text that was written.
func (m *Model) Prediction(scored bool) (*Prediction, diag.List, error) {
	return m.prediction(&predictor{scored: scored})
}

// Predictors is Prediction with linear predictors in place of expectations: the parameter that takes one, as
// the distribution has it, and where a function of one is written, as inv_logit(eta), its argument.
func (m *Model) Predictors() (*Prediction, diag.List, error) {
	return m.prediction(&predictor{linear: true})
}

func (m *Model) prediction(p *predictor) (*Prediction, diag.List, error) {
	p.model, p.out, p.removed, p.taken = m, &Prediction{}, map[string]bool{}, map[string]bool{}
	for name := range m.Checked.Symbols {
		p.taken[name] = true
	}
	if err := p.rewrite(); err != nil {
		return nil, nil, err
	}
	o := m.options
	o.Rho, o.RhoBy, o.Accept, o.Sizes = 0, nil, diag.AcceptanceNames(), p.sizes()
	universe := stdlib.New()
	for _, name := range universe.Transforms() {
		if t, _ := universe.Transform(name); t.Pooled() == m.Pooled() && (t.Pooled() || t.CutsCross()) {
			o.Transform = t
		}
	}
	written, diags := Compile(source.New(m.Source.Name,
		format.File(&ast.File{Stmts: p.stmts, Source: source.New(m.Source.Name, "")}, "")), o)
	if p.out.Model = written; written.Manifest != nil {
		written.Manifest.Predicted = p.out.Responses
	}
	return p.out, slices.DeleteFunc(diags, func(d *diag.Diagnostic) bool {
		return d.Severity != diag.Error
	}), nil
}

// A predictor rewrites the statements of a model.
type predictor struct {
	model          *Model
	scored, linear bool
	stmts          []ast.Stmt
	// data that likelihoods have on their left sides, and generated quantities that read these
	removed map[string]bool
	taken   map[string]bool
	out     *Prediction
	// generated are the generated quantities that read no response, in order.
	generated []*ast.Generate
}

func (p *predictor) rewrite() error {
	for _, s := range p.model.File.Stmts {
		if l, ok := s.(*ast.Likelihood); ok {
			for _, name := range namesOf(l.Left) {
				if sym := p.model.Checked.Symbols[name]; sym != nil && sym.Kind == check.Data {
					p.removed[name] = true
				}
			}
		}
	}
	for _, s := range p.model.File.Stmts {
		switch s := s.(type) {
		case *ast.Data:
			if p.scored || !p.removed[s.Name.Name] {
				p.stmts = append(p.stmts, s)
			}
		case *ast.Generate:
			if !p.scored {
				p.generate(s)
			}
		case *ast.Fn, *ast.Import, *ast.Distribution: // the names in them are their own
			p.stmts = append(p.stmts, s)
		case *ast.Transform, *ast.Factor:
		case *ast.Likelihood:
			if err := p.response(s); err != nil {
				return err
			}
		default:
			if name := p.reads(s); name != "" {
				return fmt.Errorf("%s is a response, and other statements of the model read it (%s): new "+
					"rows without it cannot be predicted", name, format.Stmt(s))
			}
			p.stmts = append(p.stmts, s)
		}
	}
	if len(p.out.Responses) == 0 {
		return fmt.Errorf("the model has no likelihood whose response could be predicted")
	}
	p.quantities()
	p.unread()
	return p.counted()
}

// generate keeps a generated quantity that can be computed without responses.
func (p *predictor) generate(s *ast.Generate) {
	if p.reads(s) != "" {
		p.removed[s.Name.Name] = true // so are those that read it
		return
	}
	p.generated = append(p.generated, s)
}

// quantities adds the generated quantities with an element for each row of a response, and those that they
// read.
func (p *predictor) quantities() {
	rows := map[string]bool{}
	for _, r := range p.out.Responses {
		if t := p.model.Checked.Symbols[r.Data].Type; len(t.Dims) > 0 {
			rows[t.Dims[0].String()] = true
		}
	}
	overRows := func(s *check.Symbol) bool { return len(s.Type.Dims) > 0 && rows[s.Type.Dims[0].String()] }
	wanted := map[string]bool{}
	for _, s := range slices.Backward(p.generated) {
		sym := p.model.Checked.Symbols[s.Name.Name]
		if !overRows(sym) && !wanted[sym.Name] {
			continue
		}
		wanted[sym.Name] = true
		for _, name := range namesOf(s) {
			wanted[name] = true
		}
	}
	for _, s := range p.generated {
		if !wanted[s.Name.Name] {
			continue
		}
		p.stmts = append(p.stmts, s)
		if sym := p.model.Checked.Symbols[s.Name.Name]; overRows(sym) {
			p.out.Responses = append(p.out.Responses, Predicted{Name: sym.Name, Owner: sym.Owner,
				Quantity: true, Level: sym.Type.Elem == types.Level})
		}
	}
}

// one is the number 1 as an expression.
func one() ast.Expr { return &ast.Number{Text: "1"} }

// counted is an error where only responses bind the number of their rows, so that new rows without them have
// none.
func (p *predictor) counted() error {
	bound := map[string]bool{}
	for _, s := range p.stmts {
		switch s := s.(type) {
		case *ast.Data:
			bound[s.Name.Name] = true
			for _, e := range append([]ast.Expr{s.Type.Levels}, s.Type.Dims...) {
				if n, ok := e.(*ast.Name); ok {
					bound[n.Name] = true
				}
			}
		case *ast.Const:
			bound[s.Name.Name] = true
		case *ast.Levels:
			bound[s.Name.Name] = true
		case *ast.Client:
			for _, f := range s.Clients {
				if n, ok := f.Count.(*ast.Name); ok {
					bound[n.Name] = true
				}
			}
		}
	}
	for _, r := range p.out.Responses {
		if r.Quantity {
			continue
		}
		dims := p.model.Checked.Symbols[r.Data].Decl.(*ast.Data).Type.Dims
		if len(dims) == 0 {
			continue
		}
		if n, ok := dims[0].(*ast.Name); ok && !bound[n.Name] {
			return fmt.Errorf("%s alone binds %s, the number of its rows, so that there are no new rows to "+
				"predict; `vflc ppc` draws replicates of the rows of the run", r.Data, n.Name)
		}
	}
	return nil
}

// sizes are those of categories and of columns of the responses that are removed: new rows do not bind them,
// and parameters of the run have them. The number of new rows is none of them.
func (p *predictor) sizes() (out []string) {
	for _, s := range p.model.File.Stmts {
		d, ok := s.(*ast.Data)
		if !ok || p.scored || !p.removed[d.Name.Name] || d.Type == nil {
			continue
		}
		for i, e := range append([]ast.Expr{d.Type.Levels}, d.Type.Dims...) {
			if n, ok := e.(*ast.Name); ok && i != 1 {
				out = append(out, n.Name)
			}
		}
	}
	return out
}

// reads returns a response that a statement reads, "" where it reads none.
func (p *predictor) reads(n ast.Node) string { return reads(n, p.removed) }

// response writes a likelihood as a draw of its left side, and its expectation where that is written.
func (p *predictor) response(s *ast.Likelihood) error {
	name := p.reads(s.Left)
	sym := p.model.Checked.Symbols[name]
	if sym == nil {
		return fmt.Errorf("%s: the left side has no data to predict", format.Stmt(s))
	}
	if read := p.reads(s.Dist); read != "" {
		return fmt.Errorf("%s is a response, and %s reads it on its right side: new rows "+
			"without it cannot be predicted", read, format.Stmt(s))
	}
	k := slices.IndexFunc(p.model.Checked.Likelihoods, func(l *check.Likelihood) bool {
		return l.Stmt.At == s.At
	})
	if k < 0 {
		return fmt.Errorf("%s cannot be predicted", format.Stmt(s))
	}
	likely := p.model.Checked.Likelihoods[k]
	if likely.Dist.Event != nil && likely.Dist.Event.OfTotal {
		return fmt.Errorf("%s: a draw from %s needs the total of the counts, which new rows "+
			"without a response do not have", format.Stmt(s), likely.Dist.Name)
	}
	if server := p.model.Checked.Server; p.scored && likely.Home != server && !p.model.Pooled() {
		return fmt.Errorf("%s belongs to %s, and %s, which computes densities of rows that a fit left out, does "+
			"not receive it: `--transform none` has all data in one place, and `vflc loo` after a run needs no "+
			"other fits", name, likely.Home, server)
	}
	decl := sym.Decl.(*ast.Data)
	r := Predicted{Name: name, Data: name, Owner: sym.Owner, Level: sym.Type.Elem == types.Level,
		Ordered: likely.Dist.Ordered(), Discrete: likely.Dist.Discrete,
		Binary: likely.Dist.Support == def.ZeroOne}
	typed := decl.Type
	if _, plain := s.Left.(*ast.Name); !plain {
		r.Name = p.free(strings.Trim(strings.Map(identifier, format.Expr(s.Left)), "_"))
		typed = &ast.Type{Elem: ast.Ident{Name: "real"}, Dims: decl.Type.Dims}
	} else if slices.ContainsFunc(p.out.Responses, func(o Predicted) bool { return o.Data == name }) {
		return fmt.Errorf("%s has several likelihoods, so that it is not clear which to draw it from", name)
	}
	owner := &ast.Ident{Name: p.model.Checked.Server} // who counts its rows, too
	if sym.Family {
		owner = decl.Owner
	} else if party, alone := likely.Owners.Sole(); alone && party != p.model.Checked.Server {
		owner = &ast.Ident{Name: party}
	}
	if p.scored && r.Name == name {
		r.Name = p.free(name + "_new")
	}
	typed = &ast.Type{At: typed.At, Elem: typed.Elem, Levels: typed.Levels, Dims: typed.Dims}
	args := p.rows(likely)
	p.stmts = append(p.stmts, p.drawn(s, &r, lawOf(likely.Dist, args), typed, owner)...)
	mean := p.mean(likely.Dist, args)
	if p.linear {
		mean, r.Level, r.Ordered = predictorOf(likely.Dist, args), false, false
	}
	if mean != nil {
		r.Mean = p.free(r.Name + "_mean")
		p.stmts = append(p.stmts, &ast.Generate{Name: ast.Ident{Name: r.Mean}, Value: mean, Owner: owner})
	}
	if p.scored {
		r.Score = p.free(name + "_score")
		p.stmts = append(p.stmts, &ast.Generate{Name: ast.Ident{Name: r.Score},
			Value: lawOf(likely.Dist, args).density(s.Left), Owner: owner})
	}
	p.out.Responses = append(p.out.Responses, r)
	return nil
}

// drawn writes a draw of a response. A replicate of one that is censored stops at its bounds.
func (p *predictor) drawn(s *ast.Likelihood, r *Predicted, l law, t *ast.Type, owner *ast.Ident) []ast.Stmt {
	draw := &ast.Generate{Name: ast.Ident{Name: r.Name}, Type: t, Dist: s.Dist, Truncate: s.Truncate,
		Owner: owner}
	if !p.scored || s.Censor == nil {
		return []ast.Stmt{draw}
	}
	full := p.free(r.Name + "_drawn")
	stopped, ok := l.replicated(&ast.Name{Name: full})
	if r.Censored = !ok; !ok {
		return []ast.Stmt{draw}
	}
	draw.Name.Name = full
	return []ast.Stmt{draw, &ast.Generate{Name: ast.Ident{Name: r.Name}, Value: stopped, Owner: owner}}
}

// rows are the arguments of a likelihood of numbers, those of fewer axes than others as rows: they lie along
// the last axes of the left side.
func (p *predictor) rows(l *check.Likelihood) []ast.Expr {
	out, axes := slices.Clone(l.Args), func(e ast.Expr) int { return len(p.model.Checked.Info[e].Type.Dims) }
	most := 0
	for _, a := range out {
		most = max(most, axes(a))
	}
	for k, a := range l.Args {
		for n := axes(a); l.Dist.Event == nil && n > 0 && n < most; n++ {
			out[k] = &ast.Call{Name: ast.Ident{Name: fn.Row().Name}, Args: []ast.Expr{out[k]}}
		}
	}
	return out
}

// mean is the expectation of a value of a distribution with these arguments; of a category the probabilities.
// It is nil where none is written.
func (p *predictor) mean(d *def.Dist, given []ast.Expr) ast.Expr {
	if d.Form != nil && d.Form.Kind == def.MixtureForm {
		return p.mixed(d, given)
	}
	if d.Form != nil || d.Mean == "" {
		return nil
	}
	args := map[string]ast.Expr{}
	for i, a := range given {
		if a == nil { // a default
			return nil
		}
		if d.Ordered() {
			switch len(p.model.Checked.Info[a].Type.Dims) {
			case 0:
				a = &ast.Call{Name: ast.Ident{Name: "rep"}, Args: []ast.Expr{a, one()}}
			case 1:
			default:
				return nil
			}
		}
		args[d.Params[i].Name] = a
	}
	file, diags := parser.Parse(source.New("", "generate mean = "+d.Mean+"\n"))
	if diags.HasErrors() {
		panic("compile: the mean of " + d.Name + " is no expression")
	}
	var fill func(e ast.Expr) ast.Expr
	fill = func(e ast.Expr) ast.Expr {
		if n, ok := e.(*ast.Name); ok {
			return &ast.Paren{X: args[n.Name]}
		}
		return ast.Rebuild(e, fill)
	}
	return fill(file.Stmts[0].(*ast.Generate).Value)
}

// predictorOf is the linear predictor among the arguments of a distribution; nil where it takes none.
func predictorOf(d *def.Dist, args []ast.Expr) ast.Expr {
	for k, a := range args {
		f, ok := d.PredictedAt(k)
		for { // without its parentheses
			inner, paren := a.(*ast.Paren)
			if !paren {
				break
			}
			a = inner.X
		}
		if call, is := a.(*ast.Call); ok && is && call.Name.Name == f.Func && len(call.Args) == 1 {
			return call.Args[0]
		}
	}
	if d.Link.Scale == def.NoLink || d.Form != nil {
		return nil
	}
	return args[d.Link.Param]
}

// mixed is the mean of a mixture: that of the means of its components.
func (p *predictor) mixed(d *def.Dist, given []ast.Expr) (sum ast.Expr) {
	var means []ast.Expr
	for _, c := range d.Form.Of {
		mean := p.mean(c, given[:len(c.Params)])
		if mean == nil {
			return nil
		}
		means, given = append(means, mean), given[len(c.Params):]
	}
	if len(given) == 1 { // of two components: the weight of the first
		given = append(slices.Clone(given), &ast.Binary{Op: "-", X: one(), Y: &ast.Paren{X: given[0]}})
	}
	for k, mean := range means {
		term := &ast.Binary{Op: ".*", X: &ast.Paren{X: given[k]}, Y: &ast.Paren{X: mean}}
		if k == 0 {
			sum = term
		} else {
			sum = &ast.Binary{Op: "+", X: sum, Y: term}
		}
	}
	return sum
}

// free is a name that nothing has.
func (p *predictor) free(name string) string {
	for p.taken[name] {
		name += "_"
	}
	p.taken[name] = true
	return name
}

// unread leaves out data that nothing reads any more, such as weights.
func (p *predictor) unread() {
	read := map[string]bool{}
	for _, s := range p.stmts {
		d, declared := s.(*ast.Data)
		for _, name := range namesOf(s) {
			read[name] = read[name] || !declared || name != d.Name.Name
		}
	}
	p.stmts = slices.DeleteFunc(p.stmts, func(s ast.Stmt) bool {
		d, ok := s.(*ast.Data)
		return ok && !read[d.Name.Name] && len(d.Type.Dims) > 0
	})
}

// identifier maps a character to one of an identifier.
func identifier(r rune) rune {
	if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '_'
}

// reads returns the first name in an expression that is in a set.
func reads(n ast.Node, set map[string]bool) string {
	for _, name := range namesOf(n) {
		if set[name] {
			return name
		}
	}
	return ""
}

// namesOf lists the names that a node refers to.
func namesOf(n ast.Node) (out []string) {
	ast.Walk(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			out = append(out, name.Name)
		}
		return true
	})
	return out
}

// BindNew is Bind for new rows, whose values a data set has given with the encoders of a run: parameters
// stand on their declared scale, and no density is lowered. sizes are those that the run's parameters have.
func BindNew(m *Model, d *data.Dataset, values map[string]data.Bindings, members,
	sizes map[string]int) (*BoundModel, diag.List, error) {
	b := &BoundModel{Model: m, Data: d, Values: values, members: members, given: sizes, declared: true}
	return b.run(valuePasses())
}
