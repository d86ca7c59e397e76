package attack

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	vec "github.com/vflc/vflc/runtime/vector"
)

// components are the principal components of a sequence that stand out of its noise.
type components struct {
	known      bool        // there were enough evaluations to tell
	directions [][]float64 // orthonormal: the span of the components of all chains
	// scores are the components chain by chain, each of length the sd of the sequence along it; samples are
	// the evaluations that it is from.
	scores  [][]float64
	samples []int // 0 where there is no noise
}

// margin is how far above that of pure noise the variance along a component must be. Evaluations that follow
// one another are correlated, which the formula does not know.
const margin = 2

// blindMargin is the same for words under masks, which are independent of one another.
const blindMargin = 1.1

// distinct is the least eigenvalue of Σ QQᵀ over chains, with their orthonormal components Q, along a
// direction that is not noise: one that a chain has found contributes nearly 1, and the errors of the others'
// components much less.
const distinct = 0.75

// components takes from each chain's sketch what stands out. C is the covariance of N vectors of white noise
// of variance σ² in m dimensions, and q a unit vector that does not depend on them: then |Cq| is about σ²√(1
// + m/N). σ² is what the sketches leave over, per dimension.
func (e *evidence) components() (out components) {
	m := len(e.center)
	var units [][]float64
	for _, v := range e.views {
		if v.sketch == nil {
			return components{}
		}
		q, lambda, outside, n := v.sketch.final()
		if q == nil {
			return components{}
		}
		edge := margin * max(0, outside) / float64(max(1, m-len(lambda))) * math.Sqrt(1+float64(m)/float64(n))
		// the largest eigenvalue of noise, which no block exceeds (Marchenko and Pastur 1967): a finding
		// there would be an alarm
		if v.blind {
			root := 1 + math.Sqrt(float64(m)/float64(n))
			edge = max(edge, float64(root*root)*outside/float64(max(1, m-len(lambda)))*blindMargin)
		}
		for k, u := range q {
			if lambda[k] <= max(edge, rounding*lambda[0]) {
				continue
			}
			units = append(units, u)
			score := make([]float64, m)
			vec.Scale(m, score, u, math.Sqrt(lambda[k]))
			out.scores, out.samples = append(out.scores, score), append(out.samples, n)
		}
	}
	out.known, out.directions = true, leading(units, distinct)
	return out
}

// spanned takes cuts at draws, without noise, in place of a sequence: what their differences span, and some
// of these as scores. It is not known where they are too few to show their span.
func spanned(cuts [][]float64) (out components) {
	if len(cuts) < 2 || len(cuts) > len(cuts[0]) {
		return components{}
	}
	for _, v := range cuts[1:] {
		d := make([]float64, len(v))
		vec.Sub(len(d), d, v, cuts[0])
		out.scores, out.samples = append(out.scores, d), append(out.samples, 0)
	}
	out.directions = orthonormal(out.scores)
	out.known = out.directions != nil
	out.scores, out.samples = out.scores[:min(rank, len(out.scores))],
		out.samples[:min(rank, len(out.samples))]
	return out
}

// leading returns the eigenvectors of AAᵀ with an eigenvalue above bound, the largest first, from the columns
// of A.
func leading(columns [][]float64, bound float64) (directions [][]float64) {
	n := len(columns)
	if n == 0 {
		return nil
	}
	m := len(columns[0])
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, vec.Dot(m, columns[i], columns[j]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	all := eigen.Values(nil) // ascending
	for k := n - 1; k >= 0 && all[k] > bound; k-- {
		u := make([]float64, m)
		for i, c := range columns {
			vec.Axpy(m, u, vectors.At(i, k)/math.Sqrt(all[k]), c)
		}
		directions = append(directions, u)
	}
	return directions
}

// final is the basis of the longer of the last two blocks, whose vectors are the more independent of one
// another: with the mean in it of what is left of |d|² outside of the basis that its products were taken
// with, and its number of vectors. It is nil where no vector has come since a basis was found.
func (s *sketch) final() (q [][]float64, lambda []float64, outside float64, n int) {
	s.flush()
	switch {
	case s.before == 0 || !s.judged && s.n == 0:
		return nil, nil, 0, 0
	case s.n < s.before:
		if outside = s.rest; !s.judged { // rest is of a basis at random
			outside = s.left / float64(s.n)
		}
		return s.q, s.lambda, outside, s.before
	}
	lambda = make([]float64, len(s.q))
	var products [][]float64
	for _, v := range s.s {
		products, q = append(products, slices.Clone(v)), append(q, make([]float64, len(v)))
	}
	principal(products, q, lambda)
	for k := range lambda {
		lambda[k] /= float64(s.n)
	}
	return q, lambda, s.left / float64(s.n), s.n
}

// share is the share of the variance of some vectors about their mean that lies in the span of the
// components.
func (c components) share(vectors [][]float64, mean []float64) float64 {
	in, all := 0.0, 0.0
	d := make([]float64, len(mean))
	for _, v := range vectors {
		vec.Sub(len(d), d, v, mean)
		all += vec.Dot(len(d), d, d)
		for _, u := range c.directions {
			p := vec.Dot(len(d), d, u)
			in += float64(p * p)
		}
	}
	return in / all
}
