package density

// Remembering is an Env whose evaluations depend, in their last bits, on earlier ones. What it remembers belongs to the state of an algorithm that is saved.
type Remembering interface {
	// Remember returns what the next evaluation takes from earlier ones, in the room of to.
	Remember(to []int) []int
	// Recall makes the next evaluation take what Remember has returned.
	Recall(from []int)
}

// Remember returns what an Env remembers; nothing where it is not Remembering.
func Remember(env Env, to []int) []int {
	if r, ok := As[Remembering](env); ok {
		return r.Remember(to)
	}
	return to[:0]
}

// Recall makes the next evaluation of an Env take what Remember has returned.
func Recall(env Env, from []int) {
	if r, ok := As[Remembering](env); ok {
		r.Recall(from)
	}
}

// Numbered is an Env that is told which chain it is for.
type Numbered interface {
	// Number says so for everything that follows. Chains are counted from 1.
	Number(chain int)
}
