package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// Exchanges of bytes: from all to all, from the server to all, from all to one, and from the server to each.
var (
	shown   = relayed("shown", density.OfShown, true, true)
	told    = relayed("told", density.OfShown, false, true)
	given   = relayed("given", density.OfGiven, true, true)
	brought = relayed("brought", density.OfGiven, true, false)
	dealt   = relayed("dealt", density.OfGiven, false, true)
)

func relayed(name string, of density.Site, up, down bool) *density.Exchange {
	x, carries := &density.Exchange{Name: name},
		[]density.Carried{{Content: &density.Content{Prefix: "of ", Of: of}}}
	if up {
		x.Up = density.MessageKind{Name: name, Carries: carries}
	}
	if down {
		x.Down = density.MessageKind{Name: name, Carries: carries}
	}
	return x
}

// textOf are bytes that nobody else sends.
func textOf(what string, party, n int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%s %d;", what, party), n)[:n]
}

// meets has the parties of an Env exchange bytes in all ways, and compares what each receives.
func meets(ctx context.Context, env density.Env, parties, long int) error {
	relay := density.Must[density.ByteRelaying](env)
	for _, c := range []struct {
		x     *density.Exchange
		to    int
		bytes func(k int) int
	}{
		{shown, density.All, func(k int) int { return long + 5*k }},
		{shown, density.All, func(k int) int { return 13 * (k % 2) }},
		{told, density.All, func(k int) int { return max(0, 9-9*k) }},
		{given, 2, func(k int) int { return 8 * k }},
		{brought, 0, func(k int) int { return 7 }},
		{dealt, density.Each, func(k int) int { return 16 - k }},
		{shown, density.All, func(int) int { return 0 }},
	} {
		own, sizes := make([][]byte, parties), make([]int, parties)
		here := map[int]bool{}
		for _, b := range env.Blocks() {
			here[b.Index()] = true
		}
		for k := range sizes {
			if sizes[k] = c.bytes(k); here[k] && c.to != density.Each || here[0] && c.to == density.Each {
				own[k] = textOf(c.x.Name, k, sizes[k])
			}
		}
		got, err := relay.RelayBytes(ctx, c.x, c.to, sizes, own)
		if err != nil {
			return err
		}
		for k, v := range got {
			receives := c.to == density.All || here[c.to] || c.to == density.Each && here[k]
			if receives && !bytes.Equal(v, textOf(c.x.Name, k, sizes[k])) {
				return fmt.Errorf("%s: %d bytes of party %d are %.20q…", c.x.Name, len(v), k, v)
			}
		}
	}
	return density.Must[density.Chained](env).End(ctx)
}

// Bytes arrive where they are for, in one piece and in several, and cost the same in one process and in many.
func TestBytesArrive(t *testing.T) {
	plan := newWorld(design{clients: 3}).plan(t)
	plan.Wire.Encrypted = true
	for _, long := range []int{21, 5 << 20} {
		var lock sync.Mutex
		var work []density.Work
		for _, mode := range []session.Execution{session.OneLoop, session.PerParty} {
			must(t, session.Run(t.Context(), plan, mode, 1, func(ctx context.Context, env density.Env) error {
				err := meets(ctx, env, len(plan.Names), long)
				if env.Blocks()[0].Index() == 0 {
					lock.Lock()
					work = append(work, *env.Work())
					lock.Unlock()
				}
				return err
			}))
		}
		if work[0].Rounds < 7 || work[0] != work[1] {
			t.Errorf("one process counts %+v, and the server of many %+v", work[0], work[1])
		}
	}
}

// A swindler is a server that alters bytes on their way to one client.
type swindler struct {
	transport.Transport
	to, kind, channel string
	alter             func(*transport.Channel)
}

func (s *swindler) Send(ctx context.Context, to string, m transport.Message) error {
	for k := range m.Arrays {
		if a := &m.Arrays[k]; to == s.to && m.Kind == s.kind && a.Name == s.channel && m.Round == 1 {
			a.Words = append([]uint64(nil), a.Words...)
			s.alter(a)
		}
	}
	return s.Transport.Send(ctx, to, m)
}

// A server that gives clients unlike bytes, its own or those of one of them, is found by clients when they
// next meet, whose bytes it was too, and a message that is longer or shorter than agreed when it comes.
func TestBytesAreAlike(t *testing.T) {
	for _, clients := range []int{2, 3} {
		plan := newWorld(design{clients: clients}).plan(t)
		plan.Wire.Encrypted = true
		for _, of := range []int{0, 1, clients} {
			for what, alter := range map[string]func(*transport.Channel){
				"altered": func(a *transport.Channel) { a.Words[1]++ },
				"longer":  func(a *transport.Channel) { a.Words = append(a.Words, 0) },
				"shorter": func(a *transport.Channel) { a.Words = a.Words[1:] },
			} {
				to := plan.Names[1]
				if of == 1 {
					to = plan.Names[2]
				}
				ends := transport.NewMem(plan.Names)
				ends[0] = &swindler{ends[0], to, "shown", "of " + plan.Names[of], alter}
				errs := together(plan, ends, 1, func(ctx context.Context, env density.Env) error {
					sizes, own := make([]int, len(plan.Names)), make([][]byte, len(plan.Names))
					for k := range sizes {
						sizes[k] = 99
					}
					own[env.Blocks()[0].Index()] = make([]byte, 99)
					if _, err := density.Must[density.ByteRelaying](env).RelayBytes(ctx, shown, density.All,
						sizes, own); err != nil {
						return err
					}
					return density.Must[density.Chained](env).End(ctx)
				})
				checkUnlike(t, fmt.Sprintf("%d clients, bytes of %s %s for %s", clients, plan.Names[of], what,
					to), what == "altered", errs[1:])
			}
		}
	}
}

// checkUnlike wants a client to find what is wrong, and all to end with it.
func checkUnlike(t *testing.T, what string, altered bool, errs []error) {
	t.Helper()
	found := 0
	for _, err := range errs {
		var unlike *session.UnlikeError
		var protocol *session.ProtocolError
		var peer *session.PeerError
		switch {
		case altered && errors.As(err, &unlike) && unlike.Kind == "shown",
			!altered && errors.As(err, &protocol) && strings.Contains(err.Error(), "has length"):
			found++
		case errors.As(err, &peer) && altered == (peer.Code == session.EndUnlike):
		default:
			t.Errorf("%s: a client ends with %v", what, err)
		}
	}
	if found == 0 {
		t.Errorf("%s: no client has found it: %v", what, errs)
	}
}
