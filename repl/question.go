package repl

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/stdlib"
)

// asked is the name of the generated quantity that stands for an expression at the prompt.
const asked = "vflc_asked"

// An over is a number that is computed over draws, where its name is the outermost call of a question; of
// data, over elements.
type over struct {
	name  string
	doc   string
	args  int
	value func(chains [][]float64, arg float64) (value, mcse float64)
	// elements is the number over the elements of data, which have no error of sampling.
	elements func(v []float64, arg float64) float64
}

// overs lists what questions may compute over draws. Inside an expression the same names are functions of
// vfl.
func overs() []over {
	return []over{
		{"P", "the probability that a condition holds", 1, meanOf, average},
		{"mean", "the posterior mean", 1, meanOf, average},
		{"sd", "the posterior standard deviation", 1, sdOf, func(v []float64, _ float64) float64 {
			return stat.StdDev(v, nil)
		}},
		{"var", "the posterior variance", 1, varOf, func(v []float64, _ float64) float64 {
			return stat.Variance(v, nil)
		}},
		{"median", "the posterior median", 1, func(c [][]float64, _ float64) (float64, float64) {
			return quantileOf(c, 0.5)
		}, func(v []float64, _ float64) float64 { return quantile(v, 0.5) }},
		{"quantile", "a posterior quantile: quantile(x, 0.9)", 2, quantileOf, quantile},
	}
}

func average(v []float64, _ float64) float64 { return stat.Mean(v, nil) }

func quantile(v []float64, p float64) float64 {
	return posterior.Quantile(slices.Sorted(slices.Values(v)), p)
}

func meanOf(chains [][]float64, _ float64) (float64, float64) {
	return moment(chains, func(r posterior.SummaryRow) (posterior.Number, float64) {
		return r.Mean, float64(r.MCSE)
	})
}

func sdOf(chains [][]float64, _ float64) (float64, float64) {
	return moment(chains, func(r posterior.SummaryRow) (posterior.Number, float64) {
		return r.SD, posterior.MCSESD(chains)
	})
}

// varOf is the square of sdOf, with the error that this has to first order.
func varOf(chains [][]float64, arg float64) (float64, float64) {
	sd, mcse := sdOf(chains, arg)
	return sd * sd, 2 * sd * mcse
}

func moment(chains [][]float64, pick func(posterior.SummaryRow) (posterior.Number, float64)) (float64,
	float64) {
	d := posterior.NewDraws([]posterior.Variable{{Name: "x"}}, len(chains), 0)
	d.Transitions = make([][]posterior.Transition, len(chains))
	for c := range chains {
		for _, v := range chains[c] {
			d.Append(c, []float64{v})
		}
	}
	v, e := pick(posterior.Summarise(d)[0])
	return float64(v), e
}

func quantileOf(chains [][]float64, p float64) (float64, float64) {
	all := slices.Sorted(slices.Values(slices.Concat(chains...)))
	return posterior.Quantile(all, p), posterior.MCSEQuantile(chains, p)
}

// question answers a text that is a name or an expression; it reports false for any other.
func (s *Session) question(ctx context.Context, text string) (bool, error) {
	if ok, err := s.named(text); ok {
		return true, err
	}
	text, err := s.numbered(text)
	e := expression(text)
	if err != nil && e != nil {
		return true, err
	}
	if e == nil && s.current != nil && element.MatchString(text) {
		base, _, _ := strings.Cut(text, "[")
		if _, err := s.current.Draws.Choose([]string{text}); err != nil &&
			slices.Contains(s.current.Draws.Names(), base) {
			return true, usagef("%v", err) // a label that is not there, which is no expression either
		}
	}
	if e == nil || arrow.MatchString(text) {
		return false, nil
	}
	if err := s.settle(); err != nil {
		return true, err
	}
	if call, o := outermost(e); o != nil {
		return true, s.overDraws(ctx, text, call, *o)
	}
	return true, s.askAll(ctx, text)
}

// expression parses a text that is one expression of vfl, else nil.
func expression(text string) ast.Expr {
	file, diags := parser.Parse(source.New(inputName, "generate "+asked+" = "+text+"\n"))
	if diags.HasErrors() || len(file.Stmts) != 1 {
		return nil
	}
	g, ok := file.Stmts[0].(*ast.Generate)
	if !ok {
		return nil
	}
	return g.Value
}

// outermost returns the call that is computed over draws.
func outermost(e ast.Expr) (*ast.Call, *over) {
	call, ok := ast.Unparen(e).(*ast.Call)
	if !ok {
		return nil, nil
	}
	for _, o := range overs() {
		if o.name == call.Name.Name {
			return call, &o
		}
	}
	return nil, nil
}

// named answers a name alone: a parameter or an element of the current fit by its rows, another name of the
// model by what it is.
func (s *Session) named(text string) (bool, error) {
	if element.MatchString(text) {
		if err := s.settle(); err != nil {
			return true, err
		}
	}
	if s.current != nil && element.MatchString(text) {
		if columns, err := s.current.Draws.Choose([]string{text}); err == nil {
			return true, s.table("summary", s.current, posterior.Summarise(s.current.Draws.Select(columns)),
				false, "")
		}
	}
	if s.now.built == nil || !identifier.MatchString(text) {
		return false, nil
	}
	sym := s.now.built.Checked.Symbols[text]
	switch {
	case sym == nil:
		return false, nil
	case sym.Kind == check.Data:
		return true, s.say("name", "%s", s.dataLine(sym))
	case sym.Kind == check.Party:
		return true, s.say("name", "%s", s.parties())
	case sym.Kind == check.Const, sym.Kind == check.Param, !sym.Random, s.current == nil:
		return true, s.say("name", "%s", s.symbolLine(sym))
	}
	return false, nil // a let or generated quantity over draws
}

var (
	identifier = regexp.MustCompile(`^[\pL_][\pL\pM\pN_]*$`)
	// R's assignment, which vfl reads as a comparison with a negative number
	arrow   = regexp.MustCompile(`^[\pL\pM\pN_.]+ *<-`)
	element = regexp.MustCompile(
		`^[\pL_][\pL\pM\pN_]*(\[[^\]]*\])?(\.[\pL_][\pL\pM\pN_.]*)?(\[[^\]]*\])?$`,
	)
)

// An inquiry is an expression with the model and the data that it is about.
type inquiry struct {
	text   string
	model  *model.SimulatedModel
	vars   []posterior.Variable
	random bool // it depends on a parameter
}

// inquire lowers an expression over a model: that of the present state, or of a run, with the lets that were
// added since, and with the constants that were set for it.
func (s *Session) inquire(text, base string, constants map[string]float64,
	bound func(m *compile.Model) (*compile.BoundModel, error)) (*inquiry, error) {
	head := base
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	start := len(head) + len("generate "+asked+" = ")
	m, diags := compile.Compile(source.New(s.now.name(), head+"generate "+asked+" = "+text+"\n"),
		check.Options{Set: constants, Transform: stdlib.NoTransform, Import: s.now.modules()})
	if err := refused(inInput(diags, text, start)); err != nil {
		return nil, err
	}
	b, err := bound(m)
	if err != nil {
		return nil, err
	}
	lowered, diags := b.Quantities(m, asked)
	if err := refused(inInput(diags, text, start)); err != nil {
		return nil, err
	}
	sym := m.Checked.Symbols[asked]
	v := posterior.Variable{Name: s.worded(text), Owner: ownersText(sym.Owners),
		Dims: lowered.Quantities[0].Shape}
	vars := posterior.Labelled([]posterior.Variable{v},
		map[string][][]string{v.Name: axesOf(b, sym.Type, sym.Owners)})
	return &inquiry{text, lowered, vars, sym.Random}, nil
}

// inInput moves diagnostics about an expression that was compiled at the end of a model to the text that was
// typed.
func inInput(l diag.List, text string, start int) diag.List {
	file := source.New(inputName, text)
	for _, d := range l {
		own := d.File
		for i := range d.Notes {
			if n := &d.Notes[i]; n.File != nil && n.Span.Start >= start {
				n.File, n.Span = file, source.Span{Start: n.Span.Start - start, End: n.Span.End - start}
			}
		}
		if own == nil || d.Span.Start < start {
			continue
		}
		d.File, d.Span = file, source.Span{Start: d.Span.Start - start, End: min(d.Span.End-start, len(text))}
		for i := range d.Fixes {
			f := &d.Fixes[i].Span
			f.Start, f.End = f.Start-start, f.End-start
		}
	}
	return l
}

// inquireOf is inquire over a run.
func (s *Session) inquireOf(r *run, text string) (*inquiry, error) {
	if r.Bound == nil {
		return nil, inputf("%s: expressions need its model and data: %v", r.name, r.why)
	}
	base := r.Bound.Source.Text
	if !strings.HasSuffix(base, "\n") {
		base += "\n"
	}
	known := r.Bound.Checked.Symbols
	for _, t := range s.now.Statements {
		if (t.is("let") || t.is("const")) && known[t.key.String()] == nil && s.stands(base+t.Text) {
			base += t.Text
		}
	}
	return s.inquire(text, base, r.constants(), func(*compile.Model) (*compile.BoundModel, error) {
		return r.Bound, nil
	})
}

// stands reports whether a model compiles.
func (s *Session) stands(text string) bool {
	_, diags := compile.Compile(source.New(s.now.name(), text), check.Options{Transform: stdlib.NoTransform,
		Import: s.now.modules()})
	return !diags.HasErrors()
}

// about is inquire over the current run, or where no parameter enters the expression and the run does not
// have it, over the present model and its tables, for which no fit is needed.
func (s *Session) about(text string) (*run, *inquiry, error) {
	r, err := s.runOf("")
	if err == nil {
		var q *inquiry
		if q, err = s.inquireOf(r, text); err == nil {
			return r, q, nil
		}
	}
	q, why := s.inquireData(text)
	if r == nil && why != nil && !isRandom(why) {
		err = why
	}
	if why != nil {
		return nil, nil, err
	}
	return nil, q, nil
}

// askAll answers an expression: rows of a summary over draws, or the value of one that no parameter enters.
func (s *Session) askAll(ctx context.Context, text string) error {
	r, q, err := s.about(text)
	if err != nil {
		return err
	}
	if !q.random {
		return s.say("value", "%s", q.constant())
	}
	d, err := fit.Quantities(ctx, q.model, q.vars, r.Draws)
	if err != nil {
		return err
	}
	return s.table("summary", r, posterior.Summarise(d), false, "")
}

// errRandom is why an expression has no value before there is a fit.
type errRandom struct{}

func (errRandom) Error() string { return "depends on parameters" }

func isRandom(err error) bool { return err == error(errRandom{}) }

// values are those of an expression that no parameter enters.
func (q *inquiry) values() []float64 {
	return q.model.NewSimulator().Evaluate(make([]float64, q.model.Graph.Dim()))[0]
}

// constant is the value of an expression without parameters as text.
func (q *inquiry) constant() string {
	values := q.values()
	var out []string
	for _, v := range values[:min(len(values), 10)] {
		out = append(out, strconv.FormatFloat(v, 'g', 6, 64))
	}
	line := strings.Join(out, ", ")
	if len(values) > 10 {
		line += fmt.Sprintf(", … (%d values)", len(values))
	}
	return line + "  @ " + q.vars[0].Owner
}

// inquireData is inquire over the present model with its tables, for an expression that no parameter enters.
// The error of any other is errRandom.
func (s *Session) inquireData(text string) (*inquiry, error) {
	return s.inquire(text, s.now.text(), nil, func(m *compile.Model) (*compile.BoundModel, error) {
		if m.Checked.Symbols[asked].Random {
			return nil, errRandom{}
		}
		return s.bind(m)
	})
}

// inquirePresent is inquire over the present model with its tables.
func (s *Session) inquirePresent(text string) (*inquiry, error) {
	return s.inquire(text, s.now.text(), nil, s.bind)
}

// overDraws answers a number that is computed over draws, one per element.
func (s *Session) overDraws(ctx context.Context, text string, call *ast.Call, o over) error {
	if len(call.Args) != o.args {
		return usagef("%s takes %d arguments: %s", o.name, o.args, o.doc)
	}
	arg, err := s.second(call, o)
	if err != nil {
		return err
	}
	prefix := len("generate " + asked + " = ")
	at := call.Args[0].Span()
	inner := text[at.Start-prefix : at.End-prefix]
	r, q, err := s.about(inner)
	if err != nil {
		return err
	}
	no := usagef("P(%s): not a condition; write a comparison, as P(%s > 0)", inner, inner)
	if !q.random {
		values := q.values()
		if o.name == "P" && !conditions(values) {
			return no
		}
		return s.overElements(q, values, text, o, arg)
	}
	d, err := fit.Quantities(ctx, q.model, q.vars, r.Draws)
	if err != nil {
		return err
	}
	for k := range d.Columns() {
		if o.name == "P" && !conditions(d.Column(k)...) {
			return no
		}
	}
	return s.numbers(r, d, text, o, arg)
}

// overElements answers a number over the elements of what no parameter enters: over rows, where it is a
// column.
func (s *Session) overElements(q *inquiry, values []float64, text string, o over, arg float64) error {
	number, of := o.elements(values, arg), "elements"
	switch {
	case math.IsNaN(number):
		return usagef("%s: of %s there is none", s.worded(text), grouped.Count(len(values), "value"))
	case len(q.vars[0].Dims) == 1:
		of = "rows"
	}
	return s.reply("estimate",
		map[string]any{"over": of,
			"estimates": []estimate{{Name: s.worded(text), Owner: q.vars[0].Owner,
				Value: posterior.Number(number)}}}, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s = %.6g, over %s %s of data  @ %s\n", s.worded(text), number,
				grouped.Digits(len(values)), of, q.vars[0].Owner)
			return err
		})
}

// second is the number that is the second argument of a call.
func (s *Session) second(call *ast.Call, o over) (float64, error) {
	if o.args < 2 {
		return 0, nil
	}
	n, ok := ast.Unparen(call.Args[1]).(*ast.Number)
	if !ok || !(n.Value > 0) || !(n.Value < 1) {
		return 0, usagef("%s: the second argument is a number between 0 and 1", o.name)
	}
	return n.Value, nil
}

// conditions reports whether all values are 0 or 1.
func conditions(chains ...[]float64) bool {
	return !slices.ContainsFunc(chains, func(chain []float64) bool {
		return slices.ContainsFunc(chain, func(v float64) bool { return v != 0 && v != 1 })
	})
}

// An estimate is a number over draws.
type estimate struct {
	Name  string           `json:"name"`
	Owner string           `json:"owner"`
	Value posterior.Number `json:"value"`
	MCSE  posterior.Number `json:"mcse"`
}

// numbers answers numbers over draws with their Monte Carlo standard errors and owners.
func (s *Session) numbers(r *run, d *posterior.Draws, text string, o over, arg float64) error {
	var out []estimate
	for k, c := range d.Columns() {
		name := s.worded(text)
		if len(d.Columns()) > 1 {
			name += strings.TrimPrefix(c.Shown(), d.Vars[0].Name)
		}
		v, e := o.value(d.Column(k), arg)
		out = append(out, estimate{name, c.Owner, posterior.Number(v), posterior.Number(e)})
	}
	return s.reply("estimate", map[string]any{"fit": r.name, "estimates": out}, func(w io.Writer) error {
		if len(out) > shownRows {
			fmt.Fprintln(w, s.wrapped(foldedEstimates(s.worded(text), out)))
		} else {
			for _, x := range out {
				fmt.Fprintf(w, "%s = %s  @ %s\n", x.Name, withError(float64(x.Value), float64(x.MCSE),
					d.Chains()*d.Len(0)), x.Owner)
			}
		}
		s.remind(w, r)
		return nil
	})
}

// foldedEstimates is a line for many estimates.
func foldedEstimates(text string, all []estimate) string {
	values := make([]float64, len(all))
	for i, x := range all {
		values[i] = float64(x.Value)
	}
	slices.Sort(values)
	at := func(p float64) string { return strconv.FormatFloat(posterior.Quantile(values, p), 'g', 3, 64) }
	return fmt.Sprintf("%s: %d values from %s to %s, half of them between %s and %s; ask for one by its "+
		"number in brackets  @ %s",
		text, len(all), at(0), at(1), at(0.25), at(0.75), all[0].Owner)
}

// withError writes a number with its Monte Carlo standard error.
func withError(v, mcse float64, draws int) string {
	if !(mcse > 0) || math.IsInf(mcse, 0) {
		return fmt.Sprintf("%s, at all %d draws", posterior.Limited(v, mcse), draws)
	}
	return fmt.Sprintf("%s ± %s", posterior.Limited(v, mcse), strconv.FormatFloat(mcse, 'g', 2, 64))
}
