package session_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

var (
	fixed  = model.Wire{Fixed: true}
	masked = model.Wire{Fixed: true, Masked: true}
	short  = model.Wire{Fixed: true, Short: true}
	hidden = model.Wire{Fixed: true, Short: true, Masked: true}
)

func recordOn(t *testing.T, w *world, wire model.Wire, mode session.Execution, rounds int) *recording {
	t.Helper()
	d, play := newRecording(rounds)
	must(t, session.Run(t.Context(), w.plan(t).On(wire), mode, 11, play))
	return d
}

// On the fixed wire one loop and a goroutine per party see the same numbers, bit for bit, with masks and
// without, and count the same work; the numbers are those of the plain wire but for rounding.
func TestWiresAgree(t *testing.T) {
	everyDesign(t, func(t *testing.T, w *world) {
		plain, first := record(t, w, session.OneLoop, 20), agreeOn(t, w, fixed, masked)
		if w.clients == 1 {
			first.same(t, plain, w.names()) // nothing is added up
		}
		near(t, w, first, plain, 1e-8)
		// log densities are off by 0.01 as a standard deviation, and gradients, of a few numbers, by what
		// is as little
		near(t, w, agreeOn(t, w, short, hidden), plain, 0.1)
	})
}

// agreeOn plays a world on a wire in one loop and apart, and so with masks. All have the same bits.
func agreeOn(t *testing.T, w *world, wire, masked model.Wire) *recording {
	t.Helper()
	first := recordOn(t, w, wire, session.OneLoop, 20)
	for _, other := range []*recording{
		recordOn(t, w, wire, session.PerParty, 20), recordOn(t, w, masked, session.OneLoop, 20),
		recordOn(t, w, masked, session.PerParty, 20),
	} {
		first.same(t, other, w.names())
		if other.up > 0 && other.up != other.work.Bytes {
			t.Errorf("the server counts %d bytes, the clients %d", other.work.Bytes, other.up)
		}
	}
	return first
}

// near compares what two wires show, relative to numbers above 1.
func near(t *testing.T, w *world, got, want *recording, tolerance float64) {
	t.Helper()
	for index, name := range w.names() {
		for i, got := range got.seen[index] {
			if want := want.seen[index][i]; !(math.Abs(got-want) < tolerance*(1+math.Abs(want))) {
				t.Fatalf("%s, number %d: %v on one wire, %v on the other", name, i, got, want)
			}
		}
	}
}

// A contribution beyond the range of the grid, or one that is not finite, makes the log density −∞ at the
// server and at every party that has part in the sum, in both modes, and nothing else: from the next
// evaluation on all is as it was. Without masks or with them, what is lost is the same.
func TestBeyondTheGrid(t *testing.T) {
	for _, x := range []float64{1e12, 1e300, math.Inf(1), math.NaN()} {
		for _, d := range []design{{clients: 2}, {clients: 5, late: true, early: true},
			{clients: 3, power: true, late: true}, {clients: 2, exact: true}} {
			w := newWorld(d)
			checkFarOut(t, fmt.Sprint(x, " ", d), farOutAlike(t, w, x, fixed, masked), 1e-8)
			checkFarOut(t, fmt.Sprint(x, " ", d, " short"), farOutAlike(t, w, x, short, hidden), 0.1)
		}
	}
}

// A contribution beyond short words is sent once more: the log density is that of long words at every party,
// in both modes, with masks and without, and one more round trip is counted.
func TestBeyondShortWords(t *testing.T) {
	for _, d := range []design{{clients: 2}, {clients: 5, late: true, early: true},
		{clients: 3, power: true, late: true}, {clients: 2, exact: true}} {
		w := newWorld(d)
		const x = 1e3
		want := farOutAlike(t, w, x, fixed)
		got := farOutAlike(t, w, x, short, hidden)
		if more := got[work][1] - want[work][1]; more != 1 {
			t.Errorf("%v: %v round trips more, want 1", d, more)
		}
		for index, v := range got {
			if far := len(v) / 2; index != work && v[far] != want[index][far] &&
				!(math.Abs(v[far]/want[index][far]-1) < 1e-9) {
				t.Errorf("%v: party %d has log density %v, want %v", d, index, v[far], want[index][far])
			}
		}
	}
}

// farOutAlike is farOut over some wires and in both modes, which all give the same bits.
func farOutAlike(t *testing.T, w *world, x float64, wires ...model.Wire) (first map[int][]float64) {
	for _, wire := range wires {
		for _, mode := range []session.Execution{session.OneLoop, session.PerParty} {
			seen := farOut(t, w, wire, mode, x)
			if first == nil {
				first = seen
			}
			for index, a := range seen {
				for i := range a {
					if math.Float64bits(a[i]) != math.Float64bits(first[index][i]) &&
						!(math.IsNaN(a[i]) && math.IsNaN(first[index][i])) {
						t.Fatalf("%v %v %v: party %d, number %d: %v, first %v", x, wire, mode, index, i, a[i],
							first[index][i])
					}
				}
			}
		}
	}
	return first
}

// farOut evaluates at a point, far from it at client 1, not at all, and at the point again. It returns the
// log densities by party, with the gradient of the last; and under work the bytes and round trips that the
// server counts.
func farOut(t *testing.T, w *world, wire model.Wire, mode session.Execution, x float64) map[int][]float64 {
	var lock sync.Mutex
	seen := map[int][]float64{}
	keep := func(env density.Env, of [][]float64) {
		lock.Lock()
		defer lock.Unlock()
		for b, block := range env.Blocks() {
			seen[block.Index()] = append(seen[block.Index()], of[b]...)
		}
	}
	must(t, session.Run(t.Context(), w.plan(t).On(wire), mode, 11,
		func(ctx context.Context, env density.Env) error {
			for _, far := range []float64{0, x, 0} {
				p := newPlayer(env, noncentred)
				for b, block := range env.Blocks() {
					if block.Index() == 1 {
						p.theta[b][0] += far
					}
				}
				if err := p.density(ctx); err != nil {
					return err
				}
				lps := make([][]float64, len(p.lp))
				for b := range lps {
					lps[b] = p.lp[b : b+1]
				}
				keep(env, lps)
				if far != 0 {
					if err := newPlayer(env, noncentred).proceed(ctx, lps, make([]float64, 1),
						false); err != nil {
						return err
					}
					continue
				}
				keep(env, p.grad)
			}
			if env.Blocks()[0].Index() == 0 {
				lock.Lock()
				seen[work] = []float64{float64(env.Work().Bytes), float64(env.Work().Sequential)}
				lock.Unlock()
			}
			return nil
		}))
	return seen
}

// work is no party's index.
const work = -1

func checkFarOut(t *testing.T, name string, seen map[int][]float64, tolerance float64) {
	t.Helper()
	for index, v := range seen {
		if index == work {
			continue
		}
		half := len(v) / 2 // log density and gradient; the log density far out; both again
		if far := v[half]; !math.IsInf(far, -1) {
			t.Errorf("%s: party %d has log density %v where a contribution has no words", name, index, far)
		}
		for i, before := range v[:half] {
			if again := v[half+1+i]; !(math.Abs(before-again) < tolerance*(1+math.Abs(before))) {
				t.Errorf("%s: party %d has %v, and at the same point after an invalid evaluation %v", name,
					index, before, again)
			}
		}
	}
}

// Scalars that are not finite, or beyond the range, make their total −∞ and leave the others alone.
func TestScalarsBeyondTheRange(t *testing.T) {
	w := newWorld(design{clients: 3})
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e17, -1e300} {
		for _, wire := range []model.Wire{fixed, masked} {
			env := local(t, w.plan(t).On(wire))
			part, total := [][]float64{{1, 1e-9}, {2, 2}, {x, -3}, {4e15 / 100, 0.1}}, make([]float64, 2)
			must(t, env.Sum(t.Context(), part, total))
			if !math.IsInf(total[0], -1) || math.Abs(total[1]-(1e-9+2-3+0.1)) > 1e-15 {
				t.Errorf("%v: totals %v", x, total)
			}
		}
	}
}

// A tape keeps every message that passes one end.
type tape struct {
	transport.Transport
	*sync.Mutex
	kept map[string][]transport.Message // by sender
	raw  []byte                         // all of them as bytes
}

func (p *tape) Recv(ctx context.Context, from string) (transport.Message, error) {
	m, err := p.Transport.Recv(ctx, from)
	if err == nil {
		p.Lock()
		defer p.Unlock()
		frame := transport.Append(nil, m)
		var own transport.Message
		if failed := transport.Parse(frame, &own); failed != nil {
			return m, failed
		}
		p.kept[from] = append(p.kept[from], own)
		p.raw = append(p.raw, frame...)
	}
	return m, err
}

// taped plays a world in a session per party and returns what the server received, with the z of every
// evaluation by client.
func taped(t *testing.T, w *world, wire model.Wire, rounds int) (*tape, [][][]float64) {
	t.Helper()
	plan := w.plan(t).On(wire)
	keys, err := session.SimulatedKeys(5, plan.Names).WithMasks(plan)
	must(t, err)
	ends := transport.NewMem(plan.Names)
	server := &tape{Transport: ends[0], Mutex: &sync.Mutex{}, kept: map[string][]transport.Message{}}
	ends[0] = server
	z := make([][][]float64, len(ends))
	var wait sync.WaitGroup
	for i, end := range ends {
		wait.Go(func() {
			defer end.Close()
			env, err := session.NewRemote(plan.Only(i), i, end, keys.Only(plan.Names[i]))
			if err != nil {
				t.Error(err)
				return
			}
			p := newPlayer(env, noncentred)
			for r := range rounds {
				if err := p.density(t.Context()); err != nil {
					t.Error(err)
					return
				}
				z[i] = append(z[i], append([]float64(nil), p.z[0]...))
				p.move(r)
			}
		})
	}
	wait.Wait()
	return server, z
}

// With masks nothing that the server receives holds a client's words, plain or on the grid; without them it
// does, which shows that the search finds them. The words of one client are uniform, and their differences
// over rounds are uncorrelated with those of z.
func TestMaskedFramesHoldNoClientsValue(t *testing.T) {
	const rounds = 200
	w := newWorld(design{clients: 3, late: true})
	for _, wire := range []model.Wire{{}, fixed, masked} {
		server, z := taped(t, w, wire, rounds)
		holds := holdings(server, z)
		if hidden := holds == 0; hidden != wire.Masked {
			t.Errorf("%+v: %d of the clients' numbers are in what the server received", wire, holds)
		}
		if !wire.Fixed {
			continue
		}
		r := correlation(server, z, "lab[1]")
		if n := float64((rounds - 2) * len(z[1][0])); wire.Masked != (math.Abs(r) < 4/math.Sqrt(n)) {
			t.Errorf("%+v: the correlation of differences is %v over %v numbers", wire, r, n)
		}
	}
}

// holdings counts numbers of clients among the received bytes, as float64 or as words on the grid of their
// message.
func holdings(server *tape, z [][][]float64) (found int) {
	words := map[uint64]bool{}
	for at := range server.raw {
		if at+8 <= len(server.raw) {
			words[binary.LittleEndian.Uint64(server.raw[at:])] = true
		}
	}
	for j := 1; j < len(z); j++ {
		aux := auxOf(server, j)
		for r, v := range z[j] {
			for _, x := range v {
				if words[math.Float64bits(x)] || aux[r].Grid > -1000 &&
					words[uint64(int64(math.RoundToEven(math.Ldexp(x, -int(aux[r].Grid)))))] {
					found++
				}
			}
		}
	}
	return found
}

// auxOf are the arrays of the first sum that a client sent in its evaluations.
func auxOf(server *tape, client int) (out []transport.Channel) {
	for _, m := range server.kept[fmt.Sprintf("lab[%d]", client)] {
		if m.Kind == "aux" {
			out = append(out, m.Arrays[0])
		}
	}
	return out
}

// correlation is that of the differences of a client's words from one round to the next with those of its z.
func correlation(server *tape, z [][][]float64, name string) float64 {
	aux := auxOf(server, 1)
	var sxy, sxx, syy float64
	for r := 2; r < len(aux); r++ { // the first message has two words a number
		for i := range min(len(aux[r].Words), len(z[1][r])) {
			x := math.Ldexp(float64(int64(aux[r].Words[i])), int(aux[r].Grid)) -
				math.Ldexp(float64(int64(aux[r-1].Words[i])), int(aux[r-1].Grid))
			if aux[r].Encoding == transport.Masked {
				x = float64(int64(aux[r].Words[i] - aux[r-1].Words[i]))
			}
			y := z[1][r][i] - z[1][r-1][i]
			sxy, sxx, syy = sxy+x*y, sxx+x*x, syy+y*y
		}
	}
	return sxy / math.Sqrt(sxx*syy)
}

// A client whose masks were used refuses to send other numbers under them; one without keys, or with another
// key than the pinned one, does not begin.
func TestMasksAreUsedOnce(t *testing.T) {
	plan := newWorld(design{clients: 3}).plan(t).On(masked)
	keys, err := session.SimulatedKeys(5, plan.Names).WithMasks(plan)
	must(t, err)
	other, err := session.SimulatedKeys(6, plan.Names).WithMasks(plan)
	must(t, err)
	for name, change := range map[string]func(*session.Keys){
		"no keys": func(k *session.Keys) { k.Masks = nil },
		"no peer": func(k *session.Keys) { k.Masks = &session.MaskKeys{Private: k.Masks.Private} },
		"another key": func(k *session.Keys) {
			k.Masks = &session.MaskKeys{Private: other.Masks.Private, Public: k.Masks.Public}
		},
		"nothing else": func(*session.Keys) {},
	} {
		own := keys.Only(plan.Names[1])
		change(&own)
		_, err := session.NewRemote(plan.Only(1), 1, transport.NewMem(plan.Names)[1], own)
		var e *session.MaskError
		if name == "nothing else" && err != nil || name != "nothing else" && !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A message of another epoch, or one that has come before, is refused by name: no sum has parts of two
// epochs.
func TestEpochsAreNotMixed(t *testing.T) {
	plan := newWorld(design{clients: 2}).plan(t).On(masked)
	keys, err := session.SimulatedKeys(5, plan.Names).WithMasks(plan)
	must(t, err)
	for name, alter := range map[string]func(*transport.Message){
		"another epoch":  func(m *transport.Message) { m.Epoch++ },
		"another chain":  func(m *transport.Message) { m.Chain++ },
		"another run":    func(m *transport.Message) { m.Run[3]++ },
		"another round":  func(m *transport.Message) { m.Round++ },
		"another sender": func(m *transport.Message) { m.Sender = "lab[2]" },
		"encoding":       func(m *transport.Message) { m.Arrays[0].Encoding = transport.Fixed },
		"grid":           func(m *transport.Message) { m.Arrays[0].Grid++ },
	} {
		ends := transport.NewMem(plan.Names)
		ends[1] = &forger{Transport: ends[1], at: 0, alter: alter}
		errs := make([]error, len(ends))
		var wait sync.WaitGroup
		for i, end := range ends {
			wait.Go(func() {
				defer end.Close()
				env, err := session.NewRemote(plan.Only(i), i, end, keys.Only(plan.Names[i]))
				if err == nil {
					err = newPlayer(env, noncentred).density(context.Background())
				}
				errs[i] = err
			})
		}
		wait.Wait()
		var e *session.ProtocolError
		if !errors.As(errs[0], &e) || e.Peer != "lab[1]" {
			t.Errorf("%s: the server ends with %v", name, errs[0])
		}
	}
}

// After unlike adjoints the clients' masks do not cancel: what the server adds up from then on is not their
// sum, in no element. Without the departure it is, to the word.
func TestUnlikeAnswersSpoilMaskedSums(t *testing.T) {
	w := newWorld(design{clients: 3})
	plan := w.plan(t).On(masked)
	keys, err := session.SimulatedKeys(5, plan.Names).WithMasks(plan)
	must(t, err)
	for _, departs := range []bool{false, true} {
		ends := transport.NewMem(plan.Names)
		server := &tape{Transport: ends[0], Mutex: &sync.Mutex{}, kept: map[string][]transport.Message{}}
		ends[0] = server
		if departs {
			ends[0] = &forger{Transport: server, at: 0, alter: func(m *transport.Message) {
				m.Arrays[0].Data = append([]float64(nil), m.Arrays[0].Data...)
				m.Arrays[0].Data[0] += 1e-12
			}}
		}
		z, errs := make([][]float64, len(ends)), make([]error, len(ends))
		var wait sync.WaitGroup
		for i, end := range ends {
			wait.Go(func() {
				defer end.Close()
				env, err := session.NewRemote(plan.Only(i), i, end, keys.Only(plan.Names[i]))
				if err != nil {
					t.Error(err)
					return
				}
				p := newPlayer(env, noncentred)
				errs[i] = p.density(t.Context())
				p.move(0)
				errs[i] = errors.Join(errs[i], p.density(t.Context()))
				z[i] = p.z[0]
			})
		}
		wait.Wait()
		var sum []uint64
		var step float64
		for j := 1; j < len(ends); j++ {
			second := auxOf(server, j)[1]
			sum, step = append(sum, make([]uint64, len(second.Words)-len(sum))...),
				math.Ldexp(1, int(second.Grid))
			for k, word := range second.Words {
				sum[k] += word
			}
			var unlike *session.UnlikeError
			if errors.As(errs[j], &unlike) != departs || errs[j] != nil != departs {
				t.Errorf("departs=%t: client %d ends with %v", departs, j, errs[j])
			}
		}
		fits := 0
		for k, word := range sum {
			want := z[1][k] + z[2][k] + z[3][k]
			if math.Abs(float64(int64(word))*step-want) < 3*step+1e-9 {
				fits++
			}
		}
		if want := map[bool]int{false: len(sum)}[departs]; fits != want {
			t.Errorf("departs=%t: %d of %d elements of the sum are the clients' sum, want %d", departs, fits,
				len(sum), want)
		}
	}
}
