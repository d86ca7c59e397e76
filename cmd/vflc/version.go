package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  vflc version --json",
		Args:    cobra.NoArgs,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(), map[string]string{
					"version": fit.Version(), "build": fit.Build(), "go": runtime.Version(),
					"platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func version() string {
	return fmt.Sprintf("vflc %s %s %s/%s", fit.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
