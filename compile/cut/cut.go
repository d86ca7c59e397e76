// Package cut finds where private quantities of a client enter a computation of another party: each maximal sub-expression of one client is
// a cut. It marks the groups of cuts that the rest of the model uses only through their sum.
package cut

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// A Cut is one expression of one client (or of each member of a family) that another party's computation uses.
type Cut struct {
	Name   string // of its auxiliary variable: z_1, z_2, …
	Client string
	Family bool
	Expr   ast.Expr // in the client's own names
	Type   types.Type
}

// A Group is a set of cuts that enter an expression as a sum.
type Group struct {
	Number int // from 1, in order of appearance among the groups with this sum
	Cuts   []*Cut
	Type   types.Type
	// Additive is true where the other parties use these cuts only through this sum, so that no party needs a single one.
	Additive bool
	Span     ast.At
	single   bool // a family's cuts one by one
	apart    bool // another group enters the same argument, as in a product of two clients' contributions
}

// A Likelihood is a likelihood statement whose lets are expanded and whose cuts are replaced by references to groups.
type Likelihood struct {
	*check.Likelihood
	Left, Weights ast.Expr
	Args          []ast.Expr
	// Party is the one party that evaluates it, without a cut; "" where cuts enter it.
	Party  string
	Groups []*Group
}

// A Param is a parameter whose prior has its lets expanded.
type Param struct {
	*check.Symbol
	Args []ast.Expr
}

// A Program is a model with its cuts.
type Program struct {
	*check.Program
	Cuts        []*Cut
	Groups      []*Group
	Likelihoods []*Likelihood
	Params      []*Param
	Generated   map[*check.Symbol]ast.Expr // values of generated quantities, their lets expanded
	facts       map[ast.Expr]check.Info    // of nodes that the pass built
	rho         map[string]float64         // by client: the sd of its auxiliary variables, where it is known
}

// Facts returns the facts of an expression of the model or of one that the pass built.
func (p *Program) Facts(e ast.Expr) check.Info {
	if i, ok := p.facts[e]; ok {
		return i
	}
	return p.Info[e]
}

// Find finds the cuts of a checked model.
func Find(program *check.Program) (*Program, diag.List) {
	c := &cutter{Program: &Program{Program: program, Generated: map[*check.Symbol]ast.Expr{}, facts: map[ast.Expr]check.Info{}}, expanded: map[expandKey]ast.Expr{}, cuts: map[string]*Cut{}, groups: map[string]*Group{}}
	c.prefix = c.freePrefix()
	for _, s := range program.Order {
		if s.Kind == check.Param {
			c.Params = append(c.Params, &Param{Symbol: s, Args: c.expandAll(s.Args)})
		}
		if s.Kind == check.Generated {
			c.Generated[s] = c.expand(s.Decl.(*ast.Generate).Value)
		}
	}
	for _, l := range program.Likelihoods {
		c.likelihood(l)
	}
	c.additive()
	c.settle()
	if !c.diags.HasErrors() {
		c.warn()
	}
	return c.Program, c.diags
}

type cutter struct {
	*Program
	diags    diag.List
	prefix   string
	expanded map[expandKey]ast.Expr
	nodes    int // built while expanding, to stop lets that double at each use
	cuts     map[string]*Cut
	groups   map[string]*Group
	current  *Likelihood
	argument []*Group // in the current argument
	members  []member // comprehensions over families around the current expression
}

// member is the variable of a comprehension over a family.
type member struct{ name, family string }

func (c *cutter) errorf(code diag.Code, at ast.Node, f string, args ...any) *diag.Diagnostic {
	return c.diags.Errorf(code, c.File.Source, at.Span(), f, args...)
}

// freePrefix chooses a prefix for auxiliary variables that no name of the model has.
func (c *cutter) freePrefix() string {
	for _, p := range []string{"z_", "aux_", "cut_", "vflc_z_"} {
		free := true
		for name := range c.Symbols {
			free = free && !strings.HasPrefix(name, p)
		}
		if free {
			return p
		}
	}
	return "vflc_aux_"
}

func (c *cutter) likelihood(l *check.Likelihood) {
	out := &Likelihood{Likelihood: l, Left: c.expand(l.Stmt.Left), Weights: c.expand(l.Stmt.Weights), Args: c.expandAll(l.Args)}
	c.Likelihoods = append(c.Likelihoods, out)
	if c.nodes > maxNodes {
		c.errorf(diag.LetsTooLarge, l.Stmt, "with its lets expanded, this statement is too large to split").
			Note("lets that use one another twice or more double at each step; name fewer intermediate values")
		return
	}
	if party, alone := l.Owners.Sole(); alone {
		out.Party = party
		return
	}
	if !c.hasClient(l.Owners) {
		out.Party = c.Server
		return
	}
	c.current = out
	for i, a := range out.Args {
		if a == nil {
			continue
		}
		if l.Dist.Params[i].Integral && c.hasClient(c.Facts(a).Owners) {
			c.errorf(diag.ClientData, a, "client data would be read by another party: %s of %s is data, and data never leave a client", l.Dist.Params[i].Name, l.Dist.Name).
				Note("make the data `@ shared` if every party may hold them")
			continue
		}
		c.argument = nil
		out.Args[i] = c.rewrite(a)
		for _, g := range c.argument {
			g.apart = g.apart || len(c.argument) > 1
		}
	}
	if out.Weights != nil && c.hasClient(c.Facts(out.Weights).Owners) {
		c.errorf(diag.ClientData, out.Weights, "client data would be read by another party: these weights").Note("make them `@ shared` if every party may hold them")
	}
}

func (c *cutter) hasClient(o types.Owners) bool {
	return slices.ContainsFunc(o, func(p string) bool { return p != c.Server })
}

// rewrite replaces the cuts in an expression that several parties own by references to groups.
func (c *cutter) rewrite(e ast.Expr) ast.Expr {
	info := c.Facts(e)
	if !c.hasClient(info.Owners) {
		return e
	}
	switch e := e.(type) {
	case *ast.Paren:
		return c.rewrite(e.X)
	case *ast.Unary:
		if e.Op != "!" {
			return c.chain(e)
		}
	case *ast.Binary:
		if e.Op == "+" || e.Op == "-" {
			return c.chain(e)
		}
	case *ast.Sum:
		if e.Family != nil {
			return c.chain(e)
		}
	}
	if client, alone := info.Owners.Sole(); alone {
		cut := c.cut(client, []term{{e, false}})
		if cut == nil {
			return e
		}
		return c.reference(c.group(e, cut), e)
	}
	return c.descend(e)
}

// descend rebuilds a node over its rewritten children.
func (c *cutter) descend(e ast.Expr) ast.Expr {
	info := c.Facts(e)
	var out ast.Expr
	switch e := e.(type) {
	case *ast.Binary:
		out = &ast.Binary{At: e.At, Op: e.Op, OpAt: e.OpAt, X: c.rewrite(e.X), Y: c.rewrite(e.Y)}
	case *ast.Unary:
		out = &ast.Unary{At: e.At, Op: e.Op, X: c.rewrite(e.X)}
	case *ast.Transpose:
		out = &ast.Transpose{At: e.At, X: c.rewrite(e.X)}
	case *ast.Index:
		if c.hasClient(c.subscriptOwners(e)) {
			c.errorf(diag.ClientData, e, "client data would be read by another party: the subscripts here").
				Note("make them `@ shared` if every party may hold them")
			return e
		}
		out = &ast.Index{At: e.At, X: c.rewrite(e.X), Args: e.Args}
	case *ast.Call:
		args := make([]ast.Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = c.rewrite(a)
		}
		out = &ast.Call{At: e.At, Name: e.Name, Args: args}
	case *ast.Sum:
		if c.hasClient(c.CountedBy(e.Lo).Join(c.CountedBy(e.Hi))) {
			c.errorf(diag.ClientData, e, "client data would be read by another party: the range of this sum").
				Note("make them `@ shared` if every party may hold them")
			return e
		}
		if e.Family != nil {
			c.members = append(c.members, member{e.Var.Name, e.Family.Name})
		}
		out = &ast.Sum{At: e.At, Body: c.rewrite(e.Body), Var: e.Var, Family: e.Family, Lo: e.Lo, Hi: e.Hi}
		if e.Family != nil {
			c.members = c.members[:len(c.members)-1]
		}
	default:
		return e
	}
	c.facts[out] = info
	return out
}

func (c *cutter) subscriptOwners(e *ast.Index) types.Owners {
	var owners types.Owners
	for _, a := range e.Args {
		for _, x := range []ast.Expr{a.Lo, a.Hi} {
			if x != nil {
				owners = owners.Join(c.Facts(x).Owners).Join(c.CountedBy(x))
			}
		}
	}
	return owners
}

// term is one term of a chain of + and -.
type term struct {
	expr  ast.Expr
	minus bool
}

func flatten(e ast.Expr, minus bool, out []term) []term {
	switch x := e.(type) {
	case *ast.Paren:
		return flatten(x.X, minus, out)
	case *ast.Unary:
		if x.Op == "+" || x.Op == "-" {
			return flatten(x.X, minus != (x.Op == "-"), out)
		}
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			out = flatten(x.X, minus, out)
			return flatten(x.Y, minus != (x.Op == "-"), out)
		}
	}
	return append(out, term{e, minus})
}

// chain cuts a sum: the terms of one client form one cut, and all its cuts one group; the rest stays where it is.
func (c *cutter) chain(e ast.Expr) ast.Expr {
	var rest []term
	byClient := map[string][]term{}
	add := func(client string, t term) { byClient[client] = append(byClient[client], t) }
	for _, t := range flatten(e, false, nil) {
		owners := c.Facts(t.expr).Owners
		client, alone := owners.Sole()
		sum, isSum := t.expr.(*ast.Sum)
		switch {
		case !c.hasClient(owners):
			rest = append(rest, t)
		case alone:
			add(client, t)
		case isSum && sum.Family != nil && c.familyTerms(sum, t.minus, add, &rest):
		default:
			rest = append(rest, term{c.descendTerm(t.expr), t.minus})
		}
	}
	var cuts []*Cut
	for _, cl := range c.Clients {
		if terms := byClient[cl.Name]; terms != nil {
			if cut := c.cut(cl.Name, terms); cut != nil {
				cuts = append(cuts, cut)
			}
		}
	}
	if len(cuts) > 0 {
		rest = append(rest, term{c.reference(c.group(e, cuts...), e), false})
	}
	return c.join(rest, e)
}

// descendTerm rewrites a term that is not itself a chain.
func (c *cutter) descendTerm(e ast.Expr) ast.Expr {
	if _, isSum := e.(*ast.Sum); isSum {
		return c.descend(e)
	}
	return c.rewrite(e)
}

// familyTerms splits the terms under a sum over a family into the members' own and the others. It returns false where a term mixes both.
func (c *cutter) familyTerms(e *ast.Sum, minus bool, add func(string, term), rest *[]term) bool {
	var own, other []term
	for _, t := range flatten(e.Body, minus, nil) {
		owners := c.Facts(t.expr).Owners
		switch client, alone := owners.Sole(); {
		case alone && client == e.Family.Name:
			own = append(own, t)
		case !c.hasClient(owners):
			other = append(other, t)
		default:
			return false
		}
	}
	for _, t := range own {
		add(e.Family.Name, term{c.own(t.expr, e.Var.Name), t.minus})
	}
	if len(other) > 0 {
		body := c.join(other, e.Body)
		s := &ast.Sum{At: e.At, Body: body, Var: e.Var, Family: e.Family}
		c.facts[s] = c.Facts(body)
		*rest = append(*rest, term{s, false})
	}
	return true
}

// join writes terms as a chain again.
func (c *cutter) join(terms []term, from ast.Expr) ast.Expr {
	info := check.Info{}
	var out ast.Expr
	where := terms[0].expr.Span()
	for i, t := range terms {
		ti := c.Facts(t.expr)
		info.Owners, info.Random = info.Owners.Join(ti.Owners), info.Random || ti.Random
		dims, ok := types.Broadcast(info.Type.Dims, ti.Type.Dims)
		if !ok {
			dims = c.Facts(from).Type.Dims
		}
		info.Type.Dims = dims
		where = where.Join(t.expr.Span())
		at := ast.Place(where)
		switch {
		case i == 0 && t.minus:
			out = &ast.Unary{At: at, Op: "-", X: t.expr}
		case i == 0:
			out = t.expr
		case t.minus:
			out = &ast.Binary{At: at, Op: "-", X: out, Y: t.expr}
		default:
			out = &ast.Binary{At: at, Op: "+", X: out, Y: t.expr}
		}
		if i > 0 || t.minus {
			c.facts[out] = info
		}
	}
	return out
}

// cut returns the cut of a client for the sum of some terms, the same one for equal expressions.
func (c *cutter) cut(client string, terms []term) *Cut {
	cl, _ := c.Client(client)
	for i := range terms {
		if cl.Family {
			for _, m := range c.members {
				if m.family == client {
					terms[i].expr = c.own(terms[i].expr, m.name)
				}
			}
		}
	}
	e := c.join(terms, terms[0].expr)
	info := c.Facts(e)
	if !info.Random {
		c.errorf(diag.ClientData, e, "client data would be read by another party: %s is private data of %s, and data never leave a client", format.Expr(e), client).
			Note("declare the parameter that multiplies it @ %s, so that their product is cut, or make the data `@ shared`", client)
		return nil
	}
	key := client + "|" + format.Expr(e)
	if old := c.cuts[key]; old != nil {
		return old
	}
	t := types.Type{Dims: info.Type.Dims}
	cut := &Cut{Name: fmt.Sprintf("%s%d", c.prefix, len(c.Cuts)+1), Client: client, Family: cl.Family, Expr: e, Type: t}
	c.cuts[key] = cut
	c.Cuts = append(c.Cuts, cut)
	return cut
}
