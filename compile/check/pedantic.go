package check

import (
	"math"

	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/stdlib/def"
)

// Sizes of constants in priors beyond which they are reported.
const (
	farLarge = 100
	farSmall = 0.01
)

// Pedantic reports what is not wrong and yet seldom meant: priors that say more, or other things, than their
// writer thought. The program has no errors.
func (p *Program) Pedantic() diag.List {
	q := &pedant{Program: p, reached: map[string]bool{}}
	q.reach()
	for _, s := range p.Order {
		if s.Kind != Param || s.Opaque || s.Initial != nil || s.Dist == nil {
			continue
		}
		q.prior(s)
	}
	return q.diags
}

type pedant struct {
	*Program
	diags   diag.List
	reached map[string]bool // names on which a likelihood or a factor depends
}

func (q *pedant) inform(code diag.Code, at ast.Node, text string, args ...any) *diag.Diagnostic {
	d := q.diags.Warnf(code, q.File.Source, at.Span(), text, args...)
	d.Severity = diag.Info
	return d
}

// prior reports what is unusual of one prior, the gravest first and one thing of a kind.
func (q *pedant) prior(s *Symbol) {
	theta := q.values(s)
	switch {
	case s.Flat():
		q.inform(diag.FlatPrior, s.Ident,
			"the prior of %s is improper: its posterior is a distribution only where the data determine it",
			s.Name)
	case s.Dist.Support == def.Interval && !natural(theta):
		q.inform(diag.HardBounds, q.written(s),
			"the prior of %s, %s, is flat between its ends and 0 outside: no data can take %[1]s there",
			s.Name, format.Prior(s.Decl.(*ast.Param))).
			Note("where these ends are a guess, take a smooth prior that makes such values improbable, " +
				"as normal or half_normal")
	case q.spiked(s, theta):
	default:
		q.far(s, theta)
	}
	q.loose(s, theta)
	if !q.reached[s.Name] && s.used && len(q.Likelihoods) > 0 {
		q.inform(diag.NoInfluence, s.Ident, "no likelihood depends on %s: its posterior is its prior", s.Name)
	}
}

// written is the distribution of a parameter in its declaration.
func (q *pedant) written(s *Symbol) ast.Node {
	if d, ok := s.Decl.(*ast.Param); ok {
		return d.Dist
	}
	return s.Ident
}

// values are the arguments of a prior, NaN where they are no constants.
func (q *pedant) values(s *Symbol) []float64 {
	out := make([]float64, len(s.Args))
	for k, a := range s.Args {
		out[k] = math.NaN()
		if a == nil {
			out[k] = s.Dist.Params[k].Default
		} else if v, ok := q.ConstValue(a); ok {
			out[k] = v
		}
	}
	return out
}

// natural reports the ends of a probability or of a correlation, and ends that are data.
func natural(theta []float64) bool {
	low, high := theta[0], theta[1]
	return math.IsNaN(low) || math.IsNaN(high) || high == 1 && (low == 0 || low == -1) || low == -math.Pi &&
		high == math.Pi
}

// spiked reports a prior that is infinite at an end of its support.
func (q *pedant) spiked(s *Symbol, theta []float64) bool {
	for _, e := range []*def.Exponent{s.Dist.Lower.Exponent, s.Dist.Upper.Exponent} {
		if e != nil && e.Of(theta) < 0 && s.Args[e.Param] != nil {
			q.inform(diag.SpikedPrior, s.Args[e.Param],
				"with %s = %g the density of %s is infinite at an end of its support",
				s.Dist.Params[e.Param].Name, theta[e.Param], s.Name)
			return true
		}
	}
	return false
}

// far reports a constant of a prior that is very large or very small.
func (q *pedant) far(s *Symbol, theta []float64) {
	for k, v := range theta {
		a, positive := s.Args[k], s.Dist.Params[k].Domain != def.RealLine
		if a == nil || math.IsNaN(v) ||
			!(math.Abs(v) >= farLarge || positive && v != 0 && math.Abs(v) <= farSmall) {
			continue
		}
		d := q.inform(diag.FarConstant, a,
			"%s of the prior of %s is %g: parameters of the size 1 are easier to sample and to think about",
			s.Dist.Params[k].Name, s.Name, v)
		if k == s.Dist.LocationAt || k == s.Dist.ScaleAt {
			d.Note("standardise the data where they are bound, as from zscore(x), or measure in other units")
		}
		return
	}
}

// loose reports a bound beyond the support.
func (q *pedant) loose(s *Symbol, theta []float64) {
	if s.Structure != nil {
		return
	}
	lower, upper := s.Dist.Bounds(theta)
	if v, ok := q.ConstValue(s.Lower); ok && s.Lower != nil && v < lower {
		q.inform(diag.LooseBound, s.Lower, "%s has no values below %g: this bound changes nothing",
			s.Dist.Name, lower)
	}
	if v, ok := q.ConstValue(s.Upper); ok && s.Upper != nil && v > upper {
		q.inform(diag.LooseBound, s.Upper, "%s has no values above %g: this bound changes nothing",
			s.Dist.Name, upper)
	}
}

// reach finds the names on which likelihoods and factors depend, through lets and through priors.
func (q *pedant) reach() {
	for _, s := range q.File.Stmts {
		switch s.(type) {
		case *ast.Likelihood, *ast.Factor:
			q.names(s)
		}
	}
}

func (q *pedant) names(n ast.Node) {
	ast.Walk(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && !q.reached[name.Name] {
			q.reached[name.Name] = true
			if s := q.Symbols[name.Name]; s != nil && (s.Kind == Let || s.Kind == Param) && s.Decl != nil {
				q.names(s.Decl)
			}
		}
		return true
	})
}
