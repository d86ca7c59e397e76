package leak

import (
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/def"
)

// An ownTerm is a part of a client's log density that no cut is in: a likelihood that the client evaluates
// alone, or the prior of one of its parameters.
//
// The gradient of a term in a shared parameter is a sum over rows of functions of the parameter, whose value
// the receiver knows, of the client's data and of its private parameters. As rounds go by the parameter
// takes other values and the data stay, so that the receiver has one more equation for each element in each
// round. Private parameters in the term are unknown too, but they do not protect the rows: they are few
// beside the equations, or move slowly, or are drawn from a density that the term itself gives. So a term
// that has both is refused, whatever else is in it, unless the gradient is the same function of a few sums
// over the rows for all data: see sums.
type ownTerm struct {
	at            ast.Node
	left, weights ast.Expr
	args          []ast.Expr
	dist          *def.Dist
	// a likelihood of data that all hold, which under power the client evaluates for the server with what it
	// would send in it
	common bool
	// a likelihood of several parties whose response is the client's: what the client has in it leaves it as
	// a cut does, without noise, since the receiver of its adjoints knows the others' part
	home  bool
	prior *check.Symbol // the parameter whose prior it is; nil for a likelihood
}

// atHome is a term of a likelihood of several parties whose response is the client's. The gradient in a
// shared parameter is a function of the adjoints, row by row, and of what all know, unless weights multiply
// it.
func (r *reader) atHome(k *check.Likelihood, args []ast.Expr, weights ast.Expr) ownTerm {
	return ownTerm{at: k.Stmt, args: args, weights: weights, dist: k.Dist, home: true,
		common: r.deps(weights)&onData == 0}
}

// leaving are expressions that leave a client, and with them what it has in likelihoods of several parties.
func leaving(list []ownTerm, sent []ast.Expr) []ast.Expr {
	out := slices.Clone(sent)
	for _, t := range list {
		for _, a := range t.args {
			if t.home && a != nil {
				out = append(out, a)
			}
		}
	}
	return out
}

// ownOf lists the terms of a client in a model. A cut that does not leave it is a part of a likelihood that
// the client evaluates.
func (r *reader) ownOf(p *transform.Program, party *transform.PartyShare) []ownTerm {
	client, cuts := party.Name, slices.Clone(party.Sent)
	var out []ownTerm
	for _, k := range p.Likelihoods {
		if k.Party == client {
			out = append(out, ownTerm{at: k.Stmt, left: k.Left, weights: k.Weights, args: k.Args,
				dist: k.Dist})
		}
		if k.Party == "" && k.Home == client {
			out = append(out, r.atHome(k.Likelihood, k.Args, k.Weights))
			continue
		}
		if k.Home != p.Server {
			continue
		}
		for _, g := range k.Groups {
			for _, c := range g.Cuts {
				if c.Client == client && !slices.Contains(cuts, c) {
					cuts = append(cuts, c)
					out = append(out, ownTerm{at: c.Expr, args: []ast.Expr{c.Expr}, common: true})
				}
			}
		}
	}
	for _, s := range p.Params {
		if s.Owner == client && !s.Noncentered() {
			out = append(out, ownTerm{at: s.Decl, args: s.Args, dist: s.Dist, prior: s.Symbol})
		}
	}
	return out
}

// ownIn lists the terms in a client's program, without the cuts that it sends.
func ownIn(r *reader) []ownTerm {
	var out []ownTerm
	for _, k := range r.Likelihoods {
		t := ownTerm{at: k.Stmt, left: k.Stmt.Left, weights: k.Stmt.Weights, args: k.Args, dist: k.Dist}
		switch {
		case r.received(k.Stmt.Dist):
			if t = r.atHome(k, k.Args, k.Stmt.Weights); r.deps(k.Stmt.Left) == 0 {
				t.home, t.args = false, Outside(r.Program, k)
			}
		case r.deps(t.left, t.weights)&onData == 0:
			t.args, t.common = Outside(r.Program, k), true
		}
		out = append(out, t)
	}
	for _, s := range r.Order {
		if s.Kind == check.Param && s.Owner == r.client && !s.Noncentered() {
			out = append(out, ownTerm{at: s.Decl, args: s.Args, dist: s.Dist, prior: s})
		}
	}
	return out
}

func (t ownTerm) exprs() []ast.Expr { return append(slices.Clone(t.args), t.left, t.weights) }

// deps is on what expressions depend, of which some may be nil.
func (r *reader) deps(list ...ast.Expr) deps {
	var d deps
	for _, e := range list {
		if e != nil {
			d |= r.read(e).deps()
		}
	}
	return d
}

// given lists the shared parameters whose gradient gives rows of the client in a term away.
func (r *reader) given(t ownTerm) []string {
	if r.deps(t.exprs()...)&onData == 0 || r.sums(t) {
		return nil
	}
	found := map[string]bool{}
	for _, e := range t.exprs() {
		if e == nil {
			continue
		}
		names := maps.Keys(r.read(e).paths())
		if t.common {
			names = slices.Values(gradients(r.read(e)))
		}
		for name := range names {
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// sums reports whether the gradient of a term is a function of a few sums over its rows: the distribution is
// of an exponential family, its value is data alone, the same function of the client's columns in every row,
// and its arguments are the same for all rows, or for all rows of one category. What crosses are then sums
// over the rows of a category, of which a client counts the rows when it binds its data.
func (r *reader) sums(t ownTerm) bool {
	if t.dist == nil || !t.dist.Sums || t.left == nil || t.weights != nil || !r.alike(t.left) {
		return false
	}
	category := ""
	return !slices.ContainsFunc(t.args, func(e ast.Expr) bool { return e != nil && !r.grouped(e, &category) })
}

// grouped reports whether an expression is the same number for all rows of one category, whose name it
// notes. Nothing else of the client's data may be in it.
func (r *reader) grouped(e ast.Expr, category *string) bool {
	switch x := e.(type) {
	case *ast.Paren:
		return r.grouped(x.X, category)
	case *ast.Unary:
		return r.grouped(x.X, category)
	case *ast.Binary:
		return r.grouped(x.X, category) && r.grouped(x.Y, category)
	case *ast.Name:
		if s := r.Symbols[x.Name]; s != nil && s.Kind == check.Let {
			return r.grouped(s.Decl.(*ast.Let).Value, category)
		}
	case *ast.Call:
		if f, ok := r.Universe.Func(x.Name.Name); ok && f.Forward != nil {
			return !slices.ContainsFunc(x.Args, func(a ast.Expr) bool { return !r.grouped(a, category) })
		}
	case *ast.Index:
		if r.byCategory(x, category) {
			return true
		}
	}
	return r.facts(e).Type.Scalar() && r.deps(e)&onData == 0
}

// byCategory reports an element of a vector of parameters for each row, by one category.
func (r *reader) byCategory(x *ast.Index, category *string) bool {
	if len(x.Args) != 1 || x.Args[0].Slice || x.Args[0].Lo == nil || len(r.facts(x.X).Type.Dims) != 1 ||
		r.deps(x.X)&onData != 0 {
		return false
	}
	name, ok := x.Args[0].Lo.(*ast.Name)
	if !ok || *category != "" && *category != name.Name {
		return false
	}
	if s := r.Symbols[name.Name]; s == nil || s.Kind != check.Data || s.Owner != r.client {
		return false
	}
	*category = name.Name
	return true
}

// alike reports whether an expression is the client's data, the same function of its columns in all rows:
// where others know what multiplies or picks a row, a sum may be that row. A range of rows may be taken of
// the whole; how many it has is counted when data are bound.
func (r *reader) alike(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Paren:
		return r.alike(x.X)
	case *ast.Index:
		ranges := !slices.ContainsFunc(x.Args, func(a *ast.Subscript) bool { return !a.Slice })
		return ranges && r.elementwise(x.X) && r.deps(x.X) == onData
	}
	return r.elementwise(e) && r.deps(e) == onData
}

func (r *reader) elementwise(e ast.Expr) bool {
	scalar := func(e ast.Expr) bool { return r.facts(e).Type.Scalar() }
	switch x := e.(type) {
	case *ast.Number:
		return true
	case *ast.Paren:
		return r.elementwise(x.X)
	case *ast.Unary:
		return r.elementwise(x.X)
	case *ast.Binary:
		return (x.Op != "*" || scalar(x.X) || scalar(x.Y)) && r.elementwise(x.X) && r.elementwise(x.Y)
	case *ast.Name:
		if s := r.Symbols[x.Name]; s != nil && s.Kind == check.Let {
			return r.elementwise(s.Decl.(*ast.Let).Value)
		}
		return scalar(x) || r.deps(x) == onData
	case *ast.Call:
		f, ok := r.Universe.Func(x.Name.Name)
		return ok && f.Forward != nil && !slices.ContainsFunc(x.Args, func(a ast.Expr) bool {
			return !r.elementwise(a)
		})
	}
	return false
}

// again lists the terms that are sums of a column which stands in an earlier one: with enough sums of one
// column, of its powers or by other categories, least squares find its rows.
func (r *reader) again(list []ownTerm) map[int]bool {
	out, used := map[int]bool{}, map[string]bool{}
	for i, t := range list {
		shared := slices.ContainsFunc(t.args, func(e ast.Expr) bool {
			return e != nil && len(r.read(e).paths()) > 0
		})
		if !shared || t.left == nil || !r.sums(t) {
			continue
		}
		for name := range r.namesOf(t.left).data {
			out[i] = out[i] || used[name]
			used[name] = true
		}
	}
	return out
}

// own examines the terms of a client.
func (e *examiner) own(list []ownTerm, sent []ast.Expr) {
	told, sent := e.tells(list, sent), leaving(list, sent)
	known := e.knowing(told)
	again, byCuts := known.again(list), e.byCuts(list, sent)
	for i, t := range list {
		e.added(t)
		e.measured(t, sent)
		names := e.given(t)
		for _, name := range names {
			why := "alone, from its data and " + name
			if t.home {
				why = "and returns a derivative for each row, beside the gradient of " + name + ", which its " +
					"data multiply"
			}
			d := e.diags.Errorf(diag.OwnLeak, e.File.Source, t.at.Span(),
				"the gradient of the shared parameter %s would give rows of %s away: %s evaluates this %s", name,
				e.client, e.client, why)
			if param, ok := e.centring(name); ok {
				d.Note("leave out `noncentered` in the declaration of %s: %s then is in its prior alone",
					param, name)
			}
			d.Note("own %s at %s (`@ %s`); %s takes it as it is", name, e.client, e.client,
				diag.AcceptFlag(diag.OwnLeak))
		}
		if len(names) > 0 {
			continue
		}
		if again[i] {
			d := e.diags.Errorf(diag.OwnLeak, e.File.Source, t.at.Span(),
				"these would be more sums of data of %s of which others cross: enough sums of "+
					"one column give its rows", e.client)
			d.Note("leave a column to one likelihood with shared parameters; %s takes it as it is",
				diag.AcceptFlag(diag.OwnLeak))
		}
		rows := known.rows(t)
		e.tellers(diag.OwnLeak, t.at, rows, told,
			"the log density of "+e.client+", which crosses too, would give rows of its data away")
		if len(rows) == 0 && len(byCuts[i]) > 0 {
			e.inCutAndOwn(t.at, byCuts[i])
		}
	}
	for _, x := range sent {
		e.tellers(diag.GradientLeak, x, known.columns(x), told, "columns of "+e.client)
	}
	e.plainly(list, sent)
}

// added reports data that the client adds to what others contribute in a likelihood of several parties that
// it evaluates, as it would those that it adds to a cut.
func (e *examiner) added(t ownTerm) {
	for _, a := range t.args {
		if !t.home || a == nil {
			continue
		}
		ast.Walk(a, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok || !e.received(x) {
				return false
			}
			f := e.read(x)
			off := offsets(f)
			if len(off) == 0 {
				return true
			}
			e.diags.Warnf(diag.DataOffset, e.File.Source, x.Span(),
				"%s is data of %s that no parameter multiplies: whoever knows the response can recover it from "+
					"the derivatives that %s answers with", strings.Join(off, ", "), e.client, e.client).
				Note("if every party may hold it, declare it `@ shared`; otherwise %s takes it as it is",
					diag.AcceptFlag(diag.DataOffset))
			return false
		})
	}
}

// measured reports parameters with an element for each row that the client sends, and of which it has data:
// their mean over the rounds is near these, as the likelihood of a true value holds it to what was measured.
func (e *examiner) measured(t ownTerm, sent []ast.Expr) {
	if t.prior != nil || t.common || t.left == nil || e.deps(t.left)&onData == 0 {
		return
	}
	rows, crosses := e.location(t.left), e.namesOf(sent...).own
	for name, s := range e.namesOf(t.args...).own {
		if crosses[name] == nil || !rows.each(s.Type) {
			continue
		}
		e.diags.Warnf(diag.DataOffset, e.File.Source, t.at.Span(),
			"%s has an element for each row, and %s sends it: its mean over the rounds is near what this data "+
				"of %[2]s say of the row, as near as this likelihood holds it to them", name, e.client).
			Note("keep %s out of what %s sends, or let every party hold the data; otherwise %s takes it as it is",
				name, e.client, diag.AcceptFlag(diag.DataOffset))
	}
}

// received reports whether an expression has what others contribute, in a model or in a program.
func (r *reader) received(e ast.Node) (has bool) {
	ast.Walk(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		has = has || ok && (r.Sums[name.Name] || strings.HasPrefix(name.Name, "$"))
		return !has
	})
	return has
}

// inCutAndOwn reports parameters that a cut and a likelihood of the client have in common.
func (e *examiner) inCutAndOwn(at ast.Node, names []string) {
	d := e.diags.Errorf(diag.OwnLeak, e.File.Source, at.Span(),
		"%s also stands in what %s sends, which tells its value in every round up to a change of basis: "+
			"the log density of %s, which crosses too, would give rows of its "+
			"data away in that basis", strings.Join(names, ", "), e.client, e.client)
	d.Note("give this likelihood parameters of its own; %s takes it as it is", diag.AcceptFlag(diag.OwnLeak))
}
