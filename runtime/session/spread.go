package session

import (
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/workers"
)

// The clients of one process are evaluated in turn, or where there are helpers in runs of neighbours with enough work each, which they share out. What is added up over parties is added up
// in party order: no number depends on which clients are in a run, or on who computes it.

// mostRuns is into how many runs clients are divided at most, for each goroutine. The clients of a run share memory that stays in the first cache.
const mostRuns = 4

// auxiliaryWork is what an algorithm does with an auxiliary variable in an evaluation, in the unit of graph.LeastWork: two passes over about ten vectors.
const auxiliaryWork = 16

// addWork is that of an element that is added to a sum.
const addWork = 2

// A run is some clients, from one index to before another.
type run struct{ from, to int }

// runsOf divides the parties of a process, given by index, of which the clients are all but the first. There is one run, or none, where there are no helpers or too little work for two.
func runsOf(plan *model.Plan, parties []int, helpers int) []run {
	var work []int
	total := 0
	for _, i := range parties[1:] {
		if i >= len(plan.Parties) || plan.Parties[i] == nil {
			return nil // what is missing is said elsewhere
		}
		spec := plan.Parties[i]
		w := spec.Graph.Work()
		for _, c := range spec.Auxiliary() {
			w += auxiliaryWork * c.Len()
		}
		work, total = append(work, w), total+w
	}
	n := min(mostRuns*(helpers+1), len(work), total/graph.LeastWork)
	if n < 2 || helpers == 0 {
		return []run{{1, len(parties)}}
	}
	runs := make([]run, 0, n)
	from, done := 0, 0
	for k, w := range work {
		done += w
		left := len(work) - k - 1
		if due := done >= total/n*(len(runs)+1); left == 0 || left < n-len(runs) || due && len(runs) < n-1 {
			runs, from = append(runs, run{from + 1, k + 2}), k+1
		}
	}
	return runs
}

// A phase is a part of an evaluation in which the clients do not need each other.
type phase int

const (
	choosing phase = iota // cuts, and what the algorithm chooses at them
	judging               // densities
	pulling               // gradients
)

// A sweep is an evaluation under way.
type sweep struct {
	e     *local
	phase phase
	theta [][]float64
	by    algorithm
	grad  [][]float64
	lp    []float64
}

// clients does a phase of all clients. What they send is taken in the same go, while it is near, but where it is coded: then they write to arrays in common.
func (w *sweep) clients(p phase) error {
	w.phase = p
	w.e.group.Do(w, len(w.e.runs))
	if !w.e.plan.Wire.Fixed {
		return nil
	}
	for b := range w.e.scripts {
		if err := w.send(b + 1); err != nil {
			return err
		}
	}
	return nil
}

// send takes what party b sends after a phase.
func (w *sweep) send(b int) error {
	e, s, c := w.e, w.e.parties[b], w.e.scripts[b-1]
	switch w.phase {
	case choosing:
		up, _ := c.loadAux(s, nil, 0)
		if _, err := e.post(b-1, up); err != nil {
			return err
		}
		e.sums.takeAux(c, up)
	case judging:
		if !e.plan.Power {
			return nil
		}
		if _, err := e.post(b-1, c.loadPartial(s)); err != nil {
			return err
		}
		e.sums.takePartial(c)
	case pulling:
		up, err := e.post(b-1, c.loadTrailing(s))
		if err != nil {
			return err
		}
		e.sums.takeGradients(up, c, c.trailingArrivals)
	}
	return nil
}

// Part implements workers.Job.
func (w *sweep) Part(k int) {
	e := w.e
	for b := e.runs[k].from; b < e.runs[k].to; b++ {
		s := e.parties[b]
		switch w.phase {
		case choosing:
			e.deliver(s, true)
			s.value(b, w.theta[b], w.by)
		case judging:
			e.deliver(s, false)
			s.receive(e.sums.total)
			w.lp[b] = s.evaluate(b, w.by)
		case pulling:
			s.settle(e.sums.adjoint)
			s.pull(b, w.by, w.grad[b])
		}
		if !e.plan.Wire.Fixed {
			_ = w.send(b) // only coding can fail
		}
	}
}

// blocks is a task of an algorithm for all blocks, in the runs of their clients and the server with the first of these.
type blocks struct {
	of   *base
	task density.BlockTask
}

// Part implements workers.Job.
func (t *blocks) Part(k int) {
	if k == 0 {
		t.task.Block(0)
	}
	for b := t.of.runs[k].from; b < t.of.runs[k].to; b++ {
		t.task.Block(b)
	}
}

// Spreads implements density.Spreading.
func (b *base) Spreads() bool { return b.group != nil && len(b.runs) > 1 }

// Each implements density.Spreading.
func (b *base) Each(t density.BlockTask) {
	if !b.Spreads() {
		for k := range b.parties {
			t.Block(k)
		}
		return
	}
	b.beside = blocks{b, t}
	b.group.Do(&b.beside, len(b.runs))
}

// An adding is a long sum over parties, in pieces of its elements.
type adding struct {
	dst   []float64
	parts [][]float64
	piece int
}

// Part implements workers.Job.
func (a *adding) Part(k int) {
	from := k * a.piece
	addUp(a.dst[from:min(len(a.dst), from+a.piece)], a.parts, from)
}

// lent gives the parties of a process the groups that their evaluations may use.
func (b *base) lent(g *workers.Group) {
	if len(b.runs) < 2 {
		for _, s := range b.parties {
			s.Use(g)
		}
		return
	}
	b.parties[0].Use(g)
	for k, in := range g.Inner(len(b.runs)) {
		for _, s := range b.parties[b.runs[k].from:b.runs[k].to] {
			s.Use(in)
		}
	}
}
