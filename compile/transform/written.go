package transform

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/stdlib/def"
)

// Written is a distribution with its arguments and clauses as a program writes it.
type Written struct {
	Dist             *ast.Dist
	Truncate, Censor []*ast.Arg
}

// Write writes a distribution with one argument per parameter, nil where the default applies.
func Write(d *def.Dist, args []ast.Expr) Written {
	if d.Form == nil {
		return Written{Dist: Dist(d.Name, names(d), args)}
	}
	if d.Form.Kind == def.MixtureForm {
		return Written{Dist: mixture(d, args)}
	}
	n := len(d.Form.Of[0].Params)
	out := Write(d.Form.Of[0], args[:n])
	var clause []*ast.Arg
	for k, a := range args[n:] {
		clause = append(clause, &ast.Arg{Name: &ast.Ident{Name: d.Params[n+k].Name}, Value: a})
	}
	if d.Form.Kind == def.TruncatedForm {
		out.Truncate = clause
	} else {
		out.Censor = clause
	}
	return out
}

// mixture writes weights first, then the components.
func mixture(d *def.Dist, args []ast.Expr) *ast.Dist {
	out := &ast.Dist{Name: ast.Ident{Name: d.Name}}
	from := 0
	var components []*ast.Arg
	for _, c := range d.Form.Of {
		call := &ast.Call{Name: ast.Ident{Name: c.Name}}
		for k, p := range c.Params {
			a := args[from+k]
			if a == nil {
				a = &ast.Number{Value: p.Default}
			}
			call.Args = append(call.Args, a)
		}
		from += len(c.Params)
		components = append(components, &ast.Arg{Value: call})
	}
	for _, w := range args[from:] {
		out.Args = append(out.Args, &ast.Arg{Value: w})
	}
	out.Args = append(out.Args, components...)
	return out
}

func names(d *def.Dist) []string {
	out := make([]string, len(d.Params))
	for i, p := range d.Params {
		out[i] = p.Name
	}
	return out
}
