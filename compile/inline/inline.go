// Package inline writes out the calls of functions that a model or its modules declare, so that every later
// pass sees a model without functions. A function with parameters is a component: they become parameters of
// the model, named after the let that calls it. Modules of clients take the place of their contributions: the
// names that one declares get the client's name in front, so that no two modules, nor a module and the model,
// can have one name for two things.
//
// Who serves is written out too: one of the parties that hold the responses of the likelihoods in which
// several take part evaluates these, so that it is the server of the model. Of several each evaluates its
// own, and the server coordinates them: a party with names of its own in a likelihood that another evaluates
// is a client.
//
// Before all of these, formulas of glm are written out (ExpandFormulas).
package inline

import (
	"maps"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// maxNodes bounds what calls may add to a model.
const maxNodes = 200_000

// Expand returns a file in which every call of a declared function is written out. read returns the text of a
// file beside the model; nil where there is none. A file without functions is returned as it is.
func Expand(linked *check.Linked, universe *stdlib.Universe,
	read func(path string) (string, error)) (*check.Linked, diag.List) {
	file := linked.File
	x := &expander{
		root: file.Source, universe: universe, read: read, modules: map[string]*module{},
		taken: map[string]bool{}, declared: map[string]ast.Stmt{},
		calls: map[ast.Node]*check.FunctionPlace{}, names: map[string]bool{},
	}
	maps.Copy(x.calls, linked.Calls)
	if read == nil {
		x.read = func(string) (string, error) { return "", errNoFolder }
	}
	if x.points(file); party(file) {
		return linked, x.diags
	}
	x.home = x.load("", "", file)
	if len(x.home.fns) == 0 && len(x.home.imports) == 0 || x.diags.HasErrors() {
		return linked, x.diags
	}
	ast.Walk(file, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			x.names[name.Name] = true
		}
		_, function := n.(*ast.Fn)
		return !function
	})
	all := append(slices.Collect(maps.Values(x.modules)), x.home)
	for _, m := range all {
		x.define(m)
	}
	for _, m := range all {
		x.recursion(m)
	}
	if x.diags.HasErrors() {
		return linked, x.diags
	}
	for _, i := range x.imports {
		x.distributions(i)
	}
	for _, s := range file.Stmts {
		x.statement(s)
	}
	out := &ast.File{Source: file.Source, Stmts: x.out, Comments: file.Comments}
	return &check.Linked{File: out, Modules: x.order, Privates: linked.Privates, Calls: x.calls}, x.diags
}

type noFolder struct{}

func (noFolder) Error() string { return "this model is not a file" }

var errNoFolder = noFolder{}

// An expander holds the state of one run of Expand.
type expander struct {
	root     *source.File
	universe *stdlib.Universe
	read     func(path string) (string, error)
	diags    diag.List
	home     *module
	imports  []importing        // by the model
	modules  map[string]*module // by path, or by name
	order    []check.Module
	loading  []*module
	out      []ast.Stmt
	taken    map[string]bool     // names that variables inside functions must not have
	declared map[string]ast.Stmt // of the model
	calls    map[ast.Node]*check.FunctionPlace
	names    map[string]bool // that expressions of the model use: sizes among them
	nodes    int
	step     *step  // of the recursion that is written out
	self     string // the let whose value is written out
}

func (x *expander) errorf(file *source.File, code diag.Code, at ast.Node, format string,
	args ...any) *diag.Diagnostic {
	return x.diags.Errorf(code, file, at.Span(), format, args...)
}

// party reports whether a file is the program of a party, in which components are already written out.
func party(file *ast.File) bool {
	if len(file.Stmts) == 0 {
		return false
	}
	_, ok := file.Stmts[0].(*ast.Program)
	return ok
}

// points collects the declared names of a file, and reports those with a point: they are the names of what a
// component holds.
func (x *expander) points(file *ast.File) {
	program := party(file)
	declare := func(s ast.Stmt, ids ...ast.Ident) {
		for _, id := range ids {
			if strings.Contains(id.Name, ".") && !program && x.calls[s] == nil {
				d := x.errorf(file.Source, diag.PointInName, id, "a declared name has no point").
					Note("h.W is the parameter W of the component that `let h = …` calls")
				plain := strings.ReplaceAll(id.Name, ".", "_")
				if data, is := s.(*ast.Data); is && data.From == nil { // another name would be another column
					d.Note("data %s : %s from \"%s\" binds the column %s", plain, format.Type(data.Type),
						id.Name, id.Name)
				} else {
					d.Fix(id.Span(), plain, "take another name")
				}
			}
			x.taken[id.Name] = true
			x.declared[id.Name] = s
		}
	}
	for _, s := range file.Stmts {
		switch s := s.(type) {
		case *ast.Server:
			declare(s, s.Name)
		case *ast.Client:
			for _, f := range s.Clients {
				declare(s, f.Name)
			}
		case *ast.Data:
			declare(s, s.Name)
		case *ast.Param:
			declare(s, s.Name)
		case *ast.Weight:
			declare(s, s.Name)
		case *ast.Contribution:
			declare(s, s.Name)
		case *ast.Let:
			declare(s, s.Name)
		case *ast.Generate:
			declare(s, s.Name)
		case *ast.Const:
			declare(s, s.Name)
		case *ast.Fn:
			if strings.Contains(s.Name.Name, ".") {
				x.errorf(file.Source, diag.PointInName, s.Name, "a declared name has no point")
			}
			if program {
				x.errorf(file.Source, diag.Misplaced, s, "`fn` does not belong in a party program")
			}
		case *ast.Distribution:
			if strings.Contains(s.Name.Name, ".") && !program && x.calls[s] == nil {
				x.errorf(file.Source, diag.PointInName, s.Name, "a declared name has no point")
			}
		case *ast.Import:
			if program {
				x.errorf(file.Source, diag.Misplaced, s, "`import` does not belong in a party program")
			}
		}
	}
}

// statement writes out the calls in a statement of the model.
func (x *expander) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.Fn, *ast.Import:
		return
	case *ast.Let:
		let := x.let(s) // after what it declares
		x.out = append(x.out, let)
		return
	}
	x.out = append(x.out, ast.RebuildStmt(s, func(e ast.Expr) ast.Expr { return x.expr(e, nil) }))
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
