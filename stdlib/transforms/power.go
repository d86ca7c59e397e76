package transforms

import "github.com/vflc/vflc/stdlib/def"

// Power is the power-likelihood model of the paper: Π_j p(y | g_j + Σ_{k≠j} z_k, γ)^(1/J) Π N(z_j; g_j, ρ²) p(θ_j). J is the
// number of clients with a cut in the statement.
var Power = def.Transform{
	Name:      "power",
	Doc:       "each client evaluates the likelihood to the power 1/J with the others' z",
	Noise:     true,
	AtClients: true,
}
