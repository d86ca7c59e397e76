// Package cut finds where private quantities of a client enter a computation of another party: each maximal
// sub-expression of one client is a cut. It marks the groups of cuts that the rest of the model uses only
// through their sum.
package cut

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// An Expression is a cut: what one client (or each member of a family) computes of its own names and another
// party's computation uses.
type Expression struct {
	Name   string // of its auxiliary variable: z_1, z_2, …
	Client string
	Family bool
	Expr   ast.Expr // in the client's own names
	Type   types.Type
}

// A Group is a set of cuts that enter an expression as a sum.
type Group struct {
	Number int // from 1, in order of appearance among the groups with this sum
	Cuts   []*Expression
	Type   types.Type
	// Additive is true where the other parties use these cuts only through this sum, so that no party needs a
	// single one.
	Additive bool
	Span     ast.At
	single   bool // a family's cuts one by one
	apart    bool // another group enters the same argument, as in a product of two clients' contributions
}

// A Likelihood is a likelihood statement whose lets are expanded and whose cuts are replaced by references to
// groups.
type Likelihood struct {
	*check.Likelihood
	Left, Weights ast.Expr
	Args          []ast.Expr
	// Party is the one party that evaluates it, without a cut; "" where cuts enter it, and Home evaluates it,
	// or under power every client with a cut in it, where all hold its response.
	Party  string
	Groups []*Group
}

// A Param is a parameter whose prior has its lets expanded.
type Param struct {
	*check.Symbol
	Args []ast.Expr
}

// A Generated is a generated quantity whose lets are expanded. Where it has names of several parties, the
// clients' are replaced by references to groups.
type Generated struct {
	Value  ast.Expr   // nil where it is drawn
	Args   []ast.Expr // of its distribution, nil where it is computed
	Groups []*Group
}

// A Program is a model with its cuts.
type Program struct {
	*check.Program
	Cuts        []*Expression
	Groups      []*Group
	Likelihoods []*Likelihood
	Params      []*Param
	ByLevels    bool // a sum of cuts is looked up by a level that repeats its elements in rows
	Generated   map[*check.Symbol]*Generated
	facts       map[ast.Expr]check.ExprInfo // of nodes that the pass built
	rho         map[string]float64          // by client: the sd of its auxiliary variables, where it is known
}

// Facts returns the facts of an expression of the model or of one that the pass built.
func (p *Program) Facts(e ast.Expr) check.ExprInfo {
	if i, ok := p.facts[e]; ok {
		return i
	}
	return p.Info[e]
}

// Find finds the cuts of a checked model, as its transform asks: with noise or without.
func Find(program *check.Program) (*Program, diag.List) {
	c := &cutter{
		model: program, facts: map[ast.Expr]check.ExprInfo{}, expanded: map[expandKey]ast.Expr{},
		normals: map[ast.Expr]ast.Expr{}, least: map[string]scaled{},
	}
	c.begin()
	c.run()
	if c.smaller {
		c.begin()
		c.run() // again, where a cut stands with several numbers before it: the least is known now
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
	model    *check.Program
	facts    map[ast.Expr]check.ExprInfo
	ranges   *check.Ranges
	diags    diag.List
	prefix   string
	expanded map[expandKey]ast.Expr
	normals  map[ast.Expr]ast.Expr // by what they were before
	nodes    int                   // built while expanding, to stop lets that double at each use
	cuts     map[string]scaled     // by client, form and shape
	degrees  map[string]int        // of the parts of the step of a recursion
	least    map[string]scaled     // of the cuts that differ by a number, the one with the least
	smaller  bool                  // least has one that was not the first
	groups   map[string]*Group
	notes    []note
	current  *Likelihood
	home     string     // that evaluates the current expression: what others have of it is cut
	law      *def.Dist  // of the current argument
	param    *def.Param // of the current argument
	whole    ast.Expr   // the current argument as it is written
	argument []*Group   // in the current argument
	members  []member   // comprehensions over families around the current expression
	loops    []string   // variables of sums over a range around it
	counting []string   // indices of sums over a range and of recursions around it
	bound    []string   // names of the recursions around the expression whose lets are expanded
	reading  bool       // a generated quantity reads the cuts, which stay as the likelihoods have them
}

// member is the variable of a comprehension over a family.
type member struct{ name, family string }

// begin sets the results back to none.
func (c *cutter) begin() {
	c.Program = &Program{Program: c.model, Generated: map[*check.Symbol]*Generated{}, facts: c.facts}
	c.ranges = c.model.Ranges(c.Facts)
	c.cuts, c.groups, c.diags, c.notes, c.nodes = map[string]scaled{}, map[string]*Group{}, nil, nil, 0
	c.prefix = c.freePrefix()
}

func (c *cutter) run() {
	c.moveTo(c.Server)
	for _, s := range c.Order {
		if s.Kind == check.Param {
			c.Params = append(c.Params, &Param{Symbol: s, Args: c.expandAll(s.Args)})
		}
	}
	for _, l := range c.model.Likelihoods {
		c.moveTo(l.Home)
		c.likelihood(l)
	}
	c.moveTo(c.Server)
	for _, s := range c.Order {
		if s.Kind == check.Generated {
			c.generated(s)
		}
	}
}

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
	out := &Likelihood{Likelihood: l, Left: c.expand(l.Stmt.Left), Weights: c.expand(l.Stmt.Weights),
		Args: c.expandAll(l.Args)}
	c.Likelihoods = append(c.Likelihoods, out)
	if c.nodes > maxNodes {
		c.errorf(diag.LetsTooLarge, l.Stmt, "with its lets expanded, this statement is too large to split").
			Note("lets that use one another twice or more double at each step; name " +
				"fewer intermediate values")
		return
	}
	if party, alone := l.Owners.Sole(); alone {
		out.Party = party
		return
	}
	// no party evaluates a likelihood of rows that are released: whose its parameters are does not matter
	if c.Transform.Kind.Released() || !c.hasClient(l.Owners) {
		out.Party = c.home
		return
	}
	c.current = out
	for i, a := range out.Args {
		if a == nil {
			continue
		}
		if p := l.Dist.Params[i]; p.NoNoise && !p.Integral && !p.Data && c.Transform.Kind.Noise() &&
			c.hasClient(c.Facts(a).Owners) {
			if !c.Facts(a).Random {
				c.privateData(fmt.Sprint(c.Facts(a).Owners), a, nil) // no transform sends it
				continue
			}
			c.errorf(diag.NoCut, a,
				"%s adds noise to what it sends, and no noise may be added to %s of %s, a bound",
				c.Facts(a).Owners, p.Name, l.Dist.Name).
				Note("%s", c.waysOut("write a bound that all parties know", a))
			continue
		}
		if p := l.Dist.Params[i]; (p.Integral || p.Data) && c.hasClient(c.Facts(a).Owners) {
			c.errorf(diag.ClientData, a,
				"client data would be read by another party: %s of %s is data, and a client "+
					"sends no data as they are", l.Dist.Params[i].Name, l.Dist.Name).
				Note("make the data `@ shared` if every party may hold them")
			continue
		}
		c.argument = nil
		out.Args[i] = c.inArgument(l.Dist, &l.Dist.Params[i], a)
		for _, g := range c.argument {
			g.apart = g.apart || len(c.argument) > 1
		}
	}
	if out.Weights != nil && c.hasClient(c.Facts(out.Weights).Owners) {
		c.errorf(diag.ClientData, out.Weights,
			"client data would be read by another party: these weights").Note("make them `@ shared` if " +
			"every party may hold them")
	}
}

// hasClient reports names of parties that do not evaluate the current expression: those of clients, and where
// a client evaluates it, of others.
func (c *cutter) hasClient(o types.Owners) bool {
	return slices.ContainsFunc(o, func(p string) bool { return p != c.home })
}

// moveTo has a party evaluate what follows. Products have another normal form there.
func (c *cutter) moveTo(home string) {
	if home != c.home {
		c.home, c.normals = home, map[ast.Expr]ast.Expr{}
	}
}
