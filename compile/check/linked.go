package check

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/source"
)

// A Linked is a file in which the modules of clients and the calls of functions are written out, with what
// its tree no longer tells.
type Linked struct {
	File *ast.File
	// Privates are the modules of clients that were put in the place of their contributions.
	Privates []Module
	// Modules are the files whose functions the file uses, in the order of their first import; set where
	// calls have been written out.
	Modules []Module
	// Summed are the discrete parameters that have been summed out; of each there is a generated quantity.
	Summed []*ast.Param
	// Calls tells, of each node that the call of a function or a module put into the file, where it was
	// written.
	Calls map[ast.Node]*FunctionPlace
}

// A Module is a file of functions.
type Module struct {
	Name string // by which the model calls it
	Path string // as imported, relative to the model; "" for a module of the standard library
	*source.File
}

// An FunctionPlace is the place in a function where a node was written.
type FunctionPlace struct {
	File     *source.File
	At       source.Span
	Function string // as the caller names it
	// the place is in the module of a client, which no call shows: messages are about that text
	Private bool
	Outer   *FunctionPlace // where that function was called from inside another one; nil: from the model
}
