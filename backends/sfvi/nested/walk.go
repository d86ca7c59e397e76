package nested

import (
	"math"

	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// path has the number of steps from the approximation to the posterior given the hyperparameters, by level.
// One is importance sampling.
var path = []int{1, 8, 32}

const (
	turns = 2   // of a step
	angle = 0.7 // of a turn
)

// A walk is the way of a draw from the Gaussian approximation q to the posterior p at a value of the
// hyperparameters, by annealed importance sampling (Neal 2001): through the densities q·(p/q)^β with β in
// equal steps, by Hamiltonian moves that turn exactly in q and are pushed by the gradient of log p/q
// (Shahbaba et al. 2014), which is small: it is what the posterior is skewed by. The server has p and q of
// the predictors, so no message is needed. A draw's log weight is the mean of log p/q along the way, far more
// even than where it begins.
type walk struct {
	*server
	e             *expansion
	mean          []float64 // of q, in whitened coordinates x
	from, x, y, v []float64
	at, next      place
	eta, noise    []float64
	c, right, low []float64
}

// A place is log p/q at x, its gradient in x, and that times the covariance of q.
type place struct {
	ratio       float64
	slope, push []float64
}

func (s *server) newWalk(e *expansion) *walk {
	p, w := len(s.q), &walk{server: s, e: e, eta: make([]float64, s.rows), noise: make([]float64, s.rows)}
	for _, v := range []*[]float64{&w.mean, &w.from, &w.x, &w.y, &w.v, &w.c, &w.right, &w.low, &w.at.slope,
		&w.at.push, &w.next.slope, &w.next.push} {
		*v = make([]float64, p)
	}
	s.lowered(e.linear, w.mean)
	s.mass.Solve(w.mean)
	return w
}

// walkFrom is a walk where the server is, from a Gaussian that is looked for from whitened coordinates; nil:
// there is none.
func (s *server) walkFrom(start []float64) *walk {
	e, ok := s.approximate(start, roughly)
	if ok && !s.average(e) {
		e, ok = s.approximate(start, closely)
	}
	if !ok {
		return nil
	}
	return s.newWalk(e)
}

// begin makes of predictors at a draw from the prior a draw of q, and sets u to the vector that all parties
// move theirs by (Matheron's rule).
func (w *walk) begin(id uint64, eta, u []float64) {
	e, c := w.e, w.c
	vec.Sub(w.rows, eta, eta, w.offset)
	w.inRange(eta, c)
	w.errors.Round(id)
	w.errors.FillNormals(w.noise)
	for r, v := range e.weight {
		w.noise[r] *= math.Sqrt(v)
	}
	w.inRange(w.noise, w.right)
	for r := range w.right {
		w.right[r] += e.linear[r] - vec.Dot(len(c), e.products[r*len(c):], c)
	}
	w.lowered(w.right, w.low)
	w.mass.Solve(w.low)
	w.raised(w.low, w.right)
	vec.Accumulate(len(c), c, w.right)
	copy(w.eta, w.offset)
	for r, q := range w.q {
		vec.Axpy(w.rows, w.eta, c[r], q)
	}
	for r := range u {
		u[r] = e.slope[r] + float64(e.weight[r]*(e.m[r]-w.eta[r])) + w.noise[r]
	}
	w.moves.Round(id)
}

// along walks in so many steps, adds to u what the parties move their draws by on the way, and returns the
// log weight. Then eta are the predictors where it ends.
func (w *walk) along(steps int, u []float64) (weight float64) {
	if steps == 1 {
		return w.ratio(nil)
	}
	w.whiten()
	copy(w.from, w.x)
	w.look(w.x, &w.at)
	for k := 1; ; k++ {
		weight += w.at.ratio / float64(steps)
		if k == steps {
			break
		}
		w.step(float64(k) / float64(steps))
	}
	w.predict(w.x, w.eta)
	p, back := len(w.q), w.low // R⁻ᵀ of the way
	vec.Sub(p, back, w.x, w.from)
	for i := p - 1; i >= 0; i-- {
		d := w.root.Lower[i*p+i]
		if !(d > 0) {
			back[i] = 0
			continue
		}
		back[i] /= d
		vec.Axpy(i, back, -back[i], w.root.Lower[i*p:])
	}
	for i, q := range w.q {
		vec.Axpy(w.rows, u, back[i], q)
	}
	return weight
}

// whiten sets x to the coordinates of c: 0 where there is no variance.
func (w *walk) whiten() {
	p, l := len(w.q), w.root.Lower
	for i, v := range w.c {
		w.x[i] = 0
		if d := l[i*p+i]; d > 0 {
			w.x[i] = (v - vec.Dot(i, l[i*p:], w.x)) / d
		}
	}
}

// ratio is log p/q at the predictors eta, and sets slope to the derivatives of log p, unless that is nil.
func (w *walk) ratio(slope []float64) float64 {
	return w.likelihood(w.eta, slope) - w.expanded(w.e, w.eta) + w.e.evidence
}

// look sets a place to what is at x.
func (w *walk) look(x []float64, at *place) {
	e := w.e
	w.predict(x, w.eta)
	at.ratio = w.ratio(w.noise)
	for r, v := range w.eta {
		w.noise[r] -= e.slope[r] + float64(e.weight[r]*(e.m[r]-v))
	}
	w.inRange(w.noise, w.right)
	w.lowered(w.right, at.slope)
	copy(at.push, at.slope)
	w.mass.Solve(at.push)
}

// step makes one move that keeps q·(p/q)^β.
func (w *walk) step(beta float64) {
	p := len(w.q)
	w.moves.FillNormals(w.v)
	w.mass.Backward(w.v)
	lot := portable.Log(1 - w.moves.Float64())
	sin, cos := portable.Sin(angle), portable.Cos(angle)
	vec.Sub(p, w.y, w.x, w.mean)
	gained := w.push(&w.at, beta*angle/2)
	for k := range turns {
		for i, y := range w.y {
			v := w.v[i]
			w.y[i], w.v[i] = float64(cos*y)+float64(sin*v), float64(cos*v)-float64(sin*y)
		}
		vec.Add(p, w.c, w.y, w.mean)
		w.look(w.c, &w.next)
		by := beta * angle
		if k == turns-1 {
			by /= 2
		}
		gained += w.push(&w.next, by)
	}
	if change := float64(beta*(w.next.ratio-w.at.ratio)) - gained; lot <= change {
		copy(w.x, w.c)
		w.at, w.next = w.next, w.at
	}
}

// push adds to the velocity, and returns what the kinetic energy gains.
func (w *walk) push(at *place, by float64) float64 {
	p := len(w.q)
	gained := float64(by*vec.Dot(p, w.v, at.slope)) + float64(0.5*by*by*vec.Dot(p, at.slope, at.push))
	vec.Axpy(p, w.v, by, at.push)
	return gained
}

// weigh makes draws of a message those of the approximation, or of the end of a path from there, from the
// clients' draws from their priors, and finds their log weights.
func (s *server) weigh(k *Kernel, sum [][]float64, total []float64, down [][]float64) {
	each := k.each()
	s.by = s.by[:0]
	s.fresh, s.told = make([]float64, k.count*each), make([]float64, k.count*each*k.shared)
	eta, u, seen := make([]float64, s.rows), make([]float64, s.rows), make([]float64, 0, s.rows+mostHyper)
	for i := range k.count {
		prior := s.moveTo(k, i, total)
		s.by = append(s.by, append([]float64(nil), s.coefficients...))
		w := s.walkFrom(s.search.nearest(s.asked[i]))
		weight := prior - s.search.density(s.asked[i])
		for id := i * each; id < (i+1)*each; id++ {
			k.stack(sum, id, eta)
			k.contribute(s.party, k.drawn+id, eta)
			if s.fresh[id] = math.Inf(-1); w == nil || weight-weight != 0 {
				continue
			}
			w.begin(uint64(k.origin+k.drawn+id), eta, u)
			s.fresh[id] = w.along(path[s.level], u) + weight
			s.even.add(s.fresh[id], append(append(seen[:0], w.eta...), s.asked[i]...))
			k.follow(s.party, k.drawn+id, u)
			s.said(k.drawn+id, s.told[id*k.shared:][:k.shared])
			k.give(u, down, id)
		}
	}
}

// give writes column c of the vectors for the clients.
func (k *Kernel) give(u []float64, down [][]float64, c int) {
	if k.clients == 0 {
		return
	}
	for g, n := range k.server.cond.Sums {
		copy(down[g][c*n:][:n], u)
		u = u[n:]
	}
}
