package attack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	vec "github.com/vflc/vflc/runtime/vector"
)

// The noise of a total is taken off the steps of a chain once the metric stands. A total is t = c + r, with c = Xθ in the span of all clients' columns and r the noise of all
// members. Both are positions of one leapfrog: with g the adjoint, the same for both, and Δ² the second difference along a trajectory,
//
//	Δ²c = Hg − Ac + constant,  Δ²r = kg − κr + constant,
//
// where k and κ are numbers that all rows share, since the coordinates of the noise have one mass. So u = Δ²t + κt − kg = Hg + (κ − A)c + constant has no noise at all, and lies in the span.
// The two numbers are those for which u has a low rank: they follow from a few dozen points, and the span with them. As both laws are linear with constant coefficients,
//
//	Δ²u = H(Δ²g + κg) − Au + constant,
//
// the law of a chain without noise, with u for its total and Δ²g + κg for its adjoint: the rest is as there (separate.go). With H and A known u shows c, up to a constant, at each single point.
//
// Where the adjoint is a linear function of the total, as in a linear regression with a known residual, g = −wt + constant, κ and k cannot be told apart. With κ' = κ + kw the vector u = Δ²t + κ't is the same but for a
// constant, and
//
//	Δ²u = sH Δ²g − (A + κwH/κ')u + constant,  s = 1 − κ/κ':
//
// H up to a factor, which is all that directions and clients need. The factor follows from k = ρ²κ, as in small steps.

// A law of noise is what the steps of all rows share.
type noiseLaw struct {
	kappa, k float64
	w        float64 // of an adjoint that is a linear function of the total, where kappa is κ'; else 0
}

// The span is looked for when this many points are there, and then when they have doubled, as long as there is room for whole totals and adjoints.
const (
	firstSought = 32
	lastSought  = 1024
	mostSought  = 96      // points that are compared
	mostWhole   = 1 << 21 // numbers
)

// A span is found where the squares of components fall by this factor from one to the next.
const (
	lowRankFall = 1e4
	polishing   = 4
)

// sought reports whether it is time to look for the span, and whether there will be another time.
func (s *steps) sought() (now, again bool) {
	n := len(s.kept) / s.entry()
	return n >= firstSought && n&(n-1) == 0, n < lastSought && 2*n*s.entry() <= mostWhole
}

// find looks for the span in whole totals and adjoints, and keeps their coordinates from there on.
func (s *steps) find() {
	now, again := s.sought()
	if !now {
		return
	}
	var whole [][]float64
	for at := 0; at < len(s.kept); at += s.entry() {
		whole = append(whole, s.kept[at:][:s.entry()])
	}
	law, basis := lowRank(stepsOf(whole, s.rows), s.rows)
	if basis == nil {
		if !again {
			s.off = true
			s.drop()
		}
		return
	}
	s.law, s.rank = law, len(basis)
	for _, b := range basis {
		s.basis = append(s.basis, b...)
	}
	s.kept, s.newer, s.next, s.full = nil, make([]float64, s.entry()), 0, false
	for _, w := range whole {
		copy(s.newer[:header], w)
		s.project(s.newer[header:header+s.rank], w[header:])
		s.project(s.newer[header+s.rank:], w[header+s.rows:])
		s.keep()
	}
}

// lowRank finds the numbers for which u = Δ²t + κt − kg has a low rank over the points, and an orthonormal basis of its span; nil where there are none. Where w is a combination of points at which
// u is 0, (w, κw, −kw) is one at which second differences, totals and adjoints together are: the null space of all three shows both numbers. Regressions outside of the span that follows
// make them more precise.
func lowRank(points []step, n int) (noiseLaw, [][]float64) {
	const second, total, adjoint = 0, 1, 2
	points = disjoint(points)
	x := differences(points[:min(len(points), n/3, mostSought)], n)
	w, but := linearIn(x)
	if w > 0 { // then the noise of a trajectory has few dimensions
		points = slices.CompactFunc(points, func(a, b step) bool { return a.entry[0] == b.entry[0] })
		if x = differences(points[:min(len(points), n/3, mostSought)], n); but {
			x = centredRows(x)
		}
	}
	if x[0] == nil {
		return noiseLaw{}, nil
	}
	count, _ := x[0].Dims()
	scale := [3]float64{}
	for k := range x {
		scale[k] = mat.Norm(x[k], 2)
	}
	var gram [3][3]*mat.Dense
	all := mat.NewDense(3*count, n, nil)
	for a := range x {
		for b := range x {
			if gram[a][b] = new(mat.Dense); b < a {
				gram[a][b].CloneFrom(gram[b][a].T())
			} else {
				gram[a][b].Mul(x[a], x[b].T())
			}
		}
		all.Slice(a*count, (a+1)*count, 0, n).(*mat.Dense).Scale(1/scale[a], x[a])
	}
	var svd mat.SVD
	vectors := new(mat.Dense)
	if norm := mat.Norm(all, 2); norm-norm != 0 || !svd.Factorize(all, mat.SVDThinU) {
		return noiseLaw{}, nil
	}
	svd.UTo(vectors)
	values := svd.Values(nil)
	noisy := 2 * count // dimensions of the noise of totals and adjoints
	if w > 0 {
		noisy = count
	}
	still := fallIn(values, noisy)
	rank := still - noisy
	if most := min(count/2, mostRank, mostBasis/n); still == 0 || rank < 1 || rank > most {
		return noiseLaw{}, nil
	}
	var products [3]float64
	for j := still; j < 3*count; j++ {
		for i := range count {
			v := vectors.At(i, j) / scale[second]
			for k := range products {
				products[k] += float64(v * vectors.At(k*count+i, j) / scale[k])
			}
		}
	}
	law := noiseLaw{kappa: products[total] / products[second], k: -products[adjoint] / products[second]}
	if w > 0 {
		law = noiseLaw{kappa: law.kappa + float64(law.k*w), w: w}
	}
	weights := [3]float64{}
	for range polishing {
		weights = [3]float64{second: 1, total: law.kappa, adjoint: -law.k}
		var of [3]*mat.Dense
		for a := range gram {
			of[a] = combined(gram[a], weights)
		}
		if vectors, values = ranked(combined(of, weights)); values == nil || !(values[rank-1] > 0) {
			return noiseLaw{}, nil
		}
		var part [3]*mat.Dense // of the second differences, totals and adjoints in the components
		for a := range x {
			part[a] = new(mat.Dense)
			part[a].Mul(of[a], vectors.Slice(0, count, 0, rank))
			part[a].Apply(func(_, j int, v float64) float64 { return v / math.Sqrt(values[j]) }, part[a])
		}
		outside := func(a, b int) float64 {
			var inside mat.Dense
			inside.MulElem(part[a], part[b])
			return mat.Trace(gram[a][b]) - mat.Sum(&inside)
		}
		tt, ta, aa := outside(total, total), outside(total, adjoint), outside(adjoint, adjoint)
		ts, as := outside(total, second), outside(adjoint, second)
		if det := float64(tt*aa) - float64(ta*ta); w > 0 {
			law.kappa = -ts / tt
		} else {
			law = noiseLaw{kappa: (float64(ta*as) - float64(aa*ts)) / det, k: (float64(tt*as) - float64(ta*ts)) / det}
		}
	}
	if !(values[rank-1] > lowRankFall*math.Abs(values[rank])) {
		return noiseLaw{}, nil
	}
	var directions [][]float64
	for j := range rank {
		v := make([]float64, n)
		for a := range x {
			for i := range count {
				vec.Axpy(n, v, float64(weights[a]*vectors.At(i, j)), x[a].RawRowView(i))
			}
		}
		directions = append(directions, v)
	}
	basis := spanOf(directions)
	if len(basis) < rank {
		return noiseLaw{}, nil
	}
	return law, basis
}

// differences are those of the points from the first, which are without the constants: of second differences, totals and adjoints; nil where there are too few.
func differences(points []step, n int) (x [3]*mat.Dense) {
	if len(points) < 3 {
		return x
	}
	for k, of := range []func(step) []float64{func(t step) []float64 { return t.second }, func(t step) []float64 { return t.at }, func(t step) []float64 { return t.adjoint }} {
		x[k] = mat.NewDense(len(points)-1, n, nil)
		for i, p := range points[1:] {
			vec.Sub(n, x[k].RawRowView(i), of(p), of(points[0]))
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

// linearIn is w where the adjoints are −w times the totals, perhaps but for one number that all rows share, such as an intercept; and else 0.
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

// disjoint are points that share no neighbour, which would relate second differences to totals whatever the law.
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

// fallIn is behind how many values, from least on, the largest fall from one to the next is; 0 where none is large enough.
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

// quiet are the entries without noise: the place, u, Δ²g + κg, or Δ²g where that is linear, and as they are the adjoint and the total, all in coordinates of the basis.
func (s *steps) quiet() (out [][]float64) {
	if s.basis == nil {
		return nil
	}
	r, turn := s.rank, s.law.kappa
	if s.law.w > 0 {
		turn = 0
	}
	for _, t := range stepsOf(s.entries(), r) {
		e := append(make([]float64, 0, header+4*r), t.entry[:header]...)
		for i := range r {
			e = append(e, t.second[i]+float64(s.law.kappa*t.at[i])-float64(s.law.k*t.adjoint[i]))
		}
		for i := range r {
			e = append(e, t.bent[i]+float64(turn*t.adjoint[i]))
		}
		out = append(out, append(append(e, t.adjoint...), t.at...))
	}
	return out
}

// restore puts the cuts' sum c in place of u, by the law of the chain: c = (κ − A)⁻¹(u − Hg) up to a constant, and its mean is that of t − ρ²g, ρ² being the variance of the noise of the sum.
func (s *steps) restore(entries [][]float64, l *law, variance float64) bool {
	r, kappa := l.h.SymmetricDim(), s.law.kappa
	var inverse, turned, h mat.Dense
	turned.CloneFrom(l.back)
	h.CloneFrom(l.h)
	if w := s.law.w; w > 0 {
		kappa /= 1 + float64(variance*w)
		h.Scale(1/(1-kappa/s.law.kappa), &h)
		var part mat.Dense
		part.Scale(kappa*w/s.law.kappa, &h)
		turned.Add(&turned, &part)
	}
	for i := range r {
		turned.Set(i, i, turned.At(i, i)+kappa)
	}
	if inverse.Inverse(&turned) != nil {
		return false
	}
	shift, c := make([]float64, r), mat.NewVecDense(r, nil)
	for _, e := range entries {
		u, g, t := e[header:header+r], e[header+2*r:header+3*r], e[header+3*r:]
		c.MulVec(&h, mat.NewVecDense(r, g))
		c.SubVec(mat.NewVecDense(r, u), c)
		var of mat.VecDense
		of.MulVec(&inverse, c)
		for i := range u {
			u[i] = of.AtVec(i)
			shift[i] += t[i] - float64(variance*g[i]) - u[i]
		}
	}
	for _, e := range entries {
		vec.Axpy(r, e[header:header+r], 1/float64(len(entries)), shift)
	}
	return true
}
