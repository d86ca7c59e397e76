package check

import (
	"slices"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
)

// priorOnly leaves the likelihoods out. Missing cells keep their distribution, which is their prior; what is
// left must be a distribution.
func (c *checker) priorOnly() {
	c.PriorOnly = true
	c.Likelihoods = slices.DeleteFunc(c.Likelihoods, func(l *Likelihood) bool {
		return c.ImputedBy(l) == nil
	})
	for _, l := range c.Likelihoods {
		if l.Dist.Event != nil || l.Stmt.Weights != nil {
			c.errorf(diag.BadMissing, l.Stmt,
				"without the likelihood, the missing cells of %s have no distribution of their own: that "+
					"of this statement is of whole rows, or weighted", format.Expr(l.Stmt.Left)).
				Note("for draws from the prior fill the cells in, or give each column a distribution")
		}
	}
	for _, s := range c.Order {
		if s.Kind == Param && s.Dist != nil && s.Dist.Proper() && !s.Dist.Drawable() {
			c.errorf(diag.Improper, s.Ident, "nothing can be drawn from the prior of %s without the likelihood: %s",
				s.Name, s.Dist.WithoutDraws())
		} else if s.Kind == Param && s.Dist != nil && !s.Dist.Proper() && !bounded(s) {
			c.errorf(diag.Improper, s.Ident,
				"parameter %s has the improper prior %s, from which nothing can be "+
					"drawn without the likelihood", s.Name, s.Dist.Name).
				Note("give it a proper prior, as wide as you like, to see what the " +
					"model says before the data")
		}
	}
}
