package density

import "slices"

// An Init is values for consecutive coordinates of θ of a block, from which a user wants an algorithm to
// begin.
type Init struct {
	Offset int
	Values []float64
}

// Starting is an Env of whose coordinates some have starting values.
type Starting interface {
	// Starts returns those of block b.
	Starts(b int) []Init
}

// StartedAt returns an Env with starting values, by the index of the party. All capabilities of env remain.
func StartedAt(env Env, byParty [][]Init) Env { return startedEnv{env, byParty} }

type startedEnv struct {
	Env
	byParty [][]Init
}

func (e startedEnv) Unwrap() Env         { return e.Env }
func (e startedEnv) Starts(b int) []Init { return e.byParty[e.Blocks()[b].Index()] }

// Placed reports whether coordinate i of block b has a starting value.
func Placed(env Env, b, i int) bool {
	s, ok := As[Starting](env)
	return ok && slices.ContainsFunc(s.Starts(b), func(s Init) bool {
		return s.Offset <= i && i < s.Offset+len(s.Values)
	})
}

// Place sets those coordinates of theta, a point of block b, that have starting values. An algorithm calls it
// wherever it has chosen a point to begin from.
func Place(env Env, b int, theta []float64) {
	s, ok := As[Starting](env)
	if !ok {
		return
	}
	for _, start := range s.Starts(b) {
		copy(theta[start.Offset:], start.Values)
	}
}
