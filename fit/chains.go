package fit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
)

// A chain is one Markov chain of a run with its draws.
type chain struct {
	number      int         // from 1
	width       int         // of a draw
	rows        [][]float64 // reported parameters, one row per draw
	room        []float64   // for further rows
	transitions []backends.Transition
	info        backends.StepInfo
	steps       int // transitions
	work        density.Work
	warming     time.Duration
	drawing     time.Duration
	kernel      backends.Kernel
	view        *attack.Recorder // what the server receives; nil where this is not kept
	drew        bool             // the end of the warm-up has been counted by the cpuWatch
	current     bool             // its file holds this state
	// when its file was last written, or when the chain began in this process
	written time.Time
	stored  struct{ steps, draws int } // what its file holds
	// its files are named by its transitions, since all parties must have one of them
	kept bool
	// Of a variational fit:
	iterations int // those before the evaluation of the result
	trace      []posterior.ELBOPoint
	// Of chains that begin near approximations: what the fits of these found.
	search backends.Search // what the fits near which the chain began found
}

// A sampling is a run of kernels that draw while they step: Markov chains side by side, or one kernel that
// draws for several chains in turn.
type sampling struct {
	*Prepared
	cpu     *cpuWatch
	unsaved sync.Once // says that a state could not be saved
}

// kernels returns how many kernels run side by side.
func (m *sampling) kernels() int {
	if m.Algorithm.Gives == backends.Markov {
		return m.Settings.Plan.Chains
	}
	return 1
}

// transitions returns how many steps a kernel makes; 0: not known in advance.
func (m *sampling) transitions() int {
	if m.Algorithm.Gives == backends.Markov {
		return m.Settings.Plan.Warmup + m.Settings.Plan.Draws
	}
	return 0
}

// sample runs all chains, and saves them where the run has a folder.
func (p *Prepared) sample(ctx context.Context, stop <-chan struct{}) (*fitted, error) {
	m := &sampling{Prepared: p}
	vars := p.variables()
	chains := make([]*chain, m.kernels())
	for k := range chains {
		chains[k] = &chain{number: k + 1, width: len(posterior.Columns(vars))}
		m.place(chains[k])
	}
	m.announceMissing(chains)
	p.options.Progress.Begin(len(chains), m.transitions())
	m.cpu = newCPUWatch(len(chains))
	err := m.all(ctx, stop, chains)
	warmup, drawing := m.cpu.end()
	if err == nil {
		err = m.persist(ctx, stop, chains) // before anything is printed: the terminal may be gone
	}
	p.options.Progress.End()
	if err != nil {
		return nil, err
	}
	if err := m.complete(chains); err != nil {
		return nil, err
	}
	f := m.gathered(vars, chains)
	f.draws.Superchains = m.Settings.Plan.Superchains
	f.fittingCPU, f.drawingCPU, f.kernels = warmup, drawing, chains
	return f, nil
}

// saveAll writes the files of those chains that have moved since they were last saved, and returns the first
// error.
func (m *sampling) saveAll(chains []*chain) (failed error) {
	for _, c := range chains {
		if !c.current {
			if err := m.save(c); err != nil && failed == nil {
				failed = err
			}
		}
	}
	return failed
}

// announceMissing names the chains of a resumed run that have no file, though others have one.
func (m *sampling) announceMissing(chains []*chain) {
	if !m.options.Resume || m.apart != nil || m.Settings.Plan.Encrypted {
		return
	}
	var missing []string
	for _, c := range chains {
		if path := chainFile(m.options.Dir, c.number); !exists(path) {
			missing = append(missing, path)
		}
	}
	switch len(missing) {
	case 0:
	case len(chains):
		m.options.Progress.Message("the run had saved no state yet: it begins anew, with the same draws")
	default:
		m.options.Progress.Message(fmt.Sprintf("no %s: chains without a file are "+
			"drawn again from their start", strings.Join(missing, ", ")))
	}
}

// all runs chains side by side, each over its own Env, until they are done, or stopped after a transition.
// The first error ends all of them.
func (m *sampling) all(ctx context.Context, stop <-chan struct{}, chains []*chain) error {
	if m.near != nil {
		return m.together(ctx, stop, chains)
	}
	if m.Settings.Plan.Encrypted {
		return m.inTurn(ctx, stop, chains)
	}
	return m.beside(ctx, len(chains), func(ctx context.Context, side *session.Chains) error {
		return side.Each(ctx, func(ctx context.Context, k int) error {
			return m.run(ctx, stop, side.Envs[k], chains[k])
		})
	})
}

// complete returns an error if a resumed run has nothing left to do.
func (m *sampling) complete(chains []*chain) error {
	for _, c := range chains {
		if !c.info.Done || len(c.rows) > 0 {
			return nil
		}
	}
	_, warm := chains[0].kernel.(backends.WarmStarter)
	return &CompleteError{Dir: m.options.Dir, Warm: warm}
}

// run runs one chain.
func (m *sampling) run(ctx context.Context, stop <-chan struct{}, env density.Env, c *chain) (err error) {
	m.watch(env, c)
	w, err := m.ready(ctx, env, c)
	if err != nil {
		return err
	}
	return m.steps(ctx, stop, w)
}

// ready puts a chain at its starting point.
func (m *sampling) ready(ctx context.Context, env density.Env, c *chain) (_ *walk, err error) {
	env = m.startedAt(density.Chain(env, c.number), c.number)
	if c.kernel, err = m.Algorithm.New(env, m.Settings); err != nil {
		return nil, &UsageError{err}
	}
	if err := m.begin(ctx, env, c); err != nil {
		return nil, err
	}
	return m.walk(env, c), nil
}

// begin finds the chain's starting point.
func (m *sampling) begin(ctx context.Context, env density.Env, c *chain) error {
	if m.options.Resume && m.rows == nil { // a run of encrypted rows is made again from its journal
		if there, err := c.load(m.options.Dir); there || err != nil {
			m.options.Progress.Skip(c.number, c.steps)
			return err
		}
	}
	if m.options.From != "" {
		return c.warmStart(ctx, m.options.From)
	}
	return c.kernel.Init(ctx)
}

// steps draws until the chain is done or interrupted.
func (m *sampling) steps(ctx context.Context, stop <-chan struct{}, w *walk) error {
	for !w.chain.info.Done && !stopped(stop) {
		if err := m.advance(ctx, w); err != nil {
			return err
		}
	}
	return m.rest(w)
}

// advance makes a step of a chain, and saves it where that is due.
func (m *sampling) advance(ctx context.Context, w *walk) error {
	if err := w.step(ctx); err != nil {
		return err
	}
	if !m.dueNow(w.chain, w.now.Sub(w.saved)) {
		return nil
	}
	err := m.saveOrGoOn(w.chain)
	w.saved = time.Now()
	return err
}

// rest saves a chain that makes no more steps, where that is worth it.
func (m *sampling) rest(w *walk) error {
	c := w.chain
	if m.apart != nil {
		return m.saveLast(c)
	}
	if c.current || time.Since(w.saved) < worthSaving {
		return nil
	}
	return m.saveOrGoOn(c)
}

// dueNow reports whether a chain is to be saved: some time after it was, or where all parties save it.
func (m *sampling) dueNow(c *chain, since time.Duration) bool {
	if m.apart != nil {
		return m.apart.Marks.Due(c.number, c.steps)
	}
	return since >= m.options.SaveEvery
}

// saveLast saves a chain that has ended, at every party.
func (m *sampling) saveLast(c *chain) error {
	if c.current {
		m.apart.Marks.Ended(c.number)
		return nil
	}
	err := m.save(c)
	m.apart.Marks.Ended(c.number)
	return err
}

// save writes a chain's file; other chains may still run.
func (m *sampling) save(c *chain) error {
	if m.apart != nil {
		defer m.apart.Marks.Saved(c.number)
	}
	if m.options.Dir == "" {
		return nil
	}
	err := c.save(m.options.Dir, false)
	if err != nil && m.apart != nil {
		return WithNotes(err, fmt.Sprintf("vflc resume %s continues from what was saved before",
			m.options.Dir))
	}
	return err
}

// A stopwatch adds time and work to what a chain had before.
type stopwatch struct {
	*chain
	begun, now       time.Time // when the chain began, and when it was last read
	work             density.Work
	warming, drawing time.Duration
}

func (w *stopwatch) read(env density.Env) {
	now := time.Since(w.begun)
	w.now = w.begun.Add(now)
	w.chain.work = w.work.Plus(*env.Work())
	if w.info.Draws == 0 {
		w.chain.warming = w.warming + now
	} else {
		w.chain.drawing = w.warming + w.drawing + now - w.chain.warming
	}
}

// fitted is read for a fit, all of whose time is warm-up.
func (w *stopwatch) fitted(env density.Env) {
	w.chain.work = w.work.Plus(*env.Work())
	w.chain.warming = w.warming + time.Since(w.begun)
}

// slab is the number of draws that memory is allocated for at a time, and atOnce the most whose places in
// lists are: copies of these as they grow cost short models several per cent.
const (
	slab   = 64
	atOnce = 1 << 14
)

// keep stores the newest draw.
func (c *chain) keep(row []float64) {
	n := len(row)
	if len(c.room) < n {
		c.room = make([]float64, slab*n)
	}
	kept := c.room[:n:n]
	c.room = c.room[n:]
	copy(kept, row)
	if len(c.rows) == cap(c.rows) {
		more := max(slab, len(c.rows), min(c.info.Iterations, atOnce))
		c.rows, c.transitions = slices.Grow(c.rows, more), slices.Grow(c.transitions, more)
	}
	c.rows = append(c.rows, kept)
	c.transitions = append(c.transitions, c.info.Transition)
}

// gather combines the chains of a run. After an interrupt they have different numbers of draws: chains with
// less than half of the largest number are left out, and the others are cut to one length, which all
// summaries need.
func gather(vars []posterior.Variable, chains []*chain) *fitted {
	most := 0
	f := &fitted{}
	for _, c := range chains {
		most = max(most, len(c.rows))
		f.work = f.work.Beside(c.work)
		f.fitting, f.drawing = max(f.fitting, c.warming), max(f.drawing, c.drawing)
		f.interrupted = f.interrupted || !c.info.Done
		f.iterations += c.steps
	}
	least := most
	for _, c := range chains {
		if 2*len(c.rows) < most {
			f.left++
			continue
		}
		f.chains = append(f.chains, c)
		least = min(least, len(c.rows))
	}
	f.draws = chainDraws(vars, f.chains, least)
	return f
}

// chainDraws are the first n draws of every chain.
func chainDraws(vars []posterior.Variable, chains []*chain, n int) *posterior.Draws {
	d := posterior.NewDraws(vars, len(chains), n)
	d.Transitions = make([][]posterior.Transition, len(chains))
	for k, c := range chains {
		for i, row := range c.rows[:n] {
			d.Append(k, row)
			t := c.transitions[i]
			d.AppendTransition(k, posterior.Transition{
				LP: t.LogDensity, Accept: t.Accept, StepSize: t.StepSize, TreeDepth: t.Depth,
				Leapfrogs: t.Leapfrogs, Divergent: t.Divergent, Energy: t.Energy,
			})
		}
	}
	return d
}
