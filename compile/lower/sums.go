package lower

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
)

// A zSum is a set of received z that the rest of the server's program uses only through their sum: one graph
// input serves them. Where the program has the sum nowhere but looked up by one level, by, the input has the
// rows.
type zSum struct {
	names []string
	by    string
}

func (z zSum) has(name string) bool { return slices.Contains(z.names, name) }
func (z zSum) key() string          { return strings.Join(z.names, "+") }

// sumsOf finds the additive sums of received z in a program's likelihoods. A z that also occurs elsewhere, or
// in two different sums, is in none of them: it is received separately. A z that no likelihood reads is only
// forwarded.
func sumsOf(p *check.Program) (sums []zSum, single map[string]bool) {
	f := &sumFinder{program: p, in: map[string]string{}, apart: map[string]bool{}, by: map[string]string{}}
	for _, k := range p.Likelihoods {
		for _, a := range k.Args {
			f.walk(a)
		}
	}
	for _, s := range p.Order {
		if s.Kind == check.Generated {
			f.walk(s.Decl.(*ast.Generate).Value)
			for _, a := range s.Args {
				f.walk(a)
			}
		}
	}
	single = f.apart
	for _, names := range f.found {
		good := f.equalShapes(names)
		for _, n := range names {
			good = good && !f.apart[n]
		}
		switch {
		case !good:
			for _, n := range names {
				single[n] = true
			}
		case !slices.ContainsFunc(sums, func(z zSum) bool { return z.key() == strings.Join(names, "+") }):
			sums = append(sums, zSum{names, f.by[strings.Join(names, "+")]})
		}
	}
	return sums, single
}

// Sums lists, for the program of a server, the z whose sum is all that it needs or sends on: each list is one
// sum, in which masks can hide a z among the others.
func Sums(p *check.Program) [][]string {
	var out [][]string
	sums, _ := sumsOf(p)
	for _, z := range sums {
		out = append(out, z.names)
	}
	return append(out, sentSums(p)...)
}

// LevelOf returns the level by which the program of a server looks up the rows of the sum that a z is in,
// wherever it has that sum; "" where it does not.
func LevelOf(p *check.Program, z string) string {
	sums, _ := sumsOf(p)
	if k := slices.IndexFunc(sums, func(s zSum) bool { return s.has(z) }); k >= 0 {
		return sums[k].by
	}
	return ""
}

type sumFinder struct {
	program *check.Program
	found   [][]string
	in      map[string]string // z → key of the sum that it is in
	apart   map[string]bool   // z that also occur elsewhere
	by      map[string]string // key of a sum → the level that always looks it up; "": none does
}

func (f *sumFinder) equalShapes(names []string) bool {
	first := f.program.Symbols[names[0]].Type
	for _, n := range names[1:] {
		if !f.program.Symbols[n].Type.SameShape(first) {
			return false
		}
	}
	return true
}

func (f *sumFinder) walk(e ast.Expr) {
	if e == nil {
		return
	}
	if names, by, ok := lookedUp(f.program, e); ok {
		f.sum(names, by)
		return
	}
	if names, rest, ok := zTerms(f.program, e); ok {
		f.sum(names, "")
		for _, r := range rest {
			f.walk(r)
		}
		return
	}
	if n, ok := e.(*ast.Name); ok {
		if isZ(f.program, n.Name) {
			f.apart[n.Name] = true
		}
		return
	}
	for _, child := range children(e) {
		f.walk(child)
	}
}

func (f *sumFinder) sum(names []string, by string) {
	key := strings.Join(names, "+")
	if old, ok := f.by[key]; ok && old != by {
		by = ""
	}
	f.by[key] = by
	for _, n := range names {
		if old, ok := f.in[n]; ok && old != key {
			f.apart[n] = true
		}
		f.in[n] = key
	}
	f.found = append(f.found, names)
}

// isZ reports whether a name is a z that the server receives from a client: it receives nothing else.
func isZ(p *check.Program, name string) bool {
	s := p.Symbols[name]
	return s != nil && s.Kind == check.Receive && p.For == p.Server
}

// sentOn reports whether the server sends a z on by itself, or the sum over a family: then it is in no sum
// with others.
func sentOn(p *check.Program, z string) bool {
	return slices.ContainsFunc(sentSums(p), func(sum []string) bool { return len(sum) == 1 && sum[0] == z })
}

// sentSums lists the z in what the server sends on, for each name under which it does.
func sentSums(p *check.Program) (out [][]string) {
	sent := map[string]int{}
	for _, stmt := range p.File.Stmts {
		s, ok := stmt.(*ast.Send)
		if !ok || s.Value == nil && !isZ(p, s.Name.Name) {
			continue
		}
		at, ok := sent[s.Name.Name]
		if !ok {
			at, out = len(out), append(out, nil)
			sent[s.Name.Name] = at
		}
		var value ast.Expr = &ast.Name{Name: s.Name.Name}
		if s.Value != nil {
			value = s.Value
		}
		ast.Walk(value, func(n ast.Node) bool {
			if x, ok := n.(*ast.Name); ok && isZ(p, x.Name) && !slices.Contains(out[at], x.Name) {
				out[at] = append(out[at], x.Name)
			}
			return true
		})
	}
	return out
}

// zTerms splits a chain of + and - into the z in it (in order) and its other terms; ok only where it has a z.
// z with a minus sign stay with the others, and in a chain those that are sent on.
func zTerms(p *check.Program, e ast.Expr) (names []string, rest []ast.Expr, ok bool) {
	whole := ast.Unparen(e)
	var visit func(e ast.Expr, minus bool)
	visit = func(e ast.Expr, minus bool) {
		switch x := e.(type) {
		case *ast.Paren:
			visit(x.X, minus)
			return
		case *ast.Unary:
			if x.Op == "-" || x.Op == "+" {
				visit(x.X, minus != (x.Op == "-"))
				return
			}
		case *ast.Binary:
			if x.Op == "+" || x.Op == "-" {
				visit(x.X, minus)
				visit(x.Y, minus != (x.Op == "-"))
				return
			}
		case *ast.Name:
			if isZ(p, x.Name) && !minus && !p.Symbols[x.Name].Family && (e == whole || !sentOn(p, x.Name)) {
				names = append(names, x.Name)
				return
			}
		case *ast.Sum:
			if n := familySum(p, x); n != "" && !minus && (e == whole || !sentOn(p, n)) {
				names = append(names, n)
				return
			}
		}
		rest = append(rest, e)
	}
	visit(e, false)
	return names, rest, len(names) > 0
}

// lookedUp returns the z of a sum of vectors of which a level looks up the rows, with the level.
func lookedUp(p *check.Program, e ast.Expr) (names []string, by string, ok bool) {
	x, ok := e.(*ast.Index)
	if !ok || len(x.Args) != 1 || x.Args[0].Slice || p.Info[x.Args[0].Lo].Type.Levels == nil {
		return nil, "", false
	}
	names, rest, ok := zTerms(p, x.X)
	if !ok || len(rest) > 0 || len(p.Symbols[names[0]].Type.Dims) != 1 {
		return nil, "", false
	}
	return names, format.Expr(x.Args[0].Lo), true
}

// familySum returns z of `sum(z[j] for j in family)`.
func familySum(p *check.Program, s *ast.Sum) string {
	x, ok := s.Body.(*ast.Index)
	if !ok || s.Family == nil || len(x.Args) != 1 {
		return ""
	}
	n, ok := x.X.(*ast.Name)
	j, ok2 := x.Args[0].Lo.(*ast.Name)
	if !ok || !ok2 || j.Name != s.Var.Name || !isZ(p, n.Name) {
		return ""
	}
	return n.Name
}

func children(e ast.Expr) []ast.Expr {
	switch x := e.(type) {
	case *ast.Paren:
		return []ast.Expr{x.X}
	case *ast.Unary:
		return []ast.Expr{x.X}
	case *ast.Binary:
		return []ast.Expr{x.X, x.Y}
	case *ast.Transpose:
		return []ast.Expr{x.X}
	case *ast.Index:
		return []ast.Expr{x.X}
	case *ast.Call:
		return x.Args
	case *ast.Sum:
		return []ast.Expr{x.Body}
	case *ast.Recur: // what does not depend on its index is lowered outside of it
		var out []ast.Expr
		for _, entry := range append(x.Steps(), x.Init...) {
			out = append(out, entry.Value)
		}
		return out
	}
	return nil
}

// receivedSum lowers a chain that holds an additive sum of z: the other terms as written, then the sum.
func (l *lowerer) receivedSum(e ast.Expr) (graph.ID, bool) {
	names, _, ok := zTerms(l.Program, e)
	if !ok || len(l.groups) == 0 {
		return graph.NoID, false
	}
	i := slices.IndexFunc(l.groups, func(z zSum) bool { return slices.Equal(z.names, names) })
	if i < 0 || l.groups[i].by != "" {
		return graph.NoID, false
	}
	sum, ok := l.sums[l.groups[i].key()]
	if !ok {
		s := l.Program.Symbols[names[0]]
		shape, good := l.shape(s)
		if !good {
			return graph.NoID, true
		}
		sum = l.b.Input(l.groups[i].key(), shape)
		l.sums[l.groups[i].key()] = sum
		l.inputs = append(l.inputs, inputPort{sum: names})
	}
	rest, ok := l.others(e, l.groups[i])
	if !ok {
		return sum, true
	}
	return l.apply(e, "add", graph.Attr{}, rest, sum), true
}

// receivedRows lowers the rows of an additive sum of z that nothing else needs: they are an input.
func (l *lowerer) receivedRows(e *ast.Index) (graph.ID, bool) {
	names, by, ok := lookedUp(l.Program, e)
	if !ok {
		return graph.NoID, false
	}
	i := slices.IndexFunc(l.groups, func(z zSum) bool { return slices.Equal(z.names, names) && z.by == by })
	if i < 0 {
		return graph.NoID, false
	}
	key := l.groups[i].key()
	if rows, ok := l.sums[key]; ok {
		return rows, true
	}
	codes, known := l.b.Value(l.expr(e.Args[0].Lo))
	if !known {
		return graph.NoID, false
	}
	at := make([]int, len(codes))
	for k, code := range codes {
		at[k] = int(code) - 1
	}
	l.sums[key] = l.b.Input(key, graph.Shape{len(at)})
	l.inputs = append(l.inputs, inputPort{sum: names, at: at})
	return l.sums[key], true
}

// others lowers a chain without the z of a sum; false where nothing is left.
func (l *lowerer) others(e ast.Expr, z zSum) (graph.ID, bool) {
	switch x := e.(type) {
	case *ast.Paren:
		return l.others(x.X, z)
	case *ast.Unary:
		if x.Op == "-" || x.Op == "+" {
			id, ok := l.others(x.X, z)
			if ok && x.Op == "-" {
				id = l.apply(e, "neg", graph.Attr{}, id)
			}
			return id, ok
		}
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			return l.othersOf(x, z)
		}
	case *ast.Name:
		if z.has(x.Name) {
			return graph.NoID, false
		}
	case *ast.Sum:
		if n := familySum(l.Program, x); n != "" && z.has(n) {
			return graph.NoID, false
		}
	}
	return l.expr(e), true
}

func (l *lowerer) othersOf(x *ast.Binary, z zSum) (graph.ID, bool) {
	a, okA := l.others(x.X, z)
	b, okB := l.others(x.Y, z)
	switch {
	case okA && okB:
		return l.apply(x, binaryOps[x.Op], graph.Attr{}, a, b), true
	case okB && x.Op == "-":
		return l.apply(x, "neg", graph.Attr{}, b), true
	case okB:
		return b, true
	}
	return a, okA
}
