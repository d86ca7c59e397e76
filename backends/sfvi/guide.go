package sfvi

import (
	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A guide is q(z | θ) of one party. Its methods are called in the order noise (filled), value, adjoint, once
// each in an evaluation; phi are its own variational parameters. In the formulas g is the cut at θ, ḡ the cut
// at the mean μ of q(θ), ρ the sd of z given g in the model, and e = (z − g)/ρ.
type guide interface {
	size() int // number of variational parameters
	// how many belong to one auxiliary variable, laid out as vectors over all of them; 0: all share all
	each() int
	weigh(by float64)                         // by how much the terms of z count in the integrand; 1 at first
	start(phi []float64, from density.Stream) // where q(z | θ) is the prior N(g, ρ²)
	noise() []float64                         // ε, to be filled with standard normals
	turn(opposite bool)                       // whether the next value is at −ε
	// value sets z from g and returns Σ log N(z; g, ρ²) − log q(z | θ), times the weight. First it makes a
	// step of phi that is not nil.
	value(mu, phi []float64, by *step, g, z []float64) float64
	// adjoint sets w, the seeds on g, from the adjoint of z and the block's own one of g; it overwrites grad
	// with the gradient of phi, whose square it returns, and adds to dmu (and early) what reaches μ (and
	// shared parameters) through ḡ.
	adjoint(phi, adj, own, w, early, grad, dmu []float64) float64
}

// forms lists the guides: by name, how one is made for a block that has cuts.
var forms = []struct {
	name string
	make func(b density.Block, s backends.Settings) (guide, error)
}{
	{"structured", newStructured},
	{"noncentered", newNoncentered},
	{"meanfield", newMeanfield},
	{"amortized", newAmortized},
}

// guideNames lists these guides.
func guideNames() []string {
	names := make([]string, len(forms))
	for i, f := range forms {
		names[i] = f.name
	}
	return names
}

func newGuide(name string, b density.Block, s backends.Settings) (guide, error) {
	for _, f := range forms {
		if f.name == name {
			return f.make(b, s)
		}
	}
	panic("sfvi: no guide " + name) // the setting has these alone
}

// aux is what every guide keeps of one evaluation, one element per auxiliary variable.
type aux struct {
	block density.Block
	cuts  []density.Cut
	eps   []float64 // ε
	sign  float64   // of ε in the current draw
	s     []float64 // the sd of e given θ, times the sign
	e     []float64
	// weight is that of log N(z; g, ρ²) and log q(z | θ) in the integrand: over a window of rows, whose
	// likelihood is scaled, the same scale.
	weight float64
}

func newAux(b density.Block) aux {
	n := b.AuxLen()
	v := make([]float64, 3*n)
	return aux{block: b, cuts: b.Cuts(), eps: v[:n], s: v[n : 2*n], e: v[2*n:], sign: 1, weight: 1}
}

func (a *aux) len() int { return len(a.eps) }

func (a *aux) noise() []float64 { return a.eps }

func (a *aux) turn(opposite bool) {
	a.sign = 1
	if opposite {
		a.sign = -1
	}
}

func (a *aux) weigh(by float64) { a.weight = by }

// stretchLength is how many auxiliary variables are moved and drawn at a time: what both read stays in the
// first cache between.
const stretchLength = 512

// A stretch is m auxiliary variables of a cut, from number at on.
type stretch struct {
	at, m int
	rho   float64
}

// next returns the stretch behind one, and whether there is one; the first is behind the zero stretch.
func (a *aux) next(t stretch) (stretch, bool) {
	t.at += t.m
	for _, c := range a.cuts {
		if end := c.Offset + c.Len(); t.at < end {
			return stretch{t.at, min(stretchLength, end-t.at), c.Rho}, true
		}
	}
	return t, false
}

// move makes a step, unless it is nil, of the parameters of a stretch, which are each kinds vectors.
func (a *aux) move(phi []float64, kinds int, by *step, t stretch) {
	if by == nil {
		return
	}
	for k := range kinds {
		by.move(t.m, phi, k*a.len()+t.at)
	}
}

// rise sets to to ∂/∂e of the integrand, log q left out: what guides differentiate by in one pass, for those
// who need it alone.
func (a *aux) rise(to, adj []float64) {
	for _, c := range a.cuts {
		vec.Scale(c.Len(), span(to, c), span(adj, c), c.Rho/a.weight)
	}
	vec.Sub(a.len(), to, to, a.e)
	vec.Scale(a.len(), to, to, a.weight)
}

// span returns the part of v that belongs to a cut.
func span(v []float64, c density.Cut) []float64 { return v[c.Offset : c.Offset+c.Len()] }
