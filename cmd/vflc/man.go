package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/vflc/vflc/fit"
)

// newMan returns a command for those who package vflc.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the man pages of every command to a folder",
		Long: "Write a man page for every command to the folder DIR. SOURCE_DATE_EPOCH in the " +
			"environment, in seconds, sets their date.",
		Example: "  vflc man /usr/local/share/man/man1",
		Hidden:  true,
		Args:    oneArgument("a DIR"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := newRoot()
			root.InitDefaultCompletionCmd()
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "vflc " + fit.Version(),
				Manual: "vflc"}, args[0])
		}),
	}
}
