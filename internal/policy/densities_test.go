package policy

import (
	"go/ast"
	"go/token"
	"testing"
)

// mostLoops is how many distributions may have a loop with partials beside a vector form, each with its
// reason.
const mostLoops = 8

// A density is written once: a loop with partials by hand stands beside a vector form only where its
// descriptor says why, and few do.
func TestDensitiesAreWrittenOnce(t *testing.T) {
	u, loops := units(t)["stdlib/dist"], 0
	for _, f := range u.files {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			keys := keysOf(lit)
			vector := keys["Expand"] != nil || keys["Elements"] != nil || keys["Rows"] != nil
			if keys["LogDensity"] == nil || !vector {
				return true
			}
			loops++
			if !saysSomething(keys["Loop"]) {
				t.Errorf("%s: a loop beside a vector form needs a reason in Loop", u.at(lit))
			}
			return true
		})
	}
	if loops == 0 || loops > mostLoops {
		t.Errorf("%d distributions have a loop beside a vector form; from 1 to %d may", loops, mostLoops)
	}
}

// keysOf has the values of a literal by field.
func keysOf(lit *ast.CompositeLit) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				out[id.Name] = kv.Value
			}
		}
	}
	return out
}

// saysSomething reports whether an expression is text that is not empty.
func saysSomething(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING && len(e.Value) > 2
	case *ast.BinaryExpr:
		return saysSomething(e.X)
	}
	return false
}
