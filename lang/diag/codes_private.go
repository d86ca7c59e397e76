package diag

// The codes of contributions and clients' own modules: V065x.
const (
	BadContribution Code = "V0651"
	NoModule        Code = "V0652" // a run without the module of a contribution
	BadPrivate      Code = "V0653" // a module that does not implement its contributions
	PrivateScope    Code = "V0654" // a name of the model that a module does not see
	PrivateShows    Code = "V0655" // a module that changes what other parties run
)
