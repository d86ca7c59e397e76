package node

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/session"
)

// A refusal is why this party does not take part: its peers get the code.
type refusal struct {
	code EndReason
	err  error
}

func (r *refusal) Error() string { return r.err.Error() }

func (r *refusal) Unwrap() error { return r.err }

func refuse(code EndReason, format string, args ...any) error {
	return &refusal{code, data.Coded(code.explained(), format, args...)}
}

func refused(code EndReason, diags diag.List, err error) error {
	if err := data.Failed(diags, err); err != nil {
		return &refusal{code, err}
	}
	return nil
}

// why says an error in a line: of diagnostics code, message and way out.
func why(err error) string {
	var found data.Errors
	if !errors.As(err, &found) {
		return err.Error()
	}
	var lines []string
	for _, d := range found {
		line := fmt.Sprintf("%s: %s", d.Code, d.Message)
		for _, n := range d.Notes {
			line += "; " + n.Message
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// diskFull reports whether an error is that a disk is full. It ends no run: the party stops, the others wait,
// and the same command goes on from what all have saved.
func diskFull(err error) bool { return errors.Is(err, syscall.ENOSPC) }

// goesOn says of an error that the run goes on after it.
func goesOn(err error) error {
	return fmt.Errorf("%w; the others wait: make room, and start the same command again", err)
}

// codeOf is what peers are told of an error.
func codeOf(err error) EndReason {
	var r *refusal
	var protocol *session.ProtocolError
	var unlike *session.UnlikeError
	var peer *session.PeerError
	var found data.Errors
	switch {
	case errors.As(err, &unlike), errors.As(err, &peer) && peer.Code == session.EndUnlike:
		return CodeUnlike
	case errors.As(err, &r):
		return r.code
	case errors.As(err, &protocol):
		return CodeProtocol
	case errors.As(err, &found):
		for reason, page := range pages {
			if found[0].Code == page {
				return reason
			}
		}
	}
	return CodeFailed
}
