package diag

// The codes of models from which tables, or parameters of new categories, cannot be drawn: V063x.
const (
	Undrawable Code = "V0631" // a prior or a likelihood that is no distribution to draw from
	NoTables   Code = "V0632" // tables that cannot hold what the model reads
	// categories that a run did not see, in a model that has no parameters for new ones
	NewLevels Code = "V0633"
)
