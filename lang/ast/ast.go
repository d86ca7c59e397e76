// Package ast holds the syntax tree of a vfl file, one to one with its source. A tree is immutable after
// parsing: later passes keep their facts in tables keyed by node.
package ast

import "github.com/vflc/vflc/lang/source"

// A Node is anything with a place in the source. A node built by the compiler has the place of the node that
// it was derived from, or the zero span.
type Node interface{ Span() source.Span }

// At is embedded in every node and holds its place. A node that the compiler made may have the zero At.
type At source.Span

// Span returns the place of the node.
func (a At) Span() source.Span { return source.Span(a) }

// A File is a parsed source: statements in order, and the comments for the formatter.
type File struct {
	Source   *source.File
	Stmts    []Stmt
	Comments []Comment
}

// Span returns the whole of the source; the zero span for a file that the compiler made.
func (f *File) Span() source.Span {
	if f.Source == nil {
		return source.Span{}
	}
	return source.Span{End: len(f.Source.Text)}
}

// A Comment is a comment with its delimiters, byte for byte. Doc marks a /// comment.
type Comment struct {
	At
	Text string
	Doc  bool
}

// An Ident is a name in a place where it is declared or referred to outside an expression.
type Ident struct {
	At
	Name string
}

// A Stmt is one of the statements below.
type Stmt interface {
	Node
	stmt()
}

// Server is `server NAME`.
type Server struct {
	At
	Name Ident
}

// Client is `client A, B[J]`.
type Client struct {
	At
	Clients []*Family
}

// Family is one name of a client statement. Count is nil for a single client, else a whole Number or a Name.
type Family struct {
	At
	Name  Ident
	Count Expr
}

// Data is `data NAME : TYPE [@ OWNER] [from COLUMNS] [missing KIND]`.
type Data struct {
	At
	Name  Ident
	Type  *Type
	Owner *Ident // nil: not written
	From  []*Column
	// Missing says what is done about missing cells, nil where it is not written; the words are checked
	// later. Impute is the distribution behind it.
	Missing *Ident
	Impute  *Dist
}

// Param is `param NAME [: TYPE] ~ DIST(args) [truncate(lower=, upper=)] [noncentered] [@ OWNER]`.
type Param struct {
	At
	Name        Ident
	Type        *Type // nil: scalar real
	Dist        *Dist
	Truncate    []*Arg // nil: none
	Noncentered bool
	Owner       *Ident
}

// Weight is `weight NAME [: TYPE] [init KIND] [@ OWNER]`: a parameter without a prior, of which a point is
// estimated.
type Weight struct {
	At
	Name  Ident
	Type  *Type  // nil: scalar real
	Init  *Ident // nil: the default of its shape; checked later
	Owner *Ident
}

// Contribution is `contribution NAME : TYPE @ CLIENT`: what a client adds to the model from a module of its
// own. In the client's program it has no owner.
type Contribution struct {
	At
	Name  Ident
	Type  *Type
	Owner *Ident
}

// Private is `module CLIENT implements MODEL`, the first statement of the file in which a client keeps its
// part of a model.
type Private struct {
	At
	Client Ident
	Model  Ident
}

// Body is `NAME = EXPR` in a client's module: the value of a contribution.
type Body struct {
	At
	Name  Ident
	Value Expr
}

// Let is `let NAME [: TYPE] = EXPR [@ OWNER]`.
type Let struct {
	At
	Name  Ident
	Type  *Type // nil: inferred
	Value Expr
	Owner *Ident
}

// Generate is `generate NAME [: TYPE] = EXPR [@ OWNER]` or `generate NAME [: TYPE] ~ DIST(args) [@ OWNER]`: a
// quantity that is computed, or drawn, for each draw of the parameters.
type Generate struct {
	At
	Name     Ident
	Type     *Type // nil: inferred
	Value    Expr  // nil where Dist is set
	Dist     *Dist
	Truncate []*Arg // nil: none
	Owner    *Ident // nil: inferred
}

// Const is `const NAME = EXPR`.
type Const struct {
	At
	Name  Ident
	Value Expr
}

// Levels is `levels NAME = "A", "B"`: the categories of level(NAME), in the order of their codes.
type Levels struct {
	At
	Name       Ident
	Categories []*Category
}

// Category is a string, or a whole number as it is written; Quoted records the string form.
type Category struct {
	At
	Text   string
	Quoted bool
}

// Likelihood is `EXPR ~ DIST(args) [truncate(…)] [censor(…)] [weights EXPR] [^ (EXPR)]`. Power appears in
// party programs only.
type Likelihood struct {
	At
	Left     Expr
	Dist     *Dist
	Truncate []*Arg // nil: none
	Censor   []*Arg // nil: none
	Weights  Expr   // nil: none
	Power    Expr   // nil: 1
}

// Factor is `factor EXPR`: it adds the sum of the elements of the expression to the log density.
type Factor struct {
	At
	Value Expr
}

// Transform is `transform KIND [(rho = …)]` or `transform KIND(NAME = …, …)`. Rho is nil if it is not written
// or if RhoBy holds one value per client.
type Transform struct {
	At
	Kind  Ident // checked later
	Rho   Expr
	RhoBy []*Rho
	Terms []*Term // of a release
}

// Term is one entry of `transform private(epsilon = …, delta = …)`.
type Term struct {
	At
	Name  Ident
	Value Expr
}

// Rho is one entry of `rho = {client: value, …}`.
type Rho struct {
	At
	Client Ident
	Value  Expr
}

// Program is `program NAME for PARTY`, the first statement of a party program.
type Program struct {
	At
	Name Ident
	For  Ident
}

// Aux is `aux NAME : TYPE ~ DIST(args)`, an auxiliary variable of a client's program.
type Aux struct {
	At
	Name Ident
	Type *Type
	Dist *Dist
}

// Receive is `receive NAME : TYPE from PARTY`: the party receives the value and returns the adjoint, the
// gradient with respect to the value.
type Receive struct {
	At
	Name Ident
	Type *Type
	From Ident
}

// Send is `send NAME [= EXPR] to PARTY, …`: the party sends the value and receives the adjoint.
type Send struct {
	At
	Name  Ident
	Value Expr // nil: the value of Name
	To    []Ident
}

func (*Server) stmt()       {}
func (*Client) stmt()       {}
func (*Data) stmt()         {}
func (*Param) stmt()        {}
func (*Weight) stmt()       {}
func (*Contribution) stmt() {}
func (*Private) stmt()      {}
func (*Body) stmt()         {}
func (*Let) stmt()          {}
func (*Generate) stmt()     {}
func (*Const) stmt()        {}
func (*Levels) stmt()       {}
func (*Likelihood) stmt()   {}
func (*Factor) stmt()       {}
func (*Transform) stmt()    {}
func (*Program) stmt()      {}
func (*Aux) stmt()          {}
func (*Receive) stmt()      {}
func (*Send) stmt()         {}
func (*Fn) stmt()           {}
func (*Distribution) stmt() {}
func (*Import) stmt()       {}
func (*Let) inner()         {}
func (*Param) inner()       {}
func (*Weight) inner()      {}

// A Type is `ELEM[(LEVELS)][<bounds>][[dims]]`, as real<lower=0>[N, P], level(R)[N] or simplex[K].
type Type struct {
	At
	Elem   Ident
	Levels Expr     // of level(R), an Array of Texts of level("A", "B"), else nil
	Bounds []*Bound // lower and upper
	Dims   []Expr   // size expressions
}

// Bound is `lower = EXPR` or `upper = EXPR`.
type Bound struct {
	At
	Which Ident
	Value Expr
}

// Dist is a distribution call `NAME(args)`.
type Dist struct {
	At
	Name Ident
	Args []*Arg
}

// Arg is an argument, positional when Name is nil.
type Arg struct {
	At
	Name  *Ident
	Value Expr
}

// Column is one item of a `from` clause: `*`, a column, or an encoder of columns.
type Column struct {
	At
	Star    bool        // all columns not otherwise bound, each encoded if there is an encoder
	Name    *ColumnName // a plain column
	Encoder *Ident      // an encoder, with Args
	Args    []*ColumnArg
}

// ColumnName names a column of a table; Quoted records the string form.
type ColumnName struct {
	At
	Name   string
	Quoted bool
}

// ColumnArg is an argument of an encoder: a column, a number, or KEY = name or number.
type ColumnArg struct {
	At
	Key    *Ident
	Column *ColumnName // nil if a number
	Number *Number
}

// An Expr is one of the expressions below.
type Expr interface {
	Node
	expr()
}

// Number is a numeric literal. Text is the source text, or empty if the compiler made the number.
type Number struct {
	At
	Text  string
	Value float64
	Int   bool // written without point or exponent
}

// Name is a reference to a declared name.
type Name struct {
	At
	Name string
}

// Paren is a parenthesised expression.
type Paren struct {
	At
	X Expr
}

// Unary is `- X`, `+ X` or `! X`.
type Unary struct {
	At
	Op string
	X  Expr
}

// Binary is `X OP Y` with OP one of || && == != < <= > >= .. + - * / .* ./ ^. `X..Y` is the array of the
// whole numbers from X to Y.
type Binary struct {
	At
	Op   string
	OpAt source.Span
	X, Y Expr
}

// Transpose is `X'`.
type Transpose struct {
	At
	X Expr
}

// Index is `X[args]`.
type Index struct {
	At
	X    Expr
	Args []*Subscript
}

// Subscript is one index: a value (Lo only, Slice false) or a slice `[Lo] : [Hi]`.
type Subscript struct {
	At
	Lo, Hi Expr
	Slice  bool
}

// Call is `NAME(args)`: a function. Named are those of `ode(f, y0, times, …, t0 = A)`, which have names.
type Call struct {
	At
	Name  Ident
	Args  []Expr
	Named []*Arg
}

// Array is `[a, b]`, an array of constants; a matrix is an array of its rows.
type Array struct {
	At
	Elems []Expr
}

// Text is a category in quotes, which a level is compared with.
type Text struct {
	At
	Text string
}

// Sum is the comprehension `sum(Body for Var in Family)` or `sum(Body for Var in Lo..Hi)`; with Each it is
// `[Body for Var in Lo..Hi]`, the array of the terms.
type Sum struct {
	At
	Each   bool
	Body   Expr
	Var    Ident
	Family *Ident // nil for a range
	Lo, Hi Expr
}

func (*Number) expr()    {}
func (*Name) expr()      {}
func (*Paren) expr()     {}
func (*Unary) expr()     {}
func (*Binary) expr()    {}
func (*Transpose) expr() {}
func (*Index) expr()     {}
func (*Call) expr()      {}
func (*Array) expr()     {}
func (*Text) expr()      {}
func (*Sum) expr()       {}
