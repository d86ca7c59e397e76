package align

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/vflc/vflc/runtime/transport"
)

// Simulate aligns the identifiers of all parties in this process. keys[i] are those of names[i]; the first
// party is the server.
func Simulate(ctx context.Context, names []string, rules Rules, keys [][]string) ([]*Result,
	transport.ChainID, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var id transport.ChainID
	rand.Read(id.Run[:]) // never fails
	results := make([]*Result, len(names))
	var wait sync.WaitGroup
	for i, end := range transport.NewMem(names) {
		wait.Go(func() {
			r, err := Run(ctx, &Participant{Names: names, Own: names[i], ID: id, Messenger: end, Rules: rules,
				Keys: keys[i]})
			if err != nil {
				cancel(err)
			}
			results[i] = r
		})
	}
	wait.Wait()
	return results, id, context.Cause(ctx)
}
