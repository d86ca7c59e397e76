package check

import (
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib/def"
)

// randomLeft refuses a left side that depends on parameters.
func (c *checker) randomLeft(s *ast.Likelihood) {
	d := c.errorf(diag.LeftSide, s.Left,
		"the left side of a likelihood is data, or an expression of data only")
	if n, ok := s.Left.(*ast.Name); ok && c.Symbols[n.Name].Kind == Param {
		d.Note("a parameter gets its prior where it is declared: param NAME ~ …")
		return
	}
	dist, ok := c.Universe.Dist(s.Dist.Name.Name)
	if !ok || dist.Joint() != "" || s.Truncate != nil || s.Censor != nil || s.Weights != nil {
		d.Note("`factor EXPR` adds any other term to the log density")
		return
	}
	var args []string
	for _, a := range s.Dist.Args {
		args = append(args, format.Expr(a.Value))
	}
	d.Note("a term of parameters is a factor: factor %s%s(%s | %s)", dist.Name, lpdf(dist),
		format.Expr(s.Left), strings.Join(args, ", "))
}

// lpdf is the ending of the name of the function that gives a distribution's log density.
func lpdf(d *def.Dist) string {
	if d.Discrete {
		return "_lpmf"
	}
	return "_lpdf"
}
