package fit

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/graph"
)

type jobsKey struct{}

// Sharing returns a context under which a run takes its share of the cores alone, since so many runs are made
// at the same time. Cores beyond those of its chains help with long evaluations; draws do not depend on how
// many they are.
func Sharing(ctx context.Context, jobs int) context.Context {
	return context.WithValue(ctx, jobsKey{}, jobs)
}

// coresOf is on how many cores a run may compute.
func coresOf(ctx context.Context) int {
	jobs, _ := ctx.Value(jobsKey{}).(int)
	return max(1, runtime.GOMAXPROCS(0)/max(1, jobs))
}

type loneKey struct{}

// Lone returns a context under which this process has one party of a run and nothing else to do.
func Lone(ctx context.Context) context.Context { return context.WithValue(ctx, loneKey{}, true) }

// A party whose chains evaluate in less than lightWork together waits most of the time, for messages that
// come to one goroutine after another: what these cost most is waking threads.
const (
	lightWork = 8 * graph.LeastWork
	lightGC   = 400 // percent: what it allocates is messages
	fewPeers  = 16  // of a server, which encrypts for all of them
)

// settleDown lets a lone party with little to compute use one core, and collect its little memory more
// seldom, until the function that it returns is called.
func (p *Prepared) settleDown(ctx context.Context, chains int) (restore func()) {
	lone, _ := ctx.Value(loneKey{}).(bool)
	if !lone || p.Algorithm.Gives != backends.Markov || p.near != nil ||
		p.apart.Index == 0 && len(p.Plan.Names) > fewPeers ||
		chains*p.Plan.Parties[p.apart.Index].Graph.Work() > lightWork {
		return func() {}
	}
	cores, percent := runtime.GOMAXPROCS(1), debug.SetGCPercent(lightGC)
	if percent < 0 || percent > lightGC {
		debug.SetGCPercent(percent)
	}
	return func() {
		runtime.GOMAXPROCS(cores)
		debug.SetGCPercent(percent)
	}
}
