// Package check resolves names, types, shapes and owners of a parsed file. Its facts live in side tables
// keyed by node.
package check

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// Shared is the owner of what every party holds.
const Shared = "shared"

// DefaultServer is the name of the server where no statement names it.
const DefaultServer = "server"

// A Client is a named client, or a family of clients that run the same code.
type Client struct {
	Name   string
	Family bool
	Count  types.Size // members of a family
	Span   source.Span
}

// Kind is what a symbol was declared as.
type Kind int

// The kinds of symbols.
const (
	Data Kind = iota
	Param
	Let
	Const
	Aux
	Cut // what a client sends itself, in a party program
	Receive
	Party
	Generated // a quantity computed per draw
	IndexVar  // the variable of a comprehension
)

var kindNames = [...]string{"data", "parameter", "let", "const", "auxiliary variable", "cut",
	"received value", "party", "generated quantity", "index"}

// String names the kind for messages.
func (k Kind) String() string { return kindNames[k] }

// A Symbol is a declared name.
type Symbol struct {
	Name  string
	Kind  Kind
	Ident ast.Ident
	Decl  ast.Stmt
	Type  types.Type // of one member, where Family is set
	Owner string     // a party, or Shared
	// Family is true where each member of the family Owner has its own value. (In a server's program: a value
	// received from each member.)
	Family bool
	Value  float64 // of a Const
	// Of a parameter: the distribution and the bounds of its support (nil: none).
	Dist         *def.Dist  // also of a generated quantity that is drawn
	Args         []ast.Expr // one per parameter of Dist; nil where its default applies
	Lower, Upper ast.Expr   // declared bounds
	// Structure is the set of vectors or matrices that a parameter is one of, or an array of; nil: its
	// elements are numbers of their own.
	Structure *def.Structured
	// Opaque marks a contribution whose module is not at hand. It is a Param with a flat prior, of which the
	// client alone knows what it is.
	Opaque bool
	// Initial is how a weight begins; nil for anything else. A weight is a Param with a flat prior, of which
	// a point is estimated.
	Initial *def.Initial
	// Owners and Random describe the value of a Let; those of other symbols follow from Owner and Kind.
	Owners types.Owners
	Random bool
	used   bool
	sent   bool
	over   string // of an IndexVar: the family, "" for a range
}

// Noncentered reports whether a symbol is a parameter that is declared noncentered.
func (s *Symbol) Noncentered() bool {
	d, ok := s.Decl.(*ast.Param)
	return ok && d.Noncentered
}

// DeclaredType returns the type that a parameter or a weight is declared with, nil for none.
func (s *Symbol) DeclaredType() *ast.Type {
	switch d := s.Decl.(type) {
	case *ast.Param:
		return d.Type
	case *ast.Weight:
		return d.Type
	case *ast.Contribution:
		return d.Type
	}
	return nil
}

// Leaves returns the cut that a client sends under this name, itself or with the noise of an auxiliary
// variable; nil for any other symbol.
func (s *Symbol) Leaves() ast.Expr {
	if s.Kind != Aux && s.Kind != Cut {
		return nil
	}
	return s.Args[0]
}

// ExprInfo holds the facts of an expression.
type ExprInfo struct {
	Type types.Type
	// Owners are the parties whose private names it depends on. A member's value depends on the family's
	// name; what depends on several members depends on the server too.
	Owners types.Owners
	// Random is true where it depends on a parameter or on a received value.
	Random bool
}

// A Likelihood is a likelihood statement with its facts.
type Likelihood struct {
	Stmt   *ast.Likelihood
	Dist   *def.Dist
	Args   []ast.Expr // one per parameter of Dist; nil where its default applies
	Owners types.Owners
	// Family is the family whose members each have a term, or "".
	Family string
	// Home is the party that holds its response: of one with cuts it evaluates it. The server where all hold
	// it, and of a factor.
	Home string
}

// A Transform is the transform of a program with the noise that the model or the command line gives.
type Transform struct {
	Kind  def.Transform
	Rho   float64            // 0: none is given
	RhoBy map[string]float64 // per client, where given
	// Implied is true where neither the model nor the command line chose it.
	Implied bool
	// Epsilon, Delta and Norm are the terms of a release: its budget, and what each party's part of a row is
	// clipped to (0: the square root of its columns).
	Epsilon, Delta, Norm float64
}

// RhoOf returns the standard deviation that is given for a client's auxiliary variables, 0 if none is.
func (t Transform) RhoOf(client string) float64 {
	if r, ok := t.RhoBy[client]; ok {
		return r
	}
	return t.Rho
}

// A Program is a checked file: a model, or one party's program.
type Program struct {
	File     *ast.File // resolved
	Linked   *Linked   // what was checked
	Universe *stdlib.Universe
	Name     string // of a party program's model; "" in a model
	For      string // the party of a party program; "" in a model
	AtClient bool   // a party program is a client's, as far as it shows without its manifest
	Server   string
	// Sums are what a client's program receives of others' contributions, by the manifest, where clients hold
	// responses of likelihoods of several parties; nil elsewhere.
	Sums        map[string]bool
	Clients     []Client
	Order       []*Symbol
	Symbols     map[string]*Symbol
	Info        map[ast.Expr]ExprInfo
	Sizes       map[string]*Size
	Levels      map[string][]string // the categories that the model lists, by the size of their level
	Likelihoods []*Likelihood
	// Distributions are those that the file declares, with numbers in the place of consts; Universe has them.
	Distributions []*ast.Distribution
	Transform     Transform
	Members       map[string]int // of families, as far as Options give them
	ByRows        bool           // cuts have a number for each row: see Options
	PriorOnly     bool           // without likelihoods, but for those of missing cells that are imputed
}

// A Size is a size name and where its value comes from.
type Size struct {
	Name string
	Span source.Span
	// Owners are the parties among whose declarations it occurs; a size of one client only is private to it.
	Owners types.Owners
	// Member is the only family in whose declarations the size occurs: it then has a value per member. "" for
	// most sizes.
	Member string
	Bound  bool
}

// Client returns the named client.
func (p *Program) Client(name string) (Client, bool) {
	for _, c := range p.Clients {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// Options are what the command line may change in a model.
type Options struct {
	Set       map[string]float64 // values of consts
	Transform def.Transform      // replaces the statement's kind where it has a name
	Rho       float64            // replaces the statement's rho where > 0
	RhoBy     map[string]float64
	PriorOnly bool          // leave likelihoods out, so that the density is that of the priors
	Accept    diag.Accepted // disclosures that are accepted
	Encrypted bool          // rows stay encrypted: no number of one crosses
	ByRows    bool          // cuts have a number for each row, also where levels repeat some
	// Members are the numbers of members of families, where they are known: from their data.
	Members map[string]int
	// Sizes are names of sizes that nothing in the file need bind, since their values are given with the
	// data: those of a run, for new rows.
	Sizes []string
	// Server is the name of the server, for a party program: the program itself does not name it.
	Server string
	// Import returns the text of a file that the model imports, by its path beside the model; nil where the
	// model is not a file.
	Import func(path string) (string, error)
	// Module returns the file in which a client keeps its contribution to itself, nil where it is not at
	// hand. nil: none is.
	Module func(client string) (*source.File, error)
}

// expressions is about how many expressions a file has. It is the room for their facts: a table that grows is
// copied.
func expressions(file *ast.File) int {
	if file.Source == nil {
		return 0
	}
	return len(file.Source.Text) / 8
}

// Check checks a model or a party program. The program is usable only where the list has no errors.
func Check(file *Linked, universe *stdlib.Universe, options Options) (*Program, diag.List) {
	whole := Listed(file.File)
	c := &checker{
		Program: &Program{
			File: whole, Linked: file, Universe: universe.Library(), Server: DefaultServer,
			Symbols: map[string]*Symbol{}, Info: make(map[ast.Expr]ExprInfo, expressions(file.File)),
			Sizes: map[string]*Size{}, Levels: map[string][]string{},
			Transform: Transform{Kind: stdlib.NoTransform}, Members: options.Members,
		},
		options: options,
		failed:  map[string]bool{},
	}
	if options.Server != "" {
		c.Server = options.Server
	}
	c.ByRows = options.Encrypted || options.ByRows
	c.parties()
	c.collectSizes()
	resolved := *whole
	c.File, resolved.Stmts = &resolved, slices.Clone(resolved.Stmts)
	for i, s := range whole.Stmts {
		resolved.Stmts[i] = c.statement(s)
	}
	for _, s := range c.implied {
		resolved.Stmts = append(resolved.Stmts, c.statement(s))
	}
	c.imputations()
	c.placed()
	if c.options.PriorOnly {
		c.priorOnly()
	}
	c.transform()
	c.sizesBound()
	c.unsent()
	c.onePeer()
	if !c.diags.HasErrors() {
		c.warnings()
	}
	for _, d := range c.inCalls {
		for _, x := range d.Fixes { // they are for the text of the function, not for that of the call
			d.Note("%s", x.Message)
		}
		d.Fixes = nil
	}
	return c.Program, c.diags
}

// checker holds the state of one run of Check.
type checker struct {
	*Program
	options Options
	diags   diag.List
	// failed names were declared wrongly: uses of them are not reported again.
	failed map[string]bool
	// all names declared anywhere, to distinguish "unknown" from "used before"
	later map[string]ast.Ident
	// the family whose declaration is being checked: its names refer to the same member
	family     string
	dataBounds bool      // bounds of the declaration being checked may use data
	vars       []*Symbol // comprehension variables in scope
	lets       bool      // a size may be the let of one
	stmt       *ast.Transform
	implied    []*ast.Likelihood // by `missing impute ~ DIST`
	inCalls    diag.List         // about nodes that the call of a function put into the model
	// perDraw is true in the value of a generated quantity.
	perDraw bool
}

// errorf reports an error at a node. Of a node that a call put into the model it shows the call, and the
// place in the function.
func (c *checker) errorf(code diag.Code, at ast.Node, format string, args ...any) *diag.Diagnostic {
	return c.errorIn(at, code, at, format, args...)
}

// errorIn is errorf for a part of a node that is none itself, as a name is of a call.
func (c *checker) errorIn(whole ast.Node, code diag.Code, at ast.Node, format string,
	args ...any) *diag.Diagnostic {
	d := c.diags.Errorf(code, c.File.Source, at.Span(), format, args...)
	if o := c.Linked.Calls[whole]; o != nil {
		inFunction(d, o)
		c.inCalls = append(c.inCalls, d)
	}
	return d
}

func inFunction(d *diag.Diagnostic, o *FunctionPlace) {
	for ; o != nil; o = o.Outer {
		if o.Private {
			d.File, d.Span = o.File, o.At
			continue
		}
		d.NoteAt(o.File, o.At, "here in %s", o.Function)
	}
}
