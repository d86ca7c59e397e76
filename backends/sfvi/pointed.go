package sfvi

import (
	"fmt"
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A pointed is one block with its q(θ) and its noise, whose draws are the same in every evaluation.
// Parameters of q are laid out as in gaussian.
type pointed struct {
	block     density.Standalone
	role      density.BlockRole
	theta     gaussian
	phi       []float64
	slope     []float64   // of minus the ELBO at phi
	at        []float64   // the point of an evaluation
	next      []float64   // slope of minus the ELBO there
	noise     [][]float64 // of every other draw; the draw that follows has the opposite
	direction []float64
	pairs     *algebra.History

	point, gradient []float64 // of one draw
	lp              float64
	square          float64 // squared length of the draw, in its noise
	cuts, own, w    []float64
	received        []float64
	scratch         []float64
	from            density.Stream // of the draws from the fit
	starting        density.Stream // of starting points
	initial         density.Stream // of weights
}

func newPointed(env density.Env, b int, s backends.Settings) (*pointed, error) {
	block := env.Blocks()[b].(density.Standalone) // fixedApplies has looked
	weights, m := block.Weights(), s.Int(stepDraws)
	dim := block.Dim() - len(weights)
	full := s.Text(thetaGuide) == fullRank || s.Text(thetaGuide) == auto && leastOf*dim <= m
	if full && m < 2*dim {
		return nil, &backends.Refusal{
			Code: diag.NoFixedDraws,
			Err: fmt.Errorf("--%s %s: the mean over %d draws has no maximum over the covariance of "+
				"the %d parameters of %s", estimator, byFixedDraws, m, dim, block.Party()),
			Out: fmt.Sprintf("--%s %d, or --%s meanfield", stepDraws, leastOf*dim, thetaGuide),
		}
	}
	p := &pointed{block: block, role: block.BlockRole(), theta: newGaussian(block.Dim(), weights, full)}
	n := p.theta.size()
	for _, v := range []*[]float64{&p.phi, &p.slope, &p.direction, &p.at, &p.next} {
		*v = make([]float64, n)
	}
	p.pairs = algebra.NewHistory(n)
	p.scratch = make([]float64, p.theta.dim)
	p.point, p.gradient = make([]float64, block.Dim()), make([]float64, block.Dim())
	p.cuts, p.own, p.w = make([]float64, p.role.Cuts), make([]float64, p.role.Cuts),
		make([]float64, p.role.Cuts)
	p.received = make([]float64, block.Received())
	p.from = env.Private(b, sourceNames[drawing])
	p.starting = env.Private(b, sourceNames[starting])
	p.initial = env.Private(b, "sfvi weights")
	p.noise = standardised(env.Private(b, "sfvi fixed"), m/2, p.theta.dim)
	return p, nil
}

// standardised draws standard normals whose second moments are exact, with their opposites: of all pairs of
// coordinates where there are twice as many draws as these, else of each alone. The mean of a quadratic
// function is then exact.
func standardised(from density.Stream, draws, dim int) [][]float64 {
	out := make([][]float64, draws)
	for k := range out {
		out[k] = make([]float64, dim)
		from.Round(uint64(k))
		from.FillNormals(out[k])
	}
	product := func(i, j int) (v float64) {
		for _, e := range out {
			v += float64(e[i] * e[j])
		}
		return v / float64(draws)
	}
	for i := range dim {
		if draws >= 2*dim {
			for range 2 { // twice, for rounding
				for j := range i {
					by := product(i, j)
					for _, e := range out {
						e[i] -= float64(by * e[j])
					}
				}
			}
		}
		by := 1 / math.Sqrt(product(i, i))
		for _, e := range out {
			e[i] *= by
		}
	}
	return out
}

// start sets q to a narrow one around 0, or for other starting points around a uniform draw from (−1, 1), and
// weights at values of their kinds.
func (p *pointed) start(restart int) {
	clear(p.phi)
	p.starting.Round(uint64(restart))
	for i := range p.theta.dim {
		if restart > 0 {
			p.phi[p.theta.coordinate(i)] = float64(2*p.starting.Float64()) - 1
		}
		p.phi[p.theta.all+i] = portable.Log(firstSD)
	}
	if len(p.block.Weights()) > 0 {
		p.initial.Round(uint64(restart))
		p.block.StartWeights(p.phi[:p.theta.all], p.initial)
	}
}

// advance sets the point a step along the direction.
func (p *pointed) advance(step float64) { vec.ScaleAdd(len(p.phi), p.at, step, p.direction, p.phi) }

// accept moves to the point, by a step of which there is a pair unless it is the start.
func (p *pointed) accept(step bool) {
	if step {
		s, y := p.pairs.Next()
		vec.Sub(len(s), s, p.at, p.phi)
		vec.Sub(len(y), y, p.next, p.slope)
	}
	copy(p.phi, p.at)
	copy(p.slope, p.next)
}

// multiply sets the party's part of the products.
func (p *pointed) multiply(out []float64) {
	p.theta.scale(p.phi)
	p.pairs.Multiply(p.slope, p.natural, out)
}

// turn takes the direction.
func (p *pointed) turn(out []float64) {
	if out[turnKeep] == 0 {
		p.pairs.Drop()
	}
	p.pairs.Combine(out[turnCoefficients:], p.direction)
}

// weightScale is the square of the length of a first step of a weight, relative to its gradient.
const weightScale = firstSD * firstSD

// natural multiplies by the metric: the covariance of q for the means, and what it is for a normal posterior
// for the others.
func (p *pointed) natural(from, to []float64) {
	q := &p.theta
	for i := range to[:q.all] {
		to[i] = weightScale * from[i]
	}
	for i := range q.dim { // Lᵀv, with L = S(I + C)
		p.scratch[i] = q.sd[i] * from[q.coordinate(i)]
	}
	if q.full {
		for j := range q.dim {
			v := p.scratch[j]
			for i := j + 1; i < q.dim; i++ {
				v += float64(q.row(p.phi, i)[j] * q.sd[i] * from[q.coordinate(i)])
			}
			p.scratch[j] = v
		}
	}
	for i := range q.dim {
		v := p.scratch[i]
		if q.full {
			v += vec.Dot(i, q.row(p.phi, i), p.scratch)
		}
		to[q.coordinate(i)] = q.sd[i] * v
	}
	for i := q.all; i < q.all+q.dim; i++ {
		to[i] = 0.5 * from[i]
	}
	copy(to[q.all+q.dim:], from[q.all+q.dim:])
}

// entropy is that of q at phi.
func (p *pointed) entropy(phi []float64) float64 {
	d := p.theta.dim
	return float64(float64(d)*(halfLog2Pi+0.5)) + vec.Sum(d, phi[p.theta.all:])
}

// evaluate evaluates the party's density at draw m.
func (p *pointed) evaluate(m int) {
	e := p.noise[m/2]
	if m%2 == 0 {
		copy(p.theta.eps, e)
	} else {
		vec.Neg(len(e), p.theta.eps, e)
	}
	p.theta.draw(p.at, p.point)
	p.value()
}

// value evaluates the party's density at point.
func (p *pointed) value() { p.lp = p.block.Local(p.point, p.cuts, p.own) }

// put copies the cuts into column c of what crosses.
func (p *pointed) put(up [][]float64, c int) {
	for i, at := range p.role.Members {
		copy(up[i][c*at.Len:], p.cuts[at.Offset:at.Offset+at.Len])
	}
}

// seed takes column c of the adjoints.
func (p *pointed) seed(down [][]float64, c int) {
	copy(p.w, p.own)
	for i, at := range p.role.Members {
		vec.Accumulate(at.Len, p.w[at.Offset:], down[i][c*at.Len:][:at.Len])
	}
}

// receive takes column c of the sums.
func (p *pointed) receive(sum [][]float64, c int) {
	for _, at := range p.role.Receives {
		copy(p.received[at.Offset:at.Offset+at.Len], sum[at.Group][c*at.Len:])
	}
	p.block.SetReceived(p.received)
}

// giveBack sets column c of the adjoints, after differentiate.
func (p *pointed) giveBack(down [][]float64, c int) {
	p.block.ReceivedGradient(p.received)
	for _, at := range p.role.Receives {
		copy(down[at.Group][c*at.Len:][:at.Len], p.received[at.Offset:])
	}
}

// differentiate adds the gradient at the draw that was evaluated last.
func (p *pointed) differentiate() {
	p.block.Gradient(p.w, p.gradient)
	p.theta.path(p.at, p.gradient, p.next)
}

// close makes the sum of gradients that of minus the ELBO.
func (p *pointed) close(draws int) {
	vec.Scale(len(p.next), p.next, p.next, -1/float64(draws))
	for i := range p.theta.dim {
		p.next[p.theta.all+i]--
	}
}

// sample sets point to draw id from the fit, moved away from its mean by a factor, and returns −log q there.
func (p *pointed) sample(id int, scale float64) float64 {
	p.from.Round(uint64(id))
	p.from.FillNormals(p.theta.eps)
	vec.Scale(len(p.theta.eps), p.theta.eps, p.theta.eps, scale)
	p.square = vec.Dot(p.theta.dim, p.theta.eps, p.theta.eps)
	return p.theta.draw(p.phi, p.point)
}

func (p *pointed) state(c *backends.Codec) {
	for _, v := range [][]float64{p.phi, p.slope, p.direction} {
		c.Floats(v)
	}
	if c.Ints(&p.pairs.Used); p.pairs.Used < 0 || p.pairs.Used > algebra.HistoryPairs {
		c.Fail(fmt.Errorf("%d pairs of steps", p.pairs.Used))
		p.pairs.Used = 0
	}
	for i := range p.pairs.Used {
		if c.Failed() {
			return
		}
		c.Floats(p.pairs.Steps[i])
		c.Floats(p.pairs.Changes[i])
	}
}
