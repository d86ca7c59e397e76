package transform

import (
	"fmt"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/types"
)

// OthersName is the clients' name for the sum of the others' z of a group: o_1, o_2, …, unless the model has
// such names.
func OthersName(p *cut.Program, g *cut.Group) string {
	return fmt.Sprintf("%s%d", sumPrefix(p), g.Number)
}

// sumPrefix begins the names of sums that clients receive.
func sumPrefix(p *cut.Program) string {
	for _, prefix := range []string{"o_", "others_", "vflc_o_"} {
		free := true
		for name := range p.Symbols {
			free = free && !strings.HasPrefix(name, prefix)
		}
		if free {
			return prefix
		}
	}
	return "vflc_others_"
}

// SizeExpr writes a size as an expression.
func SizeExpr(s types.Size) ast.Expr { return check.SizeExpr(ast.At{}, s) }

func number(k int) *ast.Number {
	return &ast.Number{Text: fmt.Sprint(k), Value: float64(k), Int: true}
}
