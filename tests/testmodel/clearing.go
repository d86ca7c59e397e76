package testmodel

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/rng"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A Clearing stands for parties whose rows are encrypted (density.Encrypting): it adds in the clear what nobody would see. Its Envs meet in it, whether they are of one process or of several.
type Clearing struct {
	Range  float64 // of contributions, added up; 0: there is none
	Budget int     // of log likelihoods; each takes one
	// How often each method was called, but log likelihoods by their number; Trips are all calls in which clients tell something.
	Evaluations, Openings, LogLiks, Consultations, Trips int

	seed    uint64
	blocks  []density.Block
	maps    []*density.Affine
	rows    density.Rows
	columns []int
	eta     []float64 // at the last evaluation
	slope   []float64 // there
	own     [][]float64
	plus    [][]float64
	sum     []float64
	down    [][]float64
	by      density.Consulted // of the server

	lock    sync.Mutex
	waiting int
	next    chan struct{}
	failed  error
}

// NewClearing takes the blocks of all parties, in party order.
func NewClearing(seed uint64, blocks []density.Block) (*Clearing, error) {
	c := &Clearing{seed: seed, blocks: blocks, next: make(chan struct{}), Budget: math.MaxInt}
	for b, block := range blocks {
		l, err := density.RequireOf[density.Linearisable](block)
		if err != nil {
			return nil, err
		}
		lin, err := l.Linear()
		if err != nil {
			return nil, err
		}
		at := &lin.Cuts
		if b == 0 {
			if len(lin.Rows) != 1 {
				return nil, fmt.Errorf("%d likelihoods", len(lin.Rows))
			}
			c.rows = lin.Rows[0]
			at = &c.rows.Affine
		}
		c.maps, c.columns = append(c.maps, at), append(c.columns, len(lin.Index))
	}
	c.own, c.plus = make([][]float64, len(blocks)), make([][]float64, len(blocks))
	return c, nil
}

// Columns is how many columns each party has.
func (c *Clearing) Columns() []int { return c.columns }

// Env is that of a process with some of the blocks.
func (c *Clearing) Env(blocks ...int) density.Env {
	e := &clearingEnv{Clearing: c, at: blocks}
	for _, b := range blocks {
		e.seen = append(e.seen, c.blocks[b])
	}
	return e
}

// clearingEnv is the Env of one process.
type clearingEnv struct {
	*Clearing
	at   []int
	seen []density.Block
}

// meet waits until every process has put what it has, the last of which computes.
func (e *clearingEnv) meet(ctx context.Context, put func(i, party int), compute func() error) error {
	c := e.Clearing
	c.lock.Lock()
	for i, b := range e.at {
		put(i, b)
	}
	met := c.next
	if c.waiting += len(e.at); c.waiting == len(c.blocks) {
		c.waiting, c.next = 0, make(chan struct{})
		c.failed = compute()
		close(met)
	}
	c.lock.Unlock()
	select {
	case <-met:
		return c.failed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave returns once every process has read what was computed.
func (e *clearingEnv) leave(ctx context.Context) error {
	return e.meet(ctx, func(int, int) {}, func() error { return nil })
}

// Blocks implements density.Env, as do Density, Sum, Private, Shared and Why.
func (e *clearingEnv) Blocks() []density.Block { return e.seen }

func (e *clearingEnv) Density(context.Context, [][]float64, density.Coordinates, [][]float64, []float64) error {
	return fmt.Errorf("testmodel: rows are encrypted")
}

func (e *clearingEnv) Sum(ctx context.Context, part [][]float64, total []float64) error {
	err := e.meet(ctx, func(i, b int) { e.own[b] = part[i] }, func() error {
		e.Trips++
		e.sum = make([]float64, len(total))
		for _, v := range e.own {
			vec.Accumulate(len(total), e.sum, v)
		}
		return nil
	})
	if err != nil {
		return err
	}
	copy(total, e.sum)
	return e.leave(ctx)
}

func (e *clearingEnv) Private(b int, name string) density.Stream {
	return rng.New(rng.SimulatedKey(e.seed, e.seen[b].Party()), name)
}

func (e *clearingEnv) Shared(name string) density.Stream { return rng.New(rng.SharedKey(e.seed), name) }

func (e *clearingEnv) Why() string { return "" }

// Slopes implements density.Encrypting, as do the methods below.
func (e *clearingEnv) Slopes(ctx context.Context, cut, grad [][]float64) error {
	err := e.meet(ctx, func(i, b int) { e.own[b] = cut[i] }, func() error {
		n := len(e.rows.Offset)
		e.eta, e.slope = make([]float64, n), make([]float64, n)
		for _, v := range e.own {
			vec.Accumulate(n, e.eta, v)
		}
		e.Evaluations++
		e.Trips++
		for _, v := range e.eta {
			if e.Range > 0 && !(math.Abs(v) <= e.Range) {
				return density.ErrRange
			}
		}
		e.rows.Evaluate(nil, e.eta, make([]float64, n), e.slope, nil, nil)
		return nil
	})
	for i, b := range e.at {
		if err == nil {
			clear(grad[i])
			vec.MatTVecAdd(len(e.slope), grad[i], 1, e.maps[b].Matrix, len(e.slope), e.slope, len(grad[i]))
		}
	}
	if then := e.leave(ctx); err == nil {
		err = then
	}
	return err
}

func (e *clearingEnv) Curvatures(ctx context.Context, gram []float64) error {
	return e.meet(ctx, func(_, b int) {
		if b > 0 {
			return
		}
		e.Openings++
		e.Trips++
		n, p, x := len(e.eta), 0, []float64(nil)
		for b, m := range e.maps {
			x, p = append(x, m.Matrix...), p+e.columns[b]
		}
		weights, scaled := e.weights(), make([]float64, n)
		for i := range p {
			vec.Mul(n, scaled, weights, x[i*n:])
			for j := range p {
				gram[i*p+j] = vec.Dot(n, scaled, x[j*n:])
			}
		}
	}, func() error { return nil })
}

// weights are minus the second derivatives of the log likelihood at the last evaluation, by differences.
func (c *Clearing) weights() []float64 {
	const h = 1e-4
	n := len(c.eta)
	at, lp, above, below := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	vec.AddScalar(n, at, c.eta, h)
	c.rows.Evaluate(nil, at, lp, above, nil, nil)
	vec.AddScalar(n, at, c.eta, -h)
	c.rows.Evaluate(nil, at, lp, below, nil, nil)
	for i := range below {
		below[i] = (below[i] - above[i]) / (2 * h)
	}
	return below
}

func (e *clearingEnv) LogLik(ctx context.Context, cut, plus [][]float64, total []float64) error {
	err := e.meet(ctx, func(i, b int) { e.own[b], e.plus[b] = cut[i], plus[i] }, func() error {
		n := len(e.rows.Offset)
		eta, lp, slope := make([]float64, n), make([]float64, n), make([]float64, n)
		e.sum = make([]float64, len(total))
		for i := range total {
			clear(eta)
			for b, v := range e.own {
				vec.Accumulate(n, eta, v[i*n:][:n])
				e.sum[i] += e.plus[b][i]
			}
			e.rows.Evaluate(nil, eta, lp, slope, nil, nil)
			e.sum[i] += vec.Sum(n, lp)
		}
		e.Trips++
		e.LogLiks, e.Budget = e.LogLiks+len(total), e.Budget-len(total)
		return nil
	})
	if err != nil {
		return err
	}
	if e.at[0] == 0 {
		copy(total, e.sum)
	}
	return e.leave(ctx)
}

func (e *clearingEnv) Afford(logLiks int) int { return min(logLiks, e.Budget) }

func (e *clearingEnv) Consult(ctx context.Context, by density.Consulted) error {
	err := e.meet(ctx, func(i, b int) {
		up, _, _ := by.Size(e.columns[b])
		e.own[b] = make([]float64, up)
		if by.Ask(i, e.own[b]); b == 0 {
			e.by = by
		}
	}, func() error {
		all := 0
		e.down = make([][]float64, len(e.blocks))
		for b, columns := range e.columns {
			var down int
			_, down, all = e.by.Size(columns)
			e.down[b] = make([]float64, down)
		}
		e.sum = make([]float64, all)
		e.by.Counsel(e.own, e.down, e.sum)
		if e.Consultations++; len(e.own[len(e.own)-1]) > 0 {
			e.Trips++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, b := range e.at {
		by.Take(i, e.down[b], e.sum)
	}
	return e.leave(ctx)
}
