package sfvi

import (
	"fmt"

	"github.com/vflc/vflc/density"
)

// allRows is the number of the view of all rows; others are windows, counted from 0.
const allRows = -1

// A view is what an evaluation is of: all rows, or those of a window.
type view struct {
	env      density.Env
	pipeline density.Pipelined
}

func newView(env density.Env) view { return view{env: env, pipeline: density.AsPipelined(env)} }

// An order is the order in which windows are visited: each once in a pass, shuffled by the shared stream, so
// the same at every party.
type order struct {
	stream  density.Stream
	windows []int // of the current pass
	pass    int
}

func newOrder(windows int, stream density.Stream) order {
	return order{stream: stream, windows: make([]int, windows), pass: -1}
}

// at is the window of a visit, counted from 0.
func (o *order) at(visit int) int {
	n := len(o.windows)
	if pass := visit / n; pass != o.pass {
		o.pass = pass
		o.shuffle()
	}
	return o.windows[visit%n]
}

// shuffle puts the windows in the pass's order (Fisher and Yates).
func (o *order) shuffle() {
	o.stream.Round(uint64(o.pass))
	random := o.stream.Rand()
	for i := range o.windows {
		j := random.IntN(i + 1)
		o.windows[i], o.windows[j] = o.windows[j], i
	}
}

// divide makes the views of an Env's windows: of minibatches, or of the rows that are fitted and those that
// are held out.
func (k *kernel) divide() error {
	size := k.settings.Int(minibatch)
	env, ok := density.As[density.Windowed](k.env)
	switch divided := ok && env.Windows() > 0; {
	case !divided && size > 0:
		return fmt.Errorf("%s %d: the rows of this run are not divided", minibatch, size)
	case !divided:
		return nil
	}
	weight := float64(env.Windows())
	if size == 0 {
		weight, k.validation = 1, &validation{}
	}
	for b, p := range k.parties {
		if err := p.divide(env, b, k.settings, weight, k.whole.pipeline.Apart()); err != nil {
			return err
		}
	}
	if k.validation != nil {
		for _, f := range k.factors() {
			k.validation.best = append(k.validation.best, make([]float64, len(f.phi)))
		}
	}
	k.divided = env
	made := map[density.Env]*view{}
	for w := range env.Windows() {
		of, _ := env.Window(w)
		if made[of] == nil {
			v := newView(of)
			made[of] = &v
		}
		k.windows = append(k.windows, made[of])
	}
	k.order = newOrder(len(k.windows), k.env.Shared("sfvi windows"))
	k.traceWindows = k.env.Shared("sfvi trace windows")
	return nil
}

// windowOf is the window of an iteration of the fit. The two draws of opposite noise are of one window.
func (k *kernel) windowOf(iteration int) int {
	switch {
	case len(k.windows) == 0:
		return allRows
	case k.validation != nil:
		return fitted
	}
	return k.order.at(iteration / 2)
}

// traceWindow is the window at which a draw of the trace is evaluated: any, with equal chances.
func (k *kernel) traceWindow(round uint64) int {
	if len(k.windows) == 0 || k.validation != nil {
		return allRows
	}
	k.traceWindows.Round(round)
	return k.traceWindows.Rand().IntN(len(k.windows))
}

// selectView makes a view the current one at all parties.
func (k *kernel) selectView(v int) {
	k.current = v
	if v != allRows {
		k.divided.Turn(v)
	}
	for _, p := range k.parties {
		p.selectView(v)
	}
}

// view is the one with this number.
func (k *kernel) view(v int) *view {
	if v == allRows {
		return &k.whole
	}
	return k.windows[v]
}

// at is the shard of a view.
func (p *party) at(v int) *shard {
	if v == allRows {
		return p.whole
	}
	return p.windows[v]
}

// selectView makes the shard of a view the current one. The noise was that of another shard: it is drawn
// again.
func (p *party) selectView(v int) {
	if v == allRows {
		p.whole.gather(p.windows)
	}
	if h := p.at(v); h != p.shard {
		p.shard, p.noisy = h, false
		if h.label != nil {
			copy(h.guide.(*amortized).label, h.label)
		}
	}
}
