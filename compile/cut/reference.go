package cut

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/types"
)

// scaled is a cut with the number before it, and the expression that it has.
type scaled struct {
	cut   *Expression
	times float64
	expr  ast.Expr
}

// references cuts what clients add to a sum and returns the terms that stand for it: one group, or one for
// each number that multiplies a cut.
func (c *cutter) references(at ast.Expr, parts ...part) []term {
	factors := c.common(parts)
	groups := map[float64][]*Expression{}
	var order []float64
	for _, p := range parts {
		for i := range p.terms {
			p.terms[i].expr = c.without(p.terms[i].expr, factors)
		}
	}
	parts, by := c.levels(parts)
	for _, p := range parts {
		cut, times := c.cut(p.client, p.terms)
		if cut == nil {
			continue
		}
		if groups[times] == nil {
			order = append(order, times)
		}
		groups[times] = append(groups[times], cut)
	}
	var out []term
	for _, times := range order {
		ref := c.looked(c.reference(c.group(at, groups[times]...), at), by)
		out = append(out, c.multiple(times, factors, ref))
	}
	if out == nil { // an error was reported
		return parts[0].terms
	}
	return out
}

// multiple writes a reference with what multiplies it.
func (c *cutter) multiple(times float64, factors []factor, ref ast.Expr) term {
	info := c.Facts(ref)
	if v := math.Abs(times); v != 1 {
		ref = &ast.Binary{Op: "*", X: number(v), Y: ref}
		c.facts[ref] = info
	}
	for _, f := range slices.Backward(factors) {
		ref = c.times(f, ref, &ast.Binary{At: ast.At(ref.Span())})
	}
	return term{ref, times < 0}
}

func number(v float64) *ast.Number {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	_, err := strconv.Atoi(text)
	return &ast.Number{Text: text, Value: v, Int: err == nil}
}

// cut returns the cut of a client for the sum of some terms, the same one for expressions that are equal or
// differ by a number, and that number.
func (c *cutter) cut(client string, terms []term) (*Expression, float64) {
	cl, _ := c.Client(client)
	for i := range terms {
		for _, m := range c.members {
			if cl.Family && m.family == client {
				terms[i].expr = c.own(terms[i].expr, m.name)
			}
		}
	}
	e := c.join(terms, terms[0].expr)
	info := c.Facts(e)
	if !info.Random {
		c.privateData(client, e, nil)
		return nil, 0
	}
	for _, v := range c.loops {
		if c.mentionsName(e, v) && !c.sized(v) && !c.Transform.Kind.Pooled() {
			c.errorf(diag.NoCut, e,
				"%s sends one value for this, but it depends on %s, the variable of the sum around it",
				client, v).
				Note("write the terms out, or write the sum with a function of whole arrays, such as dot")
			return nil, 0
		}
	}
	f := c.form(e)
	key := client + "|" + strings.Join(info.Type.Shape(), ",") + "|" + f.text
	if old, ok := c.cuts[key]; ok {
		c.lesser(key, scaled{expr: e, times: f.times})
		return old.cut, f.times / old.times
	}
	c.lesser(key, scaled{expr: e, times: f.times})
	first := c.least[key]
	k := &Expression{Name: fmt.Sprintf("%s%d", c.prefix, len(c.Cuts)+1), Client: client, Family: cl.Family,
		Expr: first.expr, Type: types.Type{Dims: info.Type.Dims}}
	c.cuts[key] = scaled{cut: k, times: first.times}
	c.Cuts = append(c.Cuts, k)
	return k, f.times / first.times
}

// lesser keeps the expression with the least number, so that no predictor gets less noise than rho and the
// order of statements does not matter.
func (c *cutter) lesser(key string, s scaled) {
	old, ok := c.least[key]
	if ok && c.reading {
		return
	}
	if ok && math.Abs(s.times) >= math.Abs(old.times) {
		return
	}
	c.least[key] = s
	c.smaller = c.smaller || ok
}

// privateData reports an expression of client data without a parameter.
func (c *cutter) privateData(client string, e ast.Expr, at *path) {
	d := c.errorf(diag.ClientData, e,
		"client data would be read by another party: %s is private data of %s, and a client "+
			"sends no data as they are", format.Expr(e), client)
	if text := c.inFactor(e, at); text != "" {
		d.Note("write %s: then %s is a part of what %s adds noise to", text, format.Expr(e), client)
		return
	}
	if at != nil && groups(at.node, e) {
		d.Note("the rows are added up where their groups are: let names of %s and shared ones alone stand "+
			"before `by`, and add what is the others' to the value by groups", client)
		return
	}
	for p := at; p != nil; p = p.up {
		if p.node != nil && slices.ContainsFunc(c.Facts(p.node).Owners, func(o string) bool {
			return o != client && o != c.home
		}) {
			d.Note("it stands in a product or a function with names of another client, and neither may see " +
				"the other's: let each client contribute a term of a sum, or make the data of one `@ shared`")
			return
		}
	}
	if c.inProduct(at) {
		d.Note("declare the parameter that multiplies it @ %s, so that their product is cut, or "+
			"make the data `@ shared`", client)
		return
	}
	d.Note("make the data `@ shared` if every party may hold them")
}

// groups reports whether an operation goes by groups that an operand of it gives.
func groups(operation, operand ast.Expr) bool {
	call, ok := operation.(*ast.Call)
	if !ok {
		return false
	}
	_, by := ast.Grouped(call.Name.Name)
	return by && call.Args[0] != operand
}

// inProduct reports whether what a path leads to is a factor of something random.
func (c *cutter) inProduct(at *path) bool {
	for p := at; p != nil; p = p.up {
		if b, ok := p.node.(*ast.Binary); ok && strings.Contains("*./", b.Op) && c.Facts(b).Random {
			return true
		}
	}
	return false
}

// common returns the shared parameters that multiply every term of some parts: without noise they stay with
// the server.
func (c *cutter) common(parts []part) []factor {
	if c.Transform.Kind.Noise() {
		return nil
	}
	var out []factor
	for i, p := range parts {
		for j, t := range p.terms {
			here := c.sharedParams(t.expr)
			if i == 0 && j == 0 {
				out = here
				continue
			}
			out = slices.DeleteFunc(out, func(f factor) bool {
				at := slices.IndexFunc(here, func(g factor) bool { return c.same(f, g) })
				if at >= 0 {
					here = slices.Delete(here, at, at+1)
				}
				return at < 0
			})
		}
	}
	return out
}

func (c *cutter) same(f, g factor) bool {
	return f.divide == g.divide && format.Expr(f.expr) == format.Expr(g.expr)
}

// sharedParams lists the factors of a term that are shared and hold a parameter.
func (c *cutter) sharedParams(e ast.Expr) []factor {
	b, ok := e.(*ast.Binary)
	if !ok {
		return nil
	}
	f, x, ok := c.factored(b)
	if !ok || !c.Facts(f.expr).Owners.Shared() {
		return nil
	}
	rest := c.sharedParams(x)
	if c.Facts(f.expr).Random {
		return append([]factor{f}, rest...)
	}
	return rest
}

// without takes factors off a term.
func (c *cutter) without(e ast.Expr, factors []factor) ast.Expr {
	b, ok := e.(*ast.Binary)
	if !ok || len(factors) == 0 {
		return e
	}
	f, x, ok := c.factored(b)
	if !ok {
		return e
	}
	if i := slices.IndexFunc(factors, func(g factor) bool { return c.same(f, g) }); i >= 0 {
		return c.without(x, slices.Delete(slices.Clone(factors), i, i+1))
	}
	if inner := c.without(x, factors); inner != x {
		return c.times(f, inner, b)
	}
	return e
}
