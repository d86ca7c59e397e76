package main

import (
	"cmp"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/lang/diag"
)

// settle shows diagnostics; errors among them end the command.
func settle(cmd *cobra.Command, l diag.List) error {
	if !l.HasErrors() {
		return showDiagnostics(cmd.ErrOrStderr(), l)
	}
	return settleAs(cmd, l, exitInput)
}

// settleAs shows diagnostics with which the command ends.
func settleAs(cmd *cobra.Command, l diag.List, code int) error {
	return cmp.Or(tellMachine(cmd, l), showDiagnostics(cmd.ErrOrStderr(), l), shown(code))
}

// tellMachine prints the diagnostics with which a command with --json ends, in place of its result and
// before they are shown as text: a program that reads both streams knows by it what the text is.
// VFLC_ERRORS=json asks for the same of every command.
func tellMachine(cmd *cobra.Command, l diag.List) error {
	f := cmd.Flags().Lookup("json")
	if (f == nil || f.Value.String() != "true") && os.Getenv("VFLC_ERRORS") != "json" {
		return nil
	}
	return diag.JSON(cmd.OutOrStdout(), l.Shown())
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

func showDiagnostics(w io.Writer, l diag.List) error {
	return diag.Text(w, l.Shown(), terminal.Colours(w))
}
