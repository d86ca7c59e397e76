package transforms

import "github.com/vflc/vflc/stdlib/def"

// Exact is the true model, p(y | Σ g_j, γ) Π p(θ_j), computed across parties: a client sends its cut at each evaluation, and receives its adjoint.
var Exact = def.Transform{
	Name:      "exact",
	Doc:       "the true model, evaluated by the server at the cuts themselves, which cross without noise",
	CutsCross: true,
}
