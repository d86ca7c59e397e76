package cut

import (
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib/def"
)

// inArgument finds the cuts in an argument of a distribution.
func (c *cutter) inArgument(d *def.Dist, p *def.Param, e ast.Expr) ast.Expr {
	law, param, whole := c.law, c.param, c.whole
	c.law, c.param, c.whole = d, p, e
	out := c.rewrite(e, nil)
	c.jointly(e, out)
	c.law, c.param, c.whole = law, param, whole
	return out
}

// density finds the cuts in a density function: its arguments are those of the distribution, each with its
// own support.
func (c *cutter) density(e *ast.Call, d check.Density) ast.Expr {
	args := make([]ast.Expr, len(e.Args))
	for i, a := range e.Args {
		p, fixed := d.Value()
		if i > 0 {
			p, fixed = d.Dist.Params[i-1], true
		}
		args[i] = c.inDensity(d.Dist, &p, a, fixed)
	}
	out := &ast.Call{At: e.At, Name: e.Name, Args: args}
	c.facts[out] = c.Facts(e)
	c.setAtServer(out, e)
	return out
}

// inDensity finds the cuts in one argument of a density function; fixed says that no parameter moves the
// values that it may have.
func (c *cutter) inDensity(d *def.Dist, p *def.Param, a ast.Expr, fixed bool) ast.Expr {
	foreign := c.hasClient(c.Facts(a).Owners)
	switch {
	case foreign && p.Integral:
		c.errorf(diag.ClientData, a,
			"client data would be read by another party: %s of %s is data, and a client "+
				"sends no data as they are", p.Name, d.Name).
			Note("make the data `@ shared` if every party may hold them")
		return a
	case foreign && !fixed && c.Transform.Kind.Noise():
		c.errorf(diag.NoCut, a,
			"%s of %s lies between ends that depend on its parameters, and with noise it may not", p.Name,
			d.Name).
			Note("%s", c.waysOut("write another distribution", a))
		return a
	}
	return c.inArgument(d, p, a)
}

// labelsIn warns where a factor around cuts holds the density of data that one party alone may read.
func (c *cutter) labelsIn(l *Likelihood) {
	if l.Party != "" {
		return
	}
	ast.Walk(l.Args[0], func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		d, ok := c.Density(x)
		if !ok || c.Facts(d.X).Random || len(c.Program.references(x)) == 0 {
			return true
		}
		if _, alone := c.Facts(d.X).Owners.Sole(); alone {
			c.diags.Warnf(diag.LabelLeak, c.File.Source, x.Span(), revealed(d.Dist), c.home).
				Note("where clients may know the response, declare it `@ shared`; where they may not, do " +
					"not run this model as a deployment")
		}
		return true
	})
}

// one reports whether an expression holds private names of one client and no other party.
func (c *cutter) one(e ast.Expr) bool {
	client, alone := c.Facts(e).Owners.Sole()
	return alone && client != c.home
}
