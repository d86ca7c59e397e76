package nested

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A server has the covariance of the predictors at every value of the hyperparameters: Q·T·Qᵀ with T = Σ
// aᵢ·Tᵢ, of which the coefficients depend on these.
type server struct {
	*party
	columns []float64   // what clients send to span
	q       [][]float64 // orthonormal, one after another in flat
	flat    []float64
	// the matrices: that of what does not vary, then those of the pivots in the order of the parties
	t      [][]float64
	offset []float64   // mean of the predictors before the data are seen
	asked  [][]float64 // the points of the next message: the server's hyperparameters, then the clients'
	search search
	points density.Stream // of draws of the hyperparameters
	errors density.Stream // of rows
	fresh  []float64      // ratios of the draws of a message
	told   []float64      // s of these
	by     [][]float64    // the coefficients at its points
	probes density.Stream // of pivots
	noise  []float64      // variance of that of auxiliary variables, by sum

	marginals []*quadrature.Marginal // by likelihood; nil: there is no noise
	resolved  []float64              // the curvatures that they were prepared for
	queue     [][]float64            // values of the hyperparameters of draws to come
	sets      int                    // of draws that were begun, along this path
	even      evenness               // of these
	level     int                    // of the path from the approximation to the posterior
	moves     density.Stream         // along it
	mode      []float64              // of the predictors, where it was found last
	lost      bool                   // the search found nothing
	starts    density.Stream         // of points from which these are looked for

	coefficients     []float64
	eta, lp, slope   []float64
	moved, weighted  []float64
	nodes, shares    []float64 // of Gauss and Hermite's rule
	tile, mixed      []float64
	root, half, mass algebra.Factor // of T, scratch, and of I + RᵀAR
}

func newServer(p *party, k *Kernel, env density.Env, b int) *server {
	s := &server{party: p, points: env.Private(b, "nested points"), errors: env.Private(b, "sfvi rows"),
		moves: env.Private(b, "nested moves"), probes: env.Private(b, "nested probes"),
		starts: env.Private(b, "nested starts")}
	s.nodes, s.shares = quadrature.Hermite(hermite)
	n := p.rows
	for _, v := range []*[]float64{&s.eta, &s.lp, &s.slope, &s.moved, &s.weighted} {
		*v = make([]float64, n)
	}
	return s
}

// probe writes which of s each element is that a client receives, 1 more, or 0, and then values of these
// elements at random hyperparameters, s = 0.
func (s *server) probe(out []float64) {
	for _, to := range s.cond.To {
		for _, k := range to {
			out[0], out = float64(1+slices.Index(s.cond.Latent, k)), out[1:]
		}
	}
	hyper := make([]float64, s.m)
	for i := range probes {
		s.points.Round(uint64(i))
		s.points.FillNormals(hyper)
		vec.Scale(s.m, hyper, hyper, probeSD)
		sent := s.cond.Sends(hyper)
		for _, to := range s.cond.To {
			for _, k := range to {
				if out[0] = sent[k]; slices.Contains(s.cond.Latent, k) {
					out[0] = 0
				}
				out = out[1:]
			}
		}
	}
}

// startAt begins the search where the parties' hyperparameters do.
func (s *server) startAt(greeting []float64) {
	var centre []float64
	for ; len(greeting) > 0; greeting = greeting[greeted:] {
		centre = append(centre, greeting[3:3+min(int(greeting[1]), mostHyper)]...)
	}
	s.search = newSearch(centre)
}

// hold adds the server's own to what the clients sent.
func (s *server) hold(k *Kernel) error {
	n := k.rows
	for l := range k.shared {
		s.link.direct = append(s.link.direct, append([]float64(nil), s.columns[(k.covered()+l)*n:][:n]...))
	}
	if k.shared > 0 {
		if err := k.prepare(s.party, s.probes); err != nil {
			return err
		}
	}
	for c := range 1 + k.columns {
		columns{Kernel: k}.column(s.party, c, s.columns[c*n:][:n])
	}
	s.offset = append([]float64(nil), s.columns[:n]...)
	return nil
}

// gather finds range and matrices from the products that all parties have made.
func (s *server) gather(k *Kernel) {
	n, c := k.rows, k.columns
	blocks, widths := [][]float64{s.columns[n:][:n*c]}, []int{c}
	for i := range s.parts.points {
		own := make([]float64, n*c)
		v := s.parts.points[i]
		s.move(v[:s.m], nil)
		for col := range c {
			s.cover(k.with[col*n:][:n], own[col*n:][:n])
		}
		blocks, widths = append(blocks, own), append(widths, c)
	}
	at := n + n*c
	for j, r := range k.pivots[1:] {
		w := k.width(1 + j)
		for range r {
			blocks, widths, at = append(blocks, s.columns[at:][:n*w]), append(widths, w), at+n*w
		}
	}
	s.columns = nil
	var all []float64
	for i, b := range blocks {
		for col := range widths[i] {
			if l := length(b[col*n:][:n]); l > 0 {
				v := append([]float64(nil), b[col*n:][:n]...)
				vec.Scale(n, v, v, 1/l)
				all = append(all, v...)
			}
		}
	}
	if s.q = algebra.Basis(all, n, c); s.q == nil {
		return
	}
	for i, b := range blocks {
		t, ok := s.matrix(b, k.with, widths[i])
		if !ok {
			s.q = nil
			return
		}
		s.t = append(s.t, t)
	}
	s.makeRoom()
}

// matrix is the T of a covariance QTQᵀ from its products with so many vectors: on the range of these, which
// may be smaller than that of Q.
func (s *server) matrix(products, with []float64, columns int) ([]float64, bool) {
	p := len(s.q)
	image, z := s.within(products, columns), s.within(with, columns)
	by := make([]float64, len(image)) // column by column
	for i := range p {
		for col := range columns {
			by[col*p+i] = image[i*columns+col]
		}
	}
	basis := algebra.Basis(by, p, columns)
	r, t := len(basis), make([]float64, p*p)
	if r == 0 {
		return t, basis != nil
	}
	within := func(v []float64) []float64 {
		out := make([]float64, r*columns)
		for a, b := range basis {
			for i := range p {
				vec.Axpy(columns, out[a*columns:], b[i], v[i*columns:])
			}
		}
		return out
	}
	small, ok := algebra.Regress(within(image), within(z), r, columns)
	if !ok {
		return nil, false
	}
	for a := range r {
		for b := range a + 1 {
			v := 0.5 * (small[a*r+b] + small[b*r+a])
			for i := range p {
				vec.Axpy(p, t[i*p:], float64(v*basis[a][i]), basis[b])
				if a != b {
					vec.Axpy(p, t[i*p:], float64(v*basis[b][i]), basis[a])
				}
			}
		}
	}
	return t, true
}

func (s *server) makeRoom() {
	p := len(s.q)
	s.flat = make([]float64, 0, p*s.rows)
	for i, q := range s.q {
		s.flat = append(s.flat, q...)
		s.q[i] = s.flat[i*s.rows:]
	}
	s.tile, s.mixed = make([]float64, tile*p), make([]float64, p*p)
	s.root, s.half, s.mass = algebra.NewFactor(p), algebra.NewFactor(p), algebra.NewFactor(p)
	s.coefficients = make([]float64, len(s.t))
}

// within are the columns in the basis: row i has the products with vector i.
func (s *server) within(columns []float64, c int) []float64 {
	n := s.rows
	out := make([]float64, len(s.q)*c)
	for i, q := range s.q {
		for col := range c {
			out[i*c+col] = vec.Dot(n, q, columns[col*n:])
		}
	}
	return out
}

// moveTo goes to point i, of whose clients' part the replies tell, and returns the log density of its
// hyperparameters.
func (s *server) moveTo(k *Kernel, i int, replies []float64) float64 {
	k.placed(s.party, i)
	value := s.value + replies[i]
	a := s.coefficients
	a[0] = 1
	own := len(s.parts.points)
	if s.proper && own > 0 && !s.combine(k.with, a[1:1+own]) {
		return math.Inf(-1)
	}
	a, at := a[1+own:], k.count
	for _, r := range k.pivots[1:] {
		copy(a[:r], replies[at+i*r:])
		a, at = a[r:], at+k.count*r
	}
	return value
}

// factor sets root to that of T: a direction without variance has a column of zeros.
func (s *server) factor() bool {
	p, t, l := len(s.q), s.root.Matrix, s.root.Lower
	clear(t)
	clear(l)
	for i, a := range s.coefficients {
		vec.Axpy(len(t), t, a, s.t[i])
	}
	most := 0.0
	for i := range p {
		most = max(most, t[i*p+i])
	}
	for j := range p {
		d := t[j*p+j] - vec.Dot(j, l[j*p:], l[j*p:])
		if d-d != 0 {
			return false
		}
		if !(d > 1e-13*most) {
			continue
		}
		d = math.Sqrt(d)
		l[j*p+j] = d
		for i := j + 1; i < p; i++ {
			l[i*p+j] = (t[i*p+j] - vec.Dot(j, l[i*p:], l[j*p:])) / d
		}
	}
	return true
}
