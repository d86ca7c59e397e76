package session_test

import (
	"context"
	"fmt"

	"github.com/vflc/vflc/density"
)

// scheme is how a player parameterises z. The log density of z is -½ ((z-g)/ρ)².
type scheme int

const (
	noncentred scheme = iota // z = g + ρ e
	centred                  // z = e
	shifted                  // z = g + ½ ḡ + ρ e, ḡ the cuts at θ/2: uses slot Centre
)

var schemes = map[string]scheme{"noncentred": noncentred, "centred": centred, "shifted": shifted}

// A player is a minimal algorithm: a point (θ, e) per block, and the joint density with its gradient there.
type player struct {
	env    density.Env
	scheme scheme

	theta, grad [][]float64 // ∂/∂θ, complete after density
	e, de       [][]float64
	z           [][]float64
	g           [][]float64
	half, bar   [][]float64 // θ/2 and ḡ
	pulled      [][]float64 // ∂/∂θ by way of ḡ
	seed        [][]float64
	lp          []float64
}

func newPlayer(env density.Env, s scheme) *player {
	p := &player{env: env, scheme: s, lp: make([]float64, len(env.Blocks()))}
	for b, block := range env.Blocks() {
		for _, v := range []*[][]float64{&p.theta, &p.grad, &p.half, &p.pulled} {
			*v = append(*v, make([]float64, block.Dim()))
		}
		for _, v := range []*[][]float64{&p.e, &p.de, &p.z, &p.g, &p.bar, &p.seed} {
			*v = append(*v, make([]float64, block.AuxLen()))
		}
		start := env.Private(b, "start")
		start.Normals(p.theta[b])
		start.Normals(p.e[b])
		for i := range p.theta[b] {
			p.theta[b][i] *= 0.5
		}
	}
	return p
}

// rho calls f with the deviation of each element of the block's cuts.
func (p *player) rho(b int, f func(i int, rho float64)) {
	for _, c := range p.env.Blocks()[b].Cuts() {
		for i := range c.Len() {
			f(c.Offset+i, c.Rho)
		}
	}
}

func (p *player) Value(b int, g, z []float64) {
	copy(p.g[b], g)
	if p.scheme == shifted {
		for i, v := range p.theta[b] {
			p.half[b][i] = v / 2
		}
		p.env.Blocks()[b].Cut(density.Centre, p.half[b], p.bar[b])
	}
	p.rho(b, func(i int, rho float64) {
		switch p.scheme {
		case centred:
			z[i] = p.e[b][i]
		default:
			z[i] = g[i] + p.bar[b][i]/2 + rho*p.e[b][i]
		}
	})
	copy(p.z[b], z)
}

func (p *player) Adjoint(b int, adj, own, w, early []float64) {
	p.rho(b, func(i int, rho float64) {
		d := (p.z[b][i] - p.g[b][i]) / (rho * rho)
		switch p.scheme {
		case centred:
			w[i], p.de[b][i] = own[i]+d, adj[i]-d
		default:
			w[i], p.de[b][i] = own[i]+adj[i], rho*(adj[i]-d)
			p.seed[b][i] = (adj[i] - d) / 2
		}
	})
	if p.scheme == shifted {
		clear(p.pulled[b])
		cuts := p.env.Blocks()[b].(density.DifferentiableCuts)
		cuts.Pull(density.Centre, p.seed[b], p.pulled[b])
		cuts.PullEarly(density.Centre, p.seed[b], early)
	}
}

// density evaluates the joint density at the point.
func (p *player) density(ctx context.Context) error {
	if err := p.env.Density(ctx, p.theta, p, p.grad, p.lp); err != nil {
		return err
	}
	for b := range p.grad {
		for i, v := range p.pulled[b] {
			p.grad[b][i] += v / 2
		}
	}
	return nil
}

// proceed adds scalars up and, where it is wanted, evaluates the density a little further on.
func (p *player) proceed(ctx context.Context, part [][]float64, total []float64, wanted bool) error {
	for b := range p.theta {
		for _, v := range [][]float64{p.theta[b], p.e[b]} {
			for i := range v {
				v[i] *= 1.01
			}
		}
	}
	asked := 0
	d := density.Decision{Part: part, Total: total, Wanted: func() bool { asked++; return wanted }}
	if err := density.Must[density.Pipelined](p.env).Proceed(ctx, d, p.theta, p, p.grad, p.lp); err != nil {
		return err
	}
	if asked != 1 {
		return fmt.Errorf("asked %d times whether to go on", asked)
	}
	return nil
}

// joint is the joint log density of the blocks of this process.
func (p *player) joint() (total float64) {
	for b, lp := range p.lp {
		total += lp
		p.rho(b, func(i int, rho float64) {
			d := (p.z[b][i] - p.g[b][i]) / rho
			total -= d * d / 2
		})
	}
	return total
}

// move takes a noisy step along the gradient, so that whatever differs once differs ever after.
func (p *player) move(round int) {
	for b := range p.theta {
		noise := p.env.Private(b, "noise")
		noise.Round(uint64(round))
		jitter := make([]float64, len(p.theta[b])+len(p.e[b]))
		noise.Normals(jitter)
		step := 1e-3 * (1 + p.env.Shared("step").Float64())
		walk(p.theta[b], p.grad[b], jitter, step)
		walk(p.e[b], p.de[b], jitter[len(p.theta[b]):], step)
	}
}

func walk(x, grad, noise []float64, step float64) {
	for i := range x {
		x[i] = 0.95*x[i] + step*grad[i] + 0.1*noise[i]
	}
}
