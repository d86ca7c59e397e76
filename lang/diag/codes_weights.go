package diag

// The codes of weights that a backend does not estimate: V064x.
const (
	WeightDrawn    Code = "V0641" // the backend draws every parameter
	WeightOfClient Code = "V0642" // the backend maximises at the server only
)
