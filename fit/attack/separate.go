package attack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/portable"
)

// A sum over clients is separated by the steps of a chain that anybody sees who has the totals and the
// adjoints. With columns X = [X₁ … X_J] of the clients, parameters θ, and M⁻¹, which is block-diagonal by
// client, three points of a leapfrog trajectory have the second difference
//
//	Xθ₊ − 2Xθ + Xθ₋ = ε²(X M⁻¹Xᵀ g − X M⁻¹Λθ),
//
// where g is the adjoint at the middle one and the last term is a linear function of its total Xθ, if the
// prior is normal. Steps that turn around a normal distribution give the same with other factors and a
// constant. So a regression of second differences on adjoint, total and 1, all in coordinates of the span of
// the totals, has the coefficients H = ε²X M⁻¹Xᵀ. Steps under another metric, and those where a prior is far
// from normal, are left out as outliers.
//
// M differs from chain to chain, X does not. With H_a and H_b of two chains each eigenvector of H_a H_b⁻¹
// lies in the span of the columns of one client. In coordinates of the eigenvectors H of a third chain has
// blocks: they are the clients. Where M is diagonal, the eigenvectors are the columns themselves.

// A law is what a regression found of the steps of a chain, in coordinates of a basis of the span.
type law struct {
	h    *mat.SymDense
	back *mat.Dense // the coefficients of the total, -A
	used int        // steps that follow it
	left float64    // the share of a total of variances that it leaves; 0 for steps
}

// The regression is on those steps that follow it best, as often as their choice changes: a trimmed one
// (Rousseeuw 1984, "Least median of squares regression").
const (
	trimmedTo   = 0.5
	trimSteps   = 40
	sampledFrom = 0.5 // the metric is the same in the later part of a chain
	fewestSteps = 1.5 // for each coefficient of a coordinate
)

// A law is believed where it leaves this much of a second difference at most, and H is as symmetric.
const believed = 0.1

// A step is a point of a trajectory between two others.
type step struct {
	entry        []float64
	around       [3][]float64 // it and its neighbours
	second, bent []float64    // second differences of total and adjoint
	at, adjoint  []float64
}

// stepsOf lists the entries that have a neighbour on both sides, in their own trajectory or in the next,
// where that begins at them: second differences follow from the position alone, whatever the momentum. All
// are in coordinates of a basis of some rank.
func stepsOf(entries [][]float64, rank int) (out []step) {
	type place struct{ trajectory, point int }
	at, start := map[place][]float64{}, map[int]int{}
	for _, e := range entries {
		at[place{int(e[0]), int(e[1])}], start[int(e[0])] = e, int(e[2])
	}
	find := func(trajectory, point int) []float64 {
		for point == 0 { // the start is a point of the trajectory before, or that one's start
			from, known := start[trajectory]
			if !known {
				return nil
			}
			trajectory, point = trajectory-1, from
		}
		return at[place{trajectory, point}]
	}
	for _, e := range entries {
		trajectory, point := int(e[0]), int(e[1])
		a, c := find(trajectory, point-1), find(trajectory, point+1)
		if from, known := start[trajectory+1]; (a == nil || c == nil) && known && from == point {
			a, c = at[place{trajectory + 1, -1}], at[place{trajectory + 1, 1}]
		}
		if a == nil || c == nil {
			continue
		}
		both := make([]float64, 2*rank)
		for i := range both {
			both[i] = (c[header+i] - e[header+i]) - (e[header+i] - a[header+i])
		}
		out = append(out, step{e, [3][]float64{a, e, c}, both[:rank], both[rank:], e[header : header+rank],
			e[header+rank : header+2*rank]})
	}
	return out
}

// late are the entries of the later part of the chain.
func late(entries [][]float64) [][]float64 {
	if len(entries) == 0 {
		return nil
	}
	from := sampledFrom * entries[len(entries)-1][0]
	return entries[slices.IndexFunc(entries, func(e []float64) bool { return e[0] >= from }):]
}

func less(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func norm(v []float64) float64 { return mat.Norm(mat.NewVecDense(len(v), v), 2) }

// standardised divides columns by their lengths, which it returns.
func standardised(x *mat.Dense) []float64 {
	_, n := x.Dims()
	out := make([]float64, n)
	for j := range n {
		column := x.ColView(j)
		out[j] = mat.Norm(column, 2)
		if !(out[j] > 0) {
			out[j] = 1
		}
	}
	x.Apply(func(_, j int, v float64) float64 { return v / out[j] }, x)
	return out
}

// leastSquares is the regression of some rows of y on those of x.
func leastSquares(c, x, y *mat.Dense, rows []int) bool {
	_, n := x.Dims()
	_, m := y.Dims()
	a, b := mat.NewDense(len(rows), n, nil), mat.NewDense(len(rows), m, nil)
	for k, row := range rows {
		a.SetRow(k, x.RawRowView(row))
		b.SetRow(k, y.RawRowView(row))
	}
	var qr mat.QR
	qr.Factorize(a)
	c.Reset()
	return qr.SolveTo(c, false, b) == nil
}

// A separation of a sum: directions that lie in one client's columns each, and which of them are of one
// client.
type separation struct {
	chains     int        // with a law
	directions *mat.Dense // columns, in coordinates of the basis
	inverse    *mat.Dense
	stable     []bool  // by direction: two halves of the steps give it too
	group      []int   // by direction, from 0; -1: not known
	alone      []bool  // by direction: no other is coupled with it, stable or not
	groups     int     // 0: there is no third chain
	gap        float64 // by how much the couplings within groups exceed those between them
}

// near is the cosine from which on a direction is the one that half of the steps gives.
const near = 0.99

// uncoupled is the coupling up to which the metric has none. Two directions of one client under dense
// metrics, which are estimates from the draws of a warm-up, mostly couple by several hundredths.
const uncoupled = 0.01

// likely is how many times what the second best law leaves another may leave of which directions are.
const likely = 100

// separated separates with the laws of some chains, and those that the two halves of the steps of each give:
// nil where there are less than two chains with laws.
func separated(laws []*law, halves [2][]*law) *separation {
	chains := 0
	for _, l := range laws {
		if l != nil {
			chains++
		}
	}
	a, b := farthest(laws)
	if a < 0 {
		return nil
	}
	s := &separation{chains: chains, inverse: new(mat.Dense)}
	s.directions, _ = together(laws[a].h, laws[b].h)
	if s.inverse.Inverse(s.directions) != nil {
		return nil
	}
	s.settle(halves, a, b)
	s.divide(s.others(laws, halves, a, b))
	return s
}

// farthest are the two laws, of the most exact ones, whose eigenvalues are most apart; -1 where there are
// none.
func farthest(laws []*law) (a, b int) {
	left := []float64{}
	for _, l := range laws {
		if l != nil {
			left = append(left, l.left)
		}
	}
	if len(left) < 2 {
		return -1, -1
	}
	slices.Sort(left)
	bound, best := math.Max(likely*left[1], rounding), 0.0
	a, b = -1, -1
	for i, one := range laws {
		for j, other := range laws {
			if i >= j || one == nil || other == nil || one.left > bound || other.left > bound {
				continue
			}
			if _, values := together(one.h, other.h); values != nil && apart(values) > best {
				a, b, best = i, j, apart(values)
			}
		}
	}
	return a, b
}

// together are the eigenvectors of HG⁻¹, of length 1, and the eigenvalues; nil where G is no metric.
func together(h, g *mat.SymDense) (*mat.Dense, []float64) {
	var c mat.Cholesky
	if !c.Factorize(g) {
		return nil, nil
	}
	var l mat.TriDense
	c.LTo(&l)
	n := g.SymmetricDim()
	var half, whole mat.Dense
	if half.Solve(&l, h) != nil || whole.Solve(&l, half.T()) != nil {
		return nil, nil
	}
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (whole.At(i, j)+whole.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(s, true) {
		return nil, nil
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	out := new(mat.Dense)
	out.Mul(&l, &v)
	for j := range n {
		length := mat.Norm(out.ColView(j), 2)
		for i := range n {
			out.Set(i, j, out.At(i, j)/length)
		}
	}
	return out, eigen.Values(nil)
}

// apart is the least distance between eigenvalues, in relation to the larger of two.
func apart(values []float64) float64 {
	out := math.Inf(1)
	for k := 1; k < len(values); k++ {
		out = min(out, (values[k]-values[k-1])/math.Abs(values[k]))
	}
	return out
}

// settle finds which directions each half of the steps gives too.
func (s *separation) settle(halves [2][]*law, a, b int) {
	var given [2]*mat.Dense
	for k, half := range halves {
		if half[a] != nil && half[b] != nil {
			given[k], _ = together(half[a].h, half[b].h)
		}
	}
	s.alike(given[0], given[1])
}

// alike finds which directions are among others, twice; nil are none.
func (s *separation) alike(given ...*mat.Dense) {
	_, n := s.directions.Dims()
	s.stable = slices.Repeat([]bool{true}, n)
	for _, other := range given {
		if other == nil {
			clear(s.stable)
			return
		}
		var cosines mat.Dense
		cosines.Mul(other.T(), s.directions)
		for k := range s.stable {
			best := 0.0
			for i := range n {
				best = max(best, math.Abs(cosines.At(i, k)))
			}
			s.stable[k] = s.stable[k] && best >= near
		}
	}
}

// couplings are |K_ij|/√(K_ii K_jj) of a chain's H in coordinates of the directions: 0 between two clients.
func (s *separation) couplings(l *law) *mat.Dense {
	var half, k mat.Dense
	half.Mul(s.inverse, l.h)
	k.Mul(&half, s.inverse.T())
	n, _ := k.Dims()
	out := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			out.Set(i, j, math.Abs(k.At(i, j))/math.Sqrt(math.Abs(float64(k.At(i, i)*k.At(j, j)))))
		}
	}
	return out
}

// A coupled is what couples the directions in a chain that they are not from: by all of its steps, and by
// each half of them.
type coupled struct{ whole, first, second *mat.Dense }

// others are those of the chains beside the two that the directions are from.
func (s *separation) others(laws []*law, halves [2][]*law, a, b int) (out []coupled) {
	for c, l := range laws {
		if c != a && c != b && l != nil && halves[0][c] != nil && halves[1][c] != nil {
			out = append(out, coupled{s.couplings(l), s.couplings(halves[0][c]), s.couplings(halves[1][c])})
		}
	}
	return out
}

// divide finds the clients: the spanning tree of the directions by their largest couplings in the other
// chains, without those edges that are below the largest gap in the couplings along it. It begins at 1, and
// ends at what two halves of the steps differ by.
func (s *separation) divide(others []coupled) {
	n := len(s.stable)
	s.group, s.alone = slices.Repeat([]int{-1}, n), make([]bool, n)
	most := mat.NewDense(n, n, nil)
	var errors []float64
	for _, o := range others {
		for i := range n {
			for j := range n {
				if most.Set(i, j, max(most.At(i, j), o.whole.At(i, j))); i < j && s.stable[i] && s.stable[j] {
					errors = append(errors, math.Abs(o.first.At(i, j)-o.second.At(i, j)))
				}
			}
		}
	}
	var members []int
	for k, is := range s.stable {
		if is {
			members = append(members, k)
		}
	}
	if len(others) == 0 || len(members) < 2 {
		return
	}
	noise := max(slices.Max(errors), rounding)
	points := len(members)
	parent, length := tree(points, func(i, j int) float64 {
		return -portable.Log(max(most.At(members[i], members[j]), noise))
	})
	edges := append([]float64{0}, slices.Sorted(slices.Values(length[1:]))...)
	edges = append(edges, -portable.Log(noise))
	bound, gap := 0.0, 0.0
	for k := 1; k < len(edges); k++ {
		if g := edges[k] - edges[k-1]; g > gap {
			bound, gap = edges[k-1], g
		}
	}
	for k := range parent {
		if length[k] > bound {
			parent[k] = -1
		}
	}
	for k, g := range number(parent) {
		s.group[members[k]] = g
		s.groups = max(s.groups, g+1)
	}
	s.gap = portable.Exp(gap)
	s.single(most)
}

// single finds the groups of one direction that couples with no other, those that do not settle included:
// these may be of its client.
func (s *separation) single(most *mat.Dense) {
	for k, g := range s.group {
		s.alone[k] = g >= 0
		for j, other := range s.group {
			s.alone[k] = s.alone[k] && (j == k || g != other && most.At(k, j) <= uncoupled)
		}
	}
}
