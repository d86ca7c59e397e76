package inline

import (
	"slices"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A client is one client's module, with its names as the model has them.
type client struct {
	*linker
	owner  string
	source *source.File
	stmts  []ast.Stmt
	names  map[string]string // what the module declares, and its own sizes
	bodies map[string]*ast.Body
	used   []string
	at     ast.At // of the contribution that is written out
}

func (k *client) errorf(code diag.Code, at ast.Node, format string, args ...any) *diag.Diagnostic {
	return k.diags.Errorf(code, k.source, at.Span(), format, args...)
}

// headed checks the first statement of a module.
func (k *client) headed(tree *ast.File) bool {
	p, ok := tree.Stmts[0].(*ast.Private)
	switch {
	case !ok:
		k.errorf(diag.BadPrivate, tree.Stmts[0],
			"a module begins with the client that it is of and the model that it is for").Note(
			"write: module %s implements %s", k.owner, k.name,
		)
	case p.Client.Name != k.owner:
		k.errorf(diag.BadPrivate, p.Client, "this is the module of %s, not of %s", p.Client.Name, k.owner)
	case p.Model.Name != k.name:
		k.errorf(diag.BadPrivate, p.Model, "this module is for the model %s, not for %s", p.Model.Name,
			k.name)
	default:
		return true
	}
	return false
}

// collect finds what a module declares.
func (k *client) collect(tree *ast.File) {
	for _, s := range tree.Stmts[1:] {
		var name ast.Ident
		var owner *ast.Ident
		switch s := s.(type) {
		case *ast.Data:
			name, owner = s.Name, s.Owner
			if len(s.Type.Dims) == 0 {
				k.errorf(diag.BadPrivate, s,
					"the data of a module are vectors and matrices, columns of the client's table").Note(
					"write a single number as a const",
				)
			}
			k.ownSizes(s.Type)
		case *ast.Param:
			name, owner = s.Name, s.Owner
		case *ast.Weight:
			name, owner = s.Name, s.Owner
		case *ast.Let:
			name, owner = s.Name, s.Owner
		case *ast.Const:
			name = s.Name
		case *ast.Body:
			if k.bodies[s.Name.Name] != nil {
				k.errorf(diag.BadPrivate, s.Name, "%s has a value already", s.Name.Name)
			}
			k.bodies[s.Name.Name] = s
			continue
		case *ast.Import:
			if s.Name == nil {
				k.errorf(diag.BadPrivate, s, "a module imports modules of the standard library, and no files")
				continue
			}
		default:
			k.errorf(diag.BadPrivate, s,
				"a module holds data, param, weight, let, const and import, and the values of its "+
					"contributions; this belongs in the model")
			continue
		}
		if owner != nil {
			k.errorf(diag.BadPrivate, owner,
				"everything in a module belongs to %s: nothing has an owner of its own", k.owner)
		}
		if k.names[name.Name] != "" && name.Name != "" {
			k.errorf(diag.BadPrivate, name, "%s is declared twice", name.Name)
		}
		if name.Name != "" {
			k.names[name.Name] = k.owner + "." + name.Name
		}
		k.stmts = append(k.stmts, s)
	}
}

// ownSizes finds the sizes that the model does not have.
func (k *client) ownSizes(t *ast.Type) {
	own := map[string]string{}
	sizes(t, own)
	for name := range own {
		if _, known := k.public[name]; !known {
			k.names[name] = k.owner + "." + name
		}
	}
}

// declare writes out all that the module declares, at the place of the contribution.
func (k *client) declare(c *ast.Contribution) {
	k.at = c.At
	for _, s := range k.stmts {
		k.refer(s)
		if out := k.copied(s); out != nil {
			k.calls[out] = k.origin(s)
			k.out = append(k.out, out)
		}
	}
}

// contribute writes out a contribution as a let of its body.
func (k *client) contribute(c *ast.Contribution) {
	k.at = c.At
	body := k.bodies[c.Name.Name]
	if body == nil {
		k.diags.Errorf(diag.BadPrivate, k.file.Source, c.Name.Span(), "the module of %s gives no value to %s",
			k.owner, c.Name.Name).Note("%s: write %s = … there", k.source.Name, c.Name.Name)
		return
	}
	k.used = append(k.used, c.Name.Name)
	k.refer(body.Value)
	out := &ast.Let{At: c.At, Name: c.Name, Type: c.Type, Value: k.expr(body.Value), Owner: c.Owner}
	k.out = append(k.out, out)
}

// unused reports values of contributions that the model has not.
func (k *client) unused() {
	for name, b := range k.bodies {
		if !slices.Contains(k.used, name) {
			k.diags.Errorf(diag.BadPrivate, k.source, b.Name.Span(), "the model has no contribution %s of %s",
				name, k.owner)
		}
	}
}

// refer reports names of the model that the module does not see: others than its sizes and consts, and what
// it declares @ the client. Anything else would have to be sent for the sake of the module.
func (k *client) refer(n ast.Node) {
	ast.Walk(n, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok {
			return true
		}
		if owner, public := k.public[name.Name]; public && owner != "" && owner != k.owner &&
			k.names[name.Name] == "" {
			k.errorf(diag.PrivateScope, name,
				"a module sees its own names, and of the model the sizes, the consts and "+
					"what is @ %s; %s is neither", k.owner, name.Name).
				Note("what a party uses of another crosses between them, and the public "+
					"model says so: use %s there", name.Name)
		}
		return true
	})
}

func (k *client) origin(from ast.Node) *check.FunctionPlace {
	return &check.FunctionPlace{File: k.source, At: from.Span(), Function: "the module of " + k.owner, Private: true}
}

func (k *client) made(from, to ast.Node) { k.calls[to] = k.origin(from) }

func (k *client) ident(i ast.Ident) ast.Ident {
	if to := k.names[i.Name]; to != "" {
		i.Name = to
	}
	return ast.Ident{At: k.at, Name: i.Name}
}

// expr copies an expression with the names that the model has for those of the module.
func (k *client) expr(e ast.Expr) ast.Expr {
	if e == nil {
		return nil
	}
	if n, ok := e.(*ast.Name); ok {
		out := &ast.Name{At: k.at, Name: k.ident(ast.Ident{Name: n.Name}).Name}
		k.made(n, out)
		return out
	}
	return ast.Copy(e, k.at, k.made, k.expr)
}
