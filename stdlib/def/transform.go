package def

// A Transform is one way to evaluate a model whose data several parties hold: what crosses at a cut, and who
// evaluates a likelihood with cuts. A pair of these has one transform, or none (stdlib/transforms.go).
type Transform struct {
	Name      string // as in `transform NAME` and --transform
	Doc       string // one sentence
	Crosses   Substitute
	Evaluates Evaluator
}

// A Substitute is what a client sends in place of a cut.
type Substitute int

// The crossings.
const (
	Nothing Substitute = iota + 1 // one party holds all data and evaluates the model as written
	// the cut itself, without noise: there are no auxiliary variables, and no rho
	Cut
	NoisyCut // an auxiliary variable z ~ normal(cut, rho)
	// nothing at an evaluation: moments of all rows, once, with noise. A simulation makes it where the data
	// are
	Release
)

// An Evaluator is who evaluates a likelihood with cuts.
type Evaluator int

// The evaluators.
const (
	Server      Evaluator = iota
	EveryClient           // that has a cut in it: with its own cuts exact and the others' z, to the power 1/J
	// The party that holds the response: of every likelihood, or where all hold it the server, or every
	// client. These are never written: a model whose responses several parties hold has them in the place of
	// the others.
	Holder
	HolderOrClients
)

// Pooled reports whether one party holds all data: of a release, the process that simulates it.
func (t Transform) Pooled() bool { return t.Crosses == Nothing || t.Released() }

// Released reports whether the posterior is one given moments that were released once, and not given the
// rows.
func (t Transform) Released() bool { return t.Crosses == Release }

// Noise reports whether there are auxiliary variables.
func (t Transform) Noise() bool { return t.Crosses == NoisyCut }

// CutsCross reports whether cuts cross without noise.
func (t Transform) CutsCross() bool { return t.Crosses == Cut }

// AtClients reports whether clients evaluate likelihoods with cuts: each all of them, or some that hold a
// response.
func (t Transform) AtClients() bool { return t.Evaluates != Server }

// Powers reports whether each client evaluates a likelihood with cuts whose response all hold.
func (t Transform) Powers() bool { return t.Evaluates == EveryClient || t.Evaluates == HolderOrClients }

// Several reports whether several parties hold responses of likelihoods with cuts.
func (t Transform) Several() bool { return t.Evaluates >= Holder }

// ByHolders is the transform where several parties hold responses of likelihoods with cuts.
func (t Transform) ByHolders() Transform {
	switch {
	case t.Pooled():
	case t.Powers():
		t.Evaluates = HolderOrClients
	default:
		t.Evaluates = Holder
	}
	return t
}

// Augmented reports whether auxiliary variables enter the likelihood at one party, so that they can be
// integrated out of it row by row.
func (t Transform) Augmented() bool { return t.Crosses == NoisyCut && !t.Powers() }

// String is the name.
func (t Transform) String() string { return t.Name }
