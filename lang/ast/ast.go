// Package ast holds the syntax tree of a vfl file, one to one with its source. A tree is immutable after parsing: facts about it live in side tables keyed by node.
package ast

import "github.com/vflc/vflc/lang/source"

// A Node is anything with a place in the source. Nodes built by the compiler carry the place of what they came from, or the zero span.
type Node interface{ Span() source.Span }

// At is embedded by every node and gives it its place.
type At struct{ Where source.Span }

// Span returns the place of the node.
func (a At) Span() source.Span { return a.Where }

// A File is a parsed source: statements in order, and the comments for the formatter.
type File struct {
	Source   *source.File
	Stmts    []Stmt
	Comments []Comment
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

// Family is one name of a client statement. Count is nil for a single client, else a Number or a Name.
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
}

// Param is `param NAME [: TYPE] ~ DIST(args) [noncentered] [@ OWNER]`.
type Param struct {
	At
	Name        Ident
	Type        *Type // nil: scalar real
	Dist        *Dist
	Noncentered bool
	Owner       *Ident
}

// Let is `let NAME [: TYPE] = EXPR [@ OWNER]`.
type Let struct {
	At
	Name  Ident
	Type  *Type // nil: inferred
	Value Expr
	Owner *Ident
}

// Const is `const NAME = EXPR`.
type Const struct {
	At
	Name  Ident
	Value Expr
}

// Likelihood is `EXPR ~ DIST(args) [weights EXPR] [^ (EXPR)]`. Power appears in party programs only.
type Likelihood struct {
	At
	Left    Expr
	Dist    *Dist
	Weights Expr // nil: none
	Power   Expr // nil: 1
}

// Transform is `transform KIND [(rho = …)]`. Rho is nil when not written or when RhoBy gives it per client.
type Transform struct {
	At
	Kind  Ident // none, augmented or power; checked later
	Rho   Expr
	RhoBy []*Rho
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
	Name, For Ident
}

// Aux is `aux NAME : TYPE ~ DIST(args)`, an auxiliary variable of a client's program.
type Aux struct {
	At
	Name Ident
	Type *Type
	Dist *Dist
}

// Receive is `receive NAME : TYPE from PARTY`: the value comes in, the adjoint goes out.
type Receive struct {
	At
	Name Ident
	Type *Type
	From Ident
}

// Send is `send NAME [= EXPR] to PARTY, …`: the value goes out, the adjoint comes back.
type Send struct {
	At
	Name  Ident
	Value Expr // nil: the value of Name
	To    []Ident
}

// Unsupported is a statement of the language that this version refuses by name.
type Unsupported struct {
	At
	Keyword Ident
}

func (*Server) stmt()      {}
func (*Client) stmt()      {}
func (*Data) stmt()        {}
func (*Param) stmt()       {}
func (*Let) stmt()         {}
func (*Const) stmt()       {}
func (*Likelihood) stmt()  {}
func (*Transform) stmt()   {}
func (*Program) stmt()     {}
func (*Aux) stmt()         {}
func (*Receive) stmt()     {}
func (*Send) stmt()        {}
func (*Unsupported) stmt() {}

// A Type is `ELEM[(LEVELS)][<bounds>][[dims]]`, as real<lower=0>[N, P], level(R)[N] or simplex[K].
type Type struct {
	At
	Elem   Ident
	Levels Expr     // of level(R), else nil
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
	Star    bool
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

// Number is a numeric literal; Text is as written.
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

// Binary is `X OP Y` with OP one of || && == != < <= > >= + - * / .* ./ ^.
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

// Call is `NAME(args)`: a function.
type Call struct {
	At
	Name Ident
	Args []Expr
}

// Sum is the comprehension `sum(Body for Var in Family)` or `sum(Body for Var in Lo..Hi)`.
type Sum struct {
	At
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
func (*Sum) expr()       {}
