package def

// A Transform is one way to evaluate a model whose data several parties hold. Transforms with equal fields evaluate a model in the same way.
type Transform struct {
	Name string // as in `transform NAME` and --transform
	Doc  string // one sentence
	// Pooled: one party holds all data and evaluates the model as written.
	Pooled bool
	// Noise: in place of a cut a client sends an auxiliary variable z ~ normal(cut, rho).
	Noise bool
	// CutsCross: a client sends its cuts themselves, without noise: there are no auxiliary variables, and no rho.
	CutsCross bool
	// AtClients: a likelihood is evaluated by each client that has a cut in it, with its own cuts exact and the others' z, to the power 1/J.
	// Otherwise the server evaluates it.
	AtClients bool
}

// Augmented reports whether auxiliary variables enter the likelihood at the server, so that they can be integrated out of it row by row.
func (t Transform) Augmented() bool { return t.Noise && !t.AtClients }

// String is the name.
func (t Transform) String() string { return t.Name }
