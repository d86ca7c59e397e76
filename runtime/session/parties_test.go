package session_test

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// A recording is every number that the parties of a run compute or receive, by party, with the work that the
// server counts.
type recording struct {
	sync.Mutex
	seen map[int][]float64
	work density.Work
	up   int64 // bytes counted by clients
}

// keep records vectors of a party.
func (d *recording) keep(index int, vectors ...[]float64) {
	d.Lock()
	defer d.Unlock()
	for _, v := range vectors {
		d.seen[index] = append(d.seen[index], v...)
	}
}

// play moves a player for some rounds through every method of the Env.
func (d *recording) play(ctx context.Context, env density.Env, rounds int) error {
	p := newPlayer(env, shifted)
	scalars, values := make([][]float64, len(p.g)), make([][]float64, len(p.g))
	for b, block := range env.Blocks() {
		scalars[b], values[b] = make([]float64, 2), make([]float64, paramLen(block))
	}
	sum := make([]float64, 2)
	for r := range rounds {
		// What an evaluation that is not wanted has left behind is to change nothing later.
		if err := p.proceed(ctx, scalars, sum, r%3 == 1); err != nil {
			return err
		}
		for b, block := range env.Blocks() {
			d.keep(block.Index(), sum, p.grad[b], p.de[b], p.lp[b:b+1])
		}
		if err := p.density(ctx); err != nil {
			return err
		}
		for b := range scalars {
			scalars[b][0], scalars[b][1] = p.lp[b], p.theta[b][0]
		}
		if err := env.Sum(ctx, scalars, sum); err != nil {
			return err
		}
		if r%3 == 0 {
			if err := env.Values(ctx, density.Draw{Theta: p.theta}, values); err != nil {
				return err
			}
		}
		for b, block := range env.Blocks() {
			d.keep(block.Index(), p.theta[b], p.grad[b], p.e[b], p.de[b], p.z[b], values[b], sum,
				p.lp[b:b+1])
		}
		p.move(r)
	}
	d.count(env)
	return nil
}

func paramLen(b density.Block) (n int) {
	for _, p := range b.Params() {
		n += p.Len
	}
	return n
}

func (d *recording) count(env density.Env) {
	d.Lock()
	defer d.Unlock()
	if env.Blocks()[0].Index() == 0 {
		d.work = *env.Work()
	} else {
		d.up += env.Work().Bytes
	}
}

// newRecording returns an empty recording, and a function that runs a player and records it.
func newRecording(rounds int) (*recording, func(context.Context, density.Env) error) {
	d := &recording{seen: map[int][]float64{}}
	return d, func(ctx context.Context, env density.Env) error { return d.play(ctx, env, rounds) }
}

func record(t *testing.T, w *world, mode session.Execution, rounds int) *recording {
	t.Helper()
	d, play := newRecording(rounds)
	must(t, session.Run(t.Context(), w.plan(t), mode, 11, play))
	return d
}

// same wants two diaries of the same numbers, bit for bit, and the same work.
func (d *recording) same(t *testing.T, other *recording, names []string) {
	t.Helper()
	for index, name := range names {
		a, b := d.seen[index], other.seen[index]
		if len(a) != len(b) || len(a) == 0 {
			t.Fatalf("%s saw %d numbers and %d", name, len(a), len(b))
		}
		for i := range a {
			if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
				t.Fatalf("%s, number %d: %v and %v", name, i, a[i], b[i])
			}
		}
		if last := a[len(a)-1]; math.IsNaN(last) || math.IsInf(last, 0) {
			t.Errorf("%s ends at %v", name, last)
		}
	}
	if d.work != other.work {
		t.Errorf("work: %+v and %+v", d.work, other.work)
	}
}

// One loop over all parties and a goroutine per party see the same numbers, bit for bit, and count the same
// work.
func TestOneLoopEqualsOneGoroutinePerParty(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) {
		parties := record(t, w, session.PerParty, 20)
		record(t, w, session.OneLoop, 20).same(t, parties, w.names())
		if parties.work.Bytes != parties.up {
			t.Errorf("the server counts %d bytes, the clients %d", parties.work.Bytes, parties.up)
		}
	})
}

// An overwriter is a transport that overwrites a message when the next one of the same peer is received, as a
// transport may.
type overwriter struct {
	transport.Transport
	last map[string]transport.Message
}

func (s *overwriter) Recv(ctx context.Context, from string) (transport.Message, error) {
	for _, a := range s.last[from].Arrays {
		for i := range a.Data {
			a.Data[i] = math.NaN()
		}
	}
	m, err := s.Transport.Recv(ctx, from)
	s.last[from] = m
	return m, err
}

// Messages are not read after the next one has come.
func TestMessagesAreReadInTime(t *testing.T) {
	for _, mode := range []design{{}, {power: true}, {exact: true}} {
		w := newWorld(design{power: mode.power, exact: mode.exact, single: true, late: true, early: true,
			clients: 2})
		plan := w.plan(t)
		ends := transport.NewMem(plan.Names)
		for i, end := range ends {
			ends[i] = &overwriter{end, map[string]transport.Message{}}
		}
		d, play := newRecording(5)
		for _, err := range together(plan, ends, 11, play) {
			must(t, err)
		}
		record(t, w, session.OneLoop, 5).same(t, d, plan.Names)
	}
}

// Over messages neither side allocates, once their buffers have grown.
func TestNoAllocationsPerParty(t *testing.T) {
	const warm, runs = 5, 20
	for _, mode := range []design{{}, {power: true}, {exact: true}} {
		plan := newWorld(design{power: mode.power, exact: mode.exact, late: true, early: true,
			clients: 2}).plan(t)
		must(t, session.Run(t.Context(), plan, session.PerParty, 1,
			func(ctx context.Context, env density.Env) error {
				p := newPlayer(env, shifted)
				var failed error
				wanted := false
				decision := density.Decision{Part: clone(p.theta), Total: make([]float64, 2),
					Wanted: func() bool {
						wanted = !wanted
						return wanted
					}}
				decision.Part[0] = make([]float64, 2)
				pipeline := density.Must[density.Pipelined](env)
				step := func() {
					if err := p.env.Density(ctx, p.theta, p, p.grad, p.lp); err != nil {
						failed = err
					}
					if err := pipeline.Proceed(ctx, decision, p.theta, p, p.grad, p.lp); err != nil {
						failed = err
					}
				}
				for range warm {
					step()
				}
				if env.Blocks()[0].Index() > 0 {
					for range runs + 1 {
						step()
					}
				} else if n := testing.AllocsPerRun(runs, step); n != 0 {
					t.Errorf("%s: %v allocations per evaluation", mode, n)
				}
				return failed
			}))
	}
}
