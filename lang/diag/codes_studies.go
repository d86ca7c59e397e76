package diag

// The codes of studies: V066x.
const (
	BadStudy     Code = "V0661" // no TOML, or a key or value that a study does not have
	BadCell      Code = "V0662" // a cell whose command would refuse to run
	BadSelection Code = "V0663" // a table or figure of what no cell has
	NoStudyData  Code = "V0664" // tables of a study that are not there
)
