package inline

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// ownerOf infers who owns the parameters of a component from the arguments of its call: the one party whose
// names they are. nil is the server.
func (x *expander) ownerOf(c *ast.Call, args []ast.Expr) *ast.Ident {
	var owners types.Owners
	for _, a := range args {
		owners = owners.Join(Declared(x.declared).Owners(a))
	}
	if len(owners) > 1 {
		x.errorf(x.root, diag.ComponentPlace, c,
			"the arguments belong to several parties, so that the owner of the "+
				"parameters inside is not clear").
			Note("say who has them: let h = %s(…) @ OWNER", c.Name.Name)
	}
	if len(owners) == 0 || owners[0] == check.DefaultServer {
		return nil
	}
	return &ast.Ident{At: c.At, Name: owners[0]}
}
