package diag

// The codes of models that cannot be fitted by minibatches: V062x.
const (
	MixedRows Code = "V0621" // an expression that mixes rows
	RowParam  Code = "V0622" // a parameter that grows with the rows
	NoRows    Code = "V0623" // no single size counts the rows
)
