package attack

import (
	"gonum.org/v1/gonum/mat"

	vec "github.com/vflc/vflc/runtime/vector"
)

// The noise of a total is taken off the steps of a chain once the metric stands. A total is t = c + r, with c
// = Xθ in the span of all clients' columns and r the noise of all members. Both are positions of one
// leapfrog: with g the adjoint, the same for both, and Δ² the second difference along a trajectory,
//
//	Δ²c = Hg − Ac + constant,  Δ²r = kg − κr + constant,
//
// where k and κ are numbers that all rows share, since the coordinates of the noise have one mass. So u = Δ²t
// + κt − kg = Hg + (κ − A)c + constant has no noise at all, and lies in the span. The two numbers are those
// for which u has a low rank: they follow from a few dozen points, and the span with them. As both laws are
// linear with constant coefficients,
//
//	Δ²u = H(Δ²g + κg) − Au + constant,
//
// the law of a chain without noise, with u for its total and Δ²g + κg for its adjoint: the rest is as there
// (separate.go). With H and A known u shows c, up to a constant, at each single point.
//
// Where the adjoint is a linear function of the total, as in a linear regression with a known residual, g =
// −wt + constant, κ and k cannot be told apart. With κ' = κ + kw the vector u = Δ²t + κ't is the same but for
// a constant, and
//
//	Δ²u = sH Δ²g − (A + κwH/κ')u + constant,  s = 1 − κ/κ':
//
// H up to a factor, which is all that directions and clients need. The factor follows from k = ρ²κ, as in
// small steps.

// A law of noise is what the steps of all rows share.
type noiseLaw struct {
	kappa, k float64
	w        float64 // of an adjoint that is a linear function of the total, where kappa is κ'; else 0
}

// The span is looked for when this many points are there, and then when they have doubled, as long as there
// is room for whole totals and adjoints.
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
	var law noiseLaw
	var basis [][]float64
	if s.noisy {
		law, basis = lowRank(stepsOf(whole, s.rows), s.rows)
	} else {
		basis = spanBeyond(whole, s.rows)
	}
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

// quiet are the entries without noise: the place, u, Δ²g + κg, or Δ²g where that is linear, and as they are
// the adjoint and the total, all in coordinates of the basis.
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

// restore puts the cuts' sum c in place of u, by the law of the chain: c = (κ − A)⁻¹(u − Hg) up to a
// constant, and its mean is that of t − ρ²g, ρ² being the variance of the noise of the sum.
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
