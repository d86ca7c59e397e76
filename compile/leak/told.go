package leak

import (
	"maps"
	"math"
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/def"
)

// told lists parameters of a client whose values the gradients of shared parameters give in every round,
// each with the shared parameter that does: of beta ~ normal(mu, 1) the gradient in mu is beta - mu. Whoever
// receives it knows at which point the client evaluates. Its log density, a scalar of every evaluation, is
// then a function of a known point whose coefficients are the data, and in a cut a told parameter multiplies
// columns by known numbers.
type told map[string]string

// by lists what tells some parameters.
func (t told) by(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = t[name]
	}
	return out
}

// A nameSet holds what an expression is a function of: the client's parameters and data, and the parameters
// that it receives.
type nameSet struct{ own, shared, data, seen map[string]*check.Symbol }

// add adds the names in an expression.
func (r *reader) add(e ast.Expr, to *nameSet) {
	ast.Walk(e, func(n ast.Node) bool {
		x, ok := n.(*ast.Name)
		if !ok || to.seen[x.Name] != nil {
			return true
		}
		s := r.Symbols[x.Name]
		to.seen[x.Name] = s
		switch {
		case s == nil, r.Sums[s.Name]:
		case s.Leaves() != nil:
			r.add(s.Leaves(), to)
		case s.Kind == check.Let:
			r.add(s.Decl.(*ast.Let).Value, to)
		case s.Kind == check.Param && s.Owner == r.client:
			to.own[s.Name] = s
		case s.Kind == check.Data && s.Owner == r.client:
			to.data[s.Name] = s
		case s.Kind == check.Param, s.Kind == check.Receive:
			to.shared[s.Name] = s
		}
		return true
	})
}

func (r *reader) namesOf(list ...ast.Expr) *nameSet {
	empty := func() map[string]*check.Symbol { return map[string]*check.Symbol{} }
	to := &nameSet{empty(), empty(), empty(), empty()}
	for _, e := range list {
		if e != nil {
			r.add(e, to)
		}
	}
	return to
}

// tells finds the told parameters. Each element of what is shared gives one equation in each round. A shared
// number so tells a number, and a shared array one of no more axes: along other axes its gradient is a sum.
// Where length knows how many elements there are, as many equations as unknown numbers tell these.
func (r *reader) tells(terms []ownTerm, sent []ast.Expr) told {
	out := told{}
	tell := func(p *nameSet) {
		names := slices.Sorted(maps.Keys(p.shared))
		axes, equations := -1, 0
		for _, name := range names {
			axes = max(axes, len(p.shared[name].Type.Dims))
			if r.length != nil {
				equations += min(r.length(name), math.MaxInt32)
			}
		}
		for name, s := range p.own {
			if axes >= len(s.Type.Dims) || r.length != nil && r.length(name) <= equations {
				out[name] = names[0]
			}
		}
	}
	for _, t := range terms {
		if t.common { // a function of the cut and of what all know
			continue
		}
		p := r.namesOf(t.exprs()...)
		if t.prior != nil {
			p.own = map[string]*check.Symbol{t.prior.Name: t.prior}
		}
		tell(p)
	}
	for _, x := range leaving(terms, sent) {
		for _, t := range flatten(x, false, nil) {
			if r.deps(t.Expr)&onData == 0 {
				tell(r.namesOf(t.Expr))
			}
		}
	}
	return out
}

// byCuts lists for each term the parameters of cuts by which its log density gives rows away up to a change
// of basis.
func (r *reader) byCuts(list []ownTerm, sent []ast.Expr) [][]string {
	sent = leaving(list, sent)
	known, plain, out := r.knowing(r.inCuts(sent)), r.plain(list, sent), make([][]string, len(list))
	for i, t := range list {
		if t.prior != nil {
			continue
		}
		if out[i] = known.rows(t); len(out[i]) == 0 {
			out[i] = plain.multiplied(t)
		}
	}
	return out
}

// multiplied lists the told parameters that data of a term multiply. One with an element for each row that no
// data multiply, as the true value of what is measured with error, is beside its row and is not among them.
func (r *reader) multiplied(t ownTerm) []string {
	if t.common || r.sums(t) || r.moments(t) {
		return nil
	}
	found := map[string]bool{}
	for _, e := range t.args {
		if e == nil {
			continue
		}
		for name, w := range r.read(e).paths() {
			found[name] = found[name] || w&(way(onData)|way(onData|onPrivate)) != 0
		}
	}
	maps.DeleteFunc(found, func(_ string, gives bool) bool { return !gives })
	return r.onlyTold(maps.Keys(found))
}

// RowsByCuts lists the data of a client's own likelihoods whose rows follow, up to a change of basis, from
// its log density at parameters that its cuts tell.
func RowsByCuts(p *check.Program) (out []string) {
	r, sent := readerOf(p), slices.Collect(maps.Values(maps.Collect(Sent(p))))
	list := ownIn(r)
	for i, names := range r.byCuts(list, sent) {
		if len(names) > 0 {
			out = append(out, slices.Sorted(maps.Keys(r.namesOf(list[i].args...).data))...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// knowing is a reader to which told parameters are shared.
func (r *reader) knowing(t told) *reader {
	out := newReader(r.Program, r.facts, r.client)
	out.told = t
	return out
}

// columns lists the told parameters that tell columns of a cut apart. One number that multiplies all of it
// tells its unit alone.
func (r *reader) columns(cut ast.Expr) []string {
	return r.onlyTold(maps.Keys(apart(r.read(cut))))
}

// rows lists the told parameters by which the log density of a term gives rows away. A parameter that is not
// told is one unknown number more for the one equation of a round; it does not protect data that a told one
// multiplies.
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

// moments reports a normal likelihood of data whose location is linear in the parameters and whose scale has
// no data: its log density is a function of the products of columns with one another and with the response,
// summed over the rows. No other exponential family has a location and a scale on the real line.
func (r *reader) moments(t ownTerm) bool {
	d := t.dist
	normal := d != nil && d.Sums && d.LocationAt >= 0 && d.ScaleAt >= 0 && d.Support == def.RealLine
	if !normal || t.left == nil || t.weights != nil || r.deps(t.left) != onData {
		return false
	}
	scale, category := t.args[d.ScaleAt], ""
	return (scale == nil || r.grouped(scale, &category) && category == "") &&
		r.location(t.left).linear(t.args[d.LocationAt], false)
}

// tellers reports parameters whose values shared ones tell.
func (e *examiner) tellers(code diag.Code, at ast.Node, names []string, by told, what string) {
	for _, name := range names {
		d := e.diags.Errorf(code, e.File.Source, at.Span(),
			"the gradient of the shared parameter %s gives the value of %s in every round, and with it %s",
			by[name], name, what)
		d.Note("give %s a prior without %s, or own %s at %s; %s takes it as it is", name, by[name], by[name],
			e.client, diag.AcceptFlag(code))
	}
}
