package policy

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shortest is the least time after which a test may give up. Only what hangs takes it, so that it may be
// long.
const shortest = time.Minute

// Tests of processes and terminals run on machines that are slow at times. A sleep there waits for what may
// not have happened after it, and a short deadline ends what would have come. Files of tests whose clock is
// simulated may do both.
func TestTestsDoNotDependOnTheClock(t *testing.T) {
	walk(t, func(name string) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, filepath.Join(root, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range clocked(f) {
			t.Errorf("%s:%d: %s: wait with tests/await until what is asserted next holds", name,
				fset.Position(found.at).Line, found.what)
		}
	})
}

// A wait is a place that waits for a time, and how.
type wait struct {
	at   token.Pos
	what string
}

// clocked finds sleeps, and deadlines written as less than the shortest, in a file without a simulated clock.
func clocked(f *ast.File) (out []wait) {
	for _, spec := range f.Imports {
		if spec.Path.Value == `"testing/synctest"` {
			return nil
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		function, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		last := call.Args
		if len(last) > 0 {
			last = last[len(last)-1:]
		}
		of, _ := function.X.(*ast.Ident)
		switch name := function.Sel.Name; {
		case of != nil && of.Name == "time" && name == "Sleep":
			out = append(out, wait{call.Pos(), "time.Sleep"})
		case of != nil && of.Name == "context" && (name == "WithTimeout" || name == "WithDeadline"),
			strings.HasPrefix(name, "Set") && strings.HasSuffix(name, "Deadline"):
			for _, a := range last {
				if d, known := span(a); known && d < shortest {
					out = append(out, wait{call.Pos(), "a deadline after " + d.String()})
				}
			}
		}
		return true
	})
	return out
}

// span is a time written as a number of units, also added to the present; false for any other expression.
func span(e ast.Expr) (time.Duration, bool) {
	switch e := e.(type) {
	case *ast.CallExpr: // time.Now().Add(x)
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Add" && len(e.Args) == 1 {
			return span(e.Args[0])
		}
	case *ast.SelectorExpr:
		units := map[string]time.Duration{"Nanosecond": 1, "Microsecond": time.Microsecond,
			"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}
		d, ok := units[e.Sel.Name]
		return d, ok
	case *ast.BinaryExpr:
		number, _ := e.X.(*ast.BasicLit)
		unit, ok := span(e.Y)
		if e.Op == token.MUL && number != nil && ok {
			n, _ := constant.Float64Val(constant.ToFloat(constant.MakeFromLiteral(number.Value, number.Kind,
				0)))
			return time.Duration(n * float64(unit)), true
		}
	}
	return 0, false
}

// What is written in a test is found, and what is in a file with a simulated clock is not.
func TestClockIsFound(t *testing.T) {
	const body = `
func f() {
	time.Sleep(d)
	context.WithTimeout(ctx, 5*time.Second)
	context.WithTimeout(ctx, time.Millisecond)
	context.WithDeadline(ctx, time.Now().Add(2*time.Second))
	conn.SetReadDeadline(time.Now().Add(time.Second))
	context.WithTimeout(ctx, 2*time.Minute)
	context.WithTimeout(ctx, await.Patience)
	conn.SetDeadline(time.Time{})
	after(time.Second)
}`
	for head, want := range map[string]int{"package p\n": 5, "package p\nimport \"testing/synctest\"\n": 0} {
		f, err := parser.ParseFile(token.NewFileSet(), "", head+body, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := clocked(f); len(got) != want {
			t.Errorf("%d waits in %q, want %d: %v", len(got), head, want, got)
		}
	}
}
