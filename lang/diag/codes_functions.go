package diag

// The codes of functions and modules: V08xx.
const (
	BadFunction    Code = "V0801"
	FunctionScope  Code = "V0802"
	Recursion      Code = "V0803"
	BadCall        Code = "V0804"
	ComponentPlace Code = "V0805"
	UnknownModule  Code = "V0806"
	BadModule      Code = "V0807"
	PointInName    Code = "V0808"
	CallsTooLarge  Code = "V0809"
)
