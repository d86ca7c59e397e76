package backends

import (
	"fmt"

	"github.com/vflc/vflc/density"
)

// A NotFiniteError is the failure of a kernel whose density or gradient is not finite: it found nowhere to begin, or nowhere to go on.
type NotFiniteError struct {
	Begun bool
	// Cause is what was not finite in the last evaluation, where Known: it may have been at a party of another process.
	Cause density.Cause
	Known bool
	text  string
}

// NotFinite is the error of a kernel after an evaluation that was not finite, with a text that ends in the reason.
func NotFinite(env density.Env, begun bool, why, format string, args ...any) error {
	e := &NotFiniteError{Begun: begun, text: fmt.Sprintf(format, args...) + ": " + why}
	if c, ok := density.As[density.Causes](env); ok {
		e.Cause, e.Known = c.Cause()
	}
	return e
}

func (e *NotFiniteError) Error() string { return e.text }
