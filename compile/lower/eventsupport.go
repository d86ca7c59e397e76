package lower

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/ast"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// A settled is what is known of an argument of a distribution of vectors or matrices: the values that no
// parameter enters, with the number of its vectors or matrices.
type settled struct {
	values []float64
	events int
}

// of copies value e, all of it where there is one for all.
func (w settled) of(e int) []float64 {
	if w.events <= 1 {
		return w.values
	}
	out := make([]float64, len(w.values)/w.events)
	for i := range out {
		out[i] = w.values[e+i*w.events]
	}
	return out
}

// known evaluates an argument that no parameter enters; nil for any other.
func (s *supported) known(e ast.Expr, rank int) *settled {
	if e == nil || s.Program.Info[e].Random || s.diags.HasErrors() {
		return nil
	}
	id := s.expr(e)
	if s.diags.HasErrors() {
		return nil
	}
	v, _ := s.b.Value(id)
	shape := s.b.Shape(id)
	return &settled{v, shape[:max(0, len(shape)-rank)].Len()}
}

func (s *supported) eventPrior(sym *check.Symbol, shape graph.Shape) {
	size := 0
	if sym.Dist.Event.Rank > 0 {
		size = shape[len(shape)-1]
	}
	s.parameters(sym.Dist, sym.Args, size)
}

// parameters checks the arguments of a distribution of vectors or matrices.
func (s *supported) parameters(d *def.Dist, args []ast.Expr, size int) bool {
	theta := make([][]float64, len(args))
	for k, a := range args {
		p := &d.Params[k]
		w := s.known(a, p.Rank)
		if w == nil {
			continue
		}
		theta[k] = w.of(0)
		for e := range max(1, w.events) {
			if why := notIn(p.Domain, w.of(e)); why != "" {
				s.outside(a, e, w.events, domain(d, p)+why)
				return false
			}
		}
	}
	if d.Event.Check != nil {
		if why := d.Event.Check(theta, size); why != "" {
			s.found.Errorf(diag.OutsideSupport, s.Program.File.Source, args[0].Span(), "%s", why)
			return false
		}
	}
	return true
}

// notIn says what is wrong with a value of a set, "" where nothing is.
func notIn(of def.Support, v []float64) string {
	sum := 0.0
	for _, x := range v {
		switch sum += x; {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return ", and one element is " + number(x)
		case (of == def.Positive || of == def.PositiveOrdered) && x <= 0,
			(of == def.Simplex || of == def.NonNegative) && x < 0, of == def.ZeroOne && x != 0 && x != 1:
			return ", and one element is " + number(x)
		case of == def.Codes && !(x >= 1 && x == math.Floor(x)):
			return ", and one element is " + number(x)
		case of == def.Counts && (x < 0 || x != math.Floor(x)):
			return ", and one element is " + number(x)
		}
	}
	k := int(math.Round(math.Sqrt(float64(len(v)))))
	switch {
	case of == def.Simplex && !(math.Abs(sum-1) <= def.SimplexTolerance):
		return ", and these sum to " + number(sum)
	case of == def.ZeroSum && !(math.Abs(sum) <= 1e-8):
		return ", and these sum to " + number(sum)
	case (of == def.Ordered || of == def.PositiveOrdered) && !increasing(v):
		return ", and these do not"
	case (of == def.CovMatrix || of == def.CorrMatrix) && !linear.Symmetric(v, k):
		return ", and this one is not symmetric"
	case (of == def.CovMatrix || of == def.CorrMatrix) && !linear.PositiveDefinite(v, k):
		return ", and this one is not positive definite"
	case of == def.CholeskyFactor && !linear.CholeskyFactor(v, k):
		return ", and this one is not"
	}
	return ""
}

func increasing(v []float64) bool {
	for i := 1; i < len(v); i++ {
		if !(v[i] > v[i-1]) {
			return false
		}
	}
	return true
}

// events checks a likelihood of vectors or matrices, or with such parameters.
func (s *supported) events(k *check.Likelihood, left []float64, shape graph.Shape) {
	d := k.Dist
	lead := shape[:len(shape)-d.Event.Rank]
	size := 0
	if d.Event.Rank > 0 {
		size = shape[len(shape)-1]
	}
	if !s.parameters(d, k.Args, size) {
		return
	}
	weights := s.data(k.Stmt.Weights, lead)
	x := settled{left, lead.Len()}
	most := s.mostCode(k)
	for e := range lead.Len() {
		if weights != nil && weights.at(e) == 0 {
			continue
		}
		v := x.of(e)
		switch {
		case d.Support == def.Codes && !(v[0] >= 1 && v[0] == math.Floor(v[0]) && v[0] <= most):
			s.report(k.Stmt.Left, v[0], fmt.Sprintf("a value of %s is a category from 1 to %s", d.Name,
				number(most)), e, lead)
			return
		case d.Support == def.Codes:
		default:
			if why := notIn(d.Support, v); why != "" {
				s.outside(k.Stmt.Left, e, lead.Len(), fmt.Sprintf("a value of %s is %s%s", d.Name,
					d.Support.Words(nil), why))
				return
			}
		}
	}
}

// mostCode is the number of categories of a likelihood.
func (s *supported) mostCode(k *check.Likelihood) float64 {
	for j, a := range k.Args {
		if k.Dist.Params[j].Rank == 0 || a == nil {
			continue
		}
		if dims := s.Program.Info[a].Type.Dims; len(dims) > 0 {
			if n, err := dims[len(dims)-1].Eval(s.size); err == nil {
				return float64(n + k.Dist.Event.More)
			}
		}
	}
	return math.Inf(1)
}

// outside reports value e of an expression.
func (s *supported) outside(at ast.Expr, e, events int, why string) {
	which := ""
	if events > 1 {
		which = fmt.Sprintf(" (value %d)", e+1)
	}
	s.found.Errorf(diag.OutsideSupport, s.Program.File.Source, at.Span(), "%s%s: %s", format.Expr(at), which,
		why).
		Note("correct it, leave the row out at every party, or take a distribution that has such values")
}
