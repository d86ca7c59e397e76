package cut

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
)

// A note is a warning about how noise enters, given where the model has no errors.
type note struct {
	code diag.Code
	at   ast.Node
	text string
}

// remark keeps a note; an expression that stands in several places through a let is noted once.
func (c *cutter) remark(code diag.Code, at ast.Node, text string) {
	if !slices.ContainsFunc(c.notes, func(n note) bool {
		return n.code == code && n.at.Span() == at.Span()
	}) {
		c.notes = append(c.notes, note{code, at, text})
	}
}

// passes notes an operation between cuts and the argument that changes the noise: a factor of the server, or
// one that mixes elements. What adds up densities is none: in these each cut has its own row.
func (c *cutter) passes(e ast.Expr) {
	switch x := e.(type) {
	case *ast.Binary:
		if c.ranges.MatrixProduct(x) {
			c.remark(diag.NoiseChanged, e,
				"this product mixes what clients send, and their noise with it: the factor is "+
					"not multiplied out over it")
			return
		}
		if f, of, ok := c.factored(x); ok && !c.Facts(f.expr).Owners.Shared() && c.sent(of) {
			c.remark(diag.NoiseChanged, e, format.Expr(f.expr)+" of "+c.home+
				" scales the noise on what clients send: its sd is rho times that factor")
		}
	case *ast.Index:
		c.remark(diag.NoiseChanged, e,
			"elements are chosen from what clients send: those that are chosen twice "+
				"have one noise in common")
	case *ast.Call:
		if f, ok := c.Universe.Structural(x.Name.Name); ok && f.Mixes && !ast.HoldsDensity(x) {
			name, hint := x.Name.Name, ""
			if function, by := ast.Grouped(name); by {
				name = function + " by groups"
				if known := c.Facts(x.Args[1]).Owners; f.Linear != nil && known.Shared() {
					hint = "; of each client's terms alone, as " + function + "(v by g) + " + function +
						"(w by g), it would be what the client sends, one number a group"
				}
			}
			c.remark(diag.NoiseChanged, e, name+" mixes what clients send, and their noise with it: each "+
				"element has noise of its own before it is mixed"+hint)
		}
	}
}

// sent reports whether an expression is what a client sends, or a sum with such terms.
func (c *cutter) sent(e ast.Expr) bool {
	return slices.ContainsFunc(c.terms(e, false, nil), func(t term) bool {
		client, alone := c.Facts(t.expr).Owners.Sole()
		s, sum := t.expr.(*ast.Sum)
		return alone && client != c.home || sum && s.Family != nil
	})
}

// distributed notes a shared parameter that is multiplied into cuts: clients need it for each of them.
func (c *cutter) distributed(e ast.Expr, factors []factor, terms []term) {
	var clients []string
	for _, t := range terms {
		for _, o := range c.Facts(t.expr).Owners {
			if o != c.home && !slices.Contains(clients, o) {
				clients = append(clients, o)
			}
		}
	}
	for _, f := range factors {
		if !c.Facts(f.expr).Random {
			continue
		}
		what := "its parameters"
		if _, name := f.expr.(*ast.Name); name {
			what = "it"
		}
		c.remark(diag.FactorInCuts, e,
			format.Expr(f.expr)+" multiplies each contribution before noise is added to it, so "+c.home+
				" sends "+what+" to "+
				strings.Join(clients, ", ")+" in each evaluation: one exchange more")
	}
}

// variants notes cuts of one client that differ by shared factors.
func (c *cutter) variants() {
	seen := map[string]*Expression{}
	for _, k := range c.Cuts {
		key := k.Client + "|" + c.withoutShared(k.Expr)
		if old := seen[key]; old != nil {
			c.remark(diag.CutVariants, k.Expr, k.Client+" sends both "+format.Expr(old.Expr)+" and "+
				format.Expr(k.Expr)+
				", which differ by a shared factor: each has noise of its own, and the mean of the "+
				"two tells more than one")
			continue
		}
		seen[key] = k
	}
}

// withoutShared is the form of a cut without the shared factors of its only term.
func (c *cutter) withoutShared(e ast.Expr) string {
	b, ok := e.(*ast.Binary)
	if !ok {
		return c.form(e).text
	}
	_, x, ok := c.sharedFactor(b)
	if !ok {
		return c.form(e).text
	}
	return c.withoutShared(x)
}

// remarks adds the notes to the warnings.
func (c *cutter) remarks() {
	if !c.Transform.Kind.Noise() {
		return
	}
	c.variants()
	for _, n := range c.notes {
		c.diags.Warnf(n.code, c.File.Source, n.at.Span(), "%s", n.text)
	}
}
