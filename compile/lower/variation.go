package lower

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

const (
	mostCompared = 300 // columns among which linear dependence is looked for
	leastRows    = 1000
	// products of a Newton step by which separation by several columns is looked for: all steps together take
	// less than a second (BenchmarkVariation)
	mostWork    = 4e7
	newtonSteps = 25
)

// A covariate is one of the numbers in the rows of a linear predictor. An intercept has no declaration.
type covariate struct {
	declared *check.Symbol
	name     string // as messages call it
	values   []float64
	flat     bool    // its coefficient has an improper prior
	scale    float64 // of the prior of its coefficient; 0: it has none that is a constant
}

// Variation warns of data that cannot determine parameters: responses that are constant or separated by
// columns, columns that are linear combinations of others, and columns on another scale than the priors of
// their coefficients; and names improper priors, which such data leave without a posterior. It looks at the
// linear predictor of each likelihood, and in the program of a client, which has a part of it, at the cuts.
func Variation(p *check.Program, values map[string]data.Bindings) (diags diag.List) {
	said := map[string]bool{}
	report := func(code diag.Code, at *check.Symbol, text string, args ...any) *diag.Diagnostic {
		d := diags.Warnf(code, p.File.Source, at.Ident.Span(), text, args...)
		if said[d.Message] {
			diags = diags[:len(diags)-1]
		}
		said[d.Message] = true
		return d
	}
	warn := func(at *check.Symbol, text string, args ...any) {
		report(diag.NoVariation, at, text, args...).Note("leave the column out, or give the coefficients " +
			"priors that say how large they can be")
	}
	for _, k := range p.Likelihoods {
		var y []float64
		if id, ok := k.Stmt.Left.(*ast.Name); ok {
			if _, v := byRow(p, values, id.Name); v != nil && len(v.Dims) == 1 && len(v.Gaps) == 0 {
				y = v.Values
				if unvarying(y) {
					report(diag.NoVariation, p.Symbols[id.Name],
						"the response %s is %.4g in every row: the data do not say how it varies", id.Name,
						y[0]).Note("see that it is the right column, and that its rows are not all of one kind")
				}
			}
		}
		if k.Dist.Link.Scale == def.NoLink || k.Args[k.Dist.Link.Param] == nil {
			continue
		}
		columns := addends(p, values, k.Args[k.Dist.Link.Param], nil)
		dependent(columns, warn)
		unscaled(columns, responseScale(k.Dist.Link.Scale, y), report)
		if y != nil && k.Dist.Support == def.ZeroOne && !unvarying(y) {
			columns = slices.DeleteFunc(columns, func(c covariate) bool {
				return c.declared != nil && len(c.values) != len(y)
			})
			if text, by := separated(y, columns); by != nil {
				warn(by, "%s", text)
			}
		}
	}
	for _, sym := range p.Order {
		if sent := sym.Leaves(); sent != nil {
			columns := addends(p, values, sent, nil)
			dependent(columns, warn)
			if len(columns) == 0 || columns[0].declared != nil {
				fixed(columns, warn)
			}
		}
	}
	return append(diags, improper(p)...)
}

// improper names the parameters that have improper priors.
func improper(p *check.Program) (diags diag.List) {
	if names := p.Improper(); len(names) > 0 {
		diags.Warnf(diag.FlatPrior, p.File.Source, p.Symbols[names[0]].Ident.Span(),
			"improper priors of %s: the data alone bound them", strings.Join(
				names, ", ",
			)).Severity = diag.Info
	}
	return diags
}

// byRow returns the values of a declaration with a row for each of those that the parties share, nil if there
// are none or they cannot tell anything.
func byRow(p *check.Program, values map[string]data.Bindings, name string) (party string,
	v *data.BoundValue) {
	sym := p.Symbols[name]
	if sym == nil || sym.Kind != check.Data || sym.Family {
		return "", nil
	}
	for _, party := range slices.Sorted(maps.Keys(values)) {
		if v := values[party][name]; v != nil && v.ByRow && len(v.Dims) > 0 && v.Dims[0] > 1 {
			return party, v
		}
	}
	return "", nil
}

func columnsOf(sym *check.Symbol, party string, v *data.BoundValue, flat bool,
	scale float64) (out []covariate) {
	if v == nil || len(v.Gaps) > 0 || len(v.Dims) > 2 {
		return nil
	}
	n := v.Dims[0]
	for k := range len(v.Values) / n {
		out = append(out, covariate{sym, v.ColumnName(sym.Name, k) + " at " + party, v.Values[k*n : (k+1)*n],
			flat, scale})
	}
	return out
}

// addends are the columns of data whose multiples an expression adds, and an intercept. Other terms are left
// out: what holds of some terms holds whatever is added.
func addends(p *check.Program, values map[string]data.Bindings, e ast.Expr, out []covariate) []covariate {
	switch x := e.(type) {
	case *ast.Paren:
		return addends(p, values, x.X, out)
	case *ast.Unary:
		return addends(p, values, x.X, out)
	case *ast.Index:
		return addends(p, values, x.X, out) // levels of a group hold an intercept
	case *ast.Name:
		switch s := p.Symbols[x.Name]; {
		case s == nil:
		case s.Kind == check.Let:
			if d, ok := s.Decl.(*ast.Let); ok {
				return addends(p, values, d.Value, out)
			}
		case (s.Kind == check.Param || s.Kind == check.Receive && s.Type.Scalar()) &&
			!slices.ContainsFunc(out, func(c covariate) bool {
				return c.declared == nil
			}):
			return append([]covariate{{name: "the intercept", flat: s.Flat()}}, out...)
		}
	case *ast.Binary:
		switch x.Op {
		case "+", "-":
			return addends(p, values, x.Y, addends(p, values, x.X, out))
		case "*", ".*":
			for _, side := range [][2]ast.Expr{{x.X, x.Y}, {x.Y, x.X}} {
				column, ok1 := side[0].(*ast.Name)
				factor := side[1]
				if i, ok := factor.(*ast.Index); ok {
					factor = i.X
				}
				coef, ok2 := factor.(*ast.Name)
				if !ok1 || !ok2 || p.Symbols[coef.Name] == nil || p.Symbols[coef.Name].Kind != check.Param {
					continue
				}
				party, v := byRow(p, values, column.Name)
				out = append(out, columnsOf(p.Symbols[column.Name], party, v, p.Symbols[coef.Name].Flat(),
					priorScale(p, p.Symbols[coef.Name]))...)
			}
		}
	}
	return out
}

func unvarying(values []float64) bool {
	return len(values) > 0 && slices.Min(values) == slices.Max(values)
}

// dependent warns of columns that are linear combinations of earlier ones. What is independent in some of the
// rows is so in all, so that few are looked at as a rule.
func dependent(columns []covariate, warn func(*check.Symbol, string, ...any)) {
	if len(columns) == 0 || len(columns) > mostCompared {
		return
	}
	rows := columns[len(columns)-1].values
	if len(rows) == 0 {
		return
	}
	columns = slices.DeleteFunc(slices.Clone(columns), func(c covariate) bool {
		return c.declared != nil && len(c.values) != len(rows)
	})
	var found map[int]bool
	for m := min(len(rows), max(leastRows, 20*len(columns))); ; m = min(len(rows), 8*m) {
		_, found = orthonormal(columns, len(rows), m)
		if len(found) == 0 || m == len(rows) {
			break
		}
	}
	flat := ""
	if !slices.ContainsFunc(columns, func(c covariate) bool {
		return !c.flat
	}) && columns[0].declared == nil {
		flat = "; their priors are improper, and so is the posterior"
	}
	for k, c := range columns {
		switch {
		case !found[k]:
		case unvarying(c.values) && columns[0].declared == nil:
			warn(c.declared,
				"%s is the same in every row: the data determine the sum of its coefficient and the "+
					"intercept only, and priors the rest%s", c.name, flat)
		case !unvarying(c.values) && k < len(rows): // more columns than rows are always dependent
			warn(c.declared,
				"%s is a linear combination of the columns before it: the data determine their "+
					"coefficients in sum only, and priors the rest%s", c.name, flat)
		}
	}
}

// fixed warns of columns that never vary in a cut without an intercept: whether another party has one is not
// known where the cut is.
func fixed(columns []covariate, warn func(*check.Symbol, string, ...any)) {
	for _, c := range columns {
		if unvarying(c.values) {
			warn(c.declared,
				"%s is the same in every row: where another party has an intercept, the data determine the "+
					"sum of both only, and priors the rest", c.name)
		}
	}
}

// orthonormal returns a basis of what m of n rows of columns span, with elements of mean square 1, and which
// columns are in the span of those before them.
func orthonormal(columns []covariate, n, m int) (basis [][]float64, dependent map[int]bool) {
	dependent = map[int]bool{}
	for k, c := range columns {
		v := make([]float64, m)
		for i := range v {
			if v[i] = 1; c.declared != nil {
				v[i] = c.values[i*n/m]
			}
		}
		size := math.Sqrt(vec.Dot(m, v, v))
		for range 2 { // twice, for rounding
			for _, b := range basis {
				vec.Axpy(m, v, -vec.Dot(m, b, v)/float64(m), b)
			}
		}
		if rest := math.Sqrt(vec.Dot(m, v, v)); rest > 1e-9*size {
			vec.Scale(m, v, v, math.Sqrt(float64(m))/rest)
			basis = append(basis, v)
		} else {
			dependent[k] = true
		}
	}
	return basis, dependent
}

// separated says that a combination of columns is at least 0 where the response is 1 and at most 0 where it
// is 0: nothing in the likelihood bounds its coefficients.
func separated(y []float64, columns []covariate) (text string, at *check.Symbol) {
	intercept := len(columns) > 0 && columns[0].declared == nil
	for _, c := range columns {
		if c.declared == nil || unvarying(c.values) {
			continue
		}
		lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		for i, v := range c.values {
			k := int(y[i])
			lo[k], hi[k] = min(lo[k], v), max(hi[k], v)
		}
		switch from, to := min(hi[0], hi[1]), max(lo[0], lo[1]); {
		case hi[0] > lo[1] && hi[1] > lo[0]:
		case !intercept && (from > 0 || to < 0):
		default:
			return c.name + " separates the responses: no data bound its coefficient on one side" +
				whatBounds(1, c.flat && (!intercept || columns[0].flat || from <= 0 && to >= 0)), c.declared
		}
	}
	if len(columns) == 0 || len(columns) > mostCompared ||
		float64(len(y)*len(columns)*len(columns)) > mostWork {
		return "", nil
	}
	n := len(y)
	for m := min(n, max(leastRows, 20*len(columns))); ; m = min(n, 8*m) {
		basis, _ := orthonormal(columns, n, m)
		signs := make([]float64, m)
		for i := range signs {
			signs[i] = math.Copysign(1, y[i*n/m]-0.5)
		}
		if len(basis) >= m || !recedes(signs, basis) {
			return "", nil
		}
		if m == n {
			break
		}
	}
	var matrices []string
	flat := true
	for _, c := range columns {
		if c.declared == nil {
			flat = flat && c.flat
			continue
		}
		at, flat = cmp.Or(at, c.declared), flat && c.flat
		if name := c.declared.Name; !slices.Contains(matrices, name) {
			matrices = append(matrices, name)
		}
	}
	if at == nil {
		return "", nil
	}
	return "a combination of columns of " + strings.Join(matrices, ", ") +
		" separates the responses: no data bound their coefficients in one direction" +
		whatBounds(len(columns), flat), at
}

// whatBounds says what bounds so many coefficients which data do not bound.
func whatBounds(coefficients int, flat bool) string {
	switch one := coefficients == 1; {
	case one && flat:
		return "; its prior is improper, and so is the posterior"
	case flat:
		return "; their priors are improper, and so is the posterior"
	case one:
		return "; the prior alone does, and decides how large the effect is"
	}
	return "; their priors alone do, and decide how large the effects are"
}

// recedes reports whether Newton's method on a logistic likelihood leaves for infinity: all rows are on their
// sides, or along its last step no row's probability falls, but for rounding, and some rise. Towards a
// maximum steps become 0 and have either sign.
func recedes(signs []float64, basis [][]float64) bool {
	m, p := len(signs), len(basis)
	predictor, step, weighted := make([]float64, m), make([]float64, m), make([]float64, m)
	for range newtonSteps {
		left, right := make([][]float64, p), make([]float64, p)
		residual, weight := make([]float64, m), make([]float64, m)
		for i, s := range signs {
			q := 1 / (1 + portable.Exp(float64(s*predictor[i])))
			residual[i], weight[i] = float64(s*q), float64(q*(1-q))
		}
		for j, b := range basis {
			right[j], left[j] = vec.Dot(m, b, residual), make([]float64, p)
			for i := range weighted {
				weighted[i] = float64(b[i] * weight[i])
			}
			for k := range j + 1 {
				left[j][k] = vec.Dot(m, weighted, basis[k])
				left[k][j] = left[j][k]
			}
		}
		if !solve(left, right) {
			return false
		}
		clear(step)
		for j, b := range basis {
			vec.Axpy(m, step, right[j], b)
		}
		least, worst, best := math.Inf(1), math.Inf(1), math.Inf(-1)
		for i, s := range signs {
			predictor[i] += step[i]
			least = min(least, float64(s*predictor[i]))
			worst, best = min(worst, float64(s*step[i])), max(best, float64(s*step[i]))
		}
		if best < 1e-8 || best-best != 0 {
			return false
		}
		if least > 0 || worst >= -1e-7*best {
			return true
		}
	}
	return false
}

// solve solves a system with a positive definite matrix by elimination, in place.
func solve(a [][]float64, b []float64) bool {
	for k := range a {
		if !(a[k][k] > 0) {
			return false
		}
		for i := k + 1; i < len(a); i++ {
			f := a[i][k] / a[k][k]
			vec.Axpy(len(a)-k, a[i][k:], -f, a[k][k:])
			b[i] -= float64(f * b[k])
		}
	}
	for k := len(a) - 1; k >= 0; k-- {
		b[k] = (b[k] - vec.Dot(len(a)-k-1, a[k][k+1:], b[k+1:])) / a[k][k]
	}
	return true
}
