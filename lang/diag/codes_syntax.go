package diag

// The codes of the parser: V01xx.
const (
	NotUTF8           Code = "V0101"
	BadCharacter      Code = "V0102"
	ControlCharacter  Code = "V0103"
	OpenString        Code = "V0104"
	BadEscape         Code = "V0105"
	OpenComment       Code = "V0106"
	BadNumber         Code = "V0107"
	EmptyFile         Code = "V0108"
	UnknownStatement  Code = "V0109"
	Unexpected        Code = "V0112"
	ExpectedExpr      Code = "V0113"
	Unclosed          Code = "V0114"
	WrongBracket      Code = "V0115"
	KeywordAsName     Code = "V0116"
	MissingColon      Code = "V0117"
	TildeOrEquals     Code = "V0118"
	ClauseOrder       Code = "V0119"
	MissingOperator   Code = "V0120"
	NotCallable       Code = "V0121"
	Comprehension     Code = "V0122"
	ChainedComparison Code = "V0123"
	TooLarge          Code = "V0124"
	FamilyCount       Code = "V0125"
	TypeForm          Code = "V0126"
	EncoderForm       Code = "V0127"
	ForeignHabit      Code = "V0128" // the syntax of another language
)
