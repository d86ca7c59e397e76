package quadrature

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// Where the clients evaluate the likelihood, each its power 1/J at its own cut and the others' z, a row's
// likelihood with the auxiliary variables' noise integrated out depends on the sum of the cuts alone:
// rows.shared has the integral. A fit is evaluated as where the server has the likelihood, with two
// differences. The clients tell the server slopes and curvatures of that integral, so that the server has the
// system of the joint Gaussian; and at the draws the server tells the clients the sums, of which these
// evaluate the integral, each its share.

// expandable returns the reason why the joint Gaussian cannot be had from what the clients tell: a sum has
// one slope and one curvature.
func (k *Kernel) expandable() error {
	if !k.options.AtClients || !k.joint() {
		return nil
	}
	for _, p := range k.parties {
		if err := Expandable(p.block, p.lin); err != nil {
			return err
		}
	}
	return nil
}

// Expandable is that reason for a block; nil where there is none.
func Expandable(b density.Block, l *density.Linear) error {
	seen := map[int]string{}
	for _, r := range l.Rows {
		if other, twice := seen[r.Group]; twice {
			return fmt.Errorf("%s: %s and %s see the same sum of contributions, and the joint Gaussian "+
				"needs one likelihood of each where the clients evaluate it: --theta-guide fullrank",
				b.Party(), other, r.Term)
		}
		seen[r.Group] = r.Term
	}
	return nil
}

// marginalise prepares the integral over the auxiliary variables' noise in the clients' likelihoods, of which
// three or more have one rho.
func (k *Kernel) marginalise() {
	for b, p := range k.parties {
		if b == 0 && k.server != nil {
			continue
		}
		p.noisy = noisyTogether(p.rows)
		for _, l := range p.noisy {
			of := k.noiseOf[perSum*l.whole.Group:][:perSum]
			l.whole.share(of[0], of[1], p.noiseOf(p.lin.Members[p.membership(l.whole.Group)]))
		}
	}
}

// share prepares the client's share of the log density of rows that J clients evaluate, given the noise's
// variance, over all clients and its own.
func (r *rows) share(clients, all, own float64) {
	switch {
	case clients < 3:
		r.integrateOut(max(0, all-own))
	case own > 0:
		r.copies = clients
		step := 0.75 * min(math.Sqrt(own), 1/math.Sqrt(clients*largest(r.curvature)))
		r.noise = own
		r.inner, r.outer = lattice(step, own), lattice(step, own*(clients-2))
		r.table = make([]float64, 2*(len(r.inner.at)+len(r.outer.at)-1)*r.once())
	}
}

// lattice is the trapezoidal rule for a normal variable of a variance, with nodes at multiples of a step:
// they are on its own scale.
func lattice(step, variance float64) rule {
	const reach = 6
	sd := math.Sqrt(variance)
	r := trapezoidal(2*int(math.Ceil(reach*sd/step))+1, step/sd)
	for i := range r.at {
		r.at[i] *= sd
	}
	return r
}

// shared sets lp and slope to a client's share of the log density of rows that J ≥ 3 clients evaluate: with
// the noise ρε_k in the cut of client k, the predictor of client j is the sum η of the cuts and ρΣ_{k≠j} ε_k,
// which are as correlated as √(J−2)·c + u_j with c and all u_j independent standard normals. So
//
//	log p(y | η) = log E_c h(η + ρ√(J−2)·c)^J,  h(x) = E_u exp(ℓ(x + ρu)/J),
//
// of which a client's share is the J-th part. Both integrals have nodes at multiples of one step, so that ℓ
// is evaluated once for each multiple.
func (r *rows) shared(eta, lp, slope []float64) {
	in, out := len(r.inner.at), len(r.outer.at)
	nodes := in + out - 1
	e := func(k int) []float64 { return r.table[2*k*r.n:][:r.n] }
	f := func(k int) []float64 { return r.table[(2*k+1)*r.n:][:r.n] }
	step := r.inner.at[1] - r.inner.at[0]
	for i := range r.top {
		r.top[i] = math.Inf(-1)
	}
	for k := range nodes {
		vec.AddScalar(r.n, r.over, eta, step*(float64(k)-float64(float64(nodes-1)/2)))
		r.evaluate(nil, r.over, e(k), f(k), nil, nil)
		for i, v := range e(k) {
			r.top[i] = max(r.top[i], v)
		}
	}
	for k := range nodes {
		v := e(k)
		vec.Sub(r.n, v, v, r.top)
		vec.Exp(r.n, v, v)
		vec.Mul(r.n, f(k), f(k), v)
	}
	h, d, most := make([]float64, r.n), make([]float64, r.n), make([]float64, r.n)
	for i := range most {
		most[i], r.sum[i], r.over[i] = math.Inf(-1), 0, 0
	}
	for c, weight := range r.outer.weight {
		clear(h)
		clear(d)
		for u, w := range r.inner.weight {
			vec.Axpy(r.n, h, w, e(c+u))
			vec.Axpy(r.n, d, w, f(c+u))
		}
		vec.Div(r.n, d, d, h)
		vec.Log(r.n, h, h)
		vec.Scale(r.n, h, h, r.copies)
		r.gather(most, h, d, weight)
	}
	vec.Div(r.n, slope, r.over, r.sum)
	vec.Log(r.n, h, r.sum)
	for i := range lp {
		lp[i] = r.top[i] + (most[i]+h[i])/r.copies
	}
}

// centred is the exchange of means and variances of the cuts under the fit.
type centred struct{ *Kernel }

func (k centred) Send(b int, up [][]float64, _ []float64) {
	p := k.parties[b]
	for i, at := range p.lin.Members {
		p.cut(at, p.now.theta, up[i])
		p.spreadOf(at, p.now, up[i][at.Len:])
	}
}

func (k centred) Answer(sum [][]float64, _ []float64, down [][]float64, out []float64) {
	s, m := k.server, k.shared
	if m > 0 {
		algebra.Apply(&s.lin.Sends, s.now.theta, out[:m])
		copy(s.q.precision.Lower, s.now.factor)
		s.q.covariance(s.lin.Sends.Matrix, m, out[m:])
	}
	s.mean = nil
	for g, v := range sum {
		s.mean = append(s.mean, slices.Clone(v[:len(v)/2]))
		copy(down[g], v)
	}
}

func (k centred) Receive(b int, down [][]float64, out []float64) {
	p := k.parties[b]
	mean, variance := columnsOf(down, 2)
	shared, covariance := out[:k.shared], out[k.shared:]
	copy(p.q.precision.Lower, p.now.factor)
	for _, r := range p.rows {
		i := p.membership(r.Group)
		at := p.lin.Members[i]
		p.predictor(r, 0, p.now.theta, mean[i], shared, r.mean)
		p.q.spread(&r.Affine, 0, r.variance)
		addVariance(r, covariance)
		for j, v := range variance[i] {
			r.variance[j] += max(0, v-p.now.spread[at.Offset+j])
		}
	}
}

// predictor sets eta to predictors of the party's own likelihood at θ, from one on, given the sum of all cuts
// and what the server sends.
func (p *party) predictor(r *rows, from int, theta, sum, shared, eta []float64) {
	n, g := len(eta), p.g[:len(eta)]
	algebra.ApplyFrom(&r.Affine, from, theta, eta)
	vec.Accumulate(n, eta, sum[from:])
	algebra.ApplyFrom(&p.lin.Cuts, p.lin.Members[p.membership(r.Group)].Offset+from, theta, g)
	vec.Sub(n, eta, eta, g)
	addShared(r, from, eta, shared)
}

// expansion is the exchange in which the clients tell slopes and curvatures of the likelihood without noise:
// a column each, and one of the curvature times the derivative of the predictor for each number that the
// server sends.
type expansion struct{ *Kernel }

func (k expansion) Send(b int, up [][]float64, _ []float64) {
	p := k.parties[b]
	for i := range up {
		clear(up[i])
	}
	for _, r := range p.rows {
		r.expect()
		positive(r.curvature)
		v := up[p.membership(r.Group)]
		copy(v, r.slope)
		copy(v[r.n:], r.curvature)
		for m := range k.shared {
			vec.Mul(r.n, v[(2+m)*r.n:], r.curvature, r.Shared[m*r.n:])
		}
	}
}

// Answer makes likelihoods of the server's out of that: where the curvatures are, their ratio to those that
// mix is the derivative of the predictor.
func (k expansion) Answer(sum [][]float64, _ []float64, down [][]float64, out []float64) {
	s := k.server
	s.rows = s.rows[:0]
	out[0] = 1
	for g, v := range sum {
		n := len(s.mean[g])
		if clear(down[g]); largest(v[n:2*n]) == 0 {
			continue // no likelihood sees the sum
		}
		r := newRows(density.RowLikelihood{Group: g, Block: inBlock,
			Affine: density.Affine{Offset: make([]float64, n), Matrix: make([]float64, n*s.d)}}, nil)
		copy(r.slope, v[:n])
		copy(r.curvature, v[n:2*n])
		for m := range k.shared {
			x := make([]float64, n)
			vec.Div(n, x, v[(2+m)*n:], r.curvature)
			vec.Axpy(n, r.Offset, s.lin.Sends.Offset[m], x)
			for j := range s.d {
				vec.Axpy(n, r.Matrix[j*n:], s.lin.Sends.Matrix[j*k.shared+m], x)
			}
		}
		algebra.Apply(&r.Affine, s.now.theta, r.mean)
		vec.Accumulate(n, r.mean, s.mean[g])
		if !finite(vec.Sum(n, r.slope)) || !finite(vec.Sum(n, r.curvature)) ||
			!finite(vec.Sum(len(r.Matrix), r.Matrix)) {
			out[0] = 0
		}
		s.rows = append(s.rows, r)
	}
	k.fail(out[0] == 1)
}

func (k expansion) Receive(_ int, _ [][]float64, out []float64) { k.fail(out[0] == 1) }

// expand leaves the server with the system of the joint Gaussian.
func (k *Kernel) expand(ctx context.Context) error {
	size := density.RelaySize{Columns: 2, Answers: k.shared + k.shared*k.shared}
	if err := k.relay.Relay(ctx, cutMomentsExchange, size, centred{k}); err != nil {
		return err
	}
	if err := k.relay.Relay(ctx, expansionExchange, density.RelaySize{Columns: 2 + k.shared, Answers: 1},
		expansion{k}); err != nil {
		return err
	}
	return k.failure
}

// sums is the exchange in which the cuts at the draws of a piece are added up for the clients.
type sums struct{ batch }

func (k sums) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	s, w, m := k.server, &k.weights, k.shared
	k.take(total)
	theta := make([]float64, s.d)
	for c := k.from; c < k.to; c++ {
		copy(theta, s.sample.column(0, s.d))
		if c > 0 {
			k.proposed(s.sample.start, s.d, c-1, theta)
			w.logs[c-1] += algebra.Value(&s.lin.Prior, theta, s.step)
			w.squares[c-1] += s.square(theta, k.joint())
		}
		if m > 0 {
			algebra.Apply(&s.lin.Sends, theta, out[(c-k.from)*m:][:m])
		}
		if !k.joint() {
			continue
		}
		for i, r := range s.rows {
			if at := sum[r.Group][(c-k.from)*r.n:]; c == 0 {
				w.centre = append(w.centre, make([]float64, r.n))
				s.predict(r, 0, theta, at, w.centre[i])
			} else {
				w.squares[c-1] += s.awayFrom(r, theta, at, w.centre[i])
			}
		}
	}
	for g, v := range sum {
		copy(down[g], v)
	}
	k.keep(sum, out)
}

// keep holds what the clients evaluate the likelihood at.
func (k sums) keep(sum [][]float64, sent []float64) {
	if k.hold(sum, k.piece); k.from == 0 {
		k.sent = k.sent[:0]
	}
	k.sent = append(k.sent, sent...)
}

func (k sums) Receive(b int, down [][]float64, out []float64) {
	if k.server == nil { // else the sums are there
		k.keep(down, out)
	}
}

// likelihoodAt sets out to a client's share of the log likelihood at draws.
func (k *Kernel) likelihoodAt(p *party, of piece, out []float64) {
	m := k.shared
	clear(out)
	theta := make([]float64, p.d)
	for _, l := range p.noisy {
		r := l.whole
		sum := p.membership(r.Group)
		if k.server != nil {
			sum = r.Group
		}
		predict := func(r *rows, from, c int, eta []float64) {
			k.proposed(p.sample.start, p.d, c, theta)
			p.predictor(r, from, theta, k.held[sum][(c+1)*r.all:], k.sent[(c+1)*m:][:m], eta)
		}
		if len(l.members) > 1 {
			for c := range out {
				out[c] += l.value(nil, func(r *rows, from int, eta []float64) {
					predict(r, from, of.from+c, eta)
				})
			}
			continue
		}
		eta := make([]float64, len(out)*r.once())
		for part := range r.parts() {
			for c := range out {
				predict(part, part.from, of.from+c, eta[c*part.n:][:part.n])
			}
			part.along(eta, out)
		}
	}
}

// weighing is the exchange in which the shares of the likelihood at some draws are added up.
type weighing struct {
	*Kernel
	of piece
}

func (k weighing) Send(b int, _ [][]float64, scalars []float64) {
	k.likelihoodAt(k.parties[b], k.of, scalars)
}

func (k weighing) Answer(_ [][]float64, total []float64, _ [][]float64, out []float64) {
	vec.Accumulate(k.of.len(), k.weights.logs[k.of.from:], total)
	k.conclude(&k.weights, out)
}

func (k weighing) Receive(_ int, _ [][]float64, out []float64) { k.concluded(out) }
