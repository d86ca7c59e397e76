package diag

// The codes of alignments: V0634 to V0636.
const (
	RepeatedIdentifier Code = "V0634" // two rows of a table with the same identifier
	NoCommonRows       Code = "V0635"
	StaleAlignment     Code = "V0636" // a table that is not as its alignment left it
)
