package density

import "fmt"

// Chain returns an Env whose streams belong to one chain, counted from 1: chains over Envs with the same keys are independent, and
// none depends on which others run, or when.
func Chain(env Env, chain int) Env {
	return chainEnv{env, fmt.Sprintf("chain %d: ", chain)}
}

type chainEnv struct {
	Env
	prefix string
}

func (e chainEnv) Private(b int, name string) Stream { return e.Env.Private(b, e.prefix+name) }
func (e chainEnv) Shared(name string) Stream         { return e.Env.Shared(e.prefix + name) }
