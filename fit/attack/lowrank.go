package attack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// lowRank finds the numbers for which u = Δ²t + κt − kg has a low rank over the points, and an orthonormal
// basis of its span; nil where there are none. Where w is a combination of points at which u is 0, (w, κw,
// −kw) is one at which second differences, totals and adjoints together are: the null space of all three
// shows both numbers. Regressions outside of the span that follows make them more precise.
func lowRank(points []step, n int) (noiseLaw, [][]float64) {
	s := newRankSearch(points, n)
	if s == nil || !s.first() {
		return noiseLaw{}, nil
	}
	for range polishing {
		if !s.polish() {
			return noiseLaw{}, nil
		}
	}
	if s.error > 0 {
		turn := s.law.kappa - 2
		if s.beyond(s.values, 2+float64(turn*turn), 2) != s.rank {
			return noiseLaw{}, nil
		}
	} else if !(s.values[s.rank-1] > lowRankFall*math.Abs(s.values[s.rank])) {
		return noiseLaw{}, nil
	}
	basis := s.span()
	if len(basis) < s.rank {
		return noiseLaw{}, nil
	}
	return s.law, basis
}

// What a rankSearch has one matrix each of.
const second, total, adjoint = 0, 1, 2

// A rankSearch looks for the law of noise in the differences of points.
type rankSearch struct {
	n, count int              // numbers of a point, and differences
	error    float64          // the largest variance of a total by rounding
	x        [3]*mat.Dense    // the differences
	gram     [3][3]*mat.Dense // their products
	w        float64          // as linearIn has it
	law      noiseLaw
	rank     int
	weights  [3]float64 // of the three in u
	vectors  *mat.Dense // of the Gram matrix of u
	values   []float64
}

// newRankSearch compares some points; nil where there are too few.
func newRankSearch(points []step, n int) *rankSearch {
	points = disjoint(points)
	s := &rankSearch{n: n, x: differences(points[:min(len(points), n/3, mostSought)], n)}
	w, but := linearIn(s.x)
	if s.w = w; w > 0 { // then the noise of a trajectory has few dimensions
		points = slices.CompactFunc(points, func(a, b step) bool { return a.entry[0] == b.entry[0] })
		if s.x = differences(points[:min(len(points), n/3, mostSought)], n); but {
			s.x = centredRows(s.x)
		}
	}
	if s.x[0] == nil {
		return nil
	}
	s.count, _ = s.x[0].Dims()
	for _, p := range points {
		for _, e := range p.around {
			s.error = max(s.error, e[3])
		}
	}
	for a := range s.x {
		for b := range s.x {
			if s.gram[a][b] = new(mat.Dense); b < a {
				s.gram[a][b].CloneFrom(s.gram[b][a].T())
			} else {
				s.gram[a][b].Mul(s.x[a], s.x[b].T())
			}
		}
	}
	return s
}

// first finds the rank and, in the null space of all three, the first law; false where there is none.
func (s *rankSearch) first() bool {
	scale := [3]float64{}
	all := mat.NewDense(3*s.count, s.n, nil)
	for k := range s.x {
		scale[k] = mat.Norm(s.x[k], 2)
		all.Slice(k*s.count, (k+1)*s.count, 0, s.n).(*mat.Dense).Scale(1/scale[k], s.x[k])
	}
	var svd mat.SVD
	vectors := new(mat.Dense)
	if norm := mat.Norm(all, 2); norm-norm != 0 || !svd.Factorize(all, mat.SVDThinU) {
		return false
	}
	svd.UTo(vectors)
	noisy := 2 * s.count // dimensions of the noise of totals and adjoints
	if s.w > 0 {
		noisy = s.count
	}
	values := svd.Values(nil)
	still := fallIn(values, noisy)
	if s.error > 0 { // a point's two errors by rounding go together
		a, b := 1/scale[second], 1/scale[total]
		still = s.beyond(values, float64(6*a*a)+float64(b*b), 1)
	}
	s.rank = still - noisy
	if most := min(s.count/2, mostRank, mostBasis/s.n); still == 0 || s.rank < 1 || s.rank > most {
		return false
	}
	var products [3]float64
	for j := still; j < 3*s.count; j++ {
		for i := range s.count {
			v := vectors.At(i, j) / scale[second]
			for k := range products {
				products[k] += float64(v * vectors.At(k*s.count+i, j) / scale[k])
			}
		}
	}
	s.law = noiseLaw{kappa: products[total] / products[second], k: -products[adjoint] / products[second]}
	if s.w > 0 {
		s.law = noiseLaw{kappa: s.law.kappa + float64(s.law.k*s.w), w: s.w}
	}
	return true
}

// polish finds the span that the law leaves, and then the law that leaves least outside of it.
func (s *rankSearch) polish() bool {
	s.weights = [3]float64{second: 1, total: s.law.kappa, adjoint: -s.law.k}
	var of [3]*mat.Dense
	for a := range s.gram {
		of[a] = combined(s.gram[a], s.weights)
	}
	if s.vectors, s.values = ranked(combined(of, s.weights)); s.values == nil || !(s.values[s.rank-1] > 0) {
		return false
	}
	var part [3]*mat.Dense // of the second differences, totals and adjoints in the components
	for a := range s.x {
		part[a] = new(mat.Dense)
		part[a].Mul(of[a], s.vectors.Slice(0, s.count, 0, s.rank))
		part[a].Apply(func(_, j int, v float64) float64 { return v / math.Sqrt(s.values[j]) }, part[a])
	}
	outside := func(a, b int) float64 {
		var inside mat.Dense
		inside.MulElem(part[a], part[b])
		return mat.Trace(s.gram[a][b]) - mat.Sum(&inside)
	}
	tt, ta, aa := outside(total, total), outside(total, adjoint), outside(adjoint, adjoint)
	ts, as := outside(total, second), outside(adjoint, second)
	if det := float64(tt*aa) - float64(ta*ta); s.w > 0 {
		s.law.kappa = -ts / tt
	} else {
		s.law = noiseLaw{kappa: (float64(ta*as) - float64(aa*ts)) / det,
			k: (float64(tt*as) - float64(ta*ts)) / det}
	}
	return true
}

// beyond is how many values are beyond the edge of errors that are so many times those of totals: singular
// values, or their squares.
func (s *rankSearch) beyond(values []float64, times, power float64) int {
	bound := portable.Pow(edge(slices.Repeat([]float64{float64(s.error * times)}, s.count), s.n), power)
	below := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v > bound })
	return len(values) - len(below)
}

// span is an orthonormal basis of that of u.
func (s *rankSearch) span() [][]float64 {
	var directions [][]float64
	for j := range s.rank {
		v := make([]float64, s.n)
		for a := range s.x {
			for i := range s.count {
				vec.Axpy(s.n, v, float64(s.weights[a]*s.vectors.At(i, j)), s.x[a].RawRowView(i))
			}
		}
		directions = append(directions, v)
	}
	return spanOf(directions)
}

// differences are contrasts of the points, which are without the constants: of second differences, totals and
// adjoints; nil where there are too few. Each is of a point and the mean of those before, in an orthonormal
// basis (Helmert's), so that independent errors stay independent.
func differences(points []step, n int) (x [3]*mat.Dense) {
	if len(points) < 3 {
		return x
	}
	for k, of := range []func(step) []float64{
		func(t step) []float64 { return t.second }, func(t step) []float64 { return t.at },
		func(t step) []float64 { return t.adjoint },
	} {
		x[k] = mat.NewDense(len(points)-1, n, nil)
		sum := slices.Clone(of(points[0]))
		for i, p := range points[1:] {
			before, row := float64(i+1), x[k].RawRowView(i)
			vec.Axpy(n, row, -1/before, sum)
			vec.Accumulate(n, row, of(p))
			vec.Scale(n, row, row, math.Sqrt(before/(before+1)))
			vec.Accumulate(n, sum, of(p))
		}
	}
	return x
}

// centredRows are matrices without the mean over the rows of the data.
func centredRows(x [3]*mat.Dense) (out [3]*mat.Dense) {
	for k, m := range x {
		if m == nil {
			continue
		}
		out[k] = mat.DenseCopyOf(m)
		for i := range m.RawMatrix().Rows {
			centred(out[k].RawRowView(i))
		}
	}
	return out
}

// linearIn is w where the adjoints are −w times the totals, perhaps but for one number that all rows share,
// such as an intercept; and else 0.
func linearIn(x [3]*mat.Dense) (w float64, but bool) {
	if x[0] == nil {
		return 0, false
	}
	for _, of := range [][3]*mat.Dense{x, centredRows(x)} {
		var products, left mat.Dense
		products.MulElem(of[1], of[2])
		size := mat.Norm(of[1], 2)
		w = -mat.Sum(&products) / (size * size)
		left.Scale(w, of[1])
		left.Add(&left, of[2])
		if w > 0 && mat.Norm(&left, 2) <= exactly*mat.Norm(of[2], 2) {
			return w, but
		}
		but = true
	}
	return 0, false
}

// disjoint are points that share no neighbour, which would relate second differences to totals whatever the
// law.
func disjoint(points []step) (out []step) {
	taken := map[*float64]bool{}
	for _, p := range points {
		used := false
		for _, e := range p.around {
			used = used || taken[&e[0]]
		}
		if used {
			continue
		}
		for _, e := range p.around {
			taken[&e[0]] = true
		}
		out = append(out, p)
	}
	return out
}

// fallIn is behind how many values, from least on, the largest fall from one to the next is; 0 where none is
// large enough.
func fallIn(values []float64, least int) (at int) {
	fall, floor := math.Sqrt(lowRankFall), rounding*values[0]
	for k := max(1, least); k < len(values); k++ {
		if f := values[k-1] / max(values[k], floor); f > fall {
			at, fall = k, f
		}
	}
	return at
}

// combined is a weighted sum.
func combined(of [3]*mat.Dense, weights [3]float64) *mat.Dense {
	out := new(mat.Dense)
	out.Scale(weights[0], of[0])
	for k := 1; k < len(of); k++ {
		var one mat.Dense
		one.Scale(weights[k], of[k])
		out.Add(out, &one)
	}
	return out
}

// ranked are the eigenvectors and eigenvalues of a Gram matrix, the largest first; nil where there are none.
func ranked(gram *mat.Dense) (*mat.Dense, []float64) {
	n, _ := gram.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			v := float64((gram.At(i, j) + gram.At(j, i)) / 2)
			if v-v != 0 {
				return nil, nil
			}
			s.SetSym(i, j, v)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(s, true) {
		return nil, nil
	}
	var ascending mat.Dense
	eigen.VectorsTo(&ascending)
	values := eigen.Values(nil)
	slices.Reverse(values)
	vectors := mat.NewDense(n, n, nil)
	for j := range n {
		vectors.SetCol(j, mat.Col(nil, n-1-j, &ascending))
	}
	return vectors, values
}
