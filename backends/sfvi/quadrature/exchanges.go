package quadrature

import (
	"errors"
	"fmt"

	"github.com/vflc/vflc/backends"
	vec "github.com/vflc/vflc/runtime/vector"
)

// send sets what a client sends of the latest value of its map.
func (p *party) send(up [][]float64) {
	v := p.trail.last()
	for i, at := range p.lin.Members {
		if p.bare() {
			p.cut(at, v.theta, up[i])
			p.spreadOf(at, p.next, up[i][at.Len:])
			continue
		}
		copy(up[i], member(at, v.z))
		copy(up[i][at.Len:], member(at, p.next.variance))
	}
}

// atServer is the exchange of an iteration where the likelihood is at the server.
type atServer struct{ *Kernel }

func (k atServer) Send(b int, up [][]float64, scalars []float64) {
	p := k.parties[b]
	p.send(up)
	clear(scalars)
	scalars[0] = p.next.entropy
	p.terms(scalars[1:])
}

func (k atServer) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	s := k.server
	elbo, ok := s.integrate(sum, total[1:], s.elbo-total[0])
	k.fail(ok)
	k.decide(elbo+total[0], out)
	copy(out[decision:], s.span.mix)
	for _, v := range down {
		clear(v)
	}
	for _, r := range s.rows {
		v := down[r.Group]
		vec.Accumulate(r.n, v, r.slope)
		vec.Accumulate(r.n, v[r.n:], r.curvature)
	}
	if k.verdict == goBack {
		s.span.used = 0
	}
}

func (k atServer) Receive(b int, down [][]float64, out []float64) {
	p := k.parties[b]
	k.take(out)
	p.move(out[decision:])
	k.receive(p, down)
}

// mostRejects is how often in a row the ELBO may fall.
const mostRejects = 30

// decide judges the newest iterate and writes the decision.
func (k *Kernel) decide(elbo float64, out []float64) {
	s := k.server
	verdict := s.judge(elbo)
	if s.rejected == mostRejects && k.failure == nil {
		k.failure = &backends.FitError{Err: fmt.Errorf("sfvi: the ELBO fell or was not finite in %d "+
			"iterations in a row, however small the step", mostRejects)}
	}
	if k.failure != nil {
		verdict = abandon
	}
	out[atVerdict], out[atDamping], out[atELBO] = float64(verdict), s.damping, s.elbo
	k.take(out)
}

// receive takes the slopes at an iterate and finds the next value of the client's map, or goes back.
func (k *Kernel) receive(p *party, down [][]float64) {
	switch k.verdict {
	case goBack:
		p.now, p.best = p.best, p.now
		p.trail.used = 0
	case goOn:
		p.takeSlopes(down)
	case finish, abandon:
		return
	}
	if p.failed = p.failed || !(p.cover(p.now) && p.solve(p.now, k.damping)); p.failed {
		p.stay()
	}
}

// moments is the exchange of means and variances where the clients evaluate the likelihood.
type moments struct{ *Kernel }

func (k moments) Send(b int, up [][]float64, _ []float64) { k.parties[b].send(up) }

func (k moments) Answer(sum [][]float64, _ []float64, down [][]float64, out []float64) {
	k.server.shared(out)
	for g, v := range sum {
		copy(down[g], v)
	}
}

func (k moments) Receive(b int, down [][]float64, out []float64) {
	mean, variance := columnsOf(down, 2)
	k.parties[b].observe(mean, variance, out[:k.shared], out[k.shared:])
}

// mixing is the exchange in which the parties' quadratic functions of the coefficients are added up.
type mixing struct{ *Kernel }

func (k mixing) Send(b int, _ [][]float64, scalars []float64) {
	clear(scalars)
	k.parties[b].model(scalars)
}

func (k mixing) Answer(_ [][]float64, total []float64, _ [][]float64, out []float64) {
	k.server.combine(total, out)
	copy(k.mix, out)
}

func (k mixing) Receive(_ int, _ [][]float64, out []float64) { copy(k.mix, out) }

// take reads the server's decision.
func (k *Kernel) take(out []float64) {
	k.rise = out[atELBO] - k.elbo
	k.verdict, k.damping, k.elbo = int(out[atVerdict]), out[atDamping], out[atELBO]
	if k.verdict == abandon && k.failure == nil {
		k.failure = &backends.FitError{Err: errors.New("sfvi: the server cannot go on " +
			"with the fit: it says why")}
	}
}

// takeSlopes takes the whole likelihood's slopes and curvatures, of which those of the party's own copy are
// taken off.
func (p *party) takeSlopes(down [][]float64) {
	for i, at := range p.lin.Members {
		slope, curve := member(at, p.now.slope), member(at, p.now.curvature)
		copy(slope, down[i][:at.Len])
		copy(curve, down[i][at.Len:])
		if p.now.own == nil {
			continue
		}
		for j, own := range member(at, p.now.own) {
			slope[j] -= own
			curve[j] -= p.now.ownCurve[at.Offset+j]
		}
	}
	positive(p.now.curvature)
}

// Scalars that are added up for each sum: how many clients have noise in it, and its variance.
const perSum = 2

// describeNoise sets them.
func (p *party) describeNoise(out []float64) {
	for _, at := range p.lin.Members {
		if r := p.noiseOf(at); r > 0 {
			out[perSum*at.Group]++
			out[perSum*at.Group+1] += r
		}
	}
}

// slopes is the exchange of slopes where the clients evaluate the likelihood.
type slopes struct{ *Kernel }

func (k slopes) Send(b int, up [][]float64, scalars []float64) {
	p := k.parties[b]
	p.expectOwn(k.mix)
	for i, at := range p.lin.Members {
		copy(up[i], member(at, p.now.own))
		copy(up[i][at.Len:], member(at, p.now.ownCurve))
	}
	clear(scalars)
	scalars[0] = p.now.value
	m := k.shared
	g, h := scalars[1:1+m], scalars[1+m:1+m+m*m]
	if k.described() > 0 {
		p.describeNoise(scalars[1+m+m*m:])
	}
	for _, r := range p.rows {
		for a := range m {
			g[a] += vec.Dot(r.n, r.slope, r.Shared[a*r.n:])
			for c := range m {
				for i, w := range r.curvature {
					h[a*m+c] += float64(r.Shared[a*r.n+i] * w * r.Shared[c*r.n+i])
				}
			}
		}
	}
}

func (k slopes) Answer(sum [][]float64, total []float64, down [][]float64, out []float64) {
	s, m := k.server, k.shared
	k.decide(s.now.value+total[0], out)
	copy(out[decision:], total[1+m+m*m:])
	copy(k.noiseOf, total[1+m+m*m:])
	for g, v := range sum {
		copy(down[g], v)
	}
	switch k.verdict {
	case goBack:
		s.back()
	case goOn:
		copy(s.g, total[1:1+m])
		copy(s.h, total[1+m:1+m+m*m])
	case finish, abandon:
		return
	}
	k.fail(s.follow())
}

func (k slopes) Receive(b int, down [][]float64, out []float64) {
	k.take(out)
	copy(k.noiseOf, out[decision:])
	k.receive(k.parties[b], down)
}
