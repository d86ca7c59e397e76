package inline

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// An Expansion is a file in which every formula is written out, with the places of its terms.
type Expansion struct {
	File    *ast.File
	from    *ast.File
	blocks  map[ast.Stmt][][]ast.Stmt // what a likelihood with a formula has become
	dropped map[ast.Stmt]bool         // declarations of columns that formulas alone named
}

// ExpandFormulas writes out the likelihoods of a file with a formula, y ~ glm(normal, 1 + x + (1 | g)): data,
// parameters with their priors, and a likelihood of a linear predictor, as a person would write them. Terms
// mean what they mean in R and brms; the parties to whom they belong follow from the owners of the columns. A
// file without formulas stays as it is.
func ExpandFormulas(file *ast.File, universe *stdlib.Universe) (*Expansion, diag.List) {
	e := &Expansion{File: file, from: file, blocks: map[ast.Stmt][][]ast.Stmt{}, dropped: map[ast.Stmt]bool{}}
	return e, e.expand(file, universe)
}

// Text is the expansion in the canonical layout, with the comments of the file.
func (e *Expansion) Text() string {
	text := e.from.Source.Text
	var b strings.Builder
	at := 0
	for _, s := range e.from.Stmts {
		span := s.Span()
		switch blocks := e.blocks[s]; {
		case e.dropped[s]:
			if before := strings.TrimRight(text[at:span.Start], " \t\n"); before != "" {
				b.WriteString(before + "\n")
			}
		case blocks != nil:
			b.WriteString(text[at:span.Start])
			for i, block := range blocks {
				if i > 0 {
					b.WriteString("\n")
				}
				b.WriteString(format.Format(&ast.File{Stmts: block}))
			}
		default:
			continue
		}
		if at = span.End; e.dropped[s] && strings.HasPrefix(text[at:], "\n") {
			at++
		}
	}
	b.WriteString(text[at:])
	tree, diags := parser.Parse(source.New(e.from.Source.Name, b.String()))
	if diags.HasErrors() {
		panic("formula: what is written out does not parse: " + diags.Shown()[0].Message)
	}
	return format.Format(tree)
}

func (e *Expansion) expand(file *ast.File, universe *stdlib.Universe) diag.List {
	x := &formulaExpander{
		expansion: e, file: file, universe: universe, declared: DeclaredIn(file),
		taken: map[string]bool{}, used: map[string]bool{},
	}
	formulas := 0
	for _, s := range file.Stmts {
		switch s := s.(type) {
		case *ast.Program, *ast.Private:
			return nil // the check refuses glm, which is no distribution
		case *ast.Distribution:
			if s.Name.Name == ast.GLM {
				return nil // a distribution of the model has this name
			}
		case *ast.Likelihood:
			if s.Dist != nil && s.Dist.Name.Name == ast.GLM {
				formulas++
				continue
			}
		}
		x.elsewhere(s)
	}
	if formulas == 0 || len(x.diags) > 0 {
		return x.diags
	}
	x.several = formulas > 1
	for name := range x.declared {
		x.taken[name] = true
	}
	ast.Walk(file, x.take)
	for _, s := range file.Stmts {
		if l, ok := s.(*ast.Likelihood); ok && l.Dist.Name.Name == ast.GLM {
			x.expand(l)
			continue
		}
		x.out = append(x.out, s)
	}
	out := *file
	out.Stmts = x.needed()
	e.File = &out
	return x.diags
}

// An formulaExpander holds the state of one run of Expand.
type formulaExpander struct {
	expansion *Expansion
	file      *ast.File
	universe  *stdlib.Universe
	declared  Declared
	diags     diag.List
	out       []ast.Stmt
	taken     map[string]bool // names of the file and of what is written
	used      map[string]bool // declarations of data that stand in formulas
	several   bool            // formulas are in the file
}

func (x *formulaExpander) errorf(code diag.Code, at ast.Node, format string, args ...any) *diag.Diagnostic {
	return x.diags.Errorf(code, x.file.Source, at.Span(), format, args...)
}

// elsewhere refuses a formula in any other statement than a likelihood.
func (x *formulaExpander) elsewhere(s ast.Stmt) {
	ast.Walk(s, func(n ast.Node) bool {
		if d, ok := n.(*ast.Dist); ok && d.Name.Name == ast.GLM {
			x.errorf(diag.GLMElsewhere, d.Name, "glm(…) stands behind the `~` of a likelihood, and nowhere else").
				Note("data are drawn from it, not parameters; write the distribution and its arguments here")
		}
		return true
	})
}

// take notes the names of values, sizes and parties in a file, but not those of a formula: they are data,
// or words for priors.
func (x *formulaExpander) take(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Name:
		x.taken[n.Name] = true
	case *ast.Sum:
		x.taken[n.Var.Name] = true
	case *ast.Const:
		x.taken[n.Name.Name] = true
	case *ast.Generate:
		x.taken[n.Name.Name] = true
	case *ast.Dist:
		return n.Name.Name != ast.GLM
	}
	return true
}

// unique returns a name that nothing else has: the one wanted, or that with a number.
func (x *formulaExpander) unique(want string) string {
	name := want
	for k := 2; x.taken[name]; k++ {
		name = want + "_" + digits(k)
	}
	x.taken[name] = true
	return name
}

// needed leaves out the declarations of columns that stand in formulas alone: what is written reads the
// columns.
func (x *formulaExpander) needed() []ast.Stmt {
	uses := map[string]int{}
	for _, s := range x.out {
		ast.Walk(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Name:
				uses[n.Name]++
			case *ast.Levels:
				uses[n.Name.Name]++
			}
			return true
		})
	}
	return slices.DeleteFunc(x.out, func(s ast.Stmt) bool {
		d, ok := s.(*ast.Data)
		if !ok || !x.used[d.Name.Name] || uses[d.Name.Name] > 0 || d.Missing != nil {
			return false
		}
		size, sized := d.Type.Levels.(*ast.Name)
		x.expansion.dropped[s] = !sized || uses[size.Name] == 1
		return x.expansion.dropped[s]
	})
}

// expand writes out one likelihood.
func (x *formulaExpander) expand(l *ast.Likelihood) {
	before := len(x.diags)
	m := &formula{formulaExpander: x, stmt: l, at: l.At, priors: &priors{}, byKey: map[string]*variable{},
		coded: map[string]*matrix{}, terms: map[string][]ast.Expr{}, owned: map[string]map[string]bool{}}
	if m.arguments(); len(x.diags) > before {
		return
	}
	m.predictor()
	m.likelihood()
	if m.priors.unused(m); len(x.diags) > before {
		return
	}
	blocks := [][]ast.Stmt{m.data, m.params, append(append(m.lets, m.result), m.generated...)}
	blocks = slices.DeleteFunc(blocks, func(b []ast.Stmt) bool { return len(b) == 0 })
	x.expansion.blocks[l] = blocks
	x.out = append(x.out, slices.Concat(blocks...)...)
}

// A formula is what one formula has become so far.
type formula struct {
	*formulaExpander
	stmt   *ast.Likelihood
	at     ast.At // of what is being written
	family *family
	design *design
	priors *priors

	byKey     map[string]*variable
	coded     map[string]*matrix
	ungrouped []*pool
	terms     map[string][]ast.Expr      // of the predictor, by the family of clients whose they are
	families  []string                   // these families in order
	owned     map[string]map[string]bool // names of a family

	data, params, lets, generated []ast.Stmt
	result                        ast.Stmt
}
