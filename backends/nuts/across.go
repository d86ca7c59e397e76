package nuts

import (
	"context"
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

const (
	// acrossDraws is how many draws ridges across parties are looked for in: the products of so many draws
	// and gradients with one another are what a search adds up over the parties.
	acrossDraws = 40
	// acrossProducts is how many products these are.
	acrossProducts = acrossDraws * (2*acrossDraws + 1)
	// leastNew is how much of a vector of the Krylov space the vectors before it must leave: rounding of
	// products, which are squares of lengths, leaves no more digits.
	leastNew = 1e-4
)

// An across makes the ridges of all parties those of one metric of low rank, D^½(1 + U(Λ−1)Uᵀ)D^½ over the
// coordinates of all of them (--metric joint). Every party has its own rows of U and W, and the same Λ. The
// products with them are sums over the parties: Wᵀp of a momentum and Wᵀ∇log π of a gradient, one number a
// ridge, which every party keeps beside its own coordinates. A momentum follows from its gradients, so that a
// leapfrog adds up Wᵀ∇log π alone, with the scalars of its state; what the ridges add to those scalars
// follows from it at every party. The next leapfrog needs it, and so cannot be begun before.
//
// Searches need no more than products of draws and of gradients with one another, likewise sums over the
// parties: the basis is combinations of draws and gradients, the same at every party.
type across struct {
	parts    [][]float64 // by block
	total    []float64
	products [][]float64 // by block: a triangle by rows
	triangle []float64   // their totals
	gram     []float64   // the same as a matrix, row-major
	basis    []float64   // rows: combinations of draws and gradients
	next     []float64
	along    []float64
	search   *ridgeSearch
	pair     [perCriterion]float64
}

// newAcross returns nil where ridges are those of each party.
func newAcross(k *chain) *across {
	if k.settings.Text(metricForm) != jointMetric {
		return nil
	}
	a := &across{total: make([]float64, 2*mostRidges)}
	for range k.parties {
		a.parts = append(a.parts, make([]float64, 2*mostRidges))
		a.products = append(a.products, make([]float64, acrossProducts))
	}
	const size = 2 * acrossDraws
	a.triangle, a.gram = make([]float64, acrossProducts), make([]float64, size*size)
	a.basis, a.next, a.along = make([]float64, mostRidges*size), make([]float64, size), make([]float64, size)
	a.search = newRidgeSearch(0, mostRidges)
	return a
}

// rank is how many ridges there are across parties.
func (k *chain) rank() int {
	if k.across == nil {
		return 0
	}
	return k.parties[0].metric.rank()
}

// spreadAmong is what StepInfo calls Across.
func (k *chain) spreadAmong() float64 {
	if k.across != nil || k.env.Augmented() {
		return 0
	}
	first, second := 0.0, 0.0
	for _, s := range k.parties {
		x := s.outside()
		first, second = max(first, x), max(second, min(first, x))
	}
	if len(k.parties) > 1 { // both ends of a ridge are here
		return second
	}
	return first
}

// outside is the largest ratio of the variance of the party's parameters along a direction to that given the
// parameters of all others, if the target is normal: the covariance of its draws is then that of the target,
// and that of its gradients the inverse of the conditional one, so that these ratios are the eigenvalues of
// their product. It is 0 where neither is known.
func (s *party) outside() float64 {
	e, full := &s.estimate.foreground, s.metric.full
	n := e.draws.N
	switch {
	case s.aux.len > 0:
	case s.params == 1:
		return e.draws.Squares[0] / float64(n-1) * (e.gradients.Squares[0] / float64(n-1))
	case full != nil && full.n == s.params && n >= 2*full.n:
		return slices.Max(full.work.values) // by its last estimate
	}
	return 0
}

// spreadAcross turns the momentum p at the current point, of which each party has drawn its part from
// N(0, D⁻¹), into a draw from N(0, M), and prepares the gradient there.
func (k *chain) spreadAcross(ctx context.Context, p *jointVector) error {
	r, a := k.rank(), k.across
	if r == 0 {
		return nil
	}
	for b, s := range k.parties {
		part := a.parts[b][:2*r]
		s.metric.ridges.project(p.at[b], part[:r])
		s.metric.ridges.project(k.now.g.at[b], part[r:])
		a.parts[b] = part
	}
	if err := k.env.Sum(ctx, a.parts, a.total[:2*r]); err != nil {
		return err
	}
	for b, s := range k.parties {
		copy(p.extra[b], a.total[:r])
		copy(k.now.g.extra[b], a.total[r:2*r])
		s.metric.ridges.stretch(p.at[b], p.extra[b], s.metric.root)
	}
	return nil
}

// sumState adds up the scalars of a state, and what ridges across parties add to them: the second half of a
// leapfrog of the products of its momentum, their kinetic energy, and their part of U-turn criteria.
func (k *chain) sumState(ctx context.Context, n int) error {
	r := k.rank()
	if err := k.sum(ctx, n+r); err != nil || r == 0 {
		return err
	}
	m, twice := &k.move, 0.0
	for b, s := range k.parties {
		g, p := m.next.g.extra[b][:r], m.half.extra[b]
		copy(g, k.total[n:n+r])
		twice = vector.LeapfrogEnd(r, p, p, g, s.metric.ridges.mass, 0.5*m.by.eps)
	}
	k.total[kinetic] += float64(0.5 * twice)
	for i := range m.pairs {
		q, out := &m.pairs[i], &k.across.pair
		for b, s := range k.parties {
			vector.Turns(r, out, q.sum.extra[b], q.left.sum.extra[b], q.right.sum.extra[b],
				q.left.first.extra[b], q.left.last.extra[b], q.right.first.extra[b], q.right.last.extra[b],
				s.metric.ridges.mass)
		}
		for j, d := range out {
			k.total[q.at+j] += d
		}
	}
	return nil
}

// goAcross completes a state whose trajectory may go on, and begins and evaluates the next one: where there
// are ridges across parties, which know the state's gradient from the sums alone.
func (k *chain) goAcross(ctx context.Context, n int) error {
	if err := k.sumState(ctx, n); err != nil {
		return err
	}
	k.tree.ended = !k.addState()
	if k.tree.ended {
		return nil
	}
	k.allocateNext()
	k.beginLeapfrog()
	return k.env.Density(ctx, k.theta, k, k.tree.next.g.theta, k.lp)
}

// unrefer takes the references away: with ridges across parties they would be of all coordinates or none.
func (k *chain) unrefer() {
	for _, s := range k.parties {
		s.metric.ref.on = false
	}
}

// lookAcross looks for ridges across parties in the newest n draws and their gradients, and replaces those in
// use.
func (k *chain) lookAcross(ctx context.Context, n int, least float64) error {
	a := k.across
	n = min(n, acrossDraws)
	for _, s := range k.parties {
		s.metric.ridges.rank = 0
	}
	if n < leastDraws {
		return nil
	}
	count := n * (2*n + 1)
	for b, s := range k.parties {
		r := s.metric.ridges
		r.gather(n, s.metric.root)
		a.products[b] = a.products[b][:count]
		r.search.multiply(n, r.dim, a.products[b])
	}
	if err := k.env.Sum(ctx, a.products, a.triangle[:count]); err != nil {
		return err
	}
	a.square(2 * n)
	m := a.span(n, min(mostRidges, n/drawsARidge))
	s := a.search
	if m == 0 || !s.mean(n, 0, m, least) {
		return nil
	}
	for _, p := range k.parties {
		r := p.metric.ridges
		for j := range m {
			r.search.combine(n, r.dim, a.basis[j*2*n:][:2*n], r.search.basis[j*r.dim:][:r.dim])
		}
		copy(r.search.work.v, s.work.v[:m*m])
		copy(r.search.work.values, s.work.values[:m])
		// none alone: that depends on how many coordinates there are, which parties know of themselves
		if r.ratio(m) >= ridgesPay {
			r.take(m, n)
			r.scale(p.metric.root)
		}
	}
	return nil
}

// multiply sets products to those of n draws and n gradients with one another, a triangle by rows.
func (s *ridgeSearch) multiply(n, dim int, products []float64) {
	row := func(i int) []float64 {
		if i < n {
			return s.draws[i*dim:][:dim]
		}
		return s.gradients[(i-n)*dim:][:dim]
	}
	at := 0
	for i := range 2 * n {
		for j := range i + 1 {
			products[at] = vector.Dot(dim, row(i), row(j))
			at++
		}
	}
}

// combine sets v to a combination of n draws and n gradients.
func (s *ridgeSearch) combine(n, dim int, c, v []float64) {
	vector.MatVec(dim, v, s.draws, dim, c, 1, n)
	vector.MatVec(dim, s.next, s.gradients, dim, c[n:], 1, n)
	vector.Add(dim, v, v, s.next)
}

// square makes the totals a symmetric matrix of n rows.
func (a *across) square(n int) {
	at := 0
	for i := range n {
		for j := range i + 1 {
			a.gram[i*n+j], a.gram[j*n+i] = a.triangle[at], a.triangle[at]
			at++
		}
	}
}

// span does what ridgeSearch.span does, of combinations of n draws and n gradients, whose products are known.
// A combination c stands for a vector of squared length cᵀGc, and Gc is its products with draws and
// gradients.
func (a *across) span(n, most int) int {
	s, size, first := a.search, 2*n, 0.0
	next := a.next[:size]
	for k := range n {
		next[k], next[n+k] = portable.Cos(float64(k*k)), -portable.Sin(float64(k*k+1))
	}
	row := func(j int) []float64 { return a.basis[j*size:][:size] }
	for have := range most {
		length := a.length(next)
		before := math.Sqrt(length)
		if have == 0 {
			first = before
		}
		for range 2 {
			for j := range have {
				vector.Axpy(size, next, -vector.Dot(size, a.along, row(j)), row(j))
				length = a.length(next)
			}
		}
		length = math.Sqrt(length)
		if !(length > leastNew*before) || !(length > leastNew*leastNew*first) || !finite(length) {
			return have
		}
		vector.Scale(size, row(have), next, 1/length)
		vector.Scale(size, a.along, a.along, 1/length)
		copy(s.products[0][have*keptDraws:], a.along[:n])
		copy(s.products[1][have*keptDraws:], a.along[n:])
		copy(next, a.along)
		vector.Scale(n, next[n:], next[n:], -1)
	}
	return most
}

// length sets along to Gc and returns the squared length cᵀGc.
func (a *across) length(c []float64) float64 {
	a.along = a.along[:len(c)]
	vector.MatVec(len(c), a.along, a.gram, len(c), c, 1, len(c))
	return max(0, vector.Dot(len(c), a.along, c))
}
