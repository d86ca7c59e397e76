package nested

import (
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A curious server has each client's contributions at the draws of the approximation, row by row and exactly,
// though these never cross: the client's draws from its prior and its prior covariance C_j(φ) times the
// vectors u that the server itself answers. Where sums are masked it has this of all clients together. C_j(φ)
// of a client whose prior depends on hyperparameters is client by client there too, and so is the span of
// what it contributes: a total is divided along it and along the span of all others, where these have no
// direction in common.

// curious is what such a server keeps: by client, or of all together where that is 0, the columns that
// crossed near the start, and the covariance on the range of what does not vary.
type curious struct {
	spans map[int][][]float64
	fixed map[int][]float64
	total [][]float64 // the latest draws from the priors, of all clients together
}

// Reveal implements backends.Revealing, with the messages and with what the server keeps beside them.
func (k *Kernel) Reveal(x *density.Exchange, client int, sent, answered [][]float64) [][]float64 {
	c := &k.curious
	if c.spans == nil {
		c.spans, c.fixed = map[int][][]float64{}, map[int][]float64{}
	}
	switch {
	case x == Spanning:
		c.spans[client] = append(c.spans[client], sent...)
	case x == Drawing && client > 0 && sent == nil:
		if sent = k.divide(client); sent != nil {
			return k.moved(client, sent, answered)
		}
	case x == Drawing:
		if client == 0 {
			c.total = sent
		}
		return k.moved(client, sent, answered)
	}
	return nil
}

// of lists the matrices of the server that are a client's alone, and those of every client where that is 0.
func (k *Kernel) of(client int) (pivots []int) {
	at := 1 + len(k.server.parts.points)
	for j, r := range k.pivots[1:] {
		for range r {
			if client == 0 || client == 1+j {
				pivots = append(pivots, at)
			}
			at++
		}
	}
	return pivots
}

// owned is of what a client's prior covariance is made: a matrix that does not vary, and some of the
// server's. A hidden client's is known where its prior depends on hyperparameters, or it is the only one
// whose does not; nil: it is not known.
func (k *Kernel) owned(client int) (still []float64, pivots []int) {
	pivots = k.of(client)
	if k.curious.spans[client] != nil {
		return k.still(client), pivots
	}
	alone := 0
	for _, r := range k.pivots[1:] {
		if r == 0 {
			alone++
		}
	}
	switch p := len(k.server.q); {
	case len(pivots) > 0:
		return make([]float64, p*p), pivots
	case alone == 1:
		return k.still(0), nil
	}
	return nil, nil
}

// still is the covariance of what does not vary of a client that is not hidden, on the range, or of all of
// them.
func (k *Kernel) still(client int) []float64 {
	c := &k.curious
	if t, known := c.fixed[client]; known {
		return t
	}
	var products []float64
	for _, v := range c.spans[client][1:][:k.columns] {
		products = append(products, v...)
	}
	t, ok := k.server.matrix(products, k.with, k.columns)
	if !ok {
		t = nil
	}
	c.fixed[client] = t
	return t
}

// moved are contributions at draws that the vectors have moved; nil where the covariance is not known.
func (k *Kernel) moved(client int, sent, answered [][]float64) (cuts [][]float64) {
	s, each := k.server, k.each()
	p := len(s.q)
	still, varies := k.owned(client)
	if still == nil {
		return nil
	}
	t, from, to := make([]float64, p*p), make([]float64, p), make([]float64, p)
	for i, by := range s.by {
		copy(t, still)
		for _, at := range varies {
			vec.Axpy(p*p, t, by[at], s.t[at])
		}
		for id := i * each; id < (i+1)*each; id++ {
			s.inRange(answered[id], from)
			for r := range to {
				to[r] = vec.Dot(p, t[r*p:], from)
			}
			cut := slices.Clone(sent[id])
			for r, q := range s.q {
				vec.Axpy(len(cut), cut, to[r], q)
			}
			if seen := k.curious.spans[client]; seen != nil {
				for l := range k.shared {
					vec.Axpy(len(cut), cut, s.told[id*k.shared+l], seen[k.covered()+l])
				}
			}
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// divide takes a hidden client's part of the latest totals, but for a constant in each row; nil: its span is
// not known, or has a direction in common with that of the others.
func (k *Kernel) divide(client int) (parts [][]float64) {
	s := k.server
	p := len(s.q)
	still, own := k.owned(client)
	rest := k.still(0)
	if still == nil || rest == nil {
		return nil
	}
	mine, others := slices.Clone(still), make([]float64, p*p)
	if len(own) > 0 {
		copy(others, rest)
	}
	for _, at := range k.of(0) {
		to := others
		if slices.Contains(own, at) {
			to = mine
		}
		vec.Accumulate(p*p, to, s.t[at])
	}
	basis := algebra.Basis(mine, p, p)
	r := len(basis)
	basis = append(basis, algebra.Basis(others, p, p)...)
	f := algebra.NewFactor(len(basis))
	for i, a := range basis {
		for j, b := range basis {
			f.Matrix[i*len(basis)+j] = vec.Dot(p, a, b)
		}
	}
	if r == 0 || !f.Definite() {
		return nil
	}
	for _, total := range k.curious.total {
		parts = append(parts, k.along(&f, basis, r, total))
	}
	return parts
}

// along is the part of a total along the first r vectors of a basis, of which f has the products.
func (k *Kernel) along(f *algebra.Factor, basis [][]float64, r int, total []float64) []float64 {
	s := k.server
	part, by, at := make([]float64, s.rows), make([]float64, len(s.q)), make([]float64, len(basis))
	vec.Sub(s.rows, part, total, k.curious.spans[0][0])
	s.inRange(part, by)
	for i, b := range basis {
		at[i] = vec.Dot(len(by), b, by)
	}
	f.Solve(at)
	clear(by)
	for i := range r {
		vec.Axpy(len(by), by, at[i], basis[i])
	}
	clear(part)
	for i, q := range s.q {
		vec.Axpy(s.rows, part, by[i], q)
	}
	return part
}
