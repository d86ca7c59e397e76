package lower

import (
	"fmt"
	"maps"
	"math"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
)

// A Suspect is a part of a likelihood that data alone determine and that is not finite somewhere, such as the
// logarithm of an exposure of 0. It is no error by itself: a count of 0 may have the rate 0, and a row may
// have no weight. Where a model has no point of finite density, it is the reason to look at first.
type Suspect struct {
	Likelihood *check.Likelihood
	where      string // FILE:LINE of the first such row; "" where there is none
	text       string
}

// String says what is not finite, in which row, with which data, and where these are.
func (s Suspect) String() string {
	if s.where == "" {
		return s.text
	}
	return s.text + ": " + s.where
}

// suspect finds the innermost parts of e that data alone determine and that are not finite. It returns the
// rows in which they are not: the parts around them are not finite there either.
func (s *supported) suspect(k *check.Likelihood, e ast.Expr, seen map[string]bool) (rows map[int]bool) {
	rows = map[int]bool{}
	switch e := e.(type) {
	case *ast.Number, *ast.Text:
		return nil
	case *ast.Name:
		sym := s.Program.Symbols[e.Name]
		if sym == nil || sym.Kind != check.Let || seen[e.Name] {
			return nil
		}
		seen[e.Name] = true
		return s.suspect(k, sym.Decl.(*ast.Let).Value, seen)
	case *ast.Sum, *ast.Recur: // their parts have no value of their own
	default:
		for _, child := range ast.Children(e) {
			if x, ok := child.(ast.Expr); ok {
				maps.Copy(rows, s.suspect(k, x, seen))
			}
		}
	}
	if s.Program.Info[e].Random {
		return rows
	}
	values, shape := s.constant(e)
	if len(shape) == 0 && len(rows) > 0 {
		return rows
	}
	first, count := -1, 0
	more := map[int]bool{}
	for i, v := range values {
		row := 0
		if len(shape) > 0 {
			row = i % shape[0]
		}
		if !rows[row] && (math.IsNaN(v) || math.IsInf(v, 0)) {
			more[row] = true
			if count++; first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return rows
	}
	where, row := s.row(e, first, shape)
	text := fmt.Sprintf("%s is %s%s%s", format.Expr(e), number(values[first]), row,
		s.because(e, first, shape))
	if count > 1 {
		text += ", and not finite in " + grouped.Count(count-1, "further place")
	}
	s.suspects = append(s.suspects, Suspect{k, where, text})
	maps.Copy(rows, more)
	return rows
}

// constant evaluates an expression that no parameter enters; nil where it cannot be evaluated by itself.
func (s *supported) constant(e ast.Expr) ([]float64, graph.Shape) {
	before := s.diags
	defer func() { s.diags = before }()
	id := s.expr(e)
	if s.diags.HasErrors() { // it is reported where the model is lowered
		return nil, nil
	}
	v, _ := s.b.Value(id)
	return v, s.b.Shape(id)
}

// because gives the values of columns of data in an expression where element i of it is computed.
func (s *supported) because(e ast.Expr, i int, shape graph.Shape) (text string) {
	if len(shape) != 1 {
		return ""
	}
	ast.Walk(e, func(n ast.Node) bool {
		if _, sliced := n.(*ast.Index); sliced {
			return false
		}
		name, ok := n.(*ast.Name)
		if !ok {
			return true
		}
		sym := s.Program.Symbols[name.Name]
		if sym == nil || sym.Kind != check.Data {
			return true
		}
		if b := s.Data[s.holder(sym)][sym.Name]; b != nil && len(b.Dims) == 1 && b.Dims[0] == shape[0] {
			join := ", where "
			if text != "" {
				join = " and "
			}
			text += join + name.Name + " is " + number(b.Values[i])
		}
		return true
	})
	return text
}
