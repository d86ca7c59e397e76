package compile

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/leak"
	"github.com/vflc/vflc/compile/lower"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib/def"
)

// given is what a party's program says of the data in its contributions, the same whoever receives them.
type given struct {
	data    []declared
	offsets []string
	gaps    bool // missing cells are parameters: each moves its row alone, out of the span of the columns
}

func (j *judge) contributed(party int) given {
	g, found := j.given[party]
	if !found {
		of := j.contributions(party)
		g.data = j.data(party, of)
		g.gaps = slices.ContainsFunc(names(j.Programs[party], of...), func(name string) bool {
			s := j.Programs[party].Symbols[name]
			return s != nil && s.Imputed()
		})
		for _, e := range of {
			addAll(&g.offsets, leak.Offsets(j.Programs[party], e))
		}
		j.given[party] = g
	}
	return g
}

// contributions are the expressions that a party contributes to sums.
func (j *judge) contributions(party int) (out []ast.Expr) {
	if party == 0 {
		return j.inLikelihoods(0)
	}
	for _, s := range j.Programs[party].Order {
		if e := s.Leaves(); e != nil {
			out = append(out, e)
		}
	}
	if j.Manifest.Homes() { // the answers tell what the party itself adds
		out = append(out, j.inLikelihoods(party)...)
	}
	return out
}

// inLikelihoods are the predictors of a party in likelihoods of several parties.
func (j *judge) inLikelihoods(party int) (out []ast.Expr) {
	for g := range j.plan.Groups {
		out = append(out, j.predictors(g, party)...)
	}
	return out
}

// A declared is what is known of the columns of a declaration.
type declared struct {
	declared string
	names    []string // of all columns; nil: the programs do not tell
	two      []string // of those of two values, and of factors
	one      bool     // it has one column
	unknown  bool     // whether it has one column the programs do not tell
	open     bool     // others may have two values
}

// data are a party's own data with rows that expressions depend on.
func (j *judge) data(party int, of []ast.Expr) (out []declared) {
	program := j.Programs[party]
	groups := groupsAlone(program, of)
	for _, name := range names(program, of...) {
		s := program.Symbols[name]
		switch {
		case s == nil || s.Owner == check.Shared:
		case slices.Contains(groups, name):
			empty := []string{"empty categories of " + name}
			out = append(out, declared{declared: name, names: empty, two: empty, one: true})
		case s.Kind == check.Param && s.Opaque:
			out = append(out, declared{declared: name, open: true})
		case s.Kind == check.Data && len(s.Type.Dims) > 0:
			out = append(out, j.declared(program, s))
		}
	}
	return out
}

// declared is what the program says of a declaration, and the table where it is at hand.
func (j *judge) declared(program *check.Program, s *check.Symbol) declared {
	d := declared{declared: s.Name, one: len(s.Type.Dims) == 1}
	var wanted []data.FromItem
	if j.wants[program] == nil {
		j.wants[program] = lower.Wants(program)
	}
	for _, w := range j.wants[program] {
		if w.Name == s.Name {
			wanted = w.From
		}
	}
	if s.Type.Levels != nil || s.Type.Elem == types.Binary {
		d.names = []string{s.Name}
		d.two = d.names
		return d
	}
	if d.one && wanted == nil {
		d.names = []string{s.Name}
	}
	d.open = wanted == nil
	for _, c := range wanted {
		addAll(&d.names, c.Columns)
		if e, encoded := program.Universe.Encoder(c.Encoder); encoded && (e.Categories || e.Whole) {
			addAll(&d.two, c.Columns)
		} else {
			d.open = true
		}
		d.open = d.open || c.Star
	}
	if slices.ContainsFunc(wanted, func(c data.FromItem) bool { return c.Star }) {
		d.names = nil
	}
	d.one = d.one || len(wanted) == 1 && len(wanted[0].Columns) == 1
	d.unknown = !d.one && d.names == nil
	if j.tables.TwoValued[program.For] != nil {
		d.open, d.unknown = false, false
		if of := j.tables.Only[program.For][s.Name]; of != nil {
			d.names, d.one = of, true
		}
		for _, column := range j.tables.TwoValued[program.For][s.Name] {
			if base, _, category := strings.Cut(column, "="); !category || !slices.Contains(d.two, base) {
				addTo(&d.two, column)
			}
		}
	}
	return d
}

// behind are the data in a client's own likelihoods.
func (j *judge) behind(client int) (out []string) {
	for _, l := range j.Programs[client].Likelihoods {
		for _, d := range j.data(client, append(slices.Clone(l.Args), l.Stmt.Left)) {
			addTo(&out, d.declared)
		}
	}
	for _, d := range j.contributed(client).data {
		addTo(&out, d.declared)
	}
	return out
}

// names lists what expressions mention, directly or by what is defined by let.
func names(p *check.Program, of ...ast.Expr) (out []string) {
	var reach func(n ast.Node)
	seen := map[string]bool{}
	reach = func(n ast.Node) {
		ast.Walk(n, func(n ast.Node) bool {
			name, ok := n.(*ast.Name)
			if !ok || seen[name.Name] {
				return true
			}
			out, seen[name.Name] = append(out, name.Name), true
			if s := p.Symbols[name.Name]; s != nil && s.Kind == check.Let {
				reach(s.Decl.(*ast.Let).Value)
			}
			return true
		})
	}
	for _, e := range of {
		if e != nil {
			reach(e)
		}
	}
	return out
}

// groupsAlone are the data of levels that do no more than group rows of which others know nothing: of sums by
// these, an element that no parameter moves tells a category without a row. Where others know data of the
// rows, they can be found in the sums, and their categories.
func groupsAlone(p *check.Program, of []ast.Expr) []string {
	var groups, others []ast.Expr
	seen := map[string]bool{}
	var sort func(e ast.Expr)
	sort = func(e ast.Expr) {
		ast.Walk(e, func(n ast.Node) bool {
			if name, ok := n.(*ast.Name); ok && !seen[name.Name] {
				seen[name.Name] = true
				if s := p.Symbols[name.Name]; s != nil && s.Kind == check.Let {
					sort(s.Decl.(*ast.Let).Value)
				} else {
					others = append(others, name)
				}
			}
			call, ok := n.(*ast.Call)
			if !ok || !groupsUnknown(p, call) {
				return true
			}
			groups = append(groups, call.Args[1:]...)
			sort(call.Args[0])
			return false
		})
	}
	for _, e := range of {
		sort(e)
	}
	elsewhere := names(p, others...)
	return slices.DeleteFunc(names(p, groups...), func(name string) bool {
		return slices.Contains(elsewhere, name)
	})
}

// groupsUnknown reports a call by groups of rows of which all data are the party's own.
func groupsUnknown(p *check.Program, e *ast.Call) bool {
	if _, ok := ast.Grouped(e.Name.Name); !ok {
		return false
	}
	own := false
	for _, name := range names(p, e.Args[0]) {
		s := p.Symbols[name]
		if s == nil || s.Kind != check.Data || len(s.Type.Dims) == 0 {
			continue
		}
		if s.Owner == check.Shared {
			return false
		}
		own = own || s.Type.Levels == nil
	}
	return own
}

// hierarchical reports whether priors of a party's parameters depend on one another.
func hierarchical(p *check.Program) bool {
	for _, s := range p.Order {
		if s.Kind != check.Param {
			continue
		}
		for _, name := range names(p, s.Args...) {
			if of := p.Symbols[name]; of != nil && of.Kind == check.Param {
				return true
			}
		}
	}
	return false
}

// multiplies reports whether a client contributes columns times parameters of the server that may have normal
// priors, which then cross themselves, in sums that have masks where no other client uses these.
func (j *judge) multiplies(client int, hidden bool) bool {
	used := j.received(client)
	if !hidden {
		return len(used) > 0
	}
	return !j.several(client) && slices.ContainsFunc(used, func(name string) bool {
		for other := range j.plan.Names[1:] {
			if 1+other != client && slices.Contains(j.received(1+other), name) {
				return false
			}
		}
		return true
	})
}

// received are the shared parameters without bounds that a client's contributions depend on, or the priors of
// its own parameters: but for one number that is the mean of a vector or matrix, which multiplies sums of
// columns alone.
func (j *judge) received(client int) (out []string) {
	program := j.Programs[client]
	of := slices.Clone(j.contributions(client))
	for _, s := range program.Order {
		of = append(of, centres(program, s)...)
	}
	for _, name := range names(program, of...) {
		got, s := program.Symbols[name], j.Programs[0].Symbols[name]
		if got == nil || got.Kind != check.Receive || s == nil || s.Kind != check.Param || s.Lower != nil ||
			s.Upper != nil || s.Structure != nil {
			continue
		}
		if s.Dist == nil || s.Dist.Support == def.RealLine {
			out = append(out, name)
		}
	}
	return out
}

// multiplied are the data of a client in those terms of its contributions that depend on such parameters,
// directly or by the prior of a parameter of its own.
func (j *judge) multiplied(client int) (out []string) {
	program, received := j.Programs[client], j.received(client)
	by := func(name string) bool {
		of := []string{name}
		if s := program.Symbols[name]; s != nil {
			of = append(of, names(program, centres(program, s)...)...)
		}
		return slices.ContainsFunc(of, func(name string) bool { return slices.Contains(received, name) })
	}
	for _, e := range j.contributions(client) {
		for _, term := range addends(program, e) {
			if of := names(program, term); slices.ContainsFunc(of, by) {
				addAll(&out, of)
			}
		}
	}
	return out
}

// addends are the terms of a sum, where what is defined by let is written out.
func addends(p *check.Program, e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.Paren:
		return addends(p, e.X)
	case *ast.Name:
		if s := p.Symbols[e.Name]; s != nil && s.Kind == check.Let {
			return addends(p, s.Decl.(*ast.Let).Value)
		}
	case *ast.Binary:
		if e.Op == "+" || e.Op == "-" {
			return append(addends(p, e.X), addends(p, e.Y)...)
		}
	}
	return []ast.Expr{e}
}

// centres are the arguments of a parameter's prior, but for one number that is the mean of a vector or
// matrix.
func centres(p *check.Program, s *check.Symbol) (out []ast.Expr) {
	if s.Kind != check.Param {
		return nil
	}
	for _, arg := range s.Args {
		if name, bare := arg.(*ast.Name); !bare || len(s.Type.Dims) == 0 || p.Symbols[name.Name] == nil ||
			len(p.Symbols[name.Name].Type.Dims) > 0 {
			out = append(out, arg)
		}
	}
	return out
}

// divides reports whether a client's part of a sum has a prior covariance that crosses by itself: where its
// priors depend on parameters, or those of all others do but for the receiver.
func (j *judge) divides(c session.Crossing, client int) bool {
	if hierarchical(j.Programs[client]) {
		return true
	}
	for _, other := range j.clientsIn(c.Of) {
		if receiver := !c.Up && other == c.Client && !j.several(other); !receiver &&
			(other != client || j.several(client)) && !hierarchical(j.Programs[other]) {
			return false
		}
	}
	return true
}

// addTo adds what is not there yet.
func addTo[T comparable](to *[]T, v T) {
	if !slices.Contains(*to, v) {
		*to = append(*to, v)
	}
}

func addAll[T comparable](to *[]T, v []T) {
	for _, one := range v {
		addTo(to, one)
	}
}
