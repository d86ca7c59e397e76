package split

import (
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/compile/cut"
	"github.com/vflc/vflc/compile/transform"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// prior writes one element of a parameter, or one vector or matrix, as a declaration for the manifest, with
// its bounds and the arguments of its prior as numbers; "" where they are none.
func (s *splitter) prior(sym *check.Symbol) string {
	i := slices.IndexFunc(s.Params, func(p *cut.Param) bool { return p.Symbol == sym })
	return priorOf(s.Program.Program.Program, sym, s.Params[i].Args)
}

// priorOf is prior for a parameter of a program, with the arguments of its prior.
func priorOf(p *check.Program, sym *check.Symbol, args []ast.Expr) string {
	if sym.Kind != check.Param || sym.Dist == nil {
		return ""
	}
	if sym.Dist.Event != nil && sym.Structure == nil {
		return ""
	}
	names, values, fixed := make([]string, len(args)), make([]ast.Expr, len(args)), true
	value := func(e ast.Expr) ast.Expr {
		v, ok := p.ConstValue(e)
		if fixed = fixed && ok && !math.IsInf(v, 0) && !math.IsNaN(v); !fixed {
			return nil
		}
		return literal(v)
	}
	for i, a := range args {
		if names[i] = sym.Dist.Params[i].Name; a != nil {
			values[i] = value(a)
		}
	}
	t := &ast.Type{Elem: ident("real")}
	for i, b := range []ast.Expr{sym.Lower, sym.Upper} {
		if b != nil {
			t.Bounds = append(t.Bounds, &ast.Bound{Which: ident([]string{"lower", "upper"}[i]),
				Value: value(b)})
		}
	}
	dist := transform.Dist(sym.Dist.Name, names, values)
	if s := sym.Structure; s != nil {
		t = &ast.Type{Elem: ident(s.Name), Dims: []ast.Expr{literal(float64(max(s.Least, 2)))}}
		if !fixed { // the set is known in any case
			return strings.TrimSpace(format.Stmt(&ast.Param{Name: ident(sym.Name), Type: t,
				Dist: transform.Dist(stdlib.Flat, nil, nil)}))
		}
	}
	if !fixed {
		return ""
	}
	var stmts []ast.Stmt
	if sym.Dist.Declared {
		for _, s := range p.Distributions { // those above the last one may be in its generator
			if stmts = append(stmts, s); s.Name.Name == sym.Dist.Name {
				break
			}
		}
	}
	stmts = append(stmts, &ast.Param{Name: ident(sym.Name), Type: t, Dist: dist})
	return strings.TrimSpace(format.Format(&ast.File{Stmts: stmts}))
}

// Declared reads the declaration of one element of a shared parameter; nil where the manifest gives none, or
// something else.
func (m ManifestShared) Declared(universe *stdlib.Universe) *check.Symbol {
	file, diags := parser.Parse(source.New(ManifestFile, m.Prior+"\n"))
	if diags.HasErrors() || len(file.Stmts) == 0 {
		return nil
	}
	for _, s := range file.Stmts[:len(file.Stmts)-1] {
		if _, ok := s.(*ast.Distribution); !ok {
			return nil
		}
	}
	p, diags := check.Check(&check.Linked{File: file}, universe, check.Options{})
	s := p.Symbols[m.Name]
	if diags.HasErrors() || s == nil || s.Kind != check.Param || !s.Type.Scalar() && s.Structure == nil {
		return nil
	}
	return s
}
