package sfvi

import (
	"math"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/rng"
)

// A guide is q(z | θ) of one party. Its methods are called in the order noise (filled), value, adjoint, once each in an evaluation; phi are its own
// variational parameters. In the formulas g is the cut at θ, ḡ the cut at the mean μ of q(θ), ρ the sd of z given g in the model, and
// e = (z − g)/ρ.
type guide interface {
	size() int                             // number of variational parameters
	start(phi []float64, from *rng.Stream) // where q(z | θ) is the prior N(g, ρ²)
	noise() []float64                      // ε, to be filled with standard normals
	// value sets z from g and returns Σ log N(z; g, ρ²) − log q(z | θ).
	value(mu, phi, g, z []float64) float64
	// adjoint sets w, the seeds on g, from the adjoint of z and the block's own one of g; it overwrites grad with the gradient of phi, and adds to
	// dmu (and early) what reaches μ (and shared parameters) through ḡ.
	adjoint(phi, adj, own, w, early, grad, dmu []float64)
}

// forms lists the guides: by name, how one is made for a block that has cuts.
var forms = []struct {
	name string
	make func(b backends.Block, s backends.Settings) (guide, error)
}{
	{"structured", newStructured},
	{"noncentered", newNoncentered},
	{"meanfield", newMeanfield},
	{"amortized", newAmortized},
}

func guideNames() []string {
	names := make([]string, len(forms))
	for i, f := range forms {
		names[i] = f.name
	}
	return names
}

func newGuide(name string, b backends.Block, s backends.Settings) (guide, error) {
	for _, f := range forms {
		if f.name == name {
			return f.make(b, s)
		}
	}
	panic("sfvi: no guide " + name) // Resolve allows the listed names only
}

// aux is what every guide keeps of one evaluation, one element per auxiliary variable.
type aux struct {
	block backends.Block
	cuts  []backends.Cut
	eps   []float64 // ε
	s     []float64 // the conditional sd
	e     []float64 // e, or for meanfield (z − g)/ρ²
}

func newAux(b backends.Block) aux {
	n := b.AuxLen()
	v := make([]float64, 3*n)
	return aux{block: b, cuts: b.Cuts(), eps: v[:n], s: v[n : 2*n], e: v[2*n:]}
}

func (a *aux) len() int { return len(a.eps) }

func (a *aux) noise() []float64 { return a.eps }

// sds sets s = exp(logs) and returns Σ log s + ½Σε², which is −log q(z | θ) up to constants that the model's density shares.
func (a *aux) sds(logs []float64) float64 {
	sum := 0.0
	eps, s := a.eps[:len(logs)], a.s[:len(logs)]
	for i, l := range logs {
		s[i] = math.Exp(l)
		sum += l + 0.5*eps[i]*eps[i]
	}
	return sum
}

// span returns the part of v that belongs to a cut.
func span(v []float64, c backends.Cut) []float64 { return v[c.Offset : c.Offset+c.Len()] }
