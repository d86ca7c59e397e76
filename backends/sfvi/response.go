package sfvi

import (
	"context"
	"math"

	"github.com/vflc/vflc/backends/cholesky"
	"github.com/vflc/vflc/backends/sfvi/quadrature"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Where q(θ) is the best of a family, the derivative of its mean by a linear term that is added to log p is
// the covariance that the family's own understates: its linear response (Giordano, Broderick and Jordan 2018,
// "Covariances, robustness, and variational Bayes"). With H minus the second derivative of the ELBO by all
// parameters of q, it is the block of H⁻¹ that belongs to the means. Each party finds its own: the columns of
// H⁻¹ come from conjugate gradients, all of them at once, with products of H from differences of gradients.
const (
	mostResponses = 64   // columns
	responseSteps = 60   // of conjugate gradients, at most
	responseError = 1e-6 // square of the residual's length in the metric, relative
	differenceBy  = 1e-4 // length of the difference in the metric
)

// A responding is a party's part of all columns.
type responding struct {
	x, r, d, q, mq [][]float64 // by column
	// the party's own right hand sides in standard deviations: an orthogonal matrix by column
	turned []float64
	first  int // the first column that is the party's own
	own    int
}

// mostCrossing is how many numbers may cross for one element of a cut in an iteration that finds the linear
// response.
const mostCrossing = 1 << 26

// respond replaces the covariance of each party's q(θ), where that is diagonal, by that of its linear
// response. It is left as it is where there are too many parameters.
func (k *fixed) respond(ctx context.Context) error {
	if !k.responding || !k.converged {
		return nil
	}
	c := &conjugating{fixed: k, dims: make([]float64, k.parties[0].role.Parties)}
	if err := k.exchange(ctx, quadrature.Mixing,
		density.RelaySize{Scalars: len(c.dims), Answers: len(c.dims)}, counting{c}); err != nil {
		return err
	}
	for _, d := range c.dims {
		c.columns += int(d)
	}
	if c.columns == 0 || c.columns > mostResponses || c.columns*k.sizes.draws*k.sizes.rows > mostCrossing {
		return nil
	}
	c.begin()
	for step := 0; step < responseSteps && !c.done; step++ {
		for b, p := range k.parties {
			c.probe(p, c.parts[b])
		}
		if err := k.evaluateAt(ctx, c.columns, c); err != nil {
			return err
		}
		size := density.RelaySize{Scalars: 4 * c.columns, Answers: 2*c.columns + 1}
		if err := k.exchange(ctx, quadrature.Mixing, size, reducing{c}); err != nil {
			return err
		}
	}
	for b, p := range k.parties {
		p.settle(c.parts[b])
		p.at, p.slopes = p.at[:1], p.slopes[:1]
	}
	return nil
}

// counting is the exchange of how many columns each party wants.
type counting struct{ *conjugating }

func (k counting) Send(b int, _ [][]float64, scalars []float64) {
	clear(scalars)
	k.count(k.parties[b], scalars)
}

func (k counting) count(p *pointed, into []float64) {
	if !p.theta.full {
		into[p.block.Index()] = float64(p.theta.dim)
	}
}

func (k counting) Answer(_ [][]float64, total []float64, _ [][]float64, out []float64) {
	k.count(k.server, total)
	copy(out, total)
	copy(k.dims, total)
}

func (k counting) Receive(_ int, _ [][]float64, out []float64) { copy(k.dims, out) }

// conjugating is the state of the conjugate gradients.
type conjugating struct {
	*fixed
	dims    []float64 // columns by party
	columns int
	parts   []*responding // by block
	square  []float64     // rᵀMr by column
	first   []float64
	done    bool
}

func (c *conjugating) begin() {
	for b, p := range c.parties {
		n, at := len(p.phi), &responding{}
		for _, v := range []*[][]float64{&at.x, &at.r, &at.d, &at.q, &at.mq} {
			*v = make([][]float64, c.columns)
			for k := range *v {
				(*v)[k] = make([]float64, n)
			}
		}
		for i := range p.block.Index() {
			at.first += int(c.dims[i])
		}
		at.own = int(c.dims[p.block.Index()])
		p.room(c.columns)
		p.theta.scale(p.phi)
		at.turned = rotation(c.env.Private(b, "sfvi response"), at.own)
		for k := range at.own {
			r := at.r[at.first+k]
			for i := range at.own {
				r[p.theta.coordinate(i)] = at.turned[k*at.own+i] / p.theta.sd[i]
			}
			p.natural(r, at.d[at.first+k])
		}
		c.parts = append(c.parts, at)
	}
	c.square, c.first = make([]float64, c.columns), make([]float64, c.columns)
	for k := range c.square { // the right hand sides are of length 1 in the metric
		c.square[k], c.first[k] = 1, 1
	}
}

// rotation draws an orthogonal matrix, by columns.
func rotation(from density.Stream, n int) []float64 {
	m := make([]float64, n*n)
	from.FillNormals(m)
	for i := range n {
		v := m[i*n:][:n]
		for range 2 {
			for j := range i {
				u := m[j*n:][:n]
				vec.Axpy(n, v, -vec.Dot(n, u, v), u)
			}
		}
		vec.Scale(n, v, v, 1/math.Sqrt(square(v)))
	}
	return m
}

// probe sets the points of an evaluation near phi.
func (c *conjugating) probe(p *pointed, at *responding) {
	for k := range c.columns {
		vec.ScaleAdd(len(p.phi), p.at[k], differenceBy, at.d[k], p.phi)
	}
}

// judge implements judge: nothing follows from the values.
func (c *conjugating) judge(_, out []float64) { clear(out) }
func (c *conjugating) take([]float64)         {}
func (c *conjugating) answers() int           { return 1 }

// reducing is the exchange of the products that a step of conjugate gradients needs.
type reducing struct{ *conjugating }

func (k reducing) Send(b int, _ [][]float64, scalars []float64) {
	clear(scalars)
	k.products(k.parties[b], k.parts[b], scalars)
}

// products adds, for each column, dᵀHd, rᵀMHd, dᵀHMHd and rᵀd.
func (k reducing) products(p *pointed, at *responding, into []float64) {
	for c := range k.columns {
		n, q := len(p.phi), at.q[c]
		vec.Sub(n, q, p.slopes[c], p.slope)
		vec.Scale(n, q, q, 1/differenceBy)
		p.natural(q, at.mq[c])
		into[4*c] += vec.Dot(n, at.d[c], q)
		into[4*c+1] += vec.Dot(n, at.r[c], at.mq[c])
		into[4*c+2] += vec.Dot(n, q, at.mq[c])
		into[4*c+3] += vec.Dot(n, at.r[c], at.d[c])
	}
}

func (k reducing) Answer(_ [][]float64, total []float64, _ [][]float64, out []float64) {
	k.products(k.server, k.parts[0], total)
	largest := 0.0
	for c := range k.columns {
		curve := total[4*c]
		if k.square[c] <= responseError*k.first[c] || !(curve > 0) {
			out[2*c], out[2*c+1] = 0, 0
			continue
		}
		by := total[4*c+3] / curve
		next := max(0, k.square[c]-float64(2*by*total[4*c+1])+float64(by*by*total[4*c+2]))
		out[2*c], out[2*c+1] = by, next/k.square[c]
		k.square[c] = next
		largest = max(largest, next/k.first[c])
	}
	if largest <= responseError {
		out[2*k.columns] = 1
	}
	k.move(k.server, k.parts[0], out)
}

func (k reducing) Receive(b int, _ [][]float64, out []float64) { k.move(k.parties[b], k.parts[b], out) }

// move makes the step.
func (k reducing) move(p *pointed, at *responding, out []float64) {
	n, z := len(p.phi), make([]float64, len(p.phi))
	for c := range k.columns {
		by, keep := out[2*c], out[2*c+1]
		if by == 0 {
			clear(at.d[c])
			continue
		}
		vec.Axpy(n, at.x[c], by, at.d[c])
		vec.Axpy(n, at.r[c], -by, at.q[c])
		p.natural(at.r[c], z)
		vec.ScaleAdd(n, at.d[c], keep, at.d[c], z)
	}
	k.done = out[2*k.columns] != 0
}

// settle sets the covariance from the party's own columns, where it is positive definite.
func (p *pointed) settle(at *responding) {
	d := at.own
	if d == 0 {
		return
	}
	f := cholesky.New(d)
	for k := range d { // Σ = X·Rᵀ·S, from X = Σ·S⁻¹·R
		for i := range d {
			for j := range d {
				f.Matrix[i*d+j] += float64(at.x[at.first+k][p.theta.coordinate(i)] * at.turned[k*d+
					j] * p.theta.sd[j])
			}
		}
	}
	if f.Definite() {
		p.spread = &f
	}
}
