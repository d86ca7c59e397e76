package diag

// The codes of alignments: V067x.
const (
	RepeatedIdentifier Code = "V0671" // two rows of a table with the same identifier
	NoCommonRows       Code = "V0672"
	StaleAlignment     Code = "V0673" // a table that is not as its alignment left it
)
