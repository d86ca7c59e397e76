package density

import "fmt"

// A CauseKind is a kind of thing that has a value in an evaluation.
type CauseKind int

// The kinds of causes.
const (
	Finite   CauseKind = iota // nothing was not finite
	CutValue                  // what a client sends, by its name
	// a likelihood, by its left side and distribution, or a prior, by its parameter
	TermValue
	GradientValue // by its parameter
	StepLimit     // a differential equation that needs more steps than it may take, by its name
	NoSolution    // a differential equation whose solution is not finite, by its name
)

// Unsolved reports that a differential equation had no solution.
func (c Cause) Unsolved() bool { return c.Kind == StepLimit || c.Kind == NoSolution }

// A Cause is what was not finite in an evaluation, at the party where it was seen.
type Cause struct {
	Party string
	Kind  CauseKind
	Name  string
	Value float64
}

// String is the cause in words, with the party in front; "" where all was finite.
func (c Cause) String() string {
	switch c.Kind {
	case Finite:
		return ""
	case CutValue:
		return fmt.Sprintf("%s: the cut %s has the value %v", c.Party, c.Name, c.Value)
	case StepLimit:
		return fmt.Sprintf("%s: the differential equation %s needs more than max_num_steps steps", c.Party, c.Name)
	case NoSolution:
		return fmt.Sprintf("%s: the differential equation %s has no finite solution", c.Party, c.Name)
	case TermValue:
		return fmt.Sprintf("%s: the log density of %s is %v", c.Party, c.Name, c.Value)
	}
	return fmt.Sprintf("%s: the gradient of %s is %v", c.Party, c.Name, c.Value)
}
