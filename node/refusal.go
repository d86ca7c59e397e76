package node

import (
	"errors"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/runtime/session"
)

// A refusal is why this party does not take part: its peers get the code.
type refusal struct {
	code Code
	err  error
}

func (r *refusal) Error() string { return r.err.Error() }

func (r *refusal) Unwrap() error { return r.err }

func refuse(code Code, format string, args ...any) error {
	var diags diag.List
	diags.Errorf(code.explained(), nil, source.Span{}, format, args...)
	return &refusal{code, data.Errors(diags)}
}

func refused(code Code, diags diag.List, err error) error {
	switch {
	case err != nil:
		return &refusal{code, err}
	case diags.HasErrors():
		return &refusal{code, data.Errors(diags)}
	}
	return nil
}

// codeOf is what peers are told of an error.
func codeOf(err error) Code {
	var r *refusal
	var protocol *session.ProtocolError
	switch {
	case errors.As(err, &r):
		return r.code
	case errors.As(err, &protocol):
		return CodeProtocol
	}
	return CodeFailed
}
