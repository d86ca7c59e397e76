package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// lastForged is the last exchange of playOnce that is forged: the parties meet again after it, so all of them
// hear of it.
const lastForged = 5

// A forger is a transport that alters one of the messages it sends.
type forger struct {
	transport.Transport
	alter func(*transport.Message) // nil: the message is sent twice
	at    int                      // of the messages that the alteration applies to
	sent  int
	did   string // kind of the altered message
}

func (f *forger) Send(ctx context.Context, to string, m transport.Message) error {
	if m.Reason == "" && m.Round <= lastForged {
		if f.sent++; f.sent-1 == f.at {
			f.did = m.Kind
			if f.alter == nil {
				if err := f.Transport.Send(ctx, to, m); err != nil {
					return err
				}
				return f.Transport.Send(ctx, to, m)
			}
			m.Arrays = append([]transport.Channel(nil), m.Arrays...)
			f.alter(&m)
		}
	}
	return f.Transport.Send(ctx, to, m)
}

var forgeries = map[string]func(*transport.Message){
	"channel": func(m *transport.Message) { m.Arrays[len(m.Arrays)-1].Name = "theta" },
	"length":  func(m *transport.Message) { m.Arrays[0].Data = append([]float64{1}, m.Arrays[0].Data...) },
	"shorter": func(m *transport.Message) {
		k := slices.IndexFunc(m.Arrays, func(a transport.Channel) bool { return len(a.Data) > 0 })
		m.Arrays[k].Data = m.Arrays[k].Data[1:]
	},
	"emptied": emptied,
	"extra":   func(m *transport.Message) { m.Arrays = append(m.Arrays, transport.Channel{Name: "more"}) },
	"missing": func(m *transport.Message) { m.Arrays = m.Arrays[1:] },
	"round":   func(m *transport.Message) { m.Round++ },
	"kind":    func(m *transport.Message) { m.Kind = "gossip" },
	"again":   nil,
	"earlier": func(m *transport.Message) { m.Round-- },
	"NaN":     func(m *transport.Message) { unannounced(m, math.NaN()) },
	"Inf":     func(m *transport.Message) { unannounced(m, math.Inf(-1)) },
	"mark":    func(m *transport.Message) { m.Arrays[0].NotFinite = !m.Arrays[0].NotFinite },
}

// emptied leaves a message its scalars alone, as a reply is where no evaluation is wanted; one that is so has
// a number more.
func emptied(m *transport.Message) {
	whole := false
	for k := range m.Arrays {
		if a := &m.Arrays[k]; a.Name != "scalars" && len(a.Data) > 0 {
			a.Data, whole = nil, true
		}
	}
	if !whole {
		m.Arrays[0].Data = append([]float64{1}, m.Arrays[0].Data...)
	}
}

// unannounced makes a number one that is not finite, of which the message does not say so.
func unannounced(m *transport.Message, x float64) {
	k := len(m.Arrays) - 1
	for k > 0 && len(m.Arrays[k].Data) == 0 { // seals
		k--
	}
	a := &m.Arrays[k]
	if len(a.Data) == 0 {
		a.NotFinite = true
		return
	}
	a.Data = append([]float64(nil), a.Data...)
	a.Data[len(a.Data)-1], a.NotFinite = x, false
}

// together runs a party per goroutine over the given ends, without the cancellation of session.Run, and
// returns each party's error.
func together(plan *model.Plan, ends []transport.Transport, seed uint64,
	run func(context.Context, density.Env) error) []error {
	errs := make([]error, len(ends))
	var wait sync.WaitGroup
	for i, end := range ends {
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer end.Close()
			keys, err := session.SimulatedKeys(seed, plan.Names).WithMasks(plan)
			var env density.Env
			if err == nil {
				env, err = session.NewRemote(plan.Only(i), i, end, keys.Only(plan.Names[i]))
			}
			if err == nil {
				err = run(context.Background(), env)
			}
			errs[i] = err
		}()
	}
	wait.Wait()
	return errs
}

func playOnce(ctx context.Context, env density.Env) error {
	d := recording{seen: map[int][]float64{}}
	return d.play(ctx, env, 2)
}

// Whatever message of whatever party is altered in whatever way, the party that gets it names it, and the run
// ends everywhere with that reason.
func TestForgedMessagesEndTheRun(t *testing.T) {
	for _, power := range []bool{false, true} {
		w := newWorld(design{power: power, late: true, early: true, clients: 2})
		plan := w.plan(t)
		for name, alter := range forgeries {
			kinds := map[string]bool{}
			for forgerIndex := range 2 {
				for at := range 30 {
					ends := transport.NewMem(plan.Names)
					f := &forger{Transport: ends[forgerIndex], alter: alter, at: at}
					ends[forgerIndex] = f
					errs := together(plan, ends, 1, playOnce)
					if f.did == "" {
						break
					}
					kinds[f.did] = true
					checkForgery(t, fmt.Sprintf("power=%t: %s of message %d (%s) of %s", power, name, at,
						f.did, plan.Names[forgerIndex]), plan.Names[forgerIndex], errs)
				}
			}
			if want := 7; len(kinds) < want {
				t.Errorf("only %d kinds of message were sent: %v", len(kinds), kinds)
			}
		}
	}
}

// checkForgery wants one party to blame the forger and all others to hear of it.
func checkForgery(t *testing.T, what, forger string, errs []error) {
	t.Helper()
	blamed := 0
	for i, err := range errs {
		var protocol *session.ProtocolError
		var peer *session.PeerError
		switch {
		case errors.As(err, &protocol) && protocol.Peer == forger:
			blamed++
		case errors.As(err, &peer) && peer.Code == session.EndProtocol && peer.Party == forger:
		default:
			t.Errorf("%s: party %d ends with %v", what, i, err)
		}
	}
	if blamed != 1 {
		t.Errorf("%s: %d parties blame the forger: %v", what, blamed, errs)
	}
}

// A message says what was wrong with it.
func TestForgeryIsDescribed(t *testing.T) {
	plan := newWorld(design{clients: 1}).plan(t)
	for name, want := range map[string]string{
		"channel": `message "aux": channel "theta" where the plan has "scalars"`,
		"length":  `message "aux": channel "z s1" has length 8 where the plan has 7`,
		"extra":   `message "aux" with 4 channels where the plan has 3`,
		"round":   `message "aux" of round 2 in round 1`,
		"kind":    `message "gossip" where the plan has "aux"`,
	} {
		ends := transport.NewMem(plan.Names)
		ends[1] = &forger{Transport: ends[1], alter: forgeries[name]}
		err := together(plan, ends, 1, playOnce)[0]
		if err == nil || err.Error() != "session: lab[1] sent a "+want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A party that stops, at any point, is named everywhere; nobody waits for ever.
func TestClosedTransportEndsTheRun(t *testing.T) {
	for _, power := range []bool{false, true} {
		plan := newWorld(design{power: power, late: true, early: true, clients: 2}).plan(t)
		for quitter, name := range plan.Names[:2] {
			for at := range 4 {
				ends := transport.NewMem(plan.Names)
				ends[quitter] = &forger{Transport: ends[quitter], at: at, alter: func(*transport.Message) {
					ends[quitter].Close()
				}}
				for i, err := range together(plan, ends, 1, playOnce) {
					if err == nil || !strings.Contains(err.Error(), name) {
						t.Errorf("power=%t, %s quits at message %d: party %d ends with %v", power, name, at,
							i, err)
					}
				}
			}
		}
	}
}

// After its first error an Env stays dead.
func TestErrorsStick(t *testing.T) {
	plan := newWorld(design{clients: 1}).plan(t)
	ends := transport.NewMem(plan.Names)
	ends[0].Close()
	env, err := session.NewRemote(plan, 1, ends[1], session.SimulatedKeys(1, plan.Names))
	must(t, err)
	p := newPlayer(env, noncentred)
	first := p.density(t.Context())
	var closed *transport.ClosedError
	if !errors.As(first, &closed) || closed.Party != "registry" {
		t.Fatalf("got %v", first)
	}
	second := env.Sum(t.Context(), [][]float64{{1}}, []float64{0})
	if second != first {
		t.Errorf("then %v", second)
	}
}

// Parties that do not call the same methods find out.
func TestDifferentCallsEndTheRun(t *testing.T) {
	plan := newWorld(design{clients: 2}).plan(t)
	errs := together(plan, transport.NewMem(plan.Names), 1, func(ctx context.Context, env density.Env) error {
		if env.Blocks()[0].Index() == 2 {
			return env.Sum(ctx, [][]float64{{1}}, []float64{0})
		}
		return newPlayer(env, noncentred).density(ctx)
	})
	checkForgery(t, "lab[2] sums", "lab[2]", errs)
}

func TestRunReportsTheCause(t *testing.T) {
	plan := newWorld(design{clients: 5}).plan(t)
	cause := errors.New("the disk is full")
	for culprit := range plan.Names {
		err := session.Run(t.Context(), plan, session.PerParty, 1,
			func(ctx context.Context, env density.Env) error {
				p := newPlayer(env, noncentred)
				for r := range 5 {
					if r == 3 && env.Blocks()[0].Index() == culprit {
						return cause
					}
					if err := p.density(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		if !errors.Is(err, cause) || !strings.HasPrefix(err.Error(), plan.Names[culprit]+":") {
			t.Errorf("culprit %d: %v", culprit, err)
		}
	}
}

// A party that hears of an error may report before the one that met it.
func TestRunPrefersTheCauseToItsEcho(t *testing.T) {
	plan := newWorld(design{clients: 2}).plan(t)
	err := session.Run(t.Context(), plan, session.PerParty, 1,
		func(ctx context.Context, env density.Env) error {
			switch env.Blocks()[0].Index() {
			case 0:
				err := newPlayer(env, noncentred).density(ctx)
				<-ctx.Done()
				return err
			case 1:
				return newPlayer(env, noncentred).density(ctx)
			default:
				return env.Sum(ctx, [][]float64{{1}}, []float64{0})
			}
		})
	var protocol *session.ProtocolError
	if !errors.As(err, &protocol) || protocol.Peer != "lab[2]" {
		t.Errorf("got %v", err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	plan := newWorld(design{clients: 2}).plan(t)
	for _, mode := range []session.Execution{session.OneLoop, session.PerParty} {
		ctx, cancel := context.WithCancel(t.Context())
		err := session.Run(ctx, plan, mode, 1, func(ctx context.Context, env density.Env) error {
			p := newPlayer(env, noncentred)
			for r := 0; ; r++ {
				if r == 3 {
					cancel()
				}
				if err := p.density(ctx); err != nil {
					return err
				}
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
}

func TestKeysAndProgramsAreNeeded(t *testing.T) {
	plan := newWorld(design{clients: 2}).plan(t)
	var key *session.KeyError
	if _, err := session.NewLocal(plan, session.SimulatedKeys(1, plan.Names[:2])); !errors.As(err, &key) ||
		key.Party != "lab[2]" {
		t.Errorf("without a key: %v", err)
	}
	var wiring *model.WiringError
	if _, err := session.NewLocal(plan.Only(1), session.SimulatedKeys(1, plan.Names)); !errors.As(err,
		&wiring) {
		t.Errorf("without a program: %v", err)
	}
	if err := session.Run(t.Context(), plan.Only(1), session.PerParty, 1, playOnce); !errors.As(err,
		&wiring) {
		t.Errorf("run without a program: %v", err)
	}
}
