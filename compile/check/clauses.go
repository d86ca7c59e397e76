package check

import (
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// clauses resolves a distribution with its clauses truncate and censor against the type of its left side.
func (c *checker) clauses(d *ast.Dist, truncate, censor []*ast.Arg, left types.Type,
	what string) (dist *def.Dist, args []ast.Expr, owners types.Owners, random, ok bool) {
	dist, args = c.dist(d)
	for _, clause := range []struct {
		word    string
		args    []*ast.Arg
		resolve func(*def.Dist, []*ast.Arg) (*def.Dist, []ast.Expr)
	}{{"truncate", truncate, c.truncated}, {"censor", censor, c.censored}} {
		if clause.args == nil {
			continue
		}
		for _, a := range clause.args {
			if _, typed := c.expr(a.Value); !typed {
				return nil, nil, nil, false, false
			}
		}
		if dist == nil {
			return nil, nil, nil, false, false
		}
		if dist.Event != nil {
			c.errorf(diag.BadClause, d, "%s is a distribution of vectors or matrices, which `%s` cannot cut",
				dist.Name, clause.word)
			return nil, nil, nil, false, false
		}
		if dist.LogCDF == nil {
			c.errorf(diag.BadClause, d, "%s has no distribution function, which `%s` needs: %s", dist.Name,
				clause.word, dist.NoCDF)
			return nil, nil, nil, false, false
		}
		narrowed, more := clause.resolve(dist, clause.args)
		if narrowed == nil {
			return nil, nil, nil, false, false
		}
		dist, args = narrowed, append(args, more...)
	}
	return c.against(d, dist, args, left, what)
}

// fixedEnds reports a parameter whose truncation depends on another: its support would move with it.
func (c *checker) fixedEnds(s *ast.Param) bool {
	for _, a := range s.Truncate {
		if c.Info[a.Value].Random {
			c.errorf(diag.BadClause, a,
				"the ends of the parameter %s are data or constants: its support cannot "+
					"depend on another parameter", s.Name.Name).
				Note("write the distance from that end as a parameter: param d ~ half_normal(1) and let x " +
					"= a + d; the truncation of a likelihood may depend on parameters")
			return false
		}
	}
	return true
}

// truncated resolves truncate(lower=, upper=).
func (c *checker) truncated(d *def.Dist, clause []*ast.Arg) (*def.Dist, []ast.Expr) {
	given := c.named(clause, "truncate", def.LowerEnd, def.UpperEnd)
	if given == nil {
		return nil, nil
	}
	out := stdlib.Truncated(d, given[def.LowerEnd] != nil, given[def.UpperEnd] != nil)
	var args []ast.Expr
	for _, name := range []string{def.LowerEnd, def.UpperEnd} {
		if e := given[name]; e != nil {
			args = append(args, e)
		}
	}
	low, known := c.ConstValue(given[def.LowerEnd])
	if high, both := c.ConstValue(given[def.UpperEnd]); known && both &&
		(low > high || low == high && !d.Discrete) {
		c.errorf(diag.BadClause, clause[0], "truncated from %v to %v, no value is left", low, high)
		return nil, nil
	}
	return &out, args
}

// censored resolves censor(right=, left=) and censor(interval=).
func (c *checker) censored(d *def.Dist, clause []*ast.Arg) (*def.Dist, []ast.Expr) {
	given := c.named(clause, "censor", "right", "left", "interval")
	if given == nil {
		return nil, nil
	}
	if given["interval"] != nil && len(given) > 1 {
		c.errorf(diag.BadClause, clause[0],
			"an interval has both ends: `interval` stands alone").Note("the left side is its lower end, " +
			"and `interval` its upper end")
		return nil, nil
	}
	var ways []stdlib.Censoring
	var args []ast.Expr
	for _, w := range []struct {
		name        string
		flag, bound stdlib.Censoring
	}{{"right", stdlib.RightFlag, stdlib.RightBound}, {"left", stdlib.LeftFlag, stdlib.LeftBound},
		{"interval", stdlib.Interval, stdlib.Interval}} {
		e := given[w.name]
		if e == nil {
			continue
		}
		way := w.bound
		if c.Info[e].Type.Elem == types.Binary {
			way = w.flag
		}
		ways, args = append(ways, way), append(args, e)
	}
	out := stdlib.Censored(d, ways)
	return &out, args
}

// named returns the arguments of a clause by name, nil where a name is wrong or missing.
func (c *checker) named(clause []*ast.Arg, word string, names ...string) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	for _, a := range clause {
		known := false
		for _, n := range names {
			known = known || a.Name != nil && a.Name.Name == n
		}
		switch {
		case !known:
			c.errorf(diag.BadClause, a, "the arguments of `%s` are %s", word, list(names)).Note("%s",
				clauseForms[word])
			return nil
		case out[a.Name.Name] != nil:
			c.errorf(diag.BadClause, a, "%s is given twice", a.Name.Name)
			return nil
		}
		out[a.Name.Name] = a.Value
	}
	return out
}

var clauseForms = map[string]string{
	"truncate": "as in y ~ poisson(mu) truncate(lower=1), where values below 1 cannot occur",
	"censor": "as in t ~ weibull(a, s) censor(right=C), where measuring stops at C, or censor(right=died " +
		"== 0), where 1 marks the rows that are known to last longer than t",
}
