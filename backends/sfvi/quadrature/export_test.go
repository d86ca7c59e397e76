package quadrature

// Undivided makes all draws of a batch before the first decision.
func (k *Kernel) Undivided() { k.first = k.size }

// Vain reports whether the first weights said that more would be in vain.
func (k *Kernel) Vain() bool { return k.vain }

// ByDraws reports whether parameters beside the predictor are fitted to the draws.
func (k *Kernel) ByDraws() bool { return k.byDraws() }

// inMemory makes a vector.
func inMemory(n int) []float64 { return make([]float64, n) }
