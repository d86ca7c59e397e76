package diag

// The codes of tables, their cells and their files, V0501 to V0559 and V0571, and of any other file that a
// command reads or writes.
const (
	Unreadable      Code = "V0501" // a file cannot be opened, or its format is not supported
	BadCSV          Code = "V0502" // ragged rows, stray quotes, not UTF-8
	BadJSON         Code = "V0503" // not a Stan-JSON document, or an array whose rows differ in length
	EmptyTable      Code = "V0504"
	DuplicateColumn Code = "V0505" // a column twice, or without a name
	NoColumn        Code = "V0506"
	NotNumber       Code = "V0507"
	MissingCell     Code = "V0508"
	NonFinite       Code = "V0509" // NaN or Inf
	NotWhole        Code = "V0510"
	OutOfRange      Code = "V0511" // outside declared bounds, or those of count and level
	NotBinary       Code = "V0512"
	ConstantColumn  Code = "V0513" // an encoder of a constant column
	LogDomain       Code = "V0514"
	NewCategory     Code = "V0515" // a category that the fitted encoder does not have
	BadEncoder      Code = "V0516" // an unknown encoder, or one that does not fit the declaration
	DataShape       Code = "V0517" // the table does not have the declared shape
	BadStar         Code = "V0518" // `*` matches no column or is used twice
	BadKey          Code = "V0519" // the key is absent, empty or repeated
	DifferentRows   Code = "V0520"
	NoTable         Code = "V0521"
	BadDataFlag     Code = "V0522"
	BadSettings     Code = "V0523" // vfl.toml
	SharedData      Code = "V0524" // absent, or different at two parties
	SomeKeys        Code = "V0525" // only some tables have the key
	NoCoding        Code = "V0526" // several parties have words of one size, and nothing codes them
	MixedLevels     Code = "V0527" // words and whole numbers of one size
	NoKey           Code = "V0529" // rows of several tables, and nothing to join them on
	KeyAsCovariate  Code = "V0530" // warning: `*` takes a column that numbers the rows
	NumbersAsWords  Code = "V0528" // warning: cells that look like numbers in a column of words
	WordsInOrder    Code = "V0837" // warning: the order of words counts, and nothing gives it

	Ambiguous Code = "V0571" // separators or decimal marks that can be read in two ways

	FileTrouble Code = "V0840" // a file or folder of a command, not a table, that cannot be read or written
	NoSpill     Code = "V0895" // no file can hold numbers that are more than memory may
)
