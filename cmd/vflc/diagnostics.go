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

func showDiagnostics(w io.Writer, l diag.List) error {
	return diag.Text(w, l.Shown(), terminal.Is(w) && os.Getenv("NO_COLOR") == "")
}
