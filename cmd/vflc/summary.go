package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/posterior"
)

func newSummary() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "summary RUN [PARAMETER…]",
		Short: "Summarise the draws of a run",
		Long: `Print means, standard deviations and quantiles of a run's draws, the Monte Carlo error of the mean, and for
Markov chains bulk and tail effective sample size and R-hat. PARAMETER is a name (beta), an element (beta[2],
'beta[zscore(age)]') or a pattern (beta*). Elements have the names of their columns and categories where a party's data give them.
A generated quantity with more than 20 elements has one line, unless PARAMETER names it, or with --all.
Auxiliary variables of a run with --save-aux are shown only if PARAMETER names them. What other parties have published of a run across machines (vflc publish) and stands in its folder
published is shown with their names as owners.

` + runArgument,
		Example: `  vflc summary out
  vflc summary out beta_a 'hospital[2].*'
  vflc summary chains/ --json`,
		Args: arguments(1, 0, "the folder RUN of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := published(cmd, args[0])
			if err != nil {
				return err
			}
			rows, err := ledger.Summarise(r.Draws, r.Published, args[1:])
			if err != nil {
				return &failure{exitUsage, err}
			}
			if asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(), map[string]any{"schema": posterior.Schema,
					"model": r.Name(), "parameters": rows})
			}
			var folds []posterior.LeftOut
			if len(args) == 1 && !all {
				rows, folds = posterior.Folded(rows)
			}
			if err := posterior.WriteTableWithin(cmd.OutOrStdout(), rows,
				terminal.TableWidth(cmd.OutOrStdout())); err != nil {
				return err
			}
			text := posterior.FoldText(folds, "vflc summary "+args[0]+" %s, or --all, shows them")
			if len(args) == 1 && r.Record != nil && r.Document != nil && fit.WireOf(r.Record).Encrypted {
				text += "\n" + r.Document.Deployment + "\n" // what became known of the rows
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "show each element of large generated quantities")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the keys of summary.json")
	return cmd
}
