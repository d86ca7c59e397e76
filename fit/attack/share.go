package attack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/posterior"
	vec "github.com/vflc/vflc/runtime/vector"
)

// share is what the directions of a group give.
func (s *sums) share(found *separation, group int, members []member) (out Share) {
	out = Share{Within: posterior.NotApplicable(), Correlation: posterior.NotApplicable(),
		Round: posterior.NotApplicable()}
	directions, of := s.directionsOf(found, group)
	out.Directions = len(directions)
	total, newest := s.meanAndNewest()
	mean, round := of(total), of(newest)
	basis := spanOf(directions)
	elements := spaced(len(mean), len(mean))
	if len(members) == 0 {
		out.Mean = numbers(mean)
		if len(basis) > 0 && len(elements) >= fewestRows*len(basis) {
			places := s.places
			if places == nil {
				places = Followed(s.rows)
			}
			out.Rows = rowsOf(basis, places)
		}
		return out
	}
	whose, best := memberOf(directions, members)
	centred(round)
	out.Party, out.Within, out.Whole = whose.party, posterior.Number(best), len(directions) == len(whose.span)
	out.Round = posterior.Number(within(round, whose.span))
	if out.Whole {
		out.Correlation = posterior.Number(stat.Correlation(mean, whose.mean, nil))
	}
	if sure := out.Whole || whose.byColumn; sure || found.groups > 0 {
		out.Single = whose.single(directions, sure || found.alone[slices.Index(found.group, group)])
	}
	out.Columns = (&evidence{data: whose.columns}).columns(basis, elements)
	return out
}

// directionsOf are those of a group over the rows, and what projects a total onto them, along all others.
func (s *sums) directionsOf(found *separation, group int) (directions [][]float64,
	of func(total []float64) []float64) {
	r := s.base.rank
	part := mat.NewDense(r, r, nil)
	for k, g := range found.group {
		if g != group {
			continue
		}
		var one mat.Dense
		one.Outer(1, found.directions.ColView(k), found.inverse.RowView(k))
		part.Add(part, &one)
		v := s.vector(mat.Col(nil, k, found.directions))
		centred(v)
		directions = append(directions, v)
	}
	return directions, func(total []float64) []float64 {
		to := make([]float64, r)
		mat.NewVecDense(r, to).MulVec(part, mat.NewVecDense(r, total))
		return s.vector(to)
	}
}

// meanAndNewest are the mean of the totals of the later parts of the chains, and the last total.
func (s *sums) meanAndNewest() (total, newest []float64) {
	r, n := s.base.rank, 0
	total = make([]float64, r)
	for _, entries := range s.kept {
		for _, e := range late(entries) {
			newest = e[header : header+r]
			vec.Accumulate(r, total, newest)
			n++
		}
	}
	vec.Scale(r, total, total, 1/float64(max(1, n)))
	return total, newest
}

// memberOf is the member whose columns have most of each direction in their span, and how much of the one
// that they have least of.
func memberOf(directions [][]float64, members []member) (whose member, best float64) {
	best = -1
	for _, m := range members {
		least := 1.0
		for _, d := range directions {
			least = min(least, within(d, m.span))
		}
		if least > best {
			best, whose = least, m
		}
	}
	return whose, best
}

// single are the columns of a member that a direction is. It is one, column, where it has all of the member,
// where the settings separate columns, and where no other is coupled with it. Any other is some vector of the
// member's span, and near a column by chance alone: nothing tells that it is.
func (m member) single(directions [][]float64, column bool) []Single {
	out := []Single{}
	if len(directions) != 1 || !column {
		return out
	}
	for _, c := range m.columns {
		if !(spread(c.Values) > 0) {
			continue
		}
		if r := math.Abs(stat.Correlation(directions[0], c.Values, nil)); r >= singleFrom {
			out = append(out, Single{c.Name, posterior.Number(r)})
		}
	}
	return out
}
