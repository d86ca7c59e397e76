package main

import (
	"io"
	"os"

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

// settleQuietly is settle for commands with --quiet: without errors it prints nothing there.
func settleQuietly(cmd *cobra.Command, l diag.List, quiet bool) error {
	if quiet && !l.HasErrors() {
		return nil
	}
	return settle(cmd, l)
}

func showDiagnostics(w io.Writer, l diag.List) error {
	return diag.Text(w, l.Shown(), terminal.Is(w) && os.Getenv("NO_COLOR") == "")
}
