package transforms

import "github.com/vflc/vflc/stdlib/def"

// Augmented is the augmented-variable model of the paper: p(y | Σ z_j, γ) Π N(z_j; g_j, ρ²) p(θ_j).
var Augmented = def.Transform{
	Name:  "augmented",
	Doc:   "the server evaluates the likelihood at z ~ normal(cut, rho)",
	Noise: true,
}
