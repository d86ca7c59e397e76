package compile

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// A component is a set of discrete parameters that are summed out together, with what depends on them.
type component struct {
	*summer
	of    []*latent
	terms []*term
	last  ast.Stmt // behind which its sum stands
	rows  ast.Expr // of the parameters; nil where they are numbers
}

// A term is the log density of one statement.
type term struct {
	stmt  ast.Stmt
	dist  *def.Dist
	args  []ast.Expr
	left  ast.Expr     // nil of a factor
	sizes []types.Size // of the left side
	prior *latent      // whose prior it is, nil for another statement
	reach *reach       // nil where the parameters are numbers
	axes  int          // of the log density
}

// write is the model with sums in the place of discrete parameters.
func (s *summer) write() *ast.File {
	s.parts = s.components()
	if s.diags.HasErrors() {
		return s.File
	}
	var out, late []ast.Stmt
	for _, st := range s.File.Stmts {
		_, generated := st.(*ast.Generate)
		_, let := st.(*ast.Let)
		declares := false
		if d, ok := st.(*ast.Data); ok {
			declares = s.states(d.Name.Name)
		}
		switch used := len(s.uses[st]) > 0; {
		case generated && used:
			late = append(late, ast.RebuildStmt(st, s.perDraw))
		case !used && !declares:
			out = append(out, st)
		case !let && !declares:
			for _, c := range s.parts {
				if c.last == st {
					out = append(out, c.sum()...)
				}
			}
		}
	}
	for _, c := range s.parts {
		out = append(out, c.draws()...)
	}
	file := *s.File
	file.Stmts = append(out, late...)
	return &file
}

// states reports whether a name is that of a discrete parameter or of the probabilities of its states.
func (s *summer) states(name string) bool {
	return slices.ContainsFunc(s.latents, func(k *latent) bool {
		return name == k.name() || name == k.name()+probability
	})
}

// components divides the discrete parameters into those that statements have in common.
func (s *summer) components() []*component {
	var out []*component
	for _, st := range s.File.Stmts {
		switch st.(type) {
		case *ast.Likelihood, *ast.Factor, *ast.Param:
		default:
			continue
		}
		if len(s.uses[st]) == 0 {
			continue
		}
		joined := &component{summer: s, of: slices.Clone(s.uses[st]), last: st}
		out = slices.DeleteFunc(out, func(c *component) bool {
			if !slices.ContainsFunc(c.of, func(k *latent) bool { return slices.Contains(s.uses[st], k) }) {
				return false
			}
			joined.terms = append(joined.terms, c.terms...)
			for _, k := range c.of {
				if !slices.Contains(joined.of, k) {
					joined.of = append(joined.of, k)
				}
			}
			return true
		})
		joined.terms = append(joined.terms, s.term(st))
		out = append(out, joined)
	}
	for _, c := range out {
		c.complete()
	}
	return out
}

// term reads a statement with a density.
func (s *summer) term(st ast.Stmt) *term {
	t := &term{stmt: st, prior: s.prior(st)}
	switch st := st.(type) {
	case *ast.Param:
		sym := s.Symbols[st.Name.Name]
		t.dist, t.args, t.left = sym.Dist, sym.Args, &ast.Name{At: st.Name.At, Name: st.Name.Name}
		t.sizes = sym.Type.Dims
	case *ast.Factor:
		t.args = []ast.Expr{st.Value}
		t.sizes = s.Info[st.Value].Type.Dims
	case *ast.Likelihood:
		l := s.likelihood(st)
		t.dist, t.args, t.left = l.Dist, l.Args, st.Left
		if l.Dist.Form != nil { // censored: a mixture or nothing
			t.dist = l.Dist.Form.Of[0]
			t.args = l.Args[:len(t.dist.Params)]
		}
		t.sizes = s.Info[st.Left].Type.Dims
	}
	t.axes = len(t.sizes)
	if t.dist != nil && t.dist.Event != nil {
		t.axes -= t.dist.Event.Rank
	}
	return t
}

// complete checks that the parameters of a component can be summed out together.
func (c *component) complete() {
	slices.SortFunc(c.of, func(a, b *latent) int {
		return slices.Index(c.latents, a) - slices.Index(c.latents, b)
	})
	first, states := c.of[0], 1
	c.rows = first.rows()
	for _, k := range c.of {
		states *= max(1, k.states)
		if !k.sym.Type.SameShape(first.sym.Type) {
			c.errorf(diag.LatentRows, k.Type, "%s and %s enter one statement, and have states for different things",
				k.name(), first.name()).
				Note("parameters that are summed out together are numbers, or have a state for each of the same rows")
			return
		}
	}
	if states > maxStates {
		c.errorf(diag.LatentStates, first.Name, "%d combinations of states are summed out together, more than %d",
			states, maxStates).
			Note("each is computed in each evaluation; states that follow each other are a hidden Markov model, " +
				"which hmm_marginal sums out at the cost of one step after another")
	}
	for _, t := range c.terms {
		if c.rows != nil {
			clause := t.weights()
			t.reach, _ = c.reach(t, append(slices.Clone(t.args), clause)...)
		}
	}
	c.clauses()
}

// weights is how often each row of a term counts, nil where that is once.
func (t *term) weights() ast.Expr {
	if l, ok := t.stmt.(*ast.Likelihood); ok {
		return l.Weights
	}
	return nil
}

// clauses reports what only a mixture has, where the sum is none.
func (c *component) clauses() {
	if c.diags.HasErrors() || c.mixed() != nil {
		return
	}
	for _, t := range c.terms {
		l, ok := t.stmt.(*ast.Likelihood)
		p, parameter := t.stmt.(*ast.Param)
		switch {
		case ok && l.Censor != nil:
			c.errorf(diag.LatentClause, l.Censor[0],
				"rows are censored in a mixture, and this statement makes none: %s", c.whole()).
				Note("write what is known of a row with NAME_lccdf, and add up: factor log_sum_exp(…)")
		case parameter:
			c.errorf(diag.LatentClause, p.Dist,
				"the prior of %s depends on a state, and is no mixture: %s", p.Name.Name, c.whole()).
				Note("let %s have a prior of its own for each state, and look it up: param %s : real[K] ~ …, "+
					"%s[k]", p.Name.Name, p.Name.Name, p.Name.Name)
		}
	}
}

// whole says why a component is no mixture.
func (c *component) whole() string {
	switch {
	case len(c.of) > 1:
		return "several discrete parameters enter it"
	case len(c.terms) > 2:
		return "other statements depend on the same state"
	}
	return "the rows of a mixture are numbers with a state each, and a number of states that the model gives"
}

// mixed is the term that is a mixture over the states; nil where their sum is a factor.
func (c *component) mixed() *term {
	if len(c.of) != 1 || len(c.terms) != 2 || c.of[0].states == 0 {
		return nil
	}
	t, prior := c.terms[1], c.terms[0]
	if t.prior != nil || prior.prior == nil || t.left == nil || t.weights() != nil || t.dist.Event != nil ||
		slices.Contains([]def.Support{def.Interval, def.FromFirst}, t.dist.Support) {
		return nil
	}
	if rows := c.rows != nil; t.axes != map[bool]int{true: 1, false: 0}[rows] ||
		rows && t.reach != nil && t.reach.group != nil {
		return nil
	}
	return t
}

// sum writes the densities of a component, added up over its states.
func (c *component) sum() []ast.Stmt {
	if t := c.mixed(); t != nil {
		return []ast.Stmt{c.mixture(t)}
	}
	if !slices.ContainsFunc(c.terms, func(t *term) bool { return t.prior == nil }) {
		return nil // the states have nothing but a prior
	}
	return []ast.Stmt{&ast.Factor{At: ast.At(c.last.Span()), Value: c.over(0, states{}, c.terms)}}
}

// mixture writes a statement as that of a mixture.
func (c *component) mixture(t *term) ast.Stmt {
	k := c.of[0]
	d := &ast.Dist{At: ast.At(t.stmt.Span()), Name: ast.Ident{Name: stdlib.MixtureName}}
	shares, components := c.shares(), []ast.Expr(nil)
	for state := range k.states {
		if k.binary {
			state = 1 - state
		} else {
			state++
		}
		at := states{k: number(state)}
		args := c.arguments(t, at)
		component := callOf(t.dist.Name, args...)
		component.At = ast.At(t.stmt.Span())
		components = append(components, component)
	}
	for _, e := range append(shares, components...) {
		d.Args = append(d.Args, &ast.Arg{Value: e})
	}
	if p, ok := t.stmt.(*ast.Param); ok {
		out := *p
		out.Dist = d
		return &out
	}
	out := *t.stmt.(*ast.Likelihood)
	out.Dist = d
	return &out
}

// shares are the weights of the states in a mixture; of 0 and 1 that of 1.
func (c *component) shares() (out []ast.Expr) {
	k, prior := c.of[0], c.terms[0]
	p := prior.dist.Params[0]
	if k.binary {
		if p.Domain == def.UnitInterval && len(prior.args) == 1 {
			return []ast.Expr{prior.args[0]}
		}
		return []ast.Expr{callOf("exp", c.density(prior, states{k: number(1)}))}
	}
	for state := range k.states {
		if p.Domain == def.Simplex {
			at := []*ast.Subscript{{Lo: number(state + 1)}}
			if len(c.Info[prior.args[0]].Type.Dims) == 2 {
				at = slices.Insert(at, 0, &ast.Subscript{Slice: true})
			}
			out = append(out, &ast.Index{X: paren(prior.args[0]), Args: at})
			continue
		}
		out = append(out, callOf("exp", c.density(prior, states{k: number(state + 1)})))
	}
	return out
}

// over is the logarithm of the sum of the densities of terms over the states of the parameters from the i-th
// on, where those of the others are given.
func (c *component) over(i int, at states, terms []*term) ast.Expr {
	for i < len(c.of) && at[c.of[i]] != nil {
		i++
	}
	if i == len(c.of) {
		return c.total(at, terms)
	}
	return callOf("log_sum_exp", c.each(i, at, terms, itself))
}

// each is the array over the states of the i-th parameter, behind the axis of rows, of what body makes of
// their log densities.
func (c *component) each(i int, at states, terms []*term, body func(ast.Expr) ast.Expr) ast.Expr {
	k := c.of[i]
	all := &ast.Sum{Each: true, Body: body(c.over(0, at.with(k, k.index), terms)), Lo: k.first(), Hi: k.last,
		Var: ast.Ident{Name: k.index.Name}}
	if c.rows == nil {
		return all
	}
	return &ast.Transpose{X: all}
}

// total is the sum of the log densities of terms, a number for each row.
func (c *component) total(at states, terms []*term) (sum ast.Expr) {
	rows := false
	for _, t := range terms {
		e := c.density(t, at)
		if t.prior == nil {
			rows = true
			e = c.perRow(t, e)
		}
		if sum == nil {
			sum = e
		} else {
			sum = infix("+", sum, paren(e))
		}
	}
	if c.rows != nil && !rows {
		sum = infix("+", paren(sum), callOf("rep", number(0), c.rows))
	}
	return sum
}

// perRow adds up what a term has beyond a number for each state.
func (c *component) perRow(t *term, e ast.Expr) ast.Expr {
	switch {
	case c.rows == nil && t.axes == 0:
		return e
	case c.rows == nil:
		return callOf("sum", e)
	}
	if t.left == nil { // so that it has rows whatever the state is
		n := c.rows
		if t.reach.group != nil {
			n = callOf("size", t.reach.group)
		}
		e = infix("+", paren(e), callOf("rep", number(0), n))
	}
	if t.axes == 2 {
		e = callOf("row_sums", e)
	}
	if t.reach.group != nil {
		e = callOf(ast.By("sum"), e, t.reach.group)
		e.(*ast.Call).At = ast.At(t.stmt.Span())
	}
	return e
}

// density is the log density of a term, an element for each value.
func (c *component) density(t *term, at states) ast.Expr {
	if t.left == nil {
		return c.given(t.args[0], at)
	}
	left := t.left
	if t.prior != nil {
		left = at[t.prior]
	}
	ending := "_lpdf"
	if t.dist.Discrete {
		ending = "_lpmf"
	}
	e := ast.Expr(callOf(t.dist.Name+ending, append([]ast.Expr{left}, c.arguments(t, at)...)...))
	e.(*ast.Call).At = ast.At(t.stmt.Span())
	if w := t.weights(); w != nil {
		e = infix(".*", paren(c.given(w, at)), e)
	}
	return e
}

// arguments are those of the distribution of a term, up to the first that is left out.
func (c *component) arguments(t *term, at states) (out []ast.Expr) {
	for _, a := range t.args {
		if a == nil {
			break
		}
		x, index := ast.Unparen(a).(*ast.Index)
		if index && t.dist.Event != nil && c.lookedUp(x) == nil && !c.any(x.X) { // all rows share it
			out = append(out, c.subscripts(x, false, func(e ast.Expr) ast.Expr { return c.given(e, at) }))
			continue
		}
		out = append(out, c.given(a, at))
	}
	return out
}

func itself(e ast.Expr) ast.Expr { return e }

// draws are the states, drawn given all else: of several parameters one after the other.
func (c *component) draws() (out []ast.Stmt) {
	drawn := states{}
	for i, k := range c.of {
		at := func(e ast.Expr) ast.Expr {
			for _, j := range c.of[:i] {
				e = c.chosenAt(j, &ast.Name{Name: j.name()}, e)
			}
			return e
		}
		name, value := stdlib.LogOddsName, ast.Expr(nil)
		if k.binary {
			name, value = stdlib.BinaryLogOddsName, at(c.odds(k, drawn))
		} else {
			value = c.each(i, drawn, c.known(), at)
		}
		d := &ast.Dist{At: k.At, Name: ast.Ident{At: k.At, Name: name}, Args: []*ast.Arg{{Value: value}}}
		g := &ast.Generate{At: k.At, Name: k.Name, Type: k.Type, Dist: d}
		if k.sym.Family {
			g.Owner = k.Owner
		}
		out = append(out, g)
		drawn = drawn.with(k, k.index)
	}
	return out
}

// odds are the log odds of 1 against 0.
func (c *component) odds(k *latent, at states) ast.Expr {
	return infix("-", c.over(0, at.with(k, number(1)), c.known()),
		paren(c.over(0, at.with(k, number(0)), c.known())))
}

// known are the terms that say what the states are: without the likelihood the priors alone.
func (c *component) known() []*term {
	if !c.priorOnly {
		return c.terms
	}
	return slices.DeleteFunc(slices.Clone(c.terms), func(t *term) bool {
		_, parameter := t.stmt.(*ast.Param)
		return t.prior == nil && !parameter
	})
}

// probabilities of the states of k given all else, of 0 and 1 that of 1.
func (c *component) probabilities(k *latent) ast.Expr {
	if k.binary {
		return callOf("inv_logit", c.odds(k, states{}))
	}
	return callOf("softmax", c.each(slices.Index(c.of, k), states{}, c.known(), itself))
}
