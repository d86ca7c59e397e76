package session

import (
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/transport"
)

// A Watcher is shown what the server holds in every evaluation and every relay that it completes: what a
// curious server could keep. Arrays are indexed as the groups, members and receivers of the plan, and are
// valid during the call alone.
type Watcher interface {
	// Sent is called when the members of all sums have sent z: total[g] is sum g, and z[g][k] what its member
	// k sent, z[g] being empty where the server has the sum alone. window is the window of rows that is
	// evaluated, AllRows where it is all of them.
	Sent(window int, z [][][]float64, total [][]float64)
	// Answered follows Sent: total[g] is the adjoint of sum g added over its receivers, and part[g][k] that
	// of receiver k alone; part[g] is empty where the server has the sum alone.
	Answered(total [][]float64, part [][][]float64)
	// Relayed is called after every round trip x in which vectors that go with the cuts cross: up[g][m] is
	// what member m of sum g has sent, up[g] being empty where the server has the sum alone, sum[g] the sum
	// and down[g] the answer, that many columns one after another. Where several fits share the round trip it
	// is called for each, fit being its number, in rising order.
	Relayed(x *density.Exchange, fit, columns int, up [][][]float64, sum, down [][]float64)
}

// A MaskWatcher is also shown what it receives under masks.
type MaskWatcher interface {
	Watcher
	// Masked is called before Sent and before Relayed, where a contribution has a mask: words[g][k] is what
	// member k of sum g has sent, each word as a number in [-1, 1), the first word of a number that is two;
	// empty where it has no mask.
	Masked(words [][][]float64)
}

// A PlaceWatcher is also shown which point of a trajectory is evaluated.
type PlaceWatcher interface {
	Watcher
	// Placed is called before Sent where the evaluation is at a point of a trajectory.
	Placed(p density.PathPoint)
}

// AllRows is the window of an evaluation of all rows.
const AllRows = -1

// Watchable is an Env that shows what the server of its process holds.
type Watchable interface {
	// Watch shows every evaluation from now on, those of windows included, and every relay to w. What is
	// evaluated does not depend on it. It reports whether there is anything to see: a client of a deployment
	// has no server in its process.
	Watch(w Watcher) bool
}

// watching is the watcher of an Env with the window that the Env evaluates.
type watching struct {
	watcher Watcher
	window  int
	muted   bool // what is evaluated was shown before
	parts   [][][]float64
	single  [][]float64 // those that are read from words, one after another
	blinded MaskWatcher // the watcher, where it is one
	words   [][][]float64
	places  PlaceWatcher // the watcher, where it is one
	place   density.PathPoint
	placed  bool // place is that of the next evaluation
}

// Watch implements Watchable.
func (e *evaluator) Watch(w Watcher) bool {
	masks, _ := w.(MaskWatcher)
	places, _ := w.(PlaceWatcher)
	e.watching = watching{watcher: w, blinded: masks, places: places, window: AllRows}
	for k, p := range e.parts {
		p.env.watching = watching{watcher: w, blinded: masks, window: k}
	}
	return e.server != nil
}

// Replay implements density.Chained.
func (e *evaluator) Replay(on bool) {
	e.muted = on
	for _, p := range e.parts {
		p.env.muted = on
	}
}

// Place implements density.Chained.
func (e *evaluator) Place(p *density.PathPoint) {
	if e.placed = p != nil; e.placed {
		e.place = *p
	}
}

// sent shows the watcher, if there is one, what the members of all sums have sent.
func (e *evaluator) sent(h *sums) {
	if e.watched() {
		e.blind(h.z, 0, 1)
		if e.placed && e.places != nil {
			e.places.Placed(e.place)
		}
		e.placed = false
		e.watcher.Sent(e.window, e.seen(h.z, h.codes.evaluated), h.total)
	}
}

// answered rounds the adjoints of the sums where the wire is short, and shows them.
func (e *evaluator) answered(h *sums) {
	if down := h.tells(); e.watched() {
		e.watcher.Answered(down, e.seen(h.a, h.codes.partial))
	}
}

// watched reports whether what is evaluated is shown.
func (e *evaluator) watched() bool { return e.watcher != nil && !e.muted }

// blind shows the words of masked contributions, of one of some columns, or of all where column is negative.
func (e *evaluator) blind(parts [][]transport.Channel, column, columns int) {
	if e.blinded == nil {
		return
	}
	w := &e.watching
	for len(w.words) < len(parts) {
		w.words = append(w.words, nil)
	}
	for g, list := range parts {
		for len(w.words[g]) < len(list) {
			w.words[g] = append(w.words[g], nil)
		}
		for k, p := range list {
			to := w.words[g][k][:0]
			if p.Encoding == transport.Masked {
				n := len(p.Words)
				if p.Grid == none { // the floors of all are first
					n /= 2
				}
				from := p.Words[:n]
				if column >= 0 {
					from = from[column*n/columns : (column+1)*n/columns]
				}
				for _, word := range from {
					to = append(to, float64(int64(word<<(64-8*sizeOf(p.Size))))*0x1p-63)
				}
			}
			w.words[g][k] = to
		}
	}
	w.blinded.Masked(w.words[:len(parts)])
}

// seen are the parts of sums that a server has one by one. They are valid until the next call.
func (e *evaluator) seen(parts [][]transport.Channel, codings []*coding) [][][]float64 {
	w, used := &e.watching, 0
	w.parts = w.parts[:0]
	for g, list := range parts {
		var shown [][]float64
		if g < cap(w.parts) {
			shown = w.parts[:cap(w.parts)][g][:0]
		}
		c := codings[g]
		for _, p := range list {
			switch {
			case p.Encoding == transport.Masked:
			case p.Encoding == transport.Plain:
				shown = append(shown, p.Data)
			default:
				if used == len(w.single) {
					w.single = append(w.single, nil)
				}
				n := len(p.Words)
				if p.Grid == none {
					n /= 2
				}
				v := slices.Grow(w.single[used][:0], n)[:n]
				c.readAt(p.Grid, 8*sizeOf(p.Size), v, p.Words, p.Invalid)
				w.single[used] = v
				used++
				shown = append(shown, v)
			}
		}
		if len(shown) < len(list) {
			shown = shown[:0]
		}
		w.parts = append(w.parts, shown)
	}
	return w.parts
}
