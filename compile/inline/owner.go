package inline

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
)

// shared is the owner of what every party holds.
const shared = "shared"

// ownerOf infers who owns the parameters of a component from the arguments of its call: the one party whose
// names they are. nil is the server.
func (x *expander) ownerOf(c *ast.Call, args []ast.Expr) *ast.Ident {
	owners := map[string]bool{}
	for _, a := range args {
		x.owners(a, owners, map[string]bool{})
	}
	delete(owners, shared)
	if len(owners) > 1 {
		x.errorf(x.root, diag.ComponentPlace, c,
			"the arguments belong to several parties, so that the owner of the "+
				"parameters inside is not clear").
			Note("say who has them: let h = %s(…) @ OWNER", c.Name.Name)
	}
	for name := range owners {
		if name != "" {
			return &ast.Ident{At: c.At, Name: name}
		}
	}
	return nil
}

// owners collects the owners of the names in an expression: "" for the server, which no statement need name.
func (x *expander) owners(e ast.Node, out map[string]bool, seen map[string]bool) {
	ast.Walk(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok || seen[name.Name] {
			return true
		}
		seen[name.Name] = true
		switch s := x.declared[name.Name].(type) {
		case *ast.Data:
			out[x.party(s.Owner)] = true
		case *ast.Param:
			out[x.party(s.Owner)] = true
		case *ast.Contribution:
			out[x.party(s.Owner)] = true
		case *ast.Weight:
			out[x.party(s.Owner)] = true
		case *ast.Let:
			if s.Owner != nil {
				out[x.party(s.Owner)] = true
			} else {
				x.owners(s.Value, out, seen)
			}
		}
		return true
	})
}

func (x *expander) party(owner *ast.Ident) string {
	if owner == nil || owner.Name == "server" {
		return ""
	}
	if _, ok := x.declared[owner.Name].(*ast.Server); ok {
		return ""
	}
	return owner.Name
}
