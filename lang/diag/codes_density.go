package diag

// The codes of vflc density.
const (
	BadRequest    Code = "V0844" // no JSON, no call that there is, or numbers that do not fit
	NoCoordinates Code = "V0845" // values that no point of the density has
	NoRowDensity  Code = "V0846" // a transform under which no density of rows is evaluated
)
