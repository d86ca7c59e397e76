package diag

// The codes of models under transform private, and of their releases: V0601, V0637 to V0639 and V0699.
const (
	NotReleased  Code = "V0637" // a model of which no release suffices
	NoBounds     Code = "V0638" // a column without public bounds
	ReleasedOnly Code = "V0639" // what is asked of a release needs rows
	BadRelease   Code = "V0601" // a file of moments that is not that of the model
	NoBudget     Code = "V0699" // a release without noise
)
