package backends

import (
	"fmt"

	"github.com/vflc/vflc/density"
)

// A NotFiniteError is the failure of a kernel whose density or gradient is not finite: it found nowhere to
// begin, or nowhere to go on.
type NotFiniteError struct {
	Begun bool
	// Cause is what was not finite in the last evaluation; the zero Cause where that may have been at a party
	// of another process.
	Cause density.Cause
	text  string
}

// NotFinite is the error of a kernel after an evaluation that was not finite, with a text that ends in the
// reason.
func NotFinite(env density.Env, begun bool, format string, args ...any) error {
	c := env.Cause()
	why := c.String()
	if why == "" {
		why = "a gradient overflowed"
	}
	return &NotFiniteError{begun, c, fmt.Sprintf(format, args...) + ": " + why}
}

func (e *NotFiniteError) Error() string { return e.text }
