package inline

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
)

// LinkPrivate returns the model of a file with what modules hold written out, at the places of the
// contributions that they implement. Contributions whose module is not at hand stay as they are. name is
// that of the model.
func LinkPrivate(file *ast.File, name string,
	module func(client string) (*source.File, error)) (*check.Linked, diag.List) {
	l := &linker{file: file, name: name, public: publicNames(file), linked: map[string]*client{},
		calls: map[ast.Node]*check.FunctionPlace{}}
	for _, s := range file.Stmts {
		if c, ok := s.(*ast.Contribution); ok && c.Owner != nil && module != nil {
			l.client(c, module)
			continue
		}
		l.out = append(l.out, s)
	}
	if l.diags.HasErrors() || len(l.privates) == 0 {
		return &check.Linked{File: file}, l.diags
	}
	for _, k := range l.privates {
		l.linked[k.Name].unused()
	}
	out := &ast.File{Source: file.Source, Stmts: l.out, Comments: file.Comments}
	return &check.Linked{File: out, Privates: l.privates, Calls: l.calls}, l.diags
}

// ModulePath is where a run keeps its copy of a client's module, among those of the files that the model
// imports: no import has such a path.
func ModulePath(client string) string { return client + ".module" }

// A linker writes out the modules of a model.
type linker struct {
	file     *ast.File
	name     string
	public   map[string]string // owners of the model's names; "" for what a module may use: sizes and consts
	linked   map[string]*client
	privates []check.Module
	out      []ast.Stmt
	calls    map[ast.Node]*check.FunctionPlace
	diags    diag.List
}

// client writes out a contribution, and before the first of a client all that the client's module declares.
func (l *linker) client(c *ast.Contribution, module func(string) (*source.File, error)) {
	owner := c.Owner.Name
	k, known := l.linked[owner]
	if !known {
		k = l.read(c, owner, module)
		l.linked[owner] = k
		if k != nil {
			k.declare(c)
		}
	}
	if k == nil {
		l.out = append(l.out, c)
		return
	}
	k.contribute(c)
}

// read parses the module of a client; nil where there is none, or it is wrong.
func (l *linker) read(c *ast.Contribution, owner string, module func(string) (*source.File, error)) *client {
	src, err := module(owner)
	if err != nil {
		l.diags.Errorf(diag.BadPrivate, l.file.Source, c.Span(), "the module of %s cannot be read: %v", owner,
			err)
		return nil
	}
	if src == nil {
		return nil
	}
	tree, diags := parser.Parse(src)
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		return nil
	}
	k := &client{linker: l, owner: owner, source: src, names: map[string]string{},
		bodies: map[string]*ast.Body{}}
	if !k.headed(tree) {
		return nil
	}
	l.privates = append(l.privates, check.Module{Name: owner, Path: ModulePath(owner), File: src})
	k.collect(tree)
	return k
}

// publicNames are the names that a model declares, with their owners: "" for sizes and consts, which a module
// may use.
func publicNames(file *ast.File) map[string]string {
	out := map[string]string{}
	own := func(name string, owner *ast.Ident) {
		out[name] = "the server"
		if owner != nil {
			out[name] = owner.Name
		}
	}
	for _, s := range file.Stmts {
		switch s := s.(type) {
		case *ast.Client:
			for _, f := range s.Clients {
				sizes(f.Count, out)
			}
		case *ast.Data:
			own(s.Name.Name, s.Owner)
			sizes(s.Type, out)
			if s.Type.Elem.Name == "int" && len(s.Type.Dims) == 0 {
				out[s.Name.Name] = ""
			}
		case *ast.Param:
			own(s.Name.Name, s.Owner)
		case *ast.Weight:
			own(s.Name.Name, s.Owner)
		case *ast.Let:
			own(s.Name.Name, s.Owner)
		case *ast.Generate:
			own(s.Name.Name, nil)
		case *ast.Contribution:
			own(s.Name.Name, s.Owner)
			sizes(s.Type, out)
		case *ast.Const:
			out[s.Name.Name] = ""
		}
	}
	return out
}

// sizes adds the size names of a type, or of a number of members.
func sizes(n ast.Node, out map[string]string) {
	if e, ok := n.(ast.Expr); n == nil || ok && e == nil {
		return
	}
	ast.Walk(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok {
			out[name.Name] = ""
		}
		return true
	})
}
