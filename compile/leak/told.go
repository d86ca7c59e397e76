package leak

import (
	"maps"
	"slices"

	"github.com/vflc/vflc/compile/accept"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/def"
)

// told lists parameters of a client whose values the gradients of shared parameters give in every round, each with the shared parameter that does: of
// beta ~ normal(mu, 1) the gradient in mu is beta - mu. Whoever receives it knows at which point the client evaluates. Its log density, a scalar of every
// evaluation, is then a function of a known point whose coefficients are the data, and in a cut a told parameter multiplies columns by known numbers.
type told map[string]string

// params finds the parameters in an expression: the client's, and those that it receives.
func (r *reader) params(e ast.Expr, own, shared map[string]*check.Symbol) {
	ast.Walk(e, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		if !ok {
			return true
		}
		s := r.Symbols[x.Name]
		switch {
		case s == nil:
		case s.Leaves() != nil:
			r.params(s.Leaves(), own, shared)
		case s.Kind == check.Let:
			r.params(s.Decl.(*ast.Let).Value, own, shared)
		case s.Kind == check.Param && s.Owner == r.client:
			own[s.Name] = s
		case s.Kind == check.Param, s.Kind == check.Receive:
			shared[s.Name] = s
		}
		return true
	})
}

// tells finds the told parameters. A shared number gives one equation in each round, and so tells a number, and an array of as few elements as there are such
// numbers where length knows it; a shared array tells an array.
func (r *reader) tells(terms []ownTerm, sent []ast.Expr) told {
	out := told{}
	tell := func(own, shared map[string]*check.Symbol) {
		names := slices.Sorted(maps.Keys(shared))
		array := slices.ContainsFunc(names, func(name string) bool { return !shared[name].Type.Scalar() })
		for name, s := range own {
			if len(names) > 0 && (array || s.Type.Scalar() || r.length != nil && r.length(name) <= len(names)) {
				out[name] = names[0]
			}
		}
	}
	for _, t := range terms {
		own, shared := map[string]*check.Symbol{}, map[string]*check.Symbol{}
		for _, e := range t.exprs() {
			if e != nil {
				r.params(e, own, shared)
			}
		}
		if t.prior != nil {
			own = map[string]*check.Symbol{t.prior.Name: t.prior}
		}
		tell(own, shared)
	}
	for _, x := range sent {
		for _, t := range flatten(x, false, nil) {
			if own, shared := map[string]*check.Symbol{}, map[string]*check.Symbol{}; r.deps(t.Expr)&onData == 0 {
				r.params(t.Expr, own, shared)
				tell(own, shared)
			}
		}
	}
	return out
}

// knowing is a reader to which told parameters are shared.
func (r *reader) knowing(t told) *reader {
	out := newReader(r.Program, r.facts, r.client)
	out.told = t
	return out
}

// columns lists the told parameters that tell columns of a cut apart. One number that multiplies all of it tells its unit alone.
func (r *reader) columns(cut ast.Expr) []string {
	return r.onlyTold(maps.Keys(apart(r.read(cut))))
}

// rows lists the told parameters by which the log density of a term gives rows away. A parameter that is not told is one unknown number more for the one
// equation of a round; it does not protect data that a told one multiplies.
func (r *reader) rows(t ownTerm) []string {
	if t.common || r.deps(t.exprs()...)&onData == 0 || r.sums(t) || r.moments(t) {
		return nil
	}
	alone := r.deps(t.exprs()...)&onPrivate == 0 && (t.prior == nil || r.told[t.prior.Name] != "")
	found := map[string]bool{}
	for _, e := range t.exprs() {
		if e == nil {
			continue
		}
		for name, w := range r.read(e).paths() {
			found[name] = found[name] || alone || w&(way(onData)|way(onData|onPrivate)) != 0
		}
	}
	maps.DeleteFunc(found, func(_ string, gives bool) bool { return !gives })
	return r.onlyTold(maps.Keys(found))
}

func (r *reader) onlyTold(names func(func(string) bool)) []string {
	return slices.DeleteFunc(slices.Sorted(names), func(name string) bool { return r.told[name] == "" })
}

// moments reports a normal likelihood of data whose location is linear in the parameters and whose scale has no data: its log density is a function of the
// products of columns with one another and with the response, summed over the rows. No other exponential family has a location and a scale on the real line.
func (r *reader) moments(t ownTerm) bool {
	d := t.dist
	if d == nil || !d.Sums || d.LocationAt < 0 || d.ScaleAt < 0 || d.Support != def.RealLine || t.left == nil || t.weights != nil || r.deps(t.left) != onData {
		return false
	}
	scale, category := t.args[d.ScaleAt], ""
	return (scale == nil || r.grouped(scale, &category) && category == "") && r.linear(t.args[d.LocationAt], false)
}

// linear reports an expression that is linear in parameters, with coefficients of data. A parameter for each row, whose coefficient is 1 in this row alone, is
// none: its moments are the rows. Within a product with columns of the client, or as an element for each row, an array is no such parameter.
func (r *reader) linear(e ast.Expr, within bool) bool {
	known := func(e ast.Expr) bool { return r.deps(e)&(onPrivate|onShared) == 0 }
	if e == nil || known(e) {
		return true
	}
	switch x := e.(type) {
	case *ast.Paren:
		return r.linear(x.X, within)
	case *ast.Unary:
		return r.linear(x.X, within)
	case *ast.Index:
		return r.linear(x.X, true)
	case *ast.Name:
		s := r.Symbols[x.Name]
		if s.Kind == check.Let {
			return r.linear(s.Decl.(*ast.Let).Value, within)
		}
		return within || s.Type.Scalar()
	case *ast.Binary:
		switch x.Op {
		case "+", "-":
			return r.linear(x.X, within) && r.linear(x.Y, within)
		case "*":
			return known(x.X) && r.linear(x.Y, within || r.deps(x.X)&onData != 0 && !r.facts(x.X).Type.Scalar()) || known(x.Y) && r.linear(x.X, within)
		case ".*":
			return known(x.X) && r.linear(x.Y, within) || known(x.Y) && r.linear(x.X, within)
		case "/", "./":
			return known(x.Y) && r.linear(x.X, within)
		}
	}
	return false
}

// examineTold examines what the gradients of shared parameters tell of the client's own.
func (e *examiner) examineTold(terms []ownTerm, sent []ast.Expr) {
	told := e.tells(terms, sent)
	if len(told) == 0 {
		return
	}
	known := e.knowing(told)
	report := func(code diag.Code, at ast.Node, names []string, what string) {
		for _, name := range names {
			by := told[name]
			e.diags.Errorf(code, e.File.Source, at.Span(), "the gradient of the shared parameter %s gives the value of %s in every round, and with it %s", by, name, what).
				Note("give %s a prior without %s, or own %s at %s; %s takes it as it is", name, by, by, e.client, accept.Flag(code))
		}
	}
	for _, x := range sent {
		report(diag.GradientLeak, x, known.columns(x), "this gives columns of "+e.client+" away")
	}
	for _, t := range terms {
		report(diag.OwnLeak, t.at, known.rows(t), "the log density of "+e.client+", which crosses too, would give rows of its data away")
	}
}
