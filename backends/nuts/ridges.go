package nuts

import (
	"errors"
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

const (
	mostRidges  = 32 // directions that are looked for
	leastDraws  = 10 // draws that they are looked for in
	drawsARidge = 2  // draws for each
	ridgeFactor = 2  // how far the inverse mass along a direction is from the diagonal one at least
	// directions that a first look takes, and the share of what pays, its inverse, that it must show
	glance = 8
	// the ratio of the greatest to the least inverse mass of scaled coordinates from which on ridges are used
	ridgesPay   = 16
	ridgeAlone  = 6    // the inverse mass from which on a direction is a ridge whatever the others are
	ridgeLeast  = 1e-8 // the least inverse mass of scaled coordinates, and the inverse of the greatest
	ridgesLimit = 4096 // parameters of a party for which draws and gradients are kept to look for ridges
)

// ridgesFor is how many ridges a metric of dim coordinates has room for.
func ridgesFor(dim int) int { return min(dim, mostRidges) }

// Ridges make a diagonal inverse mass D one of low rank plus diagonal, D^½(1 + U(Λ−1)Uᵀ)D^½ with orthonormal
// columns U: along them, in coordinates scaled by D, the inverse mass is Λ. Draws vary far along a ridge
// while gradients along it hardly vary, and along its opposite the other way round. (As the low-rank metric
// of nutpie, Seyboldt, Carlson and Carpenter 2024; the directions are found in another way.)
//
// With W = D^½U, M⁻¹ = D + W(Λ−1)Wᵀ: a momentum has the products Wᵀp beside its coordinates, as if these were
// coordinates of the inverse masses Λ−1. A leapfrog multiplies by Wᵀ and by W once.
type ridges struct {
	dim, rank  int
	long       bool      // only directions of a greater inverse mass are ridges
	joint      bool      // their columns are of all parties' coordinates, of which these are this party's
	u, w       []float64 // by columns
	mass       []float64 // Λ − 1
	zero, room []float64
	search     *ridgeSearch // nil after the warm-up
	recall     func(k int, q, g []float64)
	shifts     func(basis, root []float64) int // as party.shifts
}

// A ridgeSearch is room to look for ridges.
type ridgeSearch struct {
	draws, gradients []float64 // scaled deviations, one draw after another
	center           [2][]float64
	basis            []float64 // orthonormal rows
	next             []float64
	along            [2][]float64 // products with each draw and gradient
	products         [2][]float64 // of draws and of gradients with the basis, a row for each of its vectors
	shares           []float64
	work             workspace
}

func newRidges(of shape, mass []float64) *ridges {
	dim, most := of.ridged, len(mass)
	v := make([]float64, 2*dim*most+2*most)
	return &ridges{search: newRidgeSearch(dim, most), dim: dim, long: of.long, joint: of.joint,
		u: v[:dim*most], w: v[dim*most:][:dim*most], zero: v[2*dim*most:][:most], room: v[2*dim*most+most:],
		mass: mass}
}

func newRidgeSearch(dim, most int) *ridgeSearch {
	const draws = keptDraws
	v := make([]float64, (2*draws+most+3)*dim+2*draws*(1+most)+most)
	next := func(size int) []float64 { m := v[:size:size]; v = v[size:]; return m }
	return &ridgeSearch{
		draws: next(draws * dim), gradients: next(draws * dim),
		center: [2][]float64{next(dim), next(dim)}, basis: next(most * dim), next: next(dim),
		along:    [2][]float64{next(draws), next(draws)},
		products: [2][]float64{next(draws * most), next(draws * most)},
		shares:   next(most), work: newWorkspace(most),
	}
}

// project sets to = Wᵀv.
func (r *ridges) project(v, to []float64) {
	to = to[:r.rank]
	clear(to)
	vector.MatTVecAdd(r.dim, to, 1, r.w, r.dim, v, r.rank)
}

// add adds W·by to q.
func (r *ridges) add(q, by []float64) {
	vector.DenseAdd(r.dim, q, r.dim, r.w, r.dim, by, 1, r.rank, r.rank, 1)
}

// element is that of W(Λ−1)Wᵀ in row i and column j.
func (r *ridges) element(i, j int) float64 {
	sum := 0.0
	if max(i, j) < r.dim {
		for k, less := range r.mass[:r.rank] {
			sum += float64(less * float64(r.w[k*r.dim+i]*r.w[k*r.dim+j]))
		}
	}
	return sum
}

// spread turns a draw p of N(0, D⁻¹) into one of N(0, M), M = D^-½(1 + U(Λ⁻¹−1)Uᵀ)D^-½, and sets products to
// Wᵀp. root is D^-½.
func (r *ridges) spread(p, products, root []float64) {
	r.project(p, products)
	r.stretch(p, products, root)
}

// stretch is what spread does where the products are known.
func (r *ridges) stretch(p, products, root []float64) {
	for j, less := range r.mass[:r.rank] {
		shrink := 1 / math.Sqrt(1+less)
		by := (shrink - 1) * products[j]
		products[j] *= shrink
		for i, u := range r.u[j*r.dim:][:r.dim] {
			p[i] += float64(float64(u*root[i]) * by)
		}
	}
}

// scale sets W to D^½U. root is D^-½.
func (r *ridges) scale(root []float64) {
	for j := range r.rank {
		w := r.w[j*r.dim:]
		for i, u := range r.u[j*r.dim:][:r.dim] {
			w[i] = u / root[i]
		}
	}
}

// fromFisher looks for ridges in the newest n draws and their gradients, which recall gives, and replaces
// those in use.
func (r *ridges) fromFisher(n int, root []float64, least float64) {
	s := r.search
	n = min(n, keptDraws)
	r.rank = 0
	if n < leastDraws {
		return
	}
	r.gather(n, root)
	r.known(n, root, least)
	most := min(len(r.mass)-r.rank, n/drawsARidge)
	if few := s.span(n, r.dim, min(glance, most)); few == 0 || !s.mean(n, r.dim, few, least) ||
		r.ratio(few) < ridgesPay/glance {
		return // extreme directions are found first
	}
	if m := s.span(n, r.dim, most); s.mean(n, r.dim, m, least) {
		r.take(m, n)
	}
}

// known takes the ridges among the directions of shifts, and leaves in the draws and gradients what is
// orthogonal to them.
func (r *ridges) known(n int, root []float64, least float64) {
	if r.shifts == nil {
		return
	}
	s := r.search
	m := r.shifts(s.basis, root)
	if m == 0 || m > n/drawsARidge {
		return
	}
	for k := range m {
		s.project(k, n, r.dim)
	}
	if !s.mean(n, r.dim, m, least) {
		return
	}
	r.takeFrom(m, math.Inf(-1), edge(shiftPays, m, n))
	for _, rows := range [][]float64{s.draws, s.gradients} {
		for k := range n {
			row := rows[k*r.dim:][:r.dim]
			for j := range r.rank {
				u := r.u[j*r.dim:][:r.dim]
				vector.Axpy(r.dim, row, -vector.Dot(r.dim, u, row), u)
			}
		}
	}
}

// alone is the inverse mass from which on a direction that n draws show is a ridge whatever the others are.
// Of coordinates that are independent n draws show directions of up to (1+√(dim/n))² (Marchenko and Pastur
// 1967).
func (r *ridges) alone(n int) float64 {
	return edge(ridgeAlone, r.dim, n)
}

func edge(least float64, dim, n int) float64 {
	edge := 1 + math.Sqrt(float64(dim)/float64(n))
	return max(least, edge*edge)
}

// gather makes the newest n draws and their gradients scaled deviations.
func (r *ridges) gather(n int, root []float64) {
	s := r.search
	for k := range n {
		q, g := s.draws[k*r.dim:][:r.dim], s.gradients[k*r.dim:][:r.dim]
		r.recall(n-k, q, g)
		vector.Mul(r.dim, q, q, root)
		vector.Div(r.dim, g, g, root)
	}
	center(n, r.dim, s.draws, s.center[0])
	center(n, r.dim, s.gradients, s.center[1])
}

// center takes the mean of n rows from each.
func center(n, dim int, rows, mean []float64) {
	clear(mean)
	for k := range n {
		vector.Axpy(dim, mean, 1/float64(n), rows[k*dim:])
	}
	for k := range n {
		vector.Axpy(dim, rows[k*dim:], -1, mean)
	}
}

// span sets the basis to at most m orthonormal vectors: of the Krylov space of A − B, the difference of the
// covariances of scaled draws and gradients. What a ridge and what its opposite add to it is large. Of a
// target that is independent in scaled coordinates each gradient is its draw with the other sign, so that
// their noise, which may be much larger when there are many coordinates, cancels.
func (s *ridgeSearch) span(n, dim, m int) int {
	// The first vector mixes all draws and gradients, each with a weight of its own.
	for k := range n {
		s.along[0][k] = portable.Cos(float64(k * k))
		s.along[1][k] = portable.Sin(float64(k*k + 1))
	}
	first := 0.0
	for have := range m {
		v := s.basis[have*dim:][:dim]
		vector.MatVec(dim, v, s.draws, dim, s.along[0], 1, n)
		vector.MatVec(dim, s.next, s.gradients, dim, s.along[1], 1, n)
		vector.Axpy(dim, v, -1, s.next)
		before := math.Sqrt(vector.Dot(dim, v, v))
		if have == 0 {
			first = before
		}
		for range 2 {
			clear(s.shares[:have])
			vector.MatTVecAdd(dim, s.shares, 1, s.basis, dim, v, have)
			for j, share := range s.shares[:have] {
				vector.Axpy(dim, v, -share, s.basis[j*dim:])
			}
		}
		length := math.Sqrt(vector.Dot(dim, v, v))
		if !(length > 1e-8*before) || !(length > 1e-12*first) || !finite(length) {
			return have
		}
		vector.Scale(dim, v, v, 1/length)
		s.project(have, n, dim)
		for side := range s.along {
			copy(s.along[side], s.products[side][have*keptDraws:][:n])
		}
	}
	return m
}

// project sets the products of vector k of the basis with the draws and gradients.
func (s *ridgeSearch) project(k, n, dim int) {
	for side, rows := range [][]float64{s.draws, s.gradients} {
		products := s.products[side][k*keptDraws:][:n]
		clear(products)
		vector.MatTVecAdd(dim, products, 1, rows, dim, s.basis[k*dim:][:dim], n)
	}
}

// mean sets work.v to the eigenvectors and work.values to the eigenvalues of the inverse mass in the basis.
func (s *ridgeSearch) mean(n, dim, m int, least float64) bool {
	w := &s.work
	for i := range m {
		for j := range i + 1 {
			x, g := s.products[0], s.products[1]
			w.setMoments(m, i, j, float64(n), vector.Dot(n, x[i*keptDraws:], x[j*keptDraws:]),
				vector.Dot(n, g[i*keptDraws:], g[j*keptDraws:]))
		}
	}
	if !w.mean(m, least) {
		return false
	}
	copy(w.v, w.c[:m*m])
	return w.eigen(m)
}

// ratio is that of the greatest inverse mass found along a direction, in scaled coordinates, to the least, 1
// being that of all directions outside the basis. The inverse masses of shorter ones do not count where they
// may not become ridges.
func (r *ridges) ratio(m int) float64 {
	values, least := r.search.work.values[:m], 1.0
	if !r.long {
		least = min(1, slices.Min(values))
	}
	return max(1, slices.Max(values)) / least
}

// take makes the eigenvectors in the search, of n draws, whose eigenvalues are far from 1 the ridges: all of
// them where they are far from one another, else only such as are ridges alone.
func (r *ridges) take(m, n int) {
	most, least := float64(ridgeFactor), 1.0/ridgeFactor
	if r.ratio(m) < ridgesPay {
		most, least = r.alone(n), 0
	}
	if r.long {
		least = 0
	}
	r.takeFrom(m, least, most)
}

// takeFrom makes the eigenvectors in the search ridges whose eigenvalues are below least or above most.
func (r *ridges) takeFrom(m int, least, most float64) {
	s := r.search
	for k, value := range s.work.values[:m] {
		if most >= value && value >= least || value < ridgeLeast || value > 1/ridgeLeast {
			continue
		}
		u := r.u[r.rank*r.dim:][:r.dim]
		vector.MatVec(r.dim, u, s.basis, r.dim, s.work.v[k:], m, m)
		r.mass[r.rank] = value - 1
		r.rank++
	}
}

// forget releases the room of the warm-up.
func (r *ridges) forget() { r.search = nil }

var errRidges = errors.New("a number of ridges is out of bounds")

func (r *ridges) state(c *backends.Codec) {
	c.Ints(&r.rank)
	if r.rank < 0 || r.rank > len(r.mass) {
		c.Fail(errRidges)
		r.rank = 0
		return
	}
	c.Floats(r.u[:r.rank*r.dim])
	c.Floats(r.mass[:r.rank])
}
