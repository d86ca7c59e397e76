package diag

// The codes of what would cross as data. Those of a model's text: V033x, and V0395 a warning. Those that are
// found when a party binds its data: V07xx.
const (
	DataCut      Code = "V0330"
	GradientLeak Code = "V0331"
	OwnLeak      Code = "V0332"
	DataOffset   Code = "V0395"
	FixedCut     Code = "V0701"
	WeakNoise    Code = "V0702"
	SmallCells   Code = "V0703"
)
