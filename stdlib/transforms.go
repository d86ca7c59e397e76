package stdlib

import (
	"slices"

	"github.com/vflc/vflc/stdlib/def"
)

// The transforms. The set is closed: a transform is what crosses at a cut with who evaluates a likelihood,
// and every pair that has a meaning is here. A cut that every client evaluates without noise is none: each
// would need the others' cuts.
var (
	// NoTransform pools the data. With clients it exists in simulation only.
	NoTransform = def.Transform{
		Name: "none", Crosses: def.Nothing, Evaluates: def.Server,
		Doc: "the true model, with all data in one place",
	}
	// Exact is the true model, p(y | Σ g_j, γ) Π p(θ_j), computed across parties: a client sends its cut at
	// each evaluation, and receives its adjoint.
	Exact = def.Transform{
		Name: "exact", Crosses: def.Cut, Evaluates: def.Server,
		Doc: "the true model, evaluated by the server at the cuts themselves, which cross without noise",
	}
	// Augmented is the augmented-variable model of the paper: p(y | Σ z_j, γ) Π N(z_j; g_j, ρ²) p(θ_j).
	Augmented = def.Transform{
		Name: "augmented", Crosses: def.NoisyCut, Evaluates: def.Server,
		Doc: "the server evaluates the likelihood at z ~ normal(cut, rho)",
	}
	// Power is the power-likelihood model of the paper: Π_j p(y | g_j + Σ_{k≠j} z_k, γ)^(1/J) Π N(z_j; g_j,
	// ρ²) p(θ_j). J is the number of clients with a cut in the statement.
	Power = def.Transform{
		Name: "power", Crosses: def.NoisyCut, Evaluates: def.EveryClient,
		Doc: "each client evaluates the likelihood to the power 1/J with the others' z",
	}
	// Private is the posterior given sums over the rows that are released once with noise, under differential
	// privacy. It evaluates no likelihood of rows, so that it is not among Transforms.
	Private = def.Transform{
		Name: "private", Crosses: def.Release, Evaluates: def.Server,
		Doc: "sums over bounded rows are released once with noise that gives a privacy budget, and the " +
			"posterior is given these",
	}
)

// Transforms returns the transforms in the order of the documentation.
func Transforms() []def.Transform {
	return []def.Transform{NoTransform, Exact, Augmented, Power}
}

// TransformNamed returns the transform with the given name, and whether there is one.
func TransformNamed(name string) (def.Transform, bool) {
	if name == Private.Name {
		return Private, true
	}
	at := slices.IndexFunc(Transforms(), func(t def.Transform) bool { return t.Name == name })
	if at < 0 {
		return def.Transform{}, false
	}
	return Transforms()[at], true
}

// TransformNames lists their names.
func TransformNames() (out []string) {
	for _, t := range Transforms() {
		out = append(out, t.Name)
	}
	return out
}

// NoisyTransforms returns those under which clients send auxiliary variables.
func NoisyTransforms() []def.Transform {
	return slices.DeleteFunc(Transforms(), func(t def.Transform) bool { return !t.Noise() })
}

// DefaultTransform is the transform of a model with clients that names none.
var DefaultTransform = Augmented
