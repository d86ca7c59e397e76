package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/transport"
)

// An Execution is how one process simulates all parties.
type Execution int

// The modes. Both give the same bits.
const (
	OneLoop  Execution = iota // all parties in one goroutine
	PerParty                  // a goroutine per party, which exchange messages as organisations would
)

// Run simulates all parties of a plan with keys derived from seed. With OneLoop run is called once with the
// Env of all parties, with PerParty once per party with its own Env, at the same time. The first error ends
// the run everywhere; Run returns what caused it.
func Run(ctx context.Context, plan *model.Plan, mode Execution, seed uint64,
	run func(context.Context, density.Env) error) error {
	keys := SimulatedKeys(seed, plan.Names)
	if mode == PerParty {
		return perParty(ctx, plan, keys, run)
	}
	env, err := newLocal(plan, keys, 0)
	if err != nil {
		return err
	}
	return run(ctx, env)
}

func perParty(ctx context.Context, plan *model.Plan, keys Keys,
	run func(context.Context, density.Env) error) error {
	return apart(ctx, plan, keys, func(ctx context.Context, i int, end transport.Transport, own Keys) error {
		env, err := NewRemote(plan.Only(i), i, end, own)
		if err != nil {
			return err
		}
		err = run(ctx, env)
		if err == nil {
			err = env.(density.Chained).End(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", plan.Names[i], err)
		}
		return nil
	})
}

// failures keeps the first error that is a cause: not merely that a peer has gone or that the run was
// cancelled because of another error.
type failures struct {
	sync.Mutex
	err    error
	cancel context.CancelCauseFunc
}

func (f *failures) note(err error) {
	if err == nil {
		return
	}
	f.Lock()
	defer f.Unlock()
	if f.err == nil || consequence(f.err) && !consequence(err) {
		f.err = err
	}
	f.cancel(err)
}

func consequence(err error) bool {
	var closed *transport.ClosedError
	var peer *PeerError
	return errors.As(err, &closed) || errors.As(err, &peer) || errors.Is(err, context.Canceled)
}
