package attack

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A sum over clients is separated by the variances of a fit by quadrature, without a trajectory. In an
// iteration the clients send the variances of their contributions, row by row, and the sum of those in row i
// is
//
//	x_i' Σ x_i,  Σ = (P + X'WX)⁻¹ client by client,
//
// where x_i is the row over all clients' columns and W what the server has answered. So each total of
// variances is n linear equations in the one matrix Σ, which is block-diagonal by client, in coordinates of
// the span that the totals at draws show. Σ differs from iteration to iteration, since W does, as metrics
// differ from chain to chain: two of them give directions that lie in one client's columns each, and a third
// says which belong together (separate.go). The first Σ is a multiple of the identity. Where q(θ) is diagonal
// the directions are single columns.
//
// Rows need not determine Σ: of two categories of a factor no row has both. Then the smallest Σ that fits is
// taken, in coordinates in which the totals at draws from the priors, independent by client, have variance 1:
// what is left out lies within one client, and so the blocks stay.

// Variances keeps what a fit by quadrature shows of a sum: the total at draws, and totals of variances.
type Variances struct {
	group    int
	power    bool
	picks    []int
	noise    []float64   // variance of each member's noise
	draws    [][]float64 // totals at some draws, the first at their mean
	prior    bool        // the draws are from the priors
	mean     []float64   // the total under the fit
	kept     []variance
	answered [][2][]float64 // by fit, the latest curvatures
	latest   string         // the name of the latest round trip
	fixed    fixedDraws
}

// A variance is a total of variances, with the curvatures from which these may follow.
type variance struct {
	values []float64
	after  [2][]float64
	bare   bool // of cuts, without the noise of what crosses
}

// Bounds of what is kept.
const (
	mostVariances = 16
	mostAtDraws   = 128
	mostFits      = 1000
)

// NewVariances prepares to follow sum group of a plan; nil where one client contributes alone, or parts of
// the rows are evaluated at a time.
func NewVariances(plan *model.Plan, group int) *Variances {
	g := plan.Groups[group]
	if len(plan.Windows) > 0 || len(g.Members) < 2 {
		return nil
	}
	v := &Variances{group: group, power: plan.AtClients, picks: Followed(g.Len)}
	for _, port := range g.Members {
		rho := cutOf(plan, port).Rho
		if plan.Exact {
			rho = 0
		}
		v.noise = append(v.noise, rho*rho)
	}
	return v
}

// Relayed takes what has crossed in a round trip: the columns of all sums, and of the answers.
func (v *Variances) Relayed(x *density.Exchange, fit, columns int, sum, down [][]float64) {
	for len(v.answered) <= fit {
		v.answered = append(v.answered, [2][]float64{})
	}
	of, more := sum[v.group], v.latest == x.Name
	here := density.Circumstance{AtClients: v.power, Exact: true}
	shown, answered := x.Up.Shows(here), x.Down.Shows(here)
	column := func(all []float64, k int) []float64 {
		n := len(all) / columns
		return pick(all[k*n:][:n], v.picks)
	}
	switch {
	case shown == density.MeanOfZ:
		v.keep(variance{values: column(of, 1), after: v.answered[fit]})
		if answered == density.SlopeByZ {
			v.answered[fit] = [2][]float64{column(down[v.group], 1), v.answered[fit][0]}
		}
	case shown == density.MeanOfCut:
		v.keep(variance{values: column(of, 1), bare: true})
	case shown == density.CutThenVector && !more:
		v.draws, v.prior = nil, true
		for k := 0; k < columns-2 && k < mostAtDraws; k++ {
			v.draws = append(v.draws, column(of, k))
		}
		v.mean = column(of, columns-2)
		v.keep(variance{values: column(of, columns-1), bare: true})
	case AtFinalDraws(x) && !more && !v.prior:
		v.draws = nil
		// every second draw is the reflection of the one before
		for k := 0; k < columns && len(v.draws) < mostAtDraws; k += 1 + k%2 {
			v.draws = append(v.draws, column(of, k))
		}
		v.mean = v.draws[0]
	case shown == density.CutAtDraws && answered == density.SlopeAtDraws:
		v.fixed.take(columns, more, func(k int) []float64 { return column(of, k) })
	}
	v.latest = x.Name
}

// keep keeps the first ones, and the last.
func (v *Variances) keep(one variance) {
	if len(v.kept) == mostVariances {
		v.kept = v.kept[:mostVariances-1]
	}
	v.kept = append(v.kept, one)
}

// A design are the rows in coordinates in which draws have variance 1, and their products, of which a total
// of variances is a linear function.
type design struct {
	rank     int
	basis    []float64 // by coordinate, over rows
	products *mat.Dense
}

// designOf is that of totals at draws; nil where these do not show their span.
func designOf(draws [][]float64) *design {
	if len(draws) < 3 {
		return nil
	}
	var moves [][]float64
	for _, d := range draws[1:] {
		m := make([]float64, len(d))
		vec.Sub(len(m), m, d, draws[0])
		moves = append(moves, m)
	}
	u := orthonormal(moves)
	r := len(u)
	if r == 0 || r > mostRank {
		return nil
	}
	n := len(moves[0])
	second := mat.NewSymDense(r, nil)
	at := make([]float64, r)
	for _, m := range moves {
		for k := range u {
			at[k] = vec.Dot(n, u[k], m)
		}
		second.SymRankOne(second, 1/float64(len(moves)), mat.NewVecDense(r, at))
	}
	var c mat.Cholesky
	if !c.Factorize(second) {
		return nil
	}
	var l mat.TriDense
	c.LTo(&l)
	d := &design{rank: r, basis: make([]float64, r*n)}
	for j := range r {
		for k := j; k < r; k++ {
			vec.Axpy(n, d.basis[j*n:][:n], l.At(k, j), u[k])
		}
	}
	d.multiply(n)
	return d
}

// multiply fills in the products of n rows.
func (d *design) multiply(n int) {
	r := d.rank
	d.products = mat.NewDense(n, r*(r+1)/2, nil)
	for i := range n {
		row, to := d.products.RawRowView(i), 0
		for j := range r {
			for k := j; k < r; k++ {
				row[to] = float64(d.basis[j*n+i] * d.basis[k*n+i])
				if k > j {
					row[to] *= math.Sqrt2
				}
				to++
			}
		}
	}
}

// A solver of a design finds, for a total of variances in some of the rows, the smallest matrix that gives
// it.
type spreadSolver struct {
	design *design
	rows   []int
	of     *mat.Dense // the products of these rows
	back   *mat.Dense // the pseudo-inverse of the normal equations
	rank   int
}

// undetermined is the eigenvalue of the normal equations, in relation to the largest, below which rows say
// nothing.
const undetermined = 1e-10

func (d *design) solver(rows []int) *spreadSolver {
	_, q := d.products.Dims()
	s := &spreadSolver{design: d, rows: rows, of: mat.NewDense(len(rows), q, nil)}
	for k, i := range rows {
		s.of.SetRow(k, d.products.RawRowView(i))
	}
	normal := mat.NewSymDense(q, nil)
	normal.SymOuterK(1, s.of.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(normal, true) {
		return nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	scaled := mat.NewDense(q, q, nil)
	for j, x := range values {
		if x <= undetermined*values[q-1] {
			continue
		}
		s.rank++
		for i := range q {
			scaled.Set(i, j, vectors.At(i, j)/x)
		}
	}
	s.back = new(mat.Dense)
	s.back.Mul(scaled, vectors.T())
	return s
}

// solve is the matrix, and the share of the values' size that it leaves.
func (s *spreadSolver) solve(values []float64) (*law, float64) {
	y := mat.NewVecDense(len(s.rows), pick(values, s.rows))
	var right, x, left mat.VecDense
	right.MulVec(s.of.T(), y)
	x.MulVec(s.back, &right)
	left.MulVec(s.of, &x)
	left.SubVec(y, &left)
	r, at := s.design.rank, 0
	h := mat.NewSymDense(r, nil)
	for j := range r {
		for k := j; k < r; k++ {
			v := x.AtVec(at)
			if k > j {
				v /= math.Sqrt2
			}
			h.SetSym(j, k, v)
			at++
		}
	}
	return &law{h: h, used: len(s.rows)}, mat.Norm(&left, 2) / mat.Norm(y, 2)
}

// spreads are what the variances of the cuts may be: as they crossed, or without the noise of z, whose
// variance given the cut is ρ²/(1 + ρ²w), or ρ² where the guide or the curvature w is not known, and whose
// slope in the cut is 1/(1 + ρ²w), or 1.
func (v *Variances) spreads(one variance) (out [][]float64) {
	if noise := slices.Max(v.noise); one.bare || noise == 0 {
		return [][]float64{one.values}
	}
	for _, after := range append([][]float64{nil}, one.after[:]...) {
		for _, follows := range []bool{true, false} {
			if after == nil && follows {
				continue
			}
			s := slices.Clone(one.values)
			for i := range s {
				w, slope := 0.0, 1.0
				if after != nil {
					w = after[i]
				}
				for _, r := range v.noise {
					s[i] -= r / (1 + float64(r*w))
				}
				if follows {
					slope = 1 / (1 + float64(v.noise[0]*w))
				}
				s[i] /= slope * slope
			}
			out = append(out, s)
		}
	}
	return out
}

// followed is the share of a total of variances that a matrix may leave.
const followed = 0.01

// laws are the matrices of the totals that one fits, the most exact first and without those that are
// combinations of others, and those of every second row.
func (v *Variances) laws(d *design) (laws []*law, halves [2][]*law) {
	var parts [3][]int
	for i := range v.picks {
		parts[0], parts[1+i%2] = append(parts[0], i), append(parts[1+i%2], i)
	}
	var solvers [3]*spreadSolver
	for k, rows := range parts {
		if solvers[k] = d.solver(rows); solvers[k] == nil || solvers[k].rank < solvers[0].rank ||
			enough*float64(solvers[k].rank) > float64(len(rows)) {
			return nil, halves
		}
	}
	var all [][3]*law
	for _, one := range v.kept {
		var found [3]*law
		least := followed
		for _, values := range v.spreads(one) {
			if l, left := solvers[0].solve(values); left < least {
				least = left
				l.left, found[0] = left, l
				found[1], _ = solvers[1].solve(values)
				found[2], _ = solvers[2].solve(values)
			}
		}
		if found[0] != nil {
			all = append(all, found)
		}
	}
	slices.SortStableFunc(all, func(a, b [3]*law) int { return less(a[0].left, b[0].left) })
	for _, found := range all {
		if !combination(found[0], laws) {
			laws, halves[0], halves[1] = append(laws, found[0]), append(halves[0], found[1]),
				append(halves[1], found[2])
		}
	}
	return laws, halves
}

// enough is how many rows there must be for each number that they determine, in either half of them.
const enough = 1.1

// repeated is the share of a matrix outside of the span of others up to which it is one of it.
const repeated = 1e-3

// combination reports whether a matrix is a combination of others, which says nothing new.
func combination(of *law, others []*law) bool {
	r := of.h.SymmetricDim()
	flat := func(l *law) []float64 {
		out := make([]float64, 0, r*r)
		for i := range r {
			for j := range r {
				out = append(out, l.h.At(i, j))
			}
		}
		return out
	}
	rest := flat(of)
	before := norm(rest)
	var all [][]float64
	for _, o := range others {
		all = append(all, flat(o))
	}
	basis := spanOf(all)
	for range 2 {
		for _, u := range basis {
			vec.Axpy(len(rest), rest, -vec.Dot(len(rest), u, rest), u)
		}
	}
	return norm(rest) <= repeated*before
}

// separate separates the sum.
func (v *Variances) separate(out *Separation, members []member) {
	out.By, out.Of = byVariances, len(v.kept)
	d := designOf(v.draws)
	if d == nil {
		out.Missing = "the totals at draws show no small span"
		return
	}
	out.Dimensions = d.rank
	if most := d.rank * (d.rank + 1) / 2; most > mostProducts {
		out.Missing = fmt.Sprintf("the variances of %d dimensions have more than %d unknowns", d.rank,
			mostProducts)
		return
	}
	laws, halves := v.laws(d)
	out.Chains = len(laws)
	found := separated(laws, halves)
	switch {
	case found != nil:
	case out.Chains == 0:
		out.Missing = "too few rows for the variances, or these follow no matrix that all rows share"
	default:
		out.Missing = "the variances of all iterations follow from one matrix"
	}
	if found == nil {
		return
	}
	s := &sums{rows: len(v.picks), places: v.picks, base: &steps{rows: len(v.picks), rank: d.rank,
		basis: d.basis}}
	origin := v.draws[0] // the prior mean: an offset, if any
	if !v.prior {
		origin = make([]float64, len(v.mean))
	}
	s.kept = [][][]float64{{append(make([]float64, header), d.coordinates(v.mean, origin)...)}}
	s.describe(out, found, members, "rows", "more totals of variances")
}

// mostProducts bounds the unknowns of a matrix.
const mostProducts = 820

// coordinates are those of a total, less one that is their origin.
func (d *design) coordinates(total, origin []float64) []float64 {
	n := len(total)
	a, y := mat.NewDense(n, d.rank, nil), mat.NewVecDense(n, nil)
	for j := range d.rank {
		a.SetCol(j, d.basis[j*n:][:n])
	}
	for i := range total {
		y.SetVec(i, total[i]-origin[i])
	}
	var x mat.VecDense
	if x.SolveVec(a, y) != nil {
		return make([]float64, d.rank)
	}
	return x.RawVector().Data
}

func (v *Variances) state(c *backends.Codec) {
	n, draws, kept, latest := len(v.picks), len(v.draws), len(v.kept), []byte(v.latest)
	fits := len(v.answered)
	c.Ints(&draws, &kept, &fits)
	c.Bytes(&latest)
	c.Bool(&v.prior)
	v.latest = string(latest)
	if draws < 0 || draws > mostAtDraws || kept < 0 || kept > mostVariances || fits < 0 || fits > mostFits {
		c.Fail(fmt.Errorf("%d draws and %d variances of %d fits were kept", draws, kept, fits))
		return
	}
	for len(v.draws) < draws {
		v.draws = append(v.draws, make([]float64, n))
	}
	for len(v.kept) < kept {
		v.kept = append(v.kept, variance{})
	}
	all := []*[]float64{&v.mean}
	v.answered = slices.Grow(v.answered, max(0, fits-len(v.answered)))[:fits]
	for k := range v.answered {
		all = append(all, &v.answered[k][0], &v.answered[k][1])
	}
	for k := range v.kept {
		one := &v.kept[k]
		c.Bool(&one.bare)
		all = append(all, &one.values, &one.after[0], &one.after[1])
	}
	for k := range v.draws {
		all = append(all, &v.draws[k])
	}
	for _, to := range all {
		there := *to != nil
		if c.Bool(&there); there && *to == nil {
			*to = make([]float64, n)
		}
		c.Floats(*to)
	}
	v.fixed.state(c, n)
}
