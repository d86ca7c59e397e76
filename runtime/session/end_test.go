package session_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/runtime/transport"
)

// A listener is a transport that keeps the reasons that its party gives.
type listener struct {
	transport.Transport
	*sync.Mutex
	reasons *[]string
}

func (l listener) Send(ctx context.Context, to string, m transport.Message) error {
	if m.Reason != "" {
		l.Lock()
		*l.reasons = append(*l.reasons, m.Reason+" "+m.Party)
		l.Unlock()
	}
	return l.Transport.Send(ctx, to, m)
}

// A party that ends the run sends its peers a code and where the cause is, never the text of an error, which
// may hold data.
func TestEndOfRunSendsACode(t *testing.T) {
	plan := newWorld(design{clients: 2}).plan(t)
	secret := errors.New("patient 77 is not finite")
	for name, c := range map[string]struct {
		culprit int
		stop    func(context.Context) context.Context
		want    string
	}{
		"the server's own error": {0, func(ctx context.Context) context.Context {
			return cancelled(ctx, secret)
		}, "failed registry"},
		"a client's own error": {1, func(ctx context.Context) context.Context {
			return cancelled(ctx, secret)
		}, "failed lab[1]"},
		"a client is stopped": {2, func(ctx context.Context) context.Context {
			return cancelled(ctx, nil)
		}, "cancelled lab[2]"},
	} {
		var reasons []string
		var lock sync.Mutex
		ends := transport.NewMem(plan.Names)
		for i := range ends {
			ends[i] = listener{ends[i], &lock, &reasons}
		}
		errs := together(plan, ends, 1, func(ctx context.Context, env density.Env) error {
			if env.Blocks()[0].Index() == c.culprit {
				ctx = c.stop(ctx)
			}
			return newPlayer(env, noncentred).density(ctx)
		})
		if !slices.Contains(reasons, c.want) {
			t.Errorf("%s: no %q among %q", name, c.want, reasons)
		}
		for i, err := range errs {
			if i != c.culprit && (err == nil || strings.Contains(err.Error(), "77")) {
				t.Errorf("%s: party %d ends with %v", name, i, err)
			}
		}
		for _, r := range reasons {
			if strings.Contains(r, "77") {
				t.Errorf("%s: %q is sent", name, r)
			}
		}
	}
}

func cancelled(ctx context.Context, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(cause)
	return ctx
}

// What a peer writes in place of a code is not repeated.
func TestEndOfRunIsNotBelieved(t *testing.T) {
	plan := newWorld(design{clients: 1}).plan(t)
	ends := transport.NewMem(plan.Names)
	must(t, ends[1].Send(t.Context(), plan.Names[0],
		transport.Message{Kind: "end of run", Reason: "call 0900 123", Party: "the minister"}))
	env, err := session.NewRemote(plan.Only(0), 0, ends[0], session.SimulatedKeys(1, plan.Names[:1]))
	must(t, err)
	err = newPlayer(env, noncentred).density(t.Context())
	var peer *session.PeerError
	if !errors.As(err, &peer) || peer.Code != session.EndFailed || peer.Party != "lab[1]" ||
		strings.Contains(err.Error(), "0900") {
		t.Errorf("got %v", err)
	}
}
