package density

import "fmt"

// Chain returns an Env whose streams belong to one chain, counted from 1: chains over Envs with the same keys
// are independent, and none depends on which others run, or when. All capabilities of env remain; its windows
// have the chain's streams too.
func Chain(env Env, chain int) Env {
	if n, ok := As[Chained](env); ok {
		n.Number(chain)
	}
	return Streams(env, chain)
}

// Streams returns an Env whose streams are those of Chain, for one of several Envs that evaluate draws of the
// chain side by side: each keeps its own number.
func Streams(env Env, chain int) Env { return named(env, fmt.Sprintf("chain %d: ", chain)) }

// named is an Env with a prefix to the names of all streams.
func named(env Env, prefix string) Env {
	e := &chainEnv{env, prefix}
	w, ok := As[Windowed](env)
	if !ok {
		return e
	}
	out := &chainWindows{chainEnv: e, Windowed: w, by: map[Env]Env{}}
	for k := range w.Windows() {
		if window, _ := w.Window(k); out.by[window] == nil {
			out.by[window] = named(window, prefix)
		}
	}
	return out
}

type chainEnv struct {
	Env
	prefix string
}

func (e *chainEnv) Unwrap() Env                       { return e.Env }
func (e *chainEnv) Private(b int, name string) Stream { return e.Env.Private(b, e.prefix+name) }
func (e *chainEnv) Shared(name string) Stream         { return e.Env.Shared(e.prefix + name) }

// chainWindows is a chainEnv over rows that may be divided.
type chainWindows struct {
	*chainEnv
	Windowed
	by map[Env]Env // windows with the chain's streams
}

func (e *chainWindows) Window(k int) (Env, []int) {
	window, rows := e.Windowed.Window(k)
	return e.by[window], rows
}
