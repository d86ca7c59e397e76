package compile

import (
	"fmt"
	"slices"

	"github.com/vflc/vflc/lang/ast"
)

// Steepest is the largest absolute derivative of the log likelihood of a row by a sum that a client
// contributes to or receives, where the form of the programs bounds it: a likelihood whose descriptor has a
// bound, without weights, of a predictor to which the sum is added. Otherwise why says what has none.
func (p *Bundle) Steepest() (bound float64, why string) {
	var names []string
	for _, c := range p.Manifest.Cuts {
		names = append(names, c.Name)
	}
	for _, s := range p.Manifest.Sums {
		names = append(names, s.Name)
	}
	within := func(e ast.Node) bool {
		return slices.ContainsFunc(names, func(name string) bool { return ast.Mentions(e, name) })
	}
	for k, program := range p.Programs {
		for _, l := range program.Likelihoods {
			met := within(l.Stmt.Left)
			for at, e := range l.Args {
				if e == nil || !within(e) {
					continue
				}
				met = true
				if at != l.Dist.Link.Param || !added(e, within) {
					return 0, fmt.Sprintf("the predictor of %s in the program of %s is no plain sum",
						l.Dist.Name, p.Manifest.Parties[k].Name)
				}
			}
			switch {
			case !met:
			case within(l.Stmt.Left) || l.Dist.Link.Steepest == 0:
				return 0, fmt.Sprintf("the derivative of %s grows without a bound", l.Dist.Name)
			case l.Stmt.Weights != nil || l.Stmt.Power != nil || l.Stmt.Truncate != nil ||
				l.Stmt.Censor != nil:
				return 0, fmt.Sprintf("%s has weights, or rows that are censored or truncated", l.Dist.Name)
			default:
				bound = max(bound, l.Dist.Link.Steepest)
			}
		}
	}
	if bound == 0 {
		return 0, "no likelihood has a sum of clients"
	}
	return bound, ""
}

// added reports whether what is within an expression is added to the rest.
func added(e ast.Expr, within func(ast.Node) bool) bool {
	switch e := e.(type) {
	case *ast.Name:
		return true
	case *ast.Paren:
		return added(e.X, within)
	case *ast.Binary:
		if e.Op != "+" && e.Op != "-" {
			return !within(e)
		}
		return added(e.X, within) && added(e.Y, within)
	}
	return !within(e)
}
