package session

import (
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/vector"
)

// The clients of one process are evaluated in turn, or where there are helpers in runs of neighbours with
// enough work each, which they share out. What is added up over parties is added up in party order: no number
// depends on which clients are in a run, or on who computes it.

// mostRuns is into how many runs clients are divided at most, for each goroutine. The clients of a run share
// memory that stays in the first cache.
const mostRuns = 4

// auxiliaryWork is what an algorithm does with an auxiliary variable in an evaluation, in the unit of
// graph.LeastWork: two passes over about ten vectors.
const auxiliaryWork = 16

// addWork is that of an element that is added to a sum.
const addWork = 2

// A run is some clients, from one index to before another, with what a turn of theirs has had.
type run struct {
	from, to int
	bytes    int64
	err      error
}

// runsOf divides the parties of a process, given by index, of which the clients are all but the first. There
// is one run, or none, where there are no helpers or too little work for two.
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
		return []run{{from: 1, to: len(parties)}}
	}
	runs := make([]run, 0, n)
	from, done := 0, 0
	for k, w := range work {
		done += w
		left := len(work) - k - 1
		if due := done >= total/n*(len(runs)+1); left == 0 || left < n-len(runs) || due && len(runs) < n-1 {
			runs, from = append(runs, run{from: from + 1, to: k + 2}), k+1
		}
	}
	return runs
}

// blocks is a task of an algorithm for all blocks, in the runs of their clients and the server with the first
// of these.
type blocks struct {
	of   *evaluator
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
func (e *evaluator) Spreads() bool { return e.group != nil && len(e.runs) > 1 }

// Each implements density.Spreading.
func (e *evaluator) Each(t density.BlockTask) {
	if !e.Spreads() {
		for k := range e.parties {
			t.Block(k)
		}
		return
	}
	e.beside = blocks{e, t}
	e.group.Do(&e.beside, len(e.runs))
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
func (e *evaluator) lent(g *vector.Team) {
	if len(e.runs) < 2 {
		for _, s := range e.parties {
			s.Use(g)
		}
		return
	}
	e.parties[0].Use(g)
	for k, in := range g.Inner(len(e.runs)) {
		for _, s := range e.parties[e.runs[k].from:e.runs[k].to] {
			s.Use(in)
		}
	}
}
