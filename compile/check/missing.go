package check

import (
	"slices"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// The words of a `missing` clause.
const (
	missingError  = "error"
	missingDrop   = "drop"
	missingImpute = "impute"
)

// Drops reports whether the rows in which a cell of the data is missing are left out.
func (s *Symbol) Drops() bool { return s.missing() == missingDrop }

// Imputed reports whether the missing cells of the data are parameters of their owner.
func (s *Symbol) Imputed() bool { return s.missing() == missingImpute }

// missing is the word of the clause, "" for none.
func (s *Symbol) missing() string {
	if d, ok := s.Decl.(*ast.Data); ok && d.Missing != nil {
		return d.Missing.Name
	}
	return ""
}

// imputing writes `missing impute ~ DIST` as `missing impute` and a likelihood, which follows the last
// statement: so its arguments may be declared further down, and all that holds for likelihoods holds for it.
func (c *checker) imputing(s *ast.Data) *ast.Data {
	if s.Impute == nil || s.Missing.Name != missingImpute {
		return s
	}
	out := *s
	out.Impute = nil
	c.implied = append(c.implied,
		&ast.Likelihood{At: s.Impute.At, Left: &ast.Name{At: s.Name.At, Name: s.Name.Name}, Dist: s.Impute})
	return &out
}

// missing checks what a declaration says about missing cells.
func (c *checker) missing(s *ast.Data, t types.Type, owner string) {
	if s.Missing == nil {
		return
	}
	word := s.Missing.Name
	if word != missingError && word != missingDrop && word != missingImpute {
		c.errorf(diag.BadMissing, *s.Missing, "found `%s`, expected `error`, `drop` or `impute`", word).
			Note("`missing drop` leaves out the rows with missing cells, at every party; `missing impute ~ " +
				"DIST` makes the cells parameters; `missing error` is what happens without the clause")
		return
	}
	switch {
	case s.Impute != nil:
		c.errorf(diag.BadMissing, s.Impute, "`missing %s` takes no distribution",
			word).Note("only `missing impute ~ DIST` gives missing cells one")
	case word != missingError && t.Scalar():
		c.errorf(diag.BadMissing, *s.Missing, "%s is a scalar, which has no rows with missing cells",
			s.Name.Name)
	case word != missingImpute:
	case t.Elem != types.Real:
		d := c.errorf(diag.BadMissing, *s.Missing,
			"%s is %s, and a missing cell that is a category or a whole number has no gradient, "+
				"which every backend needs", s.Name.Name, t)
		d.Note("leave these rows out with `missing drop`; or sum over what the cell may be, with log_mix " +
			"and a factor; or, for a category, let \"missing\" be one of its own")
	case owner == Shared:
		c.errorf(diag.BadMissing, *s.Missing,
			"%s is @ shared, and the missing cells of data that several parties hold have no owner",
			s.Name.Name).
			Note("declare it at the party that has the column")
	case len(t.Dims) > 2:
		c.errorf(diag.BadMissing, *s.Missing,
			"%s has %d dimensions: cells are missing in the vectors and matrices of a table", s.Name.Name,
			len(t.Dims))
	}
}

// leftSide checks a left side that depends on parameters: it may be the name of data whose missing cells are
// parameters.
func (c *checker) leftSide(s *ast.Likelihood) bool {
	name, whole := s.Left.(*ast.Name)
	if whole && c.Symbols[name.Name] != nil && c.Symbols[name.Name].Imputed() {
		if s.Censor != nil {
			c.errorf(diag.BadMissing, s.Censor[0],
				"%s imputes missing cells, of which nothing is known: they cannot be censored", name.Name).
				Note("a value that is known to lie beyond C is censored; one that was not recorded is " +
					"missing. Declare the two as data of their own")
			return false
		}
		return true
	}
	if imputed := c.imputedIn(s.Left); imputed != "" {
		d := c.errorf(diag.LeftSide, s.Left,
			"the left side of a likelihood is data, or an expression of data only")
		d.Note("missing cells of %s are parameters, so only %s ~ … can stand here; impute the expression "+
			"in place of %s: let the table have it as a column", imputed, imputed, imputed)
		return false
	}
	c.randomLeft(s)
	return false
}

// imputedIn returns the first name of imputed data in an expression, "" for none.
func (c *checker) imputedIn(e ast.Expr) (found string) {
	ast.Walk(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && found == "" {
			if s := c.Symbols[name.Name]; s != nil && s.Imputed() {
				found = name.Name
			}
		}
		return found == ""
	})
	return found
}

// imputations checks that all data which impute missing cells have one distribution, of numbers that may be
// any of an interval.
func (c *checker) imputations() {
	for _, s := range c.Order {
		if s.Kind != Data || !s.Imputed() || c.failed[s.Name] {
			continue
		}
		of := c.DistributionsOf(s)
		word := *s.Decl.(*ast.Data).Missing
		switch {
		case len(of) == 0 && c.diags.HasErrors(): // it may be wrong
		case len(of) == 0:
			c.errorf(diag.BadMissing, word,
				"nothing says how the cells of %s are distributed, so that the "+
					"missing ones cannot be imputed", s.Name).
				Note("write missing impute ~ normal(mu, sigma), or a likelihood %s ~ …", s.Name)
		case len(of) > 1:
			c.errorf(diag.BadMissing, of[1].Stmt, "%s imputes missing cells, and has two distributions",
				s.Name).NoteAt(c.File.Source, of[0].Stmt.Span(), "the first is here")
		case of[0].Dist.Event != nil && of[0].Dist.Support != def.RealLine:
			c.errorf(diag.BadMissing, of[0].Stmt.Dist,
				"missing cells cannot be imputed from %s, whose vectors and matrices are not any numbers",
				of[0].Dist.Name).
				Note("a multi_normal over the rows of a matrix can")
		case of[0].Dist.Atoms != nil:
			c.errorf(diag.BadMissing, of[0].Stmt.Dist,
				"missing cells cannot be imputed from %s: some of its values have a probability of their own, "+
					"and a parameter is never exactly one of them", of[0].Dist.Name)
		}
	}
}

// DistributionsOf lists the likelihoods that have imputed data on the left.
func (p *Program) DistributionsOf(s *Symbol) []*Likelihood {
	return slices.DeleteFunc(slices.Clone(p.Likelihoods), func(l *Likelihood) bool {
		return p.ImputedBy(l) != s
	})
}

// ImputedBy returns the data whose missing cells a likelihood imputes, nil for none.
func (p *Program) ImputedBy(l *Likelihood) *Symbol {
	if name, ok := l.Stmt.Left.(*ast.Name); ok {
		if s := p.Symbols[name.Name]; s != nil && s.Kind == Data && s.Imputed() {
			return s
		}
	}
	return nil
}
