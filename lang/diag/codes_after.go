package diag

// The codes of what is computed after a run from its densities: V088x.
const (
	NoNewPoints  Code = "V0880" // a run whose density is not had at points that are no draws
	NoEvidence   Code = "V0881" // a density that has no marginal likelihood
	NoComponents Code = "V0882" // a run whose priors and likelihood are not had apart
)
