package data

import (
	"strings"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
)

// Errors are diagnostics as an error.
type Errors diag.List

// Error gives the messages, one per line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, d := range e {
		lines[i] = d.Message
		if d.Data != "" {
			lines[i] = d.Data + ": " + d.Message
		}
	}
	return strings.Join(lines, "\n")
}

// Coded is an error with a code.
func Coded(code diag.Code, format string, args ...any) Errors {
	var l diag.List
	l.Errorf(code, nil, source.Span{}, format, args...)
	return Errors(l)
}

// At names the file that an error is about.
func (e Errors) At(path string) Errors {
	for _, d := range e {
		d.Data = path
	}
	return e
}

// Failed is err, or else the error that diagnostics are; nil where they hold none.
func Failed(l diag.List, err error) error {
	if err == nil && l.HasErrors() {
		return Errors(l)
	}
	return err
}
