package inline

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A family is the distribution of the response, one of whose parameters is the predictor.
type family struct {
	dist      *def.Dist
	at        ast.Node
	predictor int
	given     map[string]ast.Expr // other parameters, by name
}

// arguments reads those of glm.
func (m *formula) arguments() {
	args := m.stmt.Dist.Args
	if len(args) < 2 || args[0].Name != nil || args[1].Name != nil {
		m.errorf(diag.BadFamily, m.stmt.Dist, "glm has a family and a formula").
			Note("y ~ glm(bernoulli_logit, 1 + x + (1 | g)); families: %s", strings.Join(families(m.universe), ", "))
		return
	}
	if m.readFamily(args[0].Value); m.family == nil {
		return
	}
	var list ast.Expr
	for _, a := range args[2:] {
		switch {
		case a.Name == nil:
			m.errorf(diag.BadFamily, a, "behind the formula stand arguments with names")
		case a.Name.Name == "priors":
			list = a.Value
		case m.family.param(a.Name.Name) == nil:
			m.errorf(diag.BadFamily, a, "%s has no parameter %s to give", m.family.dist.Name, a.Name.Name).
				Note("it has %s, and there is priors = [WHAT ~ DISTRIBUTION, …]", m.family.others())
		default:
			m.family.given[a.Name.Name] = a.Value
		}
	}
	m.design = m.designOf(args[1].Value, false)
	if list != nil {
		m.priors.read(m, list)
	}
	if m.family.floating() {
		m.design.intercept = false
	}
}

func (m *formula) readFamily(e ast.Expr) {
	name, ok := e.(*ast.Name)
	if !ok {
		m.errorf(diag.BadFamily, e, "the family is the name of a distribution").
			Note("its other parameters are estimated, or follow the formula by name: glm(student_t, 1 + x, nu = 4)")
		return
	}
	d, ok := m.universe.Dist(name.Name)
	if !ok {
		out := m.errorf(diag.BadFamily, e, "%q is not a distribution", name.Name)
		if f, known := diag.Elsewhere(diag.Distributions, name.Name); known && f.Write != "" {
			out.Note("%s is %s: write %s", name.Name, f.From, f.Write)
		}
		out.Note("families: %s", strings.Join(families(m.universe), ", "))
		return
	}
	k, ok := predictorOf(d)
	if !ok {
		out := m.errorf(diag.BadFamily, e, "%s has no parameter that takes a linear predictor", d.Name)
		for _, p := range d.Predicted {
			if form := p.Form(); form.Name != d.Name && m.isFamilyName(form.Name) {
				out.Fix(e.Span(), form.Name, "%s takes one", form.Name)
			}
		}
		out.Note("families: %s", strings.Join(families(m.universe), ", "))
		return
	}
	m.family = &family{dist: d, at: e, predictor: k, given: map[string]ast.Expr{}}
}

func (m *formula) isFamilyName(name string) bool { return slices.Contains(families(m.universe), name) }

// predictorOf is the parameter of a distribution that takes a linear predictor: the one that Link names,
// or of counts with zeros of their own the only one that is any real number.
func predictorOf(d *def.Dist) (int, bool) {
	if d.Link.Scale != def.NoLink {
		return d.Link.Param, true
	}
	at, found := 0, 0
	for k, p := range d.Params {
		if p.Domain == def.RealLine && p.Rank == 0 {
			at, found = k, found+1
		}
	}
	return at, found == 1 && d.Discrete && d.Support == def.Naturals
}

// families lists the distributions that a formula can have, sorted.
func families(u *stdlib.Universe) []string {
	var out []string
	for _, name := range u.Dists() {
		if d, _ := u.Dist(name); d != nil {
			if _, ok := predictorOf(d); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

func (f *family) param(name string) *def.Param {
	for k, p := range f.dist.Params {
		if p.Name == name && k != f.predictor {
			return &f.dist.Params[k]
		}
	}
	return nil
}

func (f *family) others() string {
	var out []string
	for k, p := range f.dist.Params {
		if k != f.predictor {
			out = append(out, p.Name)
		}
	}
	if out == nil {
		return "none but the predictor"
	}
	return strings.Join(out, ", ")
}

// floating reports whether a number that is added to the predictor changes nothing, so that there is no
// intercept.
func (f *family) floating() bool { return f.dist.Params[f.predictor].Differences != "" }

// likelihood writes the likelihood, with a parameter for each of the family's that is not given.
func (m *formula) likelihood() {
	m.at = m.stmt.Dist.At
	d := m.dist(m.family.dist.Name)
	d.Name.At = ast.At(m.family.at.Span())
	for k, p := range m.family.dist.Params {
		value := m.family.given[p.Name]
		if k == m.family.predictor {
			value = m.eta()
		}
		if value == nil && p.Optional {
			continue
		}
		if value == nil {
			value = m.estimated(p)
		}
		arg := &ast.Arg{At: ast.At(value.Span()), Value: value}
		if k > len(d.Args) {
			name := m.ident(p.Name)
			arg.Name = &name
		}
		d.Args = append(d.Args, arg)
	}
	m.scaleOfResponse()
	l := *m.stmt
	l.Dist = d
	m.result = &l
	for _, list := range []*[]ast.Stmt{&m.data, &m.params, &m.lets, &m.generated} {
		for i, s := range *list {
			(*list)[i] = ast.RebuildStmt(s, fresh)
		}
	}
	m.result = ast.RebuildStmt(m.result, fresh)
}

// fresh copies an expression, so that no node stands in a tree twice.
func fresh(e ast.Expr) ast.Expr {
	return ast.Copy(e, ast.At(e.Span()), func(ast.Node, ast.Node) {}, fresh)
}

// estimated declares a parameter of the family.
func (m *formula) estimated(p def.Param) ast.Expr {
	m.at = ast.At(m.family.at.Span())
	name, owner := m.called(p.Name), m.responder()
	text := stdlib.DefaultPrior(p)
	prior := m.priors.of(p.Name)
	positive := p.Domain == def.Positive || p.Domain == def.NonNegative
	if prior == nil && text != "" {
		prior = m.library(text)
		m.priors.defaulted = m.priors.defaulted || positive && text == stdlib.DefaultSD
	}
	switch {
	case prior == nil:
		m.errorf(diag.BadFamily, m.family.at, "%s needs %s, %s, which is not estimated", m.family.dist.Name,
			p.Name, p.Doc).
			Note("give it behind the formula: glm(%s, …, %s = VALUE)", m.family.dist.Name, p.Name)
		return m.num(0)
	case positive:
		return m.ref(m.positive(name, nil, prior, owner))
	}
	var t *ast.Type
	if p.Domain == def.Ordered {
		if t = m.cutpoints(); t == nil {
			return m.num(0)
		}
	}
	return m.ref(m.param(name, t, prior, owner).Name.Name)
}

// cutpoints is the type of those between the categories of the response.
func (m *formula) cutpoints() *ast.Type {
	var k ast.Expr
	if s, ok := m.dataOf(m.stmt.Left); ok {
		switch l := s.Type.Levels.(type) {
		case *ast.Array:
			k = m.op(m.ref(m.listed(l)), "-", m.num(1))
		case *ast.Name:
			k = m.op(l, "-", m.num(1))
		}
	}
	if k == nil {
		m.errorf(diag.BadFamily, m.stmt.Left, "the response of %s is a category: declare it as level(K)",
			m.family.dist.Name).Note(`data y : level("low", "middle", "high")[N] says the order of words`)
		return nil
	}
	return &ast.Type{At: m.at, Elem: m.ident("ordered"), Dims: []ast.Expr{k}}
}

// listed is the name of the size that categories in a type have, check.Listed's: that of the first
// declaration with this list, which stays.
func (m *formula) listed(list *ast.Array) string {
	words := format.Expr(list)
	for _, s := range m.file.Stmts {
		if d, ok := s.(*ast.Data); ok && d.Type.Levels != nil && format.Expr(d.Type.Levels) == words {
			delete(m.used, d.Name.Name)
			return d.Name.Name + ".levels"
		}
	}
	return ""
}

// scaleOfResponse refuses default priors where the predictor has the scale of a response that is not
// standardised.
func (m *formula) scaleOfResponse() {
	if m.family.dist.Link.Scale != def.IdentityLink || !m.priors.defaulted {
		return
	}
	s, ok := m.dataOf(m.stmt.Left)
	if ok && len(s.From) == 1 && scaled(s.From[0]) {
		return
	}
	d := m.errorf(diag.RawColumn, m.stmt.Left, "default priors of %s are for a standardised response",
		m.family.dist.Name)
	if ok && len(s.From) == 0 && s.Type.Elem.Name == "real" {
		d.Fix(endOf(s), " from zscore("+s.Name.Name+")", "standardise it")
	}
	d.Note("or give every prior on the scale of the response: priors = [%s]",
		strings.Join(m.priors.there, " ~ …, ")+" ~ …")
}

// endOf is where a statement ends.
func endOf(s ast.Stmt) source.Span {
	at := s.Span()
	return source.Span{Start: at.End, End: at.End}
}
