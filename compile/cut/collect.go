package cut

import (
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/ast"
)

// A monomial is a term with the factors of the server that multiply it.
type monomial struct {
	outside []factor
	term    term
	product int // where it was found: the number of a product
	from    *ast.Binary
}

// collected brings terms with the same factors of the server together, so that m * fa + m * fb is cut as m *
// (fa + fb). Terms that stand together already, and those without such factors, stay as they are.
func (c *cutter) collected(terms []term) []term {
	if !c.Transform.Kind.Noise() {
		return terms
	}
	var list []monomial
	products := 0
	for _, t := range terms {
		list = c.monomials(t, nil, nil, 0, &products, list)
	}
	found := map[string][]int{}
	apart := false
	for _, m := range list {
		key := c.outsideKey(m.outside)
		if len(m.outside) > 0 && !slices.Contains(found[key], m.product) {
			found[key] = append(found[key], m.product)
			apart = apart || len(found[key]) > 1
		}
	}
	if !apart {
		return terms
	}
	return c.sums(list)
}

// sums writes a sum for each list of factors of the server.
func (c *cutter) sums(list []monomial) []term {
	by := map[string][]term{}
	var out []term
	for _, m := range list {
		key := c.outsideKey(m.outside)
		by[key] = append(by[key], m.term)
	}
	for _, m := range list {
		key := c.outsideKey(m.outside)
		sum := by[key]
		delete(by, key)
		if len(m.outside) == 0 || len(sum) == 0 {
			out = append(out, sum...)
			continue
		}
		e := c.join(sum, m.term.expr)
		for _, f := range slices.Backward(m.outside) {
			e = c.times(f, e, m.from)
		}
		out = append(out, term{e, false})
	}
	return out
}

// monomials appends the terms of a term with the factors of the server around each.
func (c *cutter) monomials(t term, outside []factor, from *ast.Binary, at int, products *int,
	out []monomial) []monomial {
	b, ok := t.expr.(*ast.Binary)
	p := product{}
	if ok && c.hasClient(c.Facts(t.expr).Owners) {
		p = c.product(b)
	}
	if len(p.outside) == 0 {
		return append(out, monomial{outside, t, at, from})
	}
	*products++
	here := *products
	for _, inner := range p.terms {
		out = c.monomials(term{inner.expr, inner.minus != t.minus},
			append(slices.Clone(outside), p.outside...), b, here, products, out)
	}
	return out
}

// outsideKey is the same for the same factors in any order.
func (c *cutter) outsideKey(list []factor) string {
	var texts []string
	for _, f := range list {
		g := c.form(f.expr)
		text := written(g.times) + " " + g.text
		if f.divide {
			text = "/" + text
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return strings.Join(texts, " . ")
}
