package ast

import "github.com/vflc/vflc/lang/source"

// Fn is `fn NAME(args) = EXPR`, or `fn NAME(args) { let …; param …; weight …; return EXPR }`.
type Fn struct {
	At
	Name  Ident
	Args  []*FnArg
	Body  []Inner
	Block bool // written with braces
	Value Expr
	Plain Expr // nil with braces
}

// Result is what a call of the function stands for.
func (f *Fn) Result() Expr {
	if f.Plain != nil {
		return f.Plain
	}
	return f.Value
}

// Inner is a statement inside a function: a Let, a Param or a Weight.
type Inner interface {
	Stmt
	inner()
}

// FnArg is an argument of a function: a name, or `[a, b]`, names of the elements of an array.
type FnArg struct {
	At
	Name  *Ident
	Elems []*Ident
}

// Names returns the names that an argument declares.
func (a *FnArg) Names() []*Ident {
	if a.Name != nil {
		return []*Ident{a.Name}
	}
	return a.Elems
}

// Import is `import NAME`, a module of the standard library, or `import "./FILE.vfl"`, a file beside the model.
type Import struct {
	At
	Name *Ident
	Path string // without the quotes
}

// A Module is a file of functions.
type Module struct {
	Name string // by which the model calls it
	Path string // as imported, relative to the model; "" for a module of the standard library
	*source.File
}

// An Origin is the place in a function where a node was written.
type Origin struct {
	File     *source.File
	At       source.Span
	Function string  // as the caller names it
	Private  bool    // the place is in the module of a client, which no call in the model shows: messages are about that text
	Outer    *Origin // where that function was called from inside another one; nil: from the model
}
