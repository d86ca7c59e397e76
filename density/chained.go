package density

import "context"

// Chained is an Env of a run, which is told what an algorithm does with it beside evaluating.
type Chained interface {
	// Number says which chain it is for in everything that follows. Chains are counted from 1.
	Number(chain int)
	// Remember returns what the next evaluation takes, in its last bits, from earlier ones, in the room of
	// to: it belongs to the state of an algorithm that is saved. Recall makes the next evaluation take it.
	Remember(to []int) []int
	Recall(from []int)
	// Replay says from when to when evaluations are those that an earlier process has made: whoever watches
	// the Env has seen them.
	Replay(on bool)
	// Place says which point of a trajectory is evaluated next, nil for none. Whoever watches the Env is
	// shown it: a server that makes the steps knows it.
	Place(p *PathPoint)
	// End is the last exchange, in which clients that are apart compare what they have received alike. What
	// they have computed counts after it alone.
	End(ctx context.Context) error
}

// Remember returns what an Env remembers; nothing where it is not Chained.
func Remember(env Env, to []int) []int {
	if r, ok := As[Chained](env); ok {
		return r.Remember(to)
	}
	return to[:0]
}

// Recall makes the next evaluation of an Env take what Remember has returned.
func Recall(env Env, from []int) {
	if r, ok := As[Chained](env); ok {
		r.Recall(from)
	}
}
