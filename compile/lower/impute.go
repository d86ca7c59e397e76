package lower

import (
	"math"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/runtime/graph"
)

// missingName is the name of the parameter that holds the missing cells of data.
func missingName(data string) string { return data + ".missing" }

// imputed lowers data whose missing cells are parameters: coordinates for these, the map to the support of
// their distribution with its log-Jacobian, and the data with their values in place. They come after the
// other parameters. The distribution is that of all cells, and enters as the likelihood that it is.
func (l *lowerer) imputed(s *check.Symbol, b *data.BoundValue) {
	if len(b.Gaps) == 0 {
		l.names[l.key(s.Name)] = l.table(s, b, b.Dims, b.Values)
		return
	}
	lower, upper, ok := l.cellBounds(s)
	if !ok || l.diags.HasErrors() {
		return
	}
	key, shape := l.key(missingName(s.Name)), graph.Shape{len(b.Gaps)}
	free := l.b.Param(key, shape)
	x := free
	if finite(lower) != nil || finite(upper) != nil {
		x = l.b.Bijector(l.Program.Universe.For(finite(lower), finite(upper)), x, lower, upper)
	}
	l.names[l.key(s.Name)] = l.fill(s, b, x)
	l.Spec.Hierarchical = true // their distribution has parameters as a rule, and there is one for each cell
	named, member := *s, l.member
	named.Name = missingName(s.Name)
	l.cells = append(l.cells, func() {
		l.b.Last(free)
		l.member = member
		l.report(&named, x, shape)
		l.member = 0
	})
}

// fill puts values in the place of missing cells.
func (l *lowerer) fill(s *check.Symbol, b *data.BoundValue, x graph.ID) graph.ID {
	at := make([]float64, len(b.Gaps))
	for i, g := range b.Gaps {
		at[i] = float64(g.At + 1)
	}
	return l.apply(s.Ident, "fill", graph.Attr{}, l.b.Const(s.Name, b.Dims, b.Values),
		l.b.Const("", graph.Shape{len(at)}, at), x)
}

// cellBounds are the bounds of a missing cell: those of the distribution of the data, narrowed by those
// declared.
func (l *lowerer) cellBounds(s *check.Symbol) (lower, upper float64, ok bool) {
	k := l.Program.DistributionsOf(s)[0]
	cell, theta := *s, make([]float64, len(k.Args))
	for i, a := range k.Args {
		known := a == nil
		if theta[i] = k.Dist.Params[i].Default; !known {
			theta[i], known = l.Program.ConstValue(a)
		}
		if !known {
			theta[i] = math.NaN()
		}
	}
	cell.Dist = k.Dist
	return l.bounds(&cell, theta)
}

// gapsOf is 1 at missing cells of imputed data and 0 at observed ones: without likelihoods, only the former
// have a density.
func (l *lowerer) gapsOf(s *check.Symbol) graph.ID {
	b := l.Data[l.holder(s)][s.Name]
	gaps := make([]float64, len(b.Values))
	for _, g := range b.Gaps {
		gaps[g.At] = 1
	}
	return l.b.Const("", b.Dims, gaps)
}
