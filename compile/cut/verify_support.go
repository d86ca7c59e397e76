package cut

import (
	"fmt"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib/def"
)

// verifySupport checks that every argument that cuts enter stays inside its support when any real number
// stands for each cut, that every operation around a cut is monotone in it, and that no larger expression of
// the client alone would do.
func (p *Program) verifySupport() error {
	if !p.Transform.Kind.Noise() {
		return nil
	}
	ranges := p.Ranges(func(e ast.Expr) check.ExprInfo {
		info := p.Facts(e)
		info.Random = info.Random || len(p.references(e)) > 0
		return info
	})
	for _, l := range p.Likelihoods {
		for i, a := range l.Args {
			if a == nil || len(p.references(a)) == 0 {
				continue
			}
			v := &noise{Program: p, ranges: ranges}
			if err := v.argument(l.Dist, &l.Dist.Params[i], a); err != nil {
				return err
			}
		}
	}
	return nil
}

type noise struct {
	*Program
	ranges *check.Ranges
	domain def.Support
}

// argument checks an argument of a distribution.
func (v *noise) argument(d *def.Dist, p *def.Param, a ast.Expr) error {
	within := &noise{Program: v.Program, ranges: v.ranges, domain: p.Domain}
	if !v.ranges.Inside(a, within.values(a), p.Domain) {
		return fmt.Errorf("%s of %s: %s leaves its support", p.Name, d.Name, format.Expr(a))
	}
	if err := within.around(a, nil); err != nil {
		return fmt.Errorf("%s of %s: %w", p.Name, d.Name, err)
	}
	return nil
}

// density checks the arguments of a density function that cuts enter.
func (v *noise) density(d check.Density) error {
	value, _ := d.Value()
	if len(v.references(d.X)) > 0 {
		if err := v.argument(d.Dist, &value, d.X); err != nil {
			return err
		}
	}
	for k, a := range d.Args {
		if a == nil || len(v.references(a)) == 0 {
			continue
		}
		if err := v.argument(d.Dist, &d.Dist.Params[k], a); err != nil {
			return err
		}
	}
	return nil
}

// values is the range of an expression, whatever number stands for each cut.
func (v *noise) values(e ast.Expr) def.Range {
	if len(v.references(e)) == 0 {
		return v.ranges.Beside(e)
	}
	return v.ranges.Given(e, v.values)
}

// around checks the expressions around the cuts in e.
func (v *noise) around(e ast.Expr, at *path) error {
	groups := v.references(e)
	if len(groups) == 0 {
		return nil
	}
	if d, ok := v.Density(e); ok {
		return v.density(d)
	}
	if name, ok := e.(*ast.Name); ok && v.Referenced(name.Name) != nil {
		if _, stop := at.free(v.ranges); stop != nil {
			return fmt.Errorf("%s is not monotone in %s", format.Expr(stop), format.Expr(e))
		}
		return nil
	}
	if len(groups) == 1 && !ast.HoldsDensity(e) && len(groups[0].Cuts) == 1 && !groups[0].Cuts[0].Family &&
		len(v.Private(e)) == 0 && !v.linear(e) && at.fits(v.ranges, v.domain) {
		return fmt.Errorf("all of %s could be cut, not only %s", format.Expr(e),
			format.Expr(groups[0].Cuts[0].Expr))
	}
	for _, n := range ast.Children(e) {
		if x, ok := n.(ast.Expr); ok {
			if err := v.around(x, at.under(e, x)); err != nil {
				return err
			}
		}
	}
	return nil
}

// linear reports what may stay outside a cut of one client: the shared terms of a sum, a sign, and a number
// that multiplies it.
func (v *noise) linear(e ast.Expr) bool {
	b, ok := e.(*ast.Binary)
	if !ok {
		return isChain(e)
	}
	_, number := v.ConstValue(b.X)
	return isChain(e) || number && b.Op == "*"
}
