package session_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"
	"weak"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// sender is an algorithm whose parties send numbers that anyone can compute.
type sender struct {
	plan  *model.Plan
	env   density.Env
	round int
	live  func() int
	sums  [][]float64 // what the server had, in all rounds
	total []float64
	most  int // clients of which something was in memory at the server
}

func number(round, client, i, k int) float64 {
	return math.Sin(float64(1+round+7*client+13*i+17*k)) / float64(1+client)
}

func (s *sender) Send(b int, up [][]float64, scalars []float64) {
	client := s.env.Blocks()[b].Index()
	for i, v := range up {
		for k := range v {
			v[k] = number(s.round, client, i, k)
		}
	}
	for k := range scalars {
		scalars[k] = number(s.round, client, -1, k)
	}
}

func (s *sender) Answer(sum [][]float64, total []float64, down [][]float64, answers []float64) {
	if s.live != nil {
		s.most = max(s.most, s.live())
	}
	for g, v := range sum {
		s.sums = append(s.sums, slices.Clone(v))
		clear(down[g])
	}
	s.total = append(s.total, total...)
	clear(answers)
}

func (s *sender) Receive(int, [][]float64, []float64) {}

// in order, as one process has them.
func (s *sender) want(round int, size density.RelaySize) (sums [][]float64) {
	for _, group := range s.plan.Groups {
		sums = append(sums, make([]float64, group.Len*size.Columns))
	}
	for client := 1; client < len(s.plan.Names); client++ {
		for i, m := range s.plan.Role(client).Members {
			for k := range sums[m.Group] {
				sums[m.Group][k] += number(round, client, i, k)
			}
		}
	}
	return sums
}

// watchful keeps weak pointers to the numbers that come, and counts the words of each message.
type watchful struct {
	transport.Transport
	lock sync.Mutex
	kept map[string][]func() bool
	long map[uint64][]int // words of the first arrays, by round
}

func (w *watchful) Recv(ctx context.Context, from string) (transport.Message, error) {
	m, err := w.Transport.Recv(ctx, from)
	w.lock.Lock()
	defer w.lock.Unlock()
	m.Arrays = slices.Clone(m.Arrays)
	for i, a := range m.Arrays {
		if len(a.Data) >= 4 { // smaller ones share memory with others
			v := slices.Clone(a.Data)
			p := weak.Make(&v[0])
			m.Arrays[i].Data, w.kept[from] = v, append(w.kept[from], func() bool { return p.Value() != nil })
		}
		if len(a.Words) >= 4 {
			v := slices.Clone(a.Words)
			p := weak.Make(&v[0])
			m.Arrays[i].Words, w.kept[from] = v, append(w.kept[from], func() bool { return p.Value() != nil })
		}
	}
	if len(m.Arrays) > 0 {
		w.long[m.Round] = append(w.long[m.Round], len(m.Arrays[0].Words))
	}
	return m, err
}

// live is of how many clients something is in memory.
func (w *watchful) live() (n int) {
	runtime.GC()
	w.lock.Lock()
	defer w.lock.Unlock()
	for _, all := range w.kept {
		if slices.ContainsFunc(all, func(f func() bool) bool { return f() }) {
			n++
		}
	}
	return n
}

// relayOf is a round trip that an algorithm declares: vectors of a scale up, and down vectors of another
// where that has a grid.
func relayOf(up, down density.Scale) *density.Exchange {
	x := &density.Exchange{
		Name: fmt.Sprintf("relay of scale %d, answered by %d", up, down),
		Up: density.MessageKind{Name: "upward", Carries: []density.Carried{
			{Content: &density.Content{Prefix: "part ", Columns: true, Reach: density.Contribution},
				Scale: up}, {Content: density.Scalars},
		}},
		Down: density.MessageKind{Name: "downward"},
	}
	if down != density.Unscaled {
		whole := &density.Content{Prefix: "whole ", Of: density.OfSums, Columns: true,
			Reach: density.Response}
		x.Down.Carries = append(x.Down.Carries, density.Carried{Content: whole, Scale: down})
	}
	x.Down.Carries = append(x.Down.Carries, density.Carried{Content: density.Answers})
	return x
}

// What the clients send in a relay is added up as it comes, in party order: the server holds the message of
// no more than one client, however many there are and whatever the columns are, and the sums have the bits of
// one process. On the fixed wire numbers have a word each once an answer has told a grid, and two where none
// does.
func TestRelayAddsUpAsItComes(t *testing.T) {
	const rounds = 3
	for _, c := range []struct {
		up, down density.Scale
		columns  int
		power    bool
	}{
		{density.Contributions, density.Contributions, 2, false},
		{density.Contributions, density.Contributions, 2, true},
		{density.Adjoints, density.Adjoints, 2, true},
		{density.Products, density.Products, 40, false}, {density.Contributions, density.Unscaled, 40, false},
		{density.Adjoints, density.Unscaled, 2, true},
	} {
		x, told := relayOf(c.up, c.down), c.down != density.Unscaled
		for _, clients := range []int{2, 9} {
			for _, wire := range []model.Wire{{}, fixed, masked} {
				name := fmt.Sprintf("%s, power %t, %d clients, wire %+v", x.Name, c.power, clients, wire)
				plan := newWorld(design{power: c.power, exact: !c.power, clients: clients}).plan(t).On(wire)
				size := density.RelaySize{Columns: c.columns, Scalars: 5, Answers: 1}
				play := func(env density.Env, s *sender) error {
					s.env, s.plan = env, plan
					for s.round = range rounds {
						if err := density.Must[density.Relaying](env).Relay(t.Context(), x, size,
							s); err != nil {
							return err
						}
					}
					return nil
				}
				one := &sender{}
				must(t, session.Run(t.Context(), plan, session.OneLoop, 11,
					func(_ context.Context, env density.Env) error {
						return play(env, one)
					}))
				ends := transport.NewMem(plan.Names)
				server := &watchful{Transport: ends[0], kept: map[string][]func() bool{},
					long: map[uint64][]int{}}
				ends[0] = server
				apart := &sender{live: server.live}
				for _, err := range together(plan, ends, 11, func(_ context.Context, env density.Env) error {
					if env.Blocks()[0].Index() == 0 {
						return play(env, apart)
					}
					return play(env, &sender{})
				}) {
					must(t, err)
				}
				if apart.most > 1 {
					t.Errorf("%s: messages of %d clients at the server", name, apart.most)
				}
				if !slices.EqualFunc(one.sums, apart.sums, slices.Equal[[]float64]) ||
					!slices.Equal(one.total, apart.total) {
					t.Errorf("%s: other sums apart", name)
				}
				for round := range rounds {
					for g, want := range (&sender{plan: plan}).want(round, size) {
						got := apart.sums[round*len(plan.Groups)+g]
						if !slices.EqualFunc(got, want, func(a, b float64) bool {
							return a == b || wire.Fixed && math.Abs(a-b) < 1e-8
						}) {
							t.Errorf("%s: sum %d of round %d is not that of its parts", name, g, round)
						}
					}
				}
				words := c.columns * plan.Groups[plan.Role(1).Members[0].Group].Len
				for round, long := range server.long {
					want := 0
					switch {
					case wire.Fixed && (round == 1 || !told):
						want = 2 * words
					case wire.Fixed:
						want = words
					}
					if len(long) != clients || slices.ContainsFunc(long, func(n int) bool {
						return n != want
					}) {
						t.Errorf("%s: %v words in round %d, want %d each", name, long, round, want)
					}
				}
				if len(server.long) != rounds {
					t.Errorf("%s: %d rounds", name, len(server.long))
				}
			}
		}
	}
}

// placed notes where the arrays of a relay are, and writes into them.
type placed struct {
	at  []*float64
	bad bool
}

func (p *placed) note(arrays [][]float64) {
	for _, v := range arrays {
		p.at = append(p.at, &v[0])
		for k, x := range v {
			p.bad = p.bad || x != 0
			v[k] = 1
		}
	}
}

func (p *placed) Send(_ int, up [][]float64, _ []float64) { p.note(up) }

func (p *placed) Answer(_ [][]float64, _ []float64, down [][]float64, _ []float64) { p.note(down) }

func (p *placed) Receive(int, [][]float64, []float64) {}

// Relays of several sizes, none larger than the first, use the arrays of the first, and find zeros there.
func TestRelaysShareArrays(t *testing.T) {
	x := relayOf(density.Contributions, density.Unscaled)
	plan := newWorld(design{exact: true, clients: 2}).plan(t)
	play := func(_ context.Context, env density.Env) error {
		var first []*float64
		for columns := 40; columns > 0; columns -= 13 {
			p := &placed{}
			size := density.RelaySize{Columns: columns, Scalars: columns, Answers: 1}
			if err := density.Must[density.Relaying](env).Relay(t.Context(), x, size, p); err != nil {
				return err
			}
			if first == nil {
				first = p.at
			}
			if !slices.Equal(p.at, first) || p.bad {
				t.Errorf("%d columns: other arrays, or what was there before", columns)
			}
		}
		return nil
	}
	must(t, session.Run(t.Context(), plan, session.OneLoop, 11, play))
}

// sole notes how many numbers the arrays of a relay may have, and where they are.
type sole struct {
	up, sum   *float64
	room, was int
}

func (s *sole) Send(_ int, up [][]float64, _ []float64) {
	s.up, s.room = &up[0][0], cap(up[0])
	up[0][0] = 3
}

func (s *sole) Answer(sum [][]float64, _ []float64, _ [][]float64, _ []float64) {
	s.sum, s.was = &sum[0][0], int(sum[0][0])
}

func (s *sole) Receive(int, [][]float64, []float64) {}

// The sum of what one client of this process sends is no other array than that which it has set, and arrays
// of many columns are dropped where few follow.
func TestArraysOfASoleClient(t *testing.T) {
	x := relayOf(density.Contributions, density.Unscaled)
	plan := newWorld(design{exact: true, clients: 1}).plan(t)
	n := plan.Groups[0].Len
	play := func(_ context.Context, env density.Env) error {
		for _, columns := range []int{1 << 18, 1 << 17, 1000, 1} {
			s := &sole{}
			size := density.RelaySize{Columns: columns, Answers: 1}
			if err := density.Must[density.Relaying](env).Relay(t.Context(), x, size, s); err != nil {
				return err
			}
			if s.up != s.sum || s.was != 3 {
				t.Errorf("%d columns: a sum of its own, %d", columns, s.was)
			}
			if most := n*columns + max(n*columns, 1<<17); s.room >= most {
				t.Errorf("%d columns: room for %d numbers", columns, s.room)
			}
		}
		return nil
	}
	must(t, session.Run(t.Context(), plan, session.OneLoop, 11, play))
}

// over answers a sum with what it was and more, in columns that may be others than there are of it.
type over struct {
	sum, down *float64
	heard     []float64
}

func (o *over) Send(b int, up [][]float64, _ []float64) {
	for i, v := range up {
		for k := range v {
			v[k] = float64(100*b + 10*i + k)
		}
	}
}

func (o *over) Answer(sum [][]float64, _ []float64, down [][]float64, _ []float64) {
	was := slices.Clone(sum[0])
	o.sum, o.down = unsafe.SliceData(sum[0]), unsafe.SliceData(down[0])
	for k := range down[0] {
		down[0][k] = 1
		if k < len(was) {
			down[0][k] += was[k]
		}
	}
}

func (o *over) Receive(_ int, down [][]float64, _ []float64) { o.heard = slices.Clone(down[0]) }

// Answers that are written over the sums have no other array than these, and are those of two arrays, however
// many columns there are on each way.
func TestAnswersOverSums(t *testing.T) {
	x := relayOf(density.Contributions, density.Contributions)
	for clients := 1; clients < 3; clients++ {
		plan := newWorld(design{exact: true, clients: clients}).plan(t)
		play := func(_ context.Context, env density.Env) error {
			for _, back := range []int{0, 2, -1, -3, 0, 1} {
				var got [2]over
				for k := range got {
					size := density.RelaySize{Columns: 3, Back: back, Answers: 1, Over: k > 0}
					if err := density.Must[density.Relaying](env).Relay(t.Context(), x, size,
						&got[k]); err != nil {
						return err
					}
				}
				if !slices.Equal(got[0].heard, got[1].heard) {
					t.Errorf("%d clients, %d back: %v over sums, else %v", clients, back, got[1].heard,
						got[0].heard)
				}
				if got[0].sum == got[0].down || got[1].sum != got[1].down {
					t.Errorf("%d clients, %d back: arrays of other places", clients, back)
				}
			}
			return nil
		}
		must(t, session.Run(t.Context(), plan, session.OneLoop, 11, play))
	}
}
