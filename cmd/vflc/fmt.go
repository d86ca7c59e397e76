package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile/inline"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

func newFmt() *cobra.Command {
	var onlyCheck, expand bool
	var stdin stdinFlag
	cmd := &cobra.Command{
		Use:   "fmt FILE…",
		Short: "Rewrite files in the canonical layout; comments are kept",
		Long: "Rewrite files in the canonical layout; comments are kept. - reads standard " +
			"input, and prints the result.",
		Example: `  vflc fmt logistic.vfl
  vflc fmt --check *.vfl
  vflc fmt --expand trial.vfl
  vflc fmt - < logistic.vfl`,
		Args: arguments(1, 0, "one FILE or more"),
		RunE: action(func(cmd *cobra.Command, files []string) error {
			if onlyCheck && expand {
				return usagef("--check and --expand exclude each other")
			}
			wrong := false
			for _, path := range files {
				write := formatFile
				if expand {
					write = expandFile
				}
				good, err := write(cmd, path, stdin.name(path), onlyCheck)
				var f *failure
				if err = judged(cmd, err); errors.As(err, &f) && f.err != nil { // else it is on the screen
					fmt.Fprintf(cmd.ErrOrStderr(), "vflc: %v\n", f.err)
				}
				wrong = wrong || !good
			}
			if wrong {
				return shown(exitInput)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&onlyCheck, "check", false,
		"change nothing; list the files that are not in the canonical layout, and exit with "+
			"code 1 if there are any")
	cmd.Flags().BoolVar(&expand, "expand", false,
		"change nothing; print the files with each formula, y ~ glm(…), written out")
	stdin.add(cmd)
	return cmd
}

// expandFile prints one file with its formulas written out.
func expandFile(cmd *cobra.Command, path, name string, _ bool) (good bool, err error) {
	text, err := safefile.ReadText(path)
	if err != nil {
		return false, err
	}
	file, diags := parser.Parse(source.New(name, string(text)))
	if !diags.HasErrors() {
		var expanded *inline.Expansion
		if expanded, diags = inline.ExpandFormulas(file, stdlib.New()); !diags.HasErrors() {
			_, err = io.WriteString(cmd.OutOrStdout(), expanded.Text())
			return true, err
		}
	}
	return false, showDiagnostics(cmd.ErrOrStderr(), diags)
}

// formatFile rewrites one file, which messages call by its name, or with onlyCheck prints the name if it
// would change. A file with errors is
// not changed.
func formatFile(cmd *cobra.Command, path, name string, onlyCheck bool) (good bool, err error) {
	text, err := safefile.ReadText(path)
	if err != nil {
		return false, err
	}
	file, diags := parser.Parse(source.New(name, string(text)))
	if diags.HasErrors() {
		return false, showDiagnostics(cmd.ErrOrStderr(), diags)
	}
	formatted := format.Format(file)
	switch {
	case path == safefile.Stdin && !onlyCheck:
		_, err := io.WriteString(cmd.OutOrStdout(), formatted)
		return true, err
	case formatted == string(text):
		return true, nil
	case onlyCheck:
		_, err := fmt.Fprintln(cmd.OutOrStdout(), name)
		return false, err
	}
	return true, safefile.WriteBytes(path, 0o644, []byte(formatted))
}
