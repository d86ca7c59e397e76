package density

import "fmt"

// A CauseKind is a kind of thing that has a value in an evaluation.
type CauseKind int

// The parts of an evaluation.
const (
	CutPart      CauseKind = iota // what a client sends, by its name
	TermPart                      // a term of the log density: a likelihood, by its left side and distribution, or a prior, by its parameter
	GradientPart                  // by its parameter
)

// A Cause is what was not finite in an evaluation, at the party where it was seen.
type Cause struct {
	Party string
	Kind  CauseKind
	Name  string
	Value float64
}

// String is the cause in words, with the party in front.
func (c Cause) String() string {
	switch c.Kind {
	case CutPart:
		return fmt.Sprintf("%s: the cut %s has the value %v", c.Party, c.Name, c.Value)
	case TermPart:
		return fmt.Sprintf("%s: the log density of %s is %v", c.Party, c.Name, c.Value)
	}
	return fmt.Sprintf("%s: the gradient of %s is %v", c.Party, c.Name, c.Value)
}

// Causes is implemented by an Env that knows the parts of its evaluations.
type Causes interface {
	// Cause is what Why names; false where all was finite.
	Cause() (Cause, bool)
}
