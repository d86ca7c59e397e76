package testmodel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A Clearing stands for parties whose rows are encrypted (density.Encrypting): it adds in the clear what
// nobody would see. Its Envs meet in it, whether they are of one process or of several.
type Clearing struct {
	// of contributions, added up; 0: there is none
	Range float64
	// log likelihoods are beyond the range everywhere
	NoLogLik bool
	Budget   int  // of log likelihoods; each takes one
	Wide     bool // it is that of their bytes
	// whether so much may become known; nil: it may
	May func(evaluations int, what []density.Decryption) bool
	// How often each method was called, but log likelihoods by their number; Trips are all calls in which
	// clients tell something.
	Evaluations, Openings, LogLiks, Consultations, Trips int

	seed    uint64
	blocks  []density.Block
	maps    []*density.Affine
	rows    density.RowLikelihood
	globals int
	phi     []float64 // at the last evaluation
	by      []float64 // the gradient by them there
	columns []int
	eta     []float64 // at the last evaluation
	slope   []float64 // there
	own     [][]float64
	bytes   [][]byte // that are carried
	plus    [][]float64
	sum     []float64
	down    [][]float64
	server  density.Consulted

	lock    sync.Mutex
	waiting int
	next    chan struct{}
	failed  error
}

// NewClearing takes the blocks of all parties, in party order.
func NewClearing(seed uint64, blocks []density.Block) (*Clearing, error) {
	c := &Clearing{seed: seed, blocks: blocks, next: make(chan struct{}), Budget: math.MaxInt}
	for b, block := range blocks {
		lin, err := density.Linearised(block)
		if err != nil {
			return nil, err
		}
		at, columns := &lin.Cuts, len(lin.Index)
		if b == 0 {
			c.globals = len(lin.Globals.Index)
			columns += c.globals
			if len(lin.Rows) != 1 {
				return nil, fmt.Errorf("%d likelihoods", len(lin.Rows))
			}
			c.rows = lin.Rows[0]
			at = &c.rows.Affine
		}
		c.maps, c.columns = append(c.maps, at), append(c.columns, columns)
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
	work density.Work
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

// Blocks implements density.Env, as do the methods below.
func (e *clearingEnv) Blocks() []density.Block { return e.seen }

func (e *clearingEnv) Density(context.Context, [][]float64, density.Coordinates, [][]float64,
	[]float64) error {
	return errors.New("testmodel: rows are encrypted")
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
	return vec.NewGenerator(vec.SimulatedKey(e.seed, e.seen[b].Party()), name)
}

func (e *clearingEnv) Shared(name string) density.Stream {
	return vec.NewGenerator(vec.SharedKey(e.seed), name)
}

func (e *clearingEnv) Cause() (none density.Cause) { return none }

func (e *clearingEnv) Augmented() bool { return false }

func (e *clearingEnv) Work() *density.Work { return &e.work }

func (e *clearingEnv) Values(context.Context, density.Draw, [][]float64) error {
	return errors.New("testmodel: draws of encrypted rows are not mapped")
}

func (e *clearingEnv) ReadsAuxiliaries() bool { return false }

// Slopes implements density.Encrypting, as do the methods below.
func (e *clearingEnv) Slopes(ctx context.Context, phi []float64, cut, grad [][]float64) error {
	err := e.meet(ctx, func(i, b int) {
		if e.own[b] = cut[i]; b == 0 {
			e.phi, e.by = append([]float64(nil), phi...), make([]float64, len(phi))
		}
	}, func() error {
		n := len(e.rows.Offset)
		e.eta, e.slope = make([]float64, n), make([]float64, n)
		sum := 0.0
		for _, v := range e.own {
			vec.Accumulate(n, e.eta, v)
			sum += math.Max(slices.Max(v), -slices.Min(v))
		}
		e.Evaluations++
		e.Trips++
		if e.Range > 0 && !(sum <= e.Range) {
			return density.ErrRange
		}
		e.rows.Evaluate(e.phi, e.eta, make([]float64, n), e.slope, nil, e.by)
		return nil
	})
	for i, b := range e.at {
		if err == nil {
			clear(grad[i])
			columns := len(e.maps[b].Matrix) / len(e.slope)
			vec.MatTVecAdd(len(e.slope), grad[i][:columns], 1, e.maps[b].Matrix, len(e.slope), e.slope,
				columns)
			copy(grad[i][columns:], e.by)
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
		p := 0
		for _, c := range e.columns {
			p += c
		}
		at := 0
		for b, m := range e.maps {
			n := len(e.eta)
			for j := range len(m.Matrix) / n {
				e.bend(gram[at*p:][:p], m.Matrix[j*n:][:n], -1)
				at++
			}
			for j := 0; b == 0 && j < e.globals; j++ {
				e.bend(gram[at*p:][:p], make([]float64, n), j)
				at++
			}
		}
	}, func() error { return nil })
}

// bend sets row to minus the second derivatives of the log likelihood at the last evaluation by a column and
// all others, by differences along it, or along a global.
func (c *Clearing) bend(row, column []float64, global int) {
	const h = 1e-4
	n := len(c.eta)
	at, lp, phi := make([]float64, n), make([]float64, n), append([]float64(nil), c.phi...)
	var slope, by [2][]float64
	for side, step := range []float64{-h, h} {
		slope[side], by[side] = make([]float64, n), make([]float64, c.globals)
		vec.ScaleAdd(n, at, step, column, c.eta)
		if global >= 0 {
			phi[global] = c.phi[global] + step
		}
		c.rows.Evaluate(phi, at, lp, slope[side], nil, by[side])
	}
	for i, v := range slope[1] {
		slope[0][i] = (slope[0][i] - v) / (2 * h)
	}
	i := 0
	for b, m := range c.maps {
		for j := range len(m.Matrix) / n {
			row[i] = vec.Dot(n, slope[0], m.Matrix[j*n:])
			i++
		}
		for j := 0; b == 0 && j < c.globals; j++ {
			row[i] = (by[0][j] - by[1][j]) / (2 * h)
			i++
		}
	}
}

func (e *clearingEnv) LogLik(ctx context.Context, phi []float64, cut, plus [][]float64,
	total []float64) error {
	err := e.meet(ctx, func(i, b int) {
		if e.own[b], e.plus[b] = cut[i], plus[i]; b == 0 {
			e.phi = append([]float64(nil), phi...)
		}
	}, func() error {
		if e.NoLogLik {
			return density.ErrRange
		}
		n := len(e.rows.Offset)
		eta, lp, slope := make([]float64, n), make([]float64, n), make([]float64, n)
		e.sum = make([]float64, len(total))
		for i := range total {
			clear(eta)
			for b, v := range e.own {
				vec.Accumulate(n, eta, v[i*n:][:n])
				e.sum[i] += e.plus[b][i]
			}
			e.rows.Evaluate(e.phi[i*e.globals:][:e.globals], eta, lp, slope, nil, make([]float64, e.globals))
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

func (e *clearingEnv) Affords(what ...density.Decryption) bool {
	return e.May == nil || e.May(e.Evaluations, what)
}

func (e *clearingEnv) Afford(logLiks int, _ ...density.Decryption) (int, bool) {
	return min(logLiks, e.Budget), e.Wide
}

func (e *clearingEnv) Consult(ctx context.Context, by density.Consulted) error {
	err := e.meet(ctx, func(i, b int) {
		up, _, _ := by.Size(b, e.columns[b])
		e.own[b] = make([]float64, up)
		if by.Ask(i, e.own[b]); b == 0 {
			e.server = by
		}
	}, func() error {
		all := 0
		e.down = make([][]float64, len(e.blocks))
		for b, columns := range e.columns {
			var down int
			_, down, all = e.server.Size(b, columns)
			e.down[b] = make([]float64, down)
		}
		e.sum = make([]float64, all)
		e.server.Counsel(e.own, e.down, e.sum)
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
