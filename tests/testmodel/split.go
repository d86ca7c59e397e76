package testmodel

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/vflc/vflc/density"
)

// Split returns one Env per party of an Env over all parties, each with only that party's block, for one
// goroutine per party. Every collective call waits for all of them, and the last to arrive evaluates with the
// shared Env. A kernel that reads another block's state, or decides from anything but totals, gives other
// results over these than over the whole Env, or hangs. The parties have every capability; a call of one that
// the shared Env does not have panics.
func Split(e density.Env) []density.Env {
	n := len(e.Blocks())
	h := &hub{
		env: e, steps: make([]density.LocalSteps, n), theta: make([][]float64, n), grad: make([][]float64, n),
		lp: make([]float64, n), coords: make([]density.Coordinates, n),
		decisions: make([]density.Decision, n), part: make([][]float64, n), other: make([][]float64, n),
	}
	h.all.L = &h.mu
	out := make([]density.Env, n)
	for p := range out {
		out[p] = &member{hub: h, party: p, blocks: e.Blocks()[p : p+1]}
	}
	whole, ok := density.As[density.Windowed](e)
	if !ok {
		return out
	}
	divided := make([]*Divided, n)
	for p := range out {
		divided[p] = &Divided{Env: out[p]}
		out[p] = divided[p]
	}
	for k := range whole.Windows() {
		window, rows := whole.Window(k)
		for p, end := range Split(window) {
			divided[p].windows, divided[p].rows = append(divided[p].windows, end),
				append(divided[p].rows, rows)
		}
	}
	return out
}

// A hub synchronises the parties of a split Env.
type hub struct {
	env     density.Env
	mu      sync.Mutex
	all     sync.Cond
	arrived int
	meeting int
	err     error

	theta, grad, part, other [][]float64
	lp, total                []float64
	coords                   []density.Coordinates
	steps                    []density.LocalSteps
	decisions                []density.Decision
}

// meet runs bring, waits for all parties, runs act at the last to arrive, and then take.
func (h *hub) meet(bring func(), act func() error, take func()) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	bring()
	h.arrived++
	if h.arrived == len(h.theta) {
		h.err = act()
		h.arrived = 0
		h.meeting++
		h.all.Broadcast()
	} else {
		for now := h.meeting; now == h.meeting; {
			h.all.Wait()
		}
	}
	take()
	return h.err
}

// Value and Adjoint pass the calls of the shared Env to the parties' own coordinates.
func (h *hub) Value(b int, g, z []float64) { h.coords[b].Value(0, g, z) }

func (h *hub) Adjoint(b int, adj, own, w, early []float64) {
	h.coords[b].Adjoint(0, adj, own, w, early)
}

// Send, Answer and Receive pass the calls of the shared Env to the parties' own steps.
func (h *hub) Send(b int, z []float64) { h.steps[b].Send(0, z) }

func (h *hub) Answer(b int, answer []float64) float64 { return h.steps[b].Answer(0, answer) }

func (h *hub) Receive(b int, adj []float64) { h.steps[b].Receive(0, adj) }

// A member is one party's Env.
type member struct {
	*hub
	party  int
	blocks []density.Block
	work   density.Work
}

func (m *member) Blocks() []density.Block { return m.blocks }

func (m *member) Density(ctx context.Context, theta [][]float64, coords density.Coordinates, grad [][]float64,
	lp []float64) error {
	return m.meet(
		func() { m.bring(theta, coords, grad) },
		func() error { return m.env.Density(ctx, m.hub.theta, m.hub, m.hub.grad, m.hub.lp) },
		func() { lp[0] = m.lp[m.party] })
}

func (m *member) StepLocally(ctx context.Context, theta [][]float64, steps density.LocalSteps,
	grad [][]float64, lp []float64) error {
	return m.meet(
		func() { m.theta[m.party], m.grad[m.party], m.steps[m.party] = theta[0], grad[0], steps },
		func() error {
			return density.Must[density.LocallyStepped](m.env).StepLocally(ctx, m.hub.theta, m.hub,
				m.hub.grad, m.hub.lp)
		},
		func() { lp[0] = m.lp[m.party] })
}

func (m *member) bring(theta [][]float64, coords density.Coordinates, grad [][]float64) {
	m.theta[m.party], m.grad[m.party], m.coords[m.party] = theta[0], grad[0], coords
}

// Proceed takes every party's input before it asks any party whether to evaluate, as over a network.
func (m *member) Proceed(ctx context.Context, d density.Decision, theta [][]float64,
	coords density.Coordinates, grad [][]float64, lp []float64) error {
	return m.meet(
		func() {
			m.bring([][]float64{slices.Clone(theta[0])}, coords, grad)
			m.decisions[m.party] = d
			m.part[m.party] = d.Part[0]
		},
		func() error {
			m.total = append(m.total[:0], d.Total...)
			if err := m.env.Sum(ctx, m.part, m.total); err != nil {
				return err
			}
			return m.ask(ctx)
		},
		func() { lp[0] = m.lp[m.party] })
}

// ask evaluates where all parties want it.
func (h *hub) ask(ctx context.Context) error {
	wanted := 0
	for _, d := range h.decisions {
		copy(d.Total, h.total)
		if d.Wanted() {
			wanted++
		}
	}
	switch wanted {
	case 0:
		return nil
	case len(h.decisions):
		return h.env.Density(ctx, h.theta, h, h.grad, h.lp)
	}
	return fmt.Errorf("%d of %d parties want to proceed", wanted, len(h.decisions))
}

func (m *member) Apart() bool { return true }

func (m *member) Sum(ctx context.Context, part [][]float64, total []float64) error {
	return m.meet(
		func() { m.part[m.party] = part[0] },
		func() error {
			m.total = append(m.total[:0], total...)
			return m.env.Sum(ctx, m.part, m.total)
		},
		func() { copy(total, m.total) })
}

func (m *member) Values(ctx context.Context, d density.Draw, values [][]float64) error {
	p := m.party
	return m.meet(
		func() { m.theta[p], m.other[p] = d.Theta[0], values[0] },
		func() error {
			return m.env.Values(ctx, density.Draw{Theta: m.theta}, m.other)
		},
		func() {})
}

func (m *member) ReadsAuxiliaries() bool { return false }

func (m *member) Private(_ int, name string) density.Stream { return m.env.Private(m.party, name) }
func (m *member) Shared(name string) density.Stream         { return m.env.Shared(name) }
func (m *member) Cause() density.Cause                      { return m.env.Cause() }
func (m *member) Augmented() bool                           { return m.env.Augmented() }
func (m *member) Work() *density.Work                       { return &m.work }
