package study

import (
	"context"
	"sync"
)

// A Task is a cell to be worked on.
type Task struct {
	Cell *Cell
	ID   string // of the result, which follows from everything that it depends on
}

// A Queue hands out the cells of a study to whoever works on them: the goroutines of one process, or processes elsewhere that ask for cells over a network and send back what
// they wrote. It may be used by several at the same time.
type Queue interface {
	// Next returns a cell that nobody else works on. It waits where none is free and others may still give one back; ok is false when all are done.
	Next(ctx context.Context) (task Task, ok bool, err error)
	// Done reports that the result of a cell is in its folder, or why there will be none. With [ErrReturned] another may take the cell.
	Done(ctx context.Context, task Task, failed error) error
}

// ErrReturned is given to Queue.Done where a worker ends before its cell is done.
var ErrReturned = returned{}

type returned struct{}

func (returned) Error() string { return "the cell was given back" }

// Local is the queue of one process.
type Local struct {
	// Report is called for every cell that is done.
	Report func(task Task, failed error, done, all int)
	lock   sync.Mutex
	free   []Task
	all    int
	out    int // cells that somebody works on
	change chan struct{}
}

// NewLocal returns a queue of some cells, in their order.
func NewLocal(tasks []Task, report func(task Task, failed error, done, all int)) *Local {
	return &Local{Report: report, free: tasks, all: len(tasks), change: make(chan struct{})}
}

// Next implements Queue.
func (q *Local) Next(ctx context.Context) (Task, bool, error) {
	for {
		q.lock.Lock()
		switch {
		case ctx.Err() != nil:
			q.lock.Unlock()
			return Task{}, false, ctx.Err()
		case len(q.free) > 0:
			t := q.free[0]
			q.free, q.out = q.free[1:], q.out+1
			q.lock.Unlock()
			return t, true, nil
		case q.out == 0:
			q.lock.Unlock()
			return Task{}, false, nil
		}
		wait := q.change
		q.lock.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
}

// Done implements Queue.
func (q *Local) Done(_ context.Context, t Task, failed error) error {
	q.lock.Lock()
	defer q.lock.Unlock()
	q.out--
	if failed == ErrReturned {
		q.free = append(q.free, t)
	} else {
		q.Report(t, failed, q.all-len(q.free)-q.out, q.all)
	}
	close(q.change)
	q.change = make(chan struct{})
	return nil
}

// Work takes cells from a queue until none is left or the context ends, and does each. An error of do is the end of its cell alone, unless the context has ended: then
// the cell is given back.
func Work(ctx context.Context, q Queue, do func(context.Context, Task) error) error {
	for {
		t, ok, err := q.Next(ctx)
		if err != nil || !ok {
			return err
		}
		failed := do(ctx, t)
		if failed != nil && ctx.Err() != nil {
			if err := q.Done(context.WithoutCancel(ctx), t, ErrReturned); err != nil {
				return err
			}
			return ctx.Err()
		}
		if err := q.Done(ctx, t, failed); err != nil {
			return err
		}
	}
}
