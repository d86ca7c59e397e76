package cut

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib/def"
)

// refuse reports an expression of a client in which no place takes noise, with the ways out.
func (c *cutter) refuse(client string, e ast.Expr, at *path, why *failure) {
	dist := c.law
	switch why.reason {
	case data:
		c.privateData(client, why.at, at)
		return
	case beside:
		c.besides(client, why)
		return
	case stopped:
		c.errorf(diag.NoCut, e, "%s adds noise to what it sends, and %s is not monotone in it", client,
			operation(why.at)).
			Note("%s", c.waysOut("write it with a monotone function, such as exp", e))
		return
	}
	values, _ := at.free(c.ranges)
	order := false
	what := fmt.Sprintf("%s of %s is %s, and with noise on this value of %s it may not be", c.param.Name,
		dist.Name, c.param.Words(), client)
	switch {
	case !values.Defined():
		what = fmt.Sprintf("with noise on this value of %s, %s of %s may have none: a function "+
			"would be outside its domain", client, c.param.Name, dist.Name)
	case !c.param.Domain.OfWholes() && !c.ranges.Of(c.whole).Within(c.param.Domain):
		order = true
		what = fmt.Sprintf("%s of %s is %s, and this may not be, with noise on the value of %s or without",
			c.param.Name, dist.Name, c.param.Words(), client)
	}
	d := c.errorf(diag.NoCut, e, "%s", what)
	if order && dist.Form == nil && len(dist.Params) > 1 {
		var names []string
		for _, p := range dist.Params {
			names = append(names, p.Name)
		}
		d.Note("the arguments are %s(%s), in this order", dist.Name, strings.Join(names, ", "))
	}
	d.Note("%s", c.waysOut(c.otherScale(client), e))
}

// noisy is the range of an expression, whatever number stands for each cut.
func (c *cutter) noisy(e ast.Expr) def.Range {
	if len(c.Program.references(e)) == 0 {
		return c.ranges.Beside(e)
	}
	return c.ranges.Given(e, c.noisy)
}

// jointly reports an argument that stays inside its support with noise on any one of its cuts, but not with
// noise on all.
func (c *cutter) jointly(e, cut ast.Expr) {
	if c.diags.HasErrors() || !c.Transform.Kind.Noise() || !c.hasClient(c.Facts(e).Owners) ||
		c.ranges.Inside(cut, c.noisy(cut), c.param.Domain) {
		return
	}
	c.errorf(diag.NoCut, e, "%s of %s is %s, and with noise on the values of several clients it may not be",
		c.param.Name, c.law.Name, c.param.Words()).
		Note("%s", c.waysOut(c.otherScale("each client"), e))
}

// operation names an operation in a message.
func operation(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Call:
		return e.Name.Name
	case *ast.Binary:
		return "`" + e.Op + "`"
	}
	return format.Expr(e)
}

// besides reports names of a client that would remain beside its cut.
func (c *cutter) besides(client string, why *failure) {
	d := c.errorf(diag.NoCut, why.at,
		"%s adds noise in one place of this, and beside it may stand shared names only, but "+
			"both %s hold names of %s", client, listed(why.beside), client)
	for _, x := range why.beside {
		if text := c.inFactor(x, (*path)(nil).under(why.at, x)); text != "" {
			d.Note("write %s, so that one place holds all of them", text)
			return
		}
	}
	d.Note("%s", c.waysOut("write it so that one place, as the argument of exp, holds all names of "+client,
		why.at))
}

func listed(list []ast.Expr) string {
	var out []string
	for _, e := range list {
		out = append(out, format.Expr(e))
	}
	return strings.Join(out, " and ")
}

// inFactor writes a product of x and a function that can take a factor into its argument, as exp(log(x) + …);
// "" where at leads to no such product.
func (c *cutter) inFactor(x ast.Expr, at *path) string {
	if at == nil || at.node == nil {
		return ""
	}
	b, ok := at.node.(*ast.Binary)
	if !ok || c.ranges.MatrixProduct(b) || !slices.Contains([]string{"*", ".*", "/", "./"}, b.Op) {
		return ""
	}
	other, sign := b.X, "-"
	switch {
	case b.X == x && (b.Op == "/" || b.Op == "./"):
		return ""
	case b.X == x:
		other = b.Y
	}
	if b.Op == "*" || b.Op == ".*" {
		sign = "+"
	}
	call, ok := other.(*ast.Call)
	if !ok {
		return ""
	}
	f, ok := c.Universe.Func(call.Name.Name)
	if !ok || f.TakesFactor == "" {
		return ""
	}
	inner, factor := format.Expr(call.Args[0]), fmt.Sprintf("%s(%s)", f.TakesFactor, format.Expr(x))
	if sign == "-" {
		return fmt.Sprintf("%s(%s - %s)", f.Name, inner, factor)
	}
	return fmt.Sprintf("%s(%s + %s)", f.Name, factor, inner)
}

// otherScale says how to write an argument so that it takes noise.
func (c *cutter) otherScale(client string) string {
	d := c.law
	switch {
	case c.param.Domain == def.Simplex:
		return "write it as softmax(…) of a predictor that may be any vector"
	case c.param.Domain.OfWholes():
		return "write what " + client + " adds into another argument"
	}
	for k := range d.Params {
		if form, ok := d.PredictedAt(k); ok && c.param == &d.Params[k] {
			return fmt.Sprintf("write %s with a linear predictor, or this as %s(…) of one", form.Form().Name,
				form.Func)
		}
	}
	scale := "exp"
	switch c.param.Domain {
	case def.UnitInterval:
		scale = "inv_logit"
	case def.RealLine:
		return "write what " + client + " adds as exp(…) of it, which stays in the domain"
	}
	return fmt.Sprintf("write this as %s(…) of a parameter or a predictor that may be any number", scale)
}

// waysOut lists what to do about a value that takes no noise. To own its parameters elsewhere helps where
// they are all that clients have in it: with data of a client in it, something must still cross.
func (c *cutter) waysOut(first string, e ast.Expr) string {
	out := first
	if names := c.ownedIn(e); len(names) > 0 {
		out += fmt.Sprintf("; or let %s belong to %s or be `@ shared`", strings.Join(names, " and "),
			c.Server)
	}
	for _, name := range c.Universe.Transforms() {
		if t, _ := c.Universe.Transform(name); !t.Noise() && !t.Pooled() {
			out += fmt.Sprintf("; or use `transform %s`, which adds no noise", t.Name)
		}
	}
	return out
}

// ownedIn lists the parameters of clients in an expression; none where it has data of clients too.
func (c *cutter) ownedIn(e ast.Expr) (names []string) {
	withData := false
	ast.Walk(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Name)
		if !ok {
			return true
		}
		s := c.Symbols[name.Name]
		switch {
		case s == nil || !c.hasClient(c.Facts(name).Owners):
		case s.Kind == check.Param:
			if !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		default:
			withData = true
		}
		return true
	})
	if withData {
		return nil
	}
	return names
}
