package diag

// The codes of weights that a backend does not estimate: V062x.
const (
	WeightDrawn    Code = "V0621" // the backend draws every parameter
	WeightOfClient Code = "V0622" // the backend maximises at the server only
)
