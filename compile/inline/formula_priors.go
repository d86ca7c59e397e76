package inline

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// What a prior may be of beside terms and parameters of the family.
const (
	ofIntercept   = "intercept"
	ofCoefficient = "coef"
	ofSD          = "sd"
	ofCorrelation = "cor"
)

// Priors are those of one formula: `priors = [coef ~ normal(0, 1), sd(ward) ~ half_normal(1)]`.
type priors struct {
	list      []*given
	there     []string // what the formula has, for messages
	defaulted bool     // a prior without a word, which depends on the scale of the response
}

// A given is one prior of the list.
type given struct {
	key  string
	at   ast.Node
	dist *ast.Dist
	used bool
}

// read notes the priors of the argument.
func (p *priors) read(m *formula, e ast.Expr) {
	list, ok := e.(*ast.Array)
	if !ok {
		m.errorf(diag.PriorOfNone, e, "priors are a list: priors = [coef ~ normal(0, 1), sd ~ half_normal(1)]")
		return
	}
	for _, e := range list.Elems {
		b, ok := e.(*ast.Binary)
		if !ok || b.Op != "~" {
			m.errorf(diag.PriorOfNone, e, "a prior is WHAT ~ DISTRIBUTION: age ~ normal(0, 1)")
			continue
		}
		call, ok := b.Y.(*ast.Call)
		if !ok {
			m.errorf(diag.PriorOfNone, b.Y, "a prior is a distribution with its arguments, as normal(0, 1)")
			continue
		}
		d := &ast.Dist{At: call.At, Name: call.Name}
		for _, a := range call.Args {
			d.Args = append(d.Args, &ast.Arg{At: ast.At(a.Span()), Value: a})
		}
		g := &given{key: keyOf(b.X), at: b.X, dist: d}
		if p.find(g.key) != nil {
			m.errorf(diag.PriorOfNone, b.X, "there is a prior of %s already", g.key)
		}
		p.list = append(p.list, g)
	}
}

// keyOf is what a prior is of, in one way of writing it.
func keyOf(e ast.Expr) string {
	if b, ok := ast.Unparen(e).(*ast.Binary); ok && b.Op == ":" {
		parts := append(strings.Split(keyOf(b.X), ":"), strings.Split(keyOf(b.Y), ":")...)
		slices.Sort(parts)
		return strings.Join(parts, ":")
	}
	return format.Expr(ast.Unparen(e))
}

func (p *priors) find(key string) *given {
	for _, g := range p.list {
		if g.key == key {
			return g
		}
	}
	return nil
}

// of returns the first prior that is given of one of the keys, nil where there is none. Each key is noted
// as there.
func (p *priors) of(keys ...string) (found *ast.Dist) {
	for _, k := range keys {
		if !slices.Contains(p.there, k) {
			p.there = append(p.there, k)
		}
		if g := p.find(k); g != nil && found == nil {
			g.used = true
			found = g.dist
		}
	}
	return found
}

// unused reports priors of nothing.
func (p *priors) unused(m *formula) {
	for _, g := range p.list {
		if !g.used && !slices.Contains(p.there, g.key) {
			m.errorf(diag.PriorOfNone, g.at, "the formula has no %s to give a prior", g.key).
				Note("it has %s", strings.Join(p.there, ", "))
		}
	}
}

// dist writes a distribution.
func (m *formula) dist(name string, args ...ast.Expr) *ast.Dist {
	d := &ast.Dist{At: m.at, Name: m.ident(name)}
	for _, a := range args {
		d.Args = append(d.Args, &ast.Arg{At: m.at, Value: a})
	}
	return d
}

// library writes a prior of the library.
func (m *formula) library(text string) *ast.Dist {
	tree, _ := parser.Parse(source.New("", "param p ~ "+text+"\n"))
	d := tree.Stmts[0].(*ast.Param).Dist
	var place func(e ast.Expr) ast.Expr
	made := func(ast.Node, ast.Node) {}
	place = func(e ast.Expr) ast.Expr { return ast.Copy(e, m.at, made, place) }
	return ast.CopyDist(d, m.at, made, place)
}

// scaled writes one that is for a predictor of unit scale.
func (m *formula) scaled(text string) *ast.Dist {
	m.priors.defaulted = true
	return m.library(text)
}

func (m *formula) interceptPrior() *ast.Dist {
	if d := m.priors.of(ofIntercept); d != nil {
		return d
	}
	for _, t := range m.design.terms {
		for _, k := range t.vars {
			v := m.byKey[k]
			own := m.priors.find(t.key()) != nil || m.priors.find(ofCoefficient) != nil
			if v.kind != factor && !v.centred && (own || v.standardised) {
				m.raw(v, "the default prior of the intercept is for centred columns, and %s is not",
					ofIntercept)
			}
		}
	}
	return m.scaled(stdlib.DefaultIntercept)
}

// priorOf is the prior of the coefficients of a term.
func (m *formula) priorOf(t term) *ast.Dist {
	if d := m.priors.of(t.key(), ofCoefficient); d != nil {
		return d
	}
	for _, k := range t.vars {
		if v := m.byKey[k]; v.kind != factor && !v.standardised {
			m.raw(v, "the default prior of a coefficient is for standardised columns, and %s is none",
				t.key())
		}
	}
	return m.scaled(stdlib.DefaultCoefficient)
}

// raw refuses a default prior of a column that is not standardised, with the words for it and the prior
// that can be given.
func (m *formula) raw(v *variable, words, prior string) {
	d := m.errorf(diag.RawColumn, v.at, words, v.key)
	s, declared := m.dataOf(v.value)
	if declared && len(s.From) == 0 && len(s.Type.Dims) == 1 && s.Type.Elem.Name == "real" {
		d.Fix(endOf(s), " from zscore("+s.Name.Name+")", "standardise it: the coefficient is then that of one "+
			"standard deviation")
	}
	d.Note("or give the prior on the scale of the column: priors = [%s ~ normal(0, 1)]", prior)
}

func (m *formula) dataOf(e ast.Expr) (*ast.Data, bool) {
	name, ok := e.(*ast.Name)
	if !ok {
		return nil, false
	}
	s, ok := m.declared[name.Name].(*ast.Data)
	return s, ok
}

// sdParam declares the standard deviations of effects of a group.
func (m *formula) sdParam(suffix, group string, t *ast.Type, owner *ast.Ident) string {
	d := m.priors.of(ofSD+"("+group[1:]+")", ofSD)
	if d == nil {
		d = m.scaled(stdlib.DefaultSD)
	}
	return m.positive(m.called("sd"+suffix), t, d, owner)
}

// corPrior is the prior of the factor of correlations.
func (m *formula) corPrior(group string) *ast.Dist {
	if d := m.priors.of(ofCorrelation+"("+group[1:]+")", ofCorrelation); d != nil {
		return d
	}
	return m.library(stdlib.DefaultCorrelation)
}

// positive declares a parameter above 0; a prior on all numbers is cut off there.
func (m *formula) positive(name string, t *ast.Type, prior *ast.Dist, owner *ast.Ident) string {
	if d, ok := m.universe.Dist(prior.Name.Name); ok && d.Support == def.RealLine {
		if t == nil {
			t = m.real()
		}
		t.Bounds = []*ast.Bound{{At: m.at, Which: m.ident(def.LowerEnd), Value: m.num(0)}}
	}
	return m.param(name, t, prior, owner).Name.Name
}
