package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/rng"
	"github.com/vflc/vflc/runtime/transport"
)

// A Mode is how one process simulates all parties.
type Mode int

// The modes. Both give the same bits.
const (
	OneLoop  Mode = iota // all parties in one goroutine
	PerParty             // a goroutine per party, which exchange messages as organisations would
)

// Run simulates all parties of a plan with keys derived from seed. With OneLoop run is called once with the Env of all parties, with PerParty
// once per party with its own Env, at the same time. The first error ends the run everywhere; Run returns what caused it.
func Run(ctx context.Context, plan *model.Plan, mode Mode, seed uint64, run func(context.Context, density.Env) error) error {
	keys := SimulatedKeys(seed, plan.Names)
	if mode == PerParty {
		return perParty(ctx, plan, keys, run)
	}
	env, err := NewLocal(plan, keys)
	if err != nil {
		return err
	}
	return run(ctx, env)
}

func perParty(ctx context.Context, plan *model.Plan, keys Keys, run func(context.Context, density.Env) error) error {
	if err := plan.Verify(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f := failures{cancel: cancel}
	var wait sync.WaitGroup
	for i, end := range transport.NewMem(plan.Names) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			defer end.Close()
			f.note(one(ctx, plan, i, end, keys, run))
		}()
	}
	wait.Wait()
	return f.err
}

// one runs a party, which is given no other party's program or key.
func one(ctx context.Context, plan *model.Plan, i int, end transport.Transport, keys Keys, run func(context.Context, density.Env) error) error {
	name := plan.Names[i]
	own := Keys{Shared: keys.Shared, Private: map[string]rng.Key{name: keys.Private[name]}}
	env, err := NewRemote(plan.Only(i), i, end, own)
	if err != nil {
		return err
	}
	if err := run(ctx, env); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// failures keeps the first error that is a cause: not merely that a peer has gone or that the run was cancelled because of another error.
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
