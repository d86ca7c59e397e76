package posterior

// A Record is the content of run.json: everything needed to repeat a run.
type Record struct {
	Schema    int         `json:"schema"`
	Version   string      `json:"version"` // of vflc
	Created   string      `json:"created"` // RFC 3339
	Command   []string    `json:"command"`
	Directory string      `json:"directory"` // working directory of the command
	Model     InputRecord `json:"model"`
	// that the model imports: the path beside the model, or the name of one of the standard library
	Modules []InputRecord `json:"modules,omitempty"`
	Data    []InputRecord `json:"data"` // absolute paths
	// initial values: of all chains, or of each; the run's folder has copies
	Inits []InputRecord `json:"inits,omitempty"`
	// of the digests of Data and Inits, in hexadecimal: another in every run, so that digests of two runs
	// cannot be compared
	Salt string `json:"salt,omitempty"`
	// the column that joins rows; "none": their order; empty: no rows were joined
	Key       string             `json:"key,omitempty"`
	Intersect bool               `json:"intersect,omitempty"`  // rows that not all tables have are left out
	Joins     []Join             `json:"joins,omitempty"`      // the tables whose rows were joined
	Constants map[string]float64 `json:"constants"`            // set on the command line
	Accepted  []string           `json:"accepted,omitempty"`   // disclosures, as --accept takes them
	PriorOnly bool               `json:"prior_only,omitempty"` // without likelihoods
	Backend   string             `json:"backend"`
	Transform string             `json:"transform"`
	Rho       any                `json:"rho"`
	Seed      uint64             `json:"seed"`
	Draws     int                `json:"draws"`
	Settings  map[string]any     `json:"settings"` // of the backend, defaults included
	Complete  bool               `json:"complete"` // the algorithm was done when the outputs were written
	// Journal is the SHA-256 digest of what a run of encrypted rows made with randomness, in the order of its
	// steps.
	Journal string `json:"journal,omitempty"`
	// Improper are the parameters whose priors are improper; nil: not known, because parties are apart, or
	// factors stand in the model.
	Improper []string `json:"improper_priors,omitzero"`
	// SHA-256 digests of the outputs, by path in the folder
	Files map[string]string `json:"files,omitempty"`
	// the names of settings by what they mean to every backend: chains, warmup, draws, …
	Roles map[string]string `json:"roles,omitempty"`
}

// A Join is a set of tables whose rows were joined.
type Join struct {
	Parties []string `json:"parties"`
	Key     string   `json:"key"`
	Rows    int      `json:"rows"`
	Held    []int    `json:"held,omitempty"` // the rows of each table, where some were left out
	// Dropped counts rows that `missing drop` left out, and Incomplete those among them in which a party has
	// a missing cell, by party.
	Dropped    int   `json:"dropped,omitempty"`
	Incomplete []int `json:"incomplete,omitempty"`
}

// A InputRecord is an input file of a run. The digest of the model is its SHA-256, that of a table or of
// initial values its HMAC-SHA-256 with the run's salt as the key.
type InputRecord struct {
	Party  string `json:"party,omitempty"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}
