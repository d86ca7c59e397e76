package inline

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
)

// copied writes a statement of the module as one of the model; nil where the model has it already.
func (k *client) copied(s ast.Stmt) ast.Stmt {
	owner := &ast.Ident{At: k.at, Name: k.owner}
	switch s := s.(type) {
	case *ast.Data:
		out := &ast.Data{At: k.at, Name: k.ident(s.Name), Type: k.typ(s.Type), Owner: owner,
			Missing: s.Missing}
		for _, c := range s.From {
			out.From = append(out.From, k.column(c))
		}
		// the column of its own name, without the client's in front
		if s.From == nil && len(s.Type.Dims) == 1 {
			out.From = []*ast.Column{{At: k.at, Name: &ast.ColumnName{At: k.at, Name: s.Name.Name,
				Quoted: true}}}
		}
		return out
	case *ast.Param:
		return &ast.Param{
			At: k.at, Name: k.ident(s.Name), Type: k.typ(s.Type), Dist: ast.CopyDist(s.Dist, k.at, k.made,
				k.expr),
			Truncate: ast.CopyArgs(s.Truncate, k.at, k.made, k.expr), Noncentered: s.Noncentered,
			Owner: owner,
		}
	case *ast.Weight:
		out := &ast.Weight{At: k.at, Name: k.ident(s.Name), Type: k.typ(s.Type), Owner: owner}
		if s.Init != nil {
			out.Init = &ast.Ident{At: k.at, Name: s.Init.Name}
			k.made(s.Init, out.Init)
		}
		return out
	case *ast.Let:
		return &ast.Let{At: k.at, Name: k.ident(s.Name), Type: k.typ(s.Type), Value: k.expr(s.Value),
			Owner: owner}
	case *ast.Const:
		return &ast.Const{At: k.at, Name: k.ident(s.Name), Value: k.expr(s.Value)}
	case *ast.Import:
		same := func(t ast.Stmt) bool {
			i, ok := t.(*ast.Import)
			return ok && i.Name != nil && i.Name.Name == s.Name.Name
		}
		if slices.ContainsFunc(k.file.Stmts, same) || slices.ContainsFunc(k.out, same) {
			return nil
		}
		return &ast.Import{At: k.at, Name: &ast.Ident{At: k.at, Name: s.Name.Name}}
	}
	return nil
}

func (k *client) typ(t *ast.Type) *ast.Type { return ast.CopyType(t, k.at, k.made, k.expr) }

// column copies an item of a from clause.
func (k *client) column(c *ast.Column) *ast.Column {
	out := &ast.Column{At: k.at, Star: c.Star, Name: k.columnName(c.Name)}
	k.made(c, out)
	if c.Encoder != nil {
		out.Encoder = &ast.Ident{At: k.at, Name: c.Encoder.Name}
		k.made(c.Encoder, out.Encoder)
	}
	for _, a := range c.Args {
		b := &ast.ColumnArg{At: k.at, Key: a.Key, Column: k.columnName(a.Column), Number: a.Number}
		k.made(a, b)
		out.Args = append(out.Args, b)
	}
	return out
}

func (k *client) columnName(n *ast.ColumnName) *ast.ColumnName {
	if n == nil {
		return nil
	}
	return &ast.ColumnName{At: k.at, Name: n.Name, Quoted: n.Quoted}
}
