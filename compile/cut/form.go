package cut

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
)

// A form is an expression as a number, not 0, times what a text stands for. Expressions with one text are
// multiples of one another, in whatever order terms and factors stand, and however signs and parentheses.
type form struct {
	times float64
	text  string
}

// form returns the form of an expression.
func (c *cutter) form(e ast.Expr) form {
	if v, ok := c.ConstValue(e); ok && v != 0 && !math.IsInf(v, 0) {
		return form{v, "1"}
	}
	switch x := e.(type) {
	case *ast.Paren:
		return c.form(x.X)
	case *ast.Unary, *ast.Binary:
		if isChain(e) {
			return c.formOfSum(e)
		}
		if b, ok := e.(*ast.Binary); ok && slices.Contains([]string{"*", ".*", "/", "./"}, b.Op) {
			return productForm(c.factors(b, false, make([]power, 0, 4)))
		}
	case *ast.Call:
		return form{1, x.Name.Name + "(" + c.texts(x.Args) + ")"}
	}
	return form{1, format.Expr(e)}
}

// texts writes arguments with their numbers.
func (c *cutter) texts(list []ast.Expr) string {
	var out []string
	for _, a := range list {
		f := c.form(a)
		out = append(out, written(f.times)+" "+f.text)
	}
	return strings.Join(out, ", ")
}

// written writes a number without the last digits, in which rounding shows.
func written(v float64) string { return strconv.FormatFloat(v, 'g', 12, 64) }

// formOfSum adds the numbers of terms with one text, and takes the number of the first out of the sum.
func (c *cutter) formOfSum(e ast.Expr) form {
	sum := map[string]float64{}
	var texts []string
	for _, t := range flatten(e, false, nil) {
		f := c.form(t.expr)
		if t.minus {
			f.times = -f.times
		}
		if _, ok := sum[f.text]; !ok {
			texts = append(texts, f.text)
		}
		sum[f.text] += f.times
	}
	slices.Sort(texts)
	texts = slices.DeleteFunc(texts, func(s string) bool { return sum[s] == 0 })
	switch {
	case len(texts) == 0:
		return form{1, format.Expr(e)} // nothing but 0 is left
	case len(texts) == 1:
		return form{sum[texts[0]], texts[0]}
	}
	lead := sum[texts[0]]
	var terms []string
	for _, s := range texts {
		terms = append(terms, written(sum[s]/lead)+" "+s)
	}
	return form{lead, "(" + strings.Join(terms, " + ") + ")"}
}

// A power is a factor of a product, or its reciprocal.
type power struct {
	form
	divide bool
	scalar bool
}

// factors appends the factors of a product, those of its factors in their place. Of a matrix product the
// numbers and scalars come out.
func (c *cutter) factors(e ast.Expr, divide bool, out []power) []power {
	switch x := e.(type) {
	case *ast.Paren:
		return c.factors(x.X, divide, out)
	case *ast.Binary:
		if c.ranges.MatrixProduct(x) {
			return c.matrixFactors(x, divide, out)
		}
		switch x.Op {
		case "*", ".*":
			return c.factors(x.Y, divide, c.factors(x.X, divide, out))
		case "/", "./":
			return c.factors(x.Y, !divide, c.factors(x.X, divide, out))
		}
	}
	return append(out, power{c.form(e), divide, c.Facts(e).Type.Scalar()})
}

func (c *cutter) matrixFactors(e *ast.Binary, divide bool, out []power) []power {
	var sides []string
	for _, x := range []ast.Expr{e.X, e.Y} {
		var side []power
		for _, p := range c.factors(x, false, nil) {
			switch {
			case p.scalar:
				out = append(out, power{p.form, p.divide != divide, true})
			default:
				side = append(side, p)
			}
		}
		f := productForm(side)
		sides = append(sides, f.text)
		out = append(out, power{form{f.times, "1"}, divide, true})
	}
	return append(out, power{form{1, fmt.Sprintf("[%s * %s]", sides[0], sides[1])}, divide, false})
}

// productForm multiplies factors: their numbers, and their texts in an order that does not depend on theirs.
func productForm(list []power) form {
	out := form{times: 1}
	var texts []string
	for _, p := range list {
		if p.divide {
			p.times, p.text = 1/p.times, "/"+p.text
		}
		out.times *= p.times
		if p.text != "1" && p.text != "/1" {
			texts = append(texts, p.text)
		}
	}
	slices.Sort(texts)
	out.text = strings.Join(texts, " ")
	if texts == nil {
		out.text = "1"
	}
	if out.times == 0 || math.IsInf(out.times, 0) || math.IsNaN(out.times) {
		return form{1, "? " + out.text}
	}
	return out
}

func flatten(e ast.Expr, minus bool, out []term) []term {
	switch x := e.(type) {
	case *ast.Paren:
		return flatten(x.X, minus, out)
	case *ast.Unary:
		if x.Op == "+" || x.Op == "-" {
			return flatten(x.X, minus != (x.Op == "-"), out)
		}
	case *ast.Binary:
		if x.Op == "+" || x.Op == "-" {
			out = flatten(x.X, minus, out)
			return flatten(x.Y, minus != (x.Op == "-"), out)
		}
	}
	return append(out, term{e, minus})
}
