package session

import "github.com/vflc/vflc/density"

// A Watcher is shown what the server holds in every evaluation and every relay that it completes: what a curious server could keep. Arrays are indexed as the groups, members and
// receivers of the plan, and are valid during the call alone.
type Watcher interface {
	// Sent is called when the members of all sums have sent z. window is the window of rows that is evaluated, AllRows where it is all of them.
	Sent(window int, z [][][]float64)
	// Answered follows Sent: total[g] is the adjoint of sum g added over its receivers, and part[g][k] that of receiver k alone.
	Answered(total [][]float64, part [][][]float64)
	// Relayed is called after every round trip x in which vectors that go with the cuts cross: up[g][m] is what member m of sum g has sent and down[g] the answer, that
	// many columns one after another.
	Relayed(x density.Exchange, columns int, up [][][]float64, down [][]float64)
}

// AllRows is the window of an evaluation of all rows.
const AllRows = -1

// Watchable is an Env of a process that plays the server. Clients of a deployment have none.
type Watchable interface {
	// Watch shows every evaluation from now on, those of windows included, and every relay to w. What is evaluated does not depend on it.
	Watch(w Watcher)
}

var (
	_ Watchable = (*local)(nil)
	_ Watchable = (*server)(nil)
)

// watching is the watcher of an Env with the window that the Env evaluates.
type watching struct {
	watcher Watcher
	window  int
	muted   bool // what is evaluated was shown before
}

// watch sets the watcher of an Env over all rows and of those over its windows.
func (b *base) watch(w Watcher) {
	b.watching = watching{watcher: w, window: AllRows}
	for k, p := range b.parts {
		of(p.env).watching = watching{watcher: w, window: k}
	}
}

// of is what an Env of the server has in common with others.
func of(env density.Env) *base {
	if s, ok := env.(*server); ok {
		return &s.base
	}
	return &env.(*local).base
}

// Watch implements Watchable.
func (e *local) Watch(w Watcher) { e.watch(w) }

// Watch implements Watchable.
func (s *server) Watch(w Watcher) { s.watch(w) }

// mute implements density.Replaying for the Envs that can be watched.
func (b *base) mute(on bool) {
	b.muted = on
	for _, p := range b.parts {
		of(p.env).muted = on
	}
}

// Replay implements density.Replaying.
func (e *local) Replay(on bool) { e.mute(on) }

// Replay implements density.Replaying.
func (s *server) Replay(on bool) { s.mute(on) }

// sent shows the watcher, if there is one, what the members of all sums have sent.
func (w *watching) sent(h *sums) {
	if w.watcher != nil && !w.muted {
		w.watcher.Sent(w.window, h.z)
	}
}

// answered shows it the adjoints of the sums.
func (w *watching) answered(h *sums) {
	if w.watcher != nil && !w.muted {
		w.watcher.Answered(h.adjoint, h.a)
	}
}
