package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
)

func newPPC() *cobra.Command {
	var expressions []string
	var draws int
	var seed uint64
	var output string
	var asJSON, written bool
	cmd := &cobra.Command{
		Use:   "ppc RUN [RESPONSE…]",
		Short: "Check a model by comparing its data with replicates of them",
		Long: `Draw the responses of a run again from its model, at draws of the run, and compare statistics of the data with those of the replicates: mean, sd, quantiles,
least and largest value, and any that --stat writes as an expression of the response. The tail probability is the share of replicates whose statistic is above that of the data, those that
equal it counted half: near 0 or 1 the model does not reproduce the statistic.

-o writes a Zarr directory with the group posterior_predictive beside the draws, which ArviZ's plot_ppc reads; vflc plot RUN ppc draws it. Replicates have the noise of the
transform, except under power, which has no distribution of the response: there they are of the model as it is written. The computation needs all data in one process; across machines,
vflc serve --ppc and vflc join --ppc have the results of --written.`,
		Example: `  vflc ppc out
  vflc ppc out y --stat 'mean(y == 0)' --stat 'sd(y) / mean(y)'
  vflc ppc out -o checked.zarr`,
		Args: arguments(1, 0, "the folder RUN of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			switch {
			case draws < 0:
				return usagef("--draws %d: give a number above 0, or 0 for all", draws)
			case output != "" && filepath.Ext(output) != ".zarr":
				return usagef("-o %s: name a directory that ends in .zarr", output)
			}
			r, err := runs.Open(args[0])
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("draws") {
				draws = fit.UsualReplicates
			}
			replicate := fit.Replicate
			if written {
				replicate = fit.ReplicateWritten
			}
			p, diags, err := replicate(cmd.Context(), r, draws, seed)
			if err := settle(cmd, diags); err != nil {
				return err
			}
			if err != nil {
				return err
			}
			checks, diags, err := p.Checks(args[1:], expressions)
			if err := settle(cmd, diags); err != nil {
				return err
			}
			if err != nil {
				return err
			}
			if output != "" {
				if err := p.WriteZarr(output); err != nil {
					return err
				}
			}
			if asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(), fit.ChecksDocument(r.Name(), p.Draws.Chains()*p.Draws.Len(0), checks))
			}
			_, err = io.WriteString(cmd.OutOrStdout(), checksText(checks, p.Draws.Chains()*p.Draws.Len(0)))
			return err
		}),
	}
	cmd.Flags().StringArrayVar(&expressions, "stat", nil, "a further statistic: an `expression` of a response that is one number; repeatable")
	cmd.Flags().IntVar(&draws, "draws", 1000, "use this many draws of the run, at even distances; 0: all; without it fewer where the observations are very many")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the replicates")
	cmd.Flags().BoolVar(&written, "written", false, "replicates of the model as it is written, without the noise of the transform: those that vflc serve --ppc has across machines")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write draws and replicates to this Zarr `directory`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// checksText is a table of the checks.
func checksText(checks []fit.PredictiveCheck, draws int) string {
	shown, left := fit.Telling(checks)
	text := posterior.AlignLeft(fit.CheckCells(shown)) + fmt.Sprintf("\n%d replicates; tail: the share of them above the observed value\n", draws)
	if left > 0 {
		text += fit.EqualNote(left) + "\n"
	}
	return text
}
