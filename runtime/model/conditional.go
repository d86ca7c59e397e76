package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

var _ density.ConditionalBlock = (*Party)(nil)

// A given reads the conditional form of a party's density off its graphs: what its cuts or the predictors of
// its likelihoods are, and the gradient of everything else.
type given struct {
	party      *Party
	split      *graph.Split // of the server; nil at a client, which has no likelihood
	rest       *graph.Exec
	predictors *graph.Exec
	seeds      [][]float64
	latent     []bool // by element of θ
	bare       bool   // outputs and predictors are no part of it
	theta      []float64
	out        []float64 // the last outputs, one after another
	index      []int     // the latent elements
	sent       []int     // the elements that the server sends and that depend on these
	sends      *graph.Exec
	got        []float64 // what is received
}

// Conditional implements density.ConditionalBlock. Which elements are latent follows from the graphs: those
// in which outputs and gradients are affine.
func (p *Party) Conditional() (*density.Conditional, error) {
	g, err := p.givenReader()
	if err != nil {
		return nil, err
	}
	if err := g.divide(); err != nil {
		return nil, err
	}
	l := &density.Conditional{Sums: p.sums, Clients: p.clients}
	for i, latent := range g.latent {
		if latent {
			l.Index = append(l.Index, i)
		} else {
			l.Hyper = append(l.Hyper, i)
		}
	}
	g.index = l.Index
	for _, v := range p.spec.Graph.Params() {
		if v.Len > 0 && !g.latent[v.Offset] {
			if l.Names = append(l.Names, v.Name); g.moves(v) {
				return nil, fmt.Errorf("%s: %s enters a predictor by itself, and its prior is not normal",
					p.Party(), v.Name)
			}
		}
	}
	for _, a := range p.role.Arrivals {
		l.Received += a.Len
		l.Sources = append(l.Sources, slices.Repeat([]string{p.spec.Graph.Inputs()[a.Input].Name}, a.Len)...)
	}
	l.Members = p.members()
	if err := g.readSends(l); err != nil {
		return nil, err
	}
	if g.split != nil {
		for k, rows := range g.split.Rows {
			r := density.RowLikelihood{Term: rows.Term, Group: -1, Own: -1}
			evaluate(&r, &g.split.Rows[k], l.Hyper)
			for _, in := range p.role.Receptions {
				if in.Input == rows.Input {
					r.Group = in.Group
				}
			}
			l.Rows = append(l.Rows, r)
		}
	}
	l.Accept = g.accept
	l.Along = g.along
	l.At = func(hyper, received []float64, form *density.ConditionalForm) { g.at(l, hyper, received, form) }
	return l, nil
}

func (p *Party) givenReader() (*given, error) {
	if p.spec.Split == nil {
		return nil, errors.New("its log density is not divided into likelihoods")
	}
	g := &given{party: p, theta: make([]float64, p.Dim())}
	if p.index > 0 {
		if len(p.role.Receptions) > 0 {
			return nil, fmt.Errorf("%s: it has a likelihood that depends on what others send", p.Party())
		}
		g.rest = p.spec.Graph.NewExec()
		g.seeds = make([][]float64, len(p.spec.Graph.Outputs()))
		for _, a := range p.role.Arrivals {
			g.got = append(g.got, make([]float64, a.Len)...)
		}
		return g, nil
	}
	var sums []int
	for _, r := range p.role.Receptions {
		sums = append(sums, r.Input)
	}
	var err error
	if g.split, err = p.spec.Split.Given(sums); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Party(), err)
	}
	if len(g.split.Rows) == 0 {
		return nil, fmt.Errorf("%s: it has no likelihood with one predictor a row", p.Party())
	}
	g.rest, g.predictors = g.split.Rest.NewExec(), g.split.Predictors.NewExec()
	return g, nil
}

// evaluate sets out to the outputs at theta, and returns value and gradient of everything but the
// likelihoods.
func (g *given) evaluate() (value float64, grad []float64) {
	g.out = g.out[:0]
	g.rest.Forward(g.theta)
	if g.bare {
		return g.rest.Target(), g.rest.Grad()
	}
	if g.split == nil {
		for k := range g.party.spec.Cuts {
			g.out = append(g.out, g.rest.Output(k)...)
		}
	}
	value = g.rest.Target()
	if len(g.seeds) > 0 {
		g.rest.Pull(g.seeds)
	}
	if g.predictors != nil {
		g.predictors.Forward(g.theta)
		for k := range g.split.Rows {
			g.out = append(g.out, g.predictors.Output(k)...)
		}
	}
	return value, g.rest.Grad()
}

// divide finds the latent elements: those of parameters in which, each alone, outputs and its own gradient
// are affine, and then all of these together.
func (g *given) divide() error {
	g.latent = make([]bool, g.party.Dim())
	params := g.party.spec.Graph.Params()
	for _, v := range params {
		alone := make([]bool, len(g.latent))
		for i := v.Offset; i < v.Offset+v.Len; i++ {
			alone[i] = true
		}
		if g.bent(alone, nil) < 0 && !g.isGlobal(v.Offset) {
			for i := v.Offset; i < v.Offset+v.Len; i++ {
				g.latent[i] = true
			}
		}
	}
	if i := g.bent(g.latent, nil); i >= 0 {
		for _, v := range params {
			if i < v.Offset+v.Len {
				return fmt.Errorf("%s: %s enters a product with another parameter that has a normal prior",
					g.party.Party(), v.Name)
			}
		}
	}
	return nil
}

// moves reports whether an output depends on a parameter where the latent elements are 0.
func (g *given) moves(v graph.Port) bool {
	clear(g.theta)
	g.receive(1)
	g.evaluate()
	before := slices.Clone(g.out)
	for i := v.Offset; i < v.Offset+v.Len; i++ {
		g.theta[i] = 1
	}
	g.evaluate()
	return !slices.Equal(before, g.out)
}

// isGlobal reports whether a likelihood depends on a parameter beside its predictor.
func (g *given) isGlobal(offset int) bool {
	return g.split != nil && slices.ContainsFunc(g.split.Rows, func(r graph.Rows) bool {
		return slices.ContainsFunc(r.Globals, func(v graph.Port) bool { return v.Offset == offset })
	})
}

// accept declares which elements of what is received are latent at the server.
func (g *given) accept(latent []bool) error {
	if g.bent(g.latent, latent) < 0 {
		return nil
	}
	at := 0
	for _, a := range g.party.role.Arrivals {
		if slices.Contains(latent[at:at+a.Len], true) {
			name := g.party.spec.Graph.Inputs()[a.Input].Name
			return fmt.Errorf("%s: it uses %s, whose prior is normal given others, not as a "+
				"mean or as a coefficient", g.party.Party(), name)
		}
		at += a.Len
	}
	return nil
}

// bent returns an element among some of θ whose gradient is not affine in these and some of what is received,
// the first of them where an output is not; −1: all are.
func (g *given) bent(of, moved []bool) int {
	const bases = 2
	first := slices.Index(of, true)
	if first < 0 && moved == nil {
		return -1
	}
	first = max(first, 0)
	for k := range bases {
		g.receive(0.8 + float64(k))
		var outs, grads [3][]float64
		for step := range outs {
			for i, moves := range moved {
				if g.got[i] = 0.8 + float64(k); moves {
					g.got[i] += float64(float64(step-1) * portable.Cos(float64(i+3)*(float64(k)+1.7)))
				}
			}
			if moved != nil {
				g.put(g.got)
			}
			for i := range g.theta {
				g.theta[i] = 0.7 * portable.Sin(float64(i+1)*(float64(k)+0.7))
				if of[i] {
					g.theta[i] += float64(float64(step-1) * portable.Cos(float64(i+2)*(float64(k)+1.3)))
				}
			}
			_, grad := g.evaluate()
			outs[step], grads[step] = slices.Clone(g.out), slices.Clone(grad)
		}
		for i := range outs[0] {
			if !even(outs[0][i], outs[1][i], outs[2][i]) {
				return first
			}
		}
		for i := range g.theta {
			if of[i] && !even(grads[0][i], grads[1][i], grads[2][i]) {
				return i
			}
		}
	}
	return -1
}

// receive sets what a client receives of the server's parameters to a positive number, as scales are.
func (g *given) receive(v float64) {
	if g.split == nil {
		vector.Fill(len(g.got), g.got, v)
		g.put(g.got)
	}
}

// put sets what a client receives.
func (g *given) put(received []float64) {
	for _, a := range g.party.role.Arrivals {
		received = received[copy(g.rest.Input(a.Input)[:a.Len], received):]
	}
}

// along is Conditional.Along.
func (g *given) along(received []float64) (cuts, gradient []float64) {
	g.put(received)
	_, grad := g.evaluate()
	gradient = make([]float64, len(g.index))
	for k, i := range g.index {
		gradient[k] = grad[i]
	}
	return slices.Clone(g.out), gradient
}

// even reports whether three values at equal steps are on a line, up to rounding.
func even(a, b, c float64) bool {
	return math.Abs(a-float64(2*b)+c) <= exact*(1+math.Abs(a)+math.Abs(b)+math.Abs(c))
}

// readSends prepares what the server sends, and finds which elements of it depend on latent ones.
func (g *given) readSends(l *density.Conditional) error {
	p := g.party
	if g.split == nil {
		return nil
	}
	g.sends = p.spec.Graph.NewExec()
	l.To = p.sentTo
	for _, o := range p.spec.Graph.Outputs()[len(p.spec.Cuts):] {
		l.Sources = append(l.Sources, slices.Repeat([]string{o.Name}, o.Len)...)
	}
	l.Sends = func(hyper []float64) []float64 {
		theta := make([]float64, p.Dim())
		for k, i := range l.Hyper {
			theta[i] = hyper[k]
		}
		return g.send(theta)
	}
	var at [3][]float64
	for step := range at {
		theta := make([]float64, p.Dim())
		for _, i := range l.Index {
			theta[i] = float64(float64(step) * portable.Cos(float64(i+2)))
		}
		at[step] = g.send(theta)
	}
	for i := range at[0] {
		if at[0][i] == at[1][i] && at[0][i] == at[2][i] {
			continue
		}
		if l.Latent = append(l.Latent, i); !even(at[0][i], at[1][i], at[2][i]) {
			return fmt.Errorf("%s: clients use a function of a parameter whose prior is normal given others",
				p.Party())
		}
	}
	g.sent = l.Latent
	return nil
}

// send is everything that the server sends, at θ.
func (g *given) send(theta []float64) (sent []float64) {
	g.sends.Forward(theta)
	for k := len(g.party.spec.Cuts); k < len(g.party.spec.Graph.Outputs()); k++ {
		sent = append(sent, g.sends.Output(k)...)
	}
	return sent
}

// sendsOf sets a to the map of the elements that are sent and depend on latent ones.
func (g *given) sendsOf(a *density.Affine) {
	n := len(g.sent)
	if n == 0 {
		return
	}
	if a.Offset == nil {
		a.Offset, a.Matrix = make([]float64, n), make([]float64, n*len(g.index))
	}
	at := g.send(g.theta)
	for r, s := range g.sent {
		a.Offset[r] = at[s]
	}
	for k, i := range g.index {
		g.theta[i] = 1
		at := g.send(g.theta)
		g.theta[i] = 0
		for r, s := range g.sent {
			a.Matrix[k*n+r] = at[s] - a.Offset[r]
		}
	}
}

// sentTo lists, for each party, which of the elements that the server sends it receives, in their order; nil
// at a client.
func sentTo(plan *Plan, server *Spec) [][]int {
	out := make([][]int, len(plan.Names))
	begin := func(output int) (at int) {
		for k := len(server.Cuts); k < output; k++ {
			at += server.Graph.Outputs()[k].Len
		}
		return at
	}
	for j := range out {
		if j == 0 {
			continue
		}
		for _, a := range plan.Role(j).Arrivals {
			from := begin(plan.Shared[a.Shared].From.Index)
			for i := range plan.SharedLen(a.Shared) {
				out[j] = append(out[j], from+i)
			}
		}
	}
	return out
}

// at reads the form off at the unit vectors of the latent elements.
func (g *given) at(l *density.Conditional, hyper, received []float64, form *density.ConditionalForm) {
	d := len(g.index)
	clear(g.theta)
	for k, i := range l.Hyper {
		g.theta[i] = hyper[k]
	}
	if g.split == nil {
		g.put(received)
	}
	g.sendsOf(&form.Sends)
	prior := &form.Prior
	value, grad := g.evaluate()
	n := len(g.out)
	if form.Prior.Precision == nil {
		prior.Gradient, prior.Precision = make([]float64, d), make([]float64, d*d)
		if !g.bare {
			g.makeMaps(form, n, d)
		}
	}
	prior.Value = value
	for k, i := range g.index {
		prior.Gradient[k] = grad[i]
	}
	g.scatter(form, func(a *density.Affine, from []float64) { copy(a.Offset, from) })
	for k, i := range g.index {
		g.theta[i] = 1
		_, grad := g.evaluate()
		g.theta[i] = 0
		for c, j := range g.index {
			prior.Precision[k*d+c] = prior.Gradient[c] - grad[j]
		}
		g.scatter(form, func(a *density.Affine, from []float64) {
			for r, o := range a.Offset {
				a.Matrix[k*len(a.Offset)+r] = from[r] - o
			}
		})
	}
}

// makeMaps makes room for the maps.
func (g *given) makeMaps(form *density.ConditionalForm, n, d int) {
	room := func(n int) density.Affine {
		return density.Affine{Offset: make([]float64, n), Matrix: make([]float64, n*d)}
	}
	if g.split == nil {
		form.Cuts = room(n)
		return
	}
	for k := range g.split.Rows {
		form.Rows = append(form.Rows, room(len(g.predictors.Output(k))))
	}
}

// scatter gives each map its part of the outputs.
func (g *given) scatter(form *density.ConditionalForm, to func(a *density.Affine, from []float64)) {
	if g.split == nil {
		to(&form.Cuts, g.out)
		return
	}
	from := g.out
	for k := range form.Rows {
		to(&form.Rows[k], from)
		from = from[len(form.Rows[k].Offset):]
	}
}
