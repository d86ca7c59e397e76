package quadrature

import (
	"context"

	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Draws are corrected on θ alone: log p has the auxiliary variables integrated out, as the likelihood with their noise on the predictor.

// fromFit makes the batch of draws from the parties' own Gaussians.
func (p *party) fromFit(columns int, noise density.Stream) {
	p.sample = &sample{columns: columns, start: make([]float64, columns*p.d)}
	copy(p.q.precision.Lower, p.now.factor)
	for c := range columns {
		theta := p.sample.column(c, p.d)
		if c > 0 {
			noise.Round(uint64(c - 1))
			noise.FillNormals(theta)
			p.q.precision.Backward(theta)
		}
		vec.Accumulate(p.d, theta, p.now.theta)
	}
}

// logQ is −½(θ − mean)ᵀM(θ − mean) for the precision of the prior, as of a draw of the joint Gaussian but for its likelihood, or of the party's own Gaussian.
func (p *party) logQ(theta []float64, joint bool) float64 {
	mean := p.sample.column(0, p.d)
	diff, m := make([]float64, p.d), make([]float64, p.d)
	vec.Sub(p.d, diff, theta, mean)
	if joint {
		for i := range m {
			m[i] = vec.Dot(p.d, p.lin.Prior.Precision[i*p.d:], diff)
		}
		return -0.5 * vec.Dot(p.d, diff, m)
	}
	for i := range p.d { // |Lᵀ diff|²
		v := 0.0
		for j := i; j < p.d; j++ {
			v += p.now.factor[j*p.d+i] * diff[j]
		}
		m[i] = v
	}
	return -0.5 * vec.Dot(p.d, m, m)
}

// batch is the exchange in which the draws are evaluated: the mean's cuts, and those of the draws.
type batch struct{ *Kernel }

func (k batch) Send(b int, up [][]float64, scalars []float64) {
	p := k.parties[b]
	theta, g := make([]float64, p.d), make([]float64, p.n)
	for c := range k.size + 1 {
		copy(theta, p.sample.column(0, p.d))
		if c > 0 {
			reflected(p.sample.start, p.d, c-1, theta)
			scalars[c-1] = quadratic(&p.lin.Prior, theta, p.step) - p.logQ(theta, k.joint())
		}
		apply(&p.lin.Cuts, theta, g)
		for i, at := range p.lin.Members {
			copy(up[i][c*at.Len:], member(at, g))
		}
	}
	clear(scalars[k.size:])
	for _, at := range p.lin.Members {
		scalars[k.size+at.Group] = p.rho2[at.Offset]
	}
}

func (k batch) Answer(sum [][]float64, total []float64, _ [][]float64, out []float64) {
	s := k.server
	theta := make([]float64, s.d)
	var centre [][]float64
	var phi, by []float64
	if g := s.globals; g != nil {
		if !k.joint() {
			s.adjustByDraws(sum, total[k.size:], k.size)
			k.sampleGlobals()
		}
		phi, by = append(phi, g.mean...), make([]float64, g.m)
	}
	for c := range k.size + 1 {
		copy(theta, s.sample.column(0, s.d))
		if c > 0 {
			reflected(s.sample.start, s.d, c-1, theta)
			out[c-1] = total[c-1] + quadratic(&s.lin.Prior, theta, s.step) - s.logQ(theta, k.joint())
		}
		if g := s.globals; g != nil && c > 0 {
			reflected(g.sample, g.m, c-1, phi)
			out[c-1] += g.Density(phi, by) - g.logQ(phi)
		}
		for i, r := range s.rows {
			if noise := total[k.size+r.Group]; noise != r.noise {
				r.integrateOut(noise)
			}
			apply(&r.Affine, theta, r.eta)
			vec.Accumulate(r.n, r.eta, sum[r.Group][c*r.n:])
			if c == 0 {
				centre = append(centre, append([]float64(nil), r.eta...))
				continue
			}
			eta := append([]float64(nil), r.eta...)
			r.density(phi, eta, r.lp, r.at, by)
			out[c-1] += vec.Sum(r.n, r.lp)
			if k.joint() {
				vec.Sub(r.n, eta, eta, centre[i])
				for j, w := range r.curvature {
					out[c-1] += 0.5 * w * eta[j] * eta[j]
				}
			}
		}
	}
	copy(k.ratios, out)
}

// sampleGlobals draws the globals.
func (k *Kernel) sampleGlobals() {
	scale := 1.0
	if k.options.Correct {
		scale = wider
	}
	if g := k.server.globals; g != nil {
		g.beginSample(k.server.sample.columns, scale, k.env.Private(0, "sfvi globals"))
	}
}

// adjustByDraws is adjust where mean and variance of the predictors are those of the draws of a batch.
func (s *server) adjustByDraws(sum [][]float64, noise []float64, draws int) {
	theta := make([]float64, s.d)
	for _, r := range s.rows {
		r.integrateOut(noise[r.Group])
		clear(r.variance)
		for c := range draws + 1 {
			if copy(theta, s.sample.column(0, s.d)); c > 0 {
				reflected(s.sample.start, s.d, c-1, theta)
			}
			apply(&r.Affine, theta, r.eta)
			vec.Accumulate(r.n, r.eta, sum[r.Group][c*r.n:])
			if c == 0 {
				copy(r.mean, r.eta)
				continue
			}
			for i, eta := range r.eta {
				r.variance[i] += (eta - r.mean[i]) * (eta - r.mean[i]) / float64(draws)
			}
		}
	}
	s.adjust()
}

// A client takes the ratios as the server answers them.
func (k batch) Receive(_ int, _ [][]float64, out []float64) { copy(k.ratios, out) }

// evaluate makes the joint Gaussian where that is wanted, and corrects the fit by importance sampling where that is.
func (k *Kernel) evaluate(ctx context.Context) error {
	columns := 1 + k.size/2
	for b, p := range k.parties {
		from := k.env.Private(b, "sfvi draw")
		if !k.joint() {
			p.fromFit(columns, from)
		} else if !p.beginSample(columns, from) {
			return errFlat
		}
		if b == 0 && k.server != nil {
			k.server.conjugate, k.server.noise = k.server.newConjugate(columns), k.env.Private(b, "sfvi rows")
		}
	}
	if k.joint() {
		if err := k.solve(ctx, columns); err != nil {
			return err
		}
	}
	if !k.options.Correct {
		return nil
	}
	k.ratios = make([]float64, k.size)
	size := density.RelaySize{Columns: k.size + 1, Scalars: k.size + k.sums, Answers: k.size}
	if err := k.relay.Relay(ctx, density.Batch, size, batch{k}); err != nil {
		return err
	}
	if k.server != nil {
		k.server.conjugate = nil
	}
	return nil
}

// solve finds the draws of the joint Gaussian.
func (k *Kernel) solve(ctx context.Context, columns int) error {
	k.solves, k.solved = 0, false
	for !k.solved {
		size := density.RelaySize{Columns: columns, Scalars: k.sums, Answers: 1}
		if k.solves == 0 {
			size = density.RelaySize{Columns: columns + 2, Scalars: k.sums, Answers: 1}
		}
		if err := k.relay.Relay(ctx, density.Solving, size, solving{k}); err != nil {
			return err
		}
		k.solves++
	}
	return nil
}

func (k *Kernel) joint() bool { return k.options.Theta == Joint }
