package cells

import (
	"context"
	"sync"
)

// Done is called for every cell that is made, one call at a time: with its result, or with the reason why
// there is none. enough says that the others are not needed. An error ends the work.
type Done func(c *Cell, result []byte, failed error) (enough bool, err error)

// A Pool has cells made.
type Pool interface {
	// Work returns when all cells are made, or enough of them. Where the context ends before, it returns the
	// context's error.
	Work(ctx context.Context, all []*Cell, done Done) error
}

// Local makes cells in this process.
type Local struct {
	Jobs int // at the same time
	Make func(ctx context.Context, c *Cell) ([]byte, error)
}

// Work implements Pool. Cells are begun in their order.
func (l Local) Work(ctx context.Context, all []*Cell, done Done) error {
	var lock sync.Mutex
	var wait sync.WaitGroup
	var lost error
	next, over := 0, false
	take := func() *Cell {
		lock.Lock()
		defer lock.Unlock()
		if over || next == len(all) || ctx.Err() != nil {
			return nil
		}
		next++
		return all[next-1]
	}
	made := 0
	for range min(l.Jobs, len(all)) {
		wait.Go(func() {
			for c := take(); c != nil; c = take() {
				result, failed := l.Make(ctx, c)
				lock.Lock()
				if failed == nil || ctx.Err() == nil { // else it was given up
					made++
					enough, err := done(c, result, failed)
					if over = over || enough || err != nil; lost == nil {
						lost = err
					}
				}
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	if lost == nil && !over && made < len(all) {
		return ctx.Err()
	}
	return lost
}

// Gather has the parts of one computation made, and takes their results. progress counts steps; nil: nobody
// looks. The error is that of the first part that has failed, in the order of the parts and not of time,
// whoever made it: parts behind it are not waited for.
func Gather(ctx context.Context, pool Pool, all []*Cell, take func(p Steps, result []byte) error,
	progress func(done, all int)) error {
	at := map[*Cell]int{}
	steps := 0
	for k, c := range all {
		at[c] = k
		steps += c.Part.End - c.Part.First
	}
	ended, failures := make([]bool, len(all)), make([]error, len(all))
	first := func() (error, bool) { // whether the first failure is known
		for k := range all {
			if !ended[k] {
				return nil, false
			}
			if failures[k] != nil {
				return failures[k], true
			}
		}
		return nil, false
	}
	counted := 0
	err := pool.Work(ctx, all, func(c *Cell, result []byte, failed error) (bool, error) {
		k := at[c]
		if ended[k], failures[k] = true, failed; failed == nil {
			if err := take(*c.Part, result); err != nil {
				return false, err
			}
			if counted += c.Part.End - c.Part.First; progress != nil {
				progress(counted, steps)
			}
		}
		_, known := first()
		return known, nil
	})
	if failed, known := first(); known {
		return failed
	}
	return err
}
