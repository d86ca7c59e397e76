package backends

import (
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// A Refusal is an error of a Kernel or of Algorithm.New: what the settings ask for does not suit the model.
type Refusal struct {
	Code diag.Code
	Err  error
	Out  string // what suits it: a way out
}

func (r *Refusal) Error() string { return r.Err.Error() + ": " + r.Out }

func (r *Refusal) Unwrap() error { return r.Err }

// Diagnostics is the refusal as a diagnostic, which has no place in the model.
func (r *Refusal) Diagnostics() (list diag.List) {
	list.Errorf(r.Code, nil, source.Span{}, "%v", r.Err).Note("%s", r.Out)
	return list
}
