package main

import (
	"cmp"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/lang/diag"
)

// settle shows diagnostics; errors among them end the command.
func settle(cmd *cobra.Command, l diag.List) error {
	if err := showDiagnostics(cmd.ErrOrStderr(), l); err != nil {
		return err
	}
	if l.HasErrors() {
		return shown(exitInput)
	}
	return nil
}

// settled shows diagnostics, and returns the error that they or err are.
func settled(cmd *cobra.Command, l diag.List, err error) error {
	return cmp.Or(settle(cmd, l), err)
}

// quietDoc is what the flag --quiet does to a command that fits.
const quietDoc = "print no progress, and no warnings of the compiler or about the data, except those that " +
	"change what the result means"

// settleQuietly is settle for commands with --quiet, which then print errors, and warnings about what the
// result means.
func settleQuietly(cmd *cobra.Command, l diag.List, quiet bool) error {
	if quiet {
		l = l.Loud()
	}
	return settle(cmd, l)
}

// A diagnosticEvent is a diagnostic for other programs, also as a person reads it.
type diagnosticEvent struct {
	Event      string `json:"event"`
	Diagnostic any    `json:"diagnostic"`
	Text       string `json:"text"`
}

func showDiagnostics(w io.Writer, l diag.List) error {
	if events, ok := w.(*terminal.Reporter); ok {
		return tellDiagnostics(events, l.Shown())
	}
	return diag.Text(w, l.Shown(), terminal.Colours(w))
}

func tellDiagnostics(events *terminal.Reporter, l diag.List) error {
	for i, record := range diag.DocumentOf(l).Diagnostics {
		var text strings.Builder
		if err := diag.Text(&text, l[i:i+1], false); err != nil {
			return err
		}
		if err := events.Tell(diagnosticEvent{"diagnostic", record, strings.TrimSpace(text.String())}); err != nil {
			return err
		}
	}
	return nil
}
