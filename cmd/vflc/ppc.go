package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
)

func newPPC() *cobra.Command {
	var expressions, set, tables []string
	var joins joinFlags
	var prior bool
	var draws int
	var seed uint64
	var output string
	var asJSON, written bool
	cmd := &cobra.Command{
		Use:   "ppc RUN [RESPONSE…] | ppc MODEL --prior [RESPONSE…]",
		Short: "Check a model by comparing its data with replicates of them",
		Long: `Draw the responses of a run again from its model, at draws of the run, and compare statistics of the data with those of the replicates: mean, sd, quantiles,
least and largest value, and any that --stat writes as an expression of the response. The tail probability is the share of replicates whose statistic is above that of the data, those that
equal it counted half: near 0 or 1 the model does not reproduce the statistic.

-o writes a Zarr directory with the group posterior_predictive beside the draws, which ArviZ's plot_ppc reads; vflc plot RUN ppc draws it. Replicates have the noise of the
transform, except under power, which has no distribution of the response: there they are of the model as it is written. The computation needs all data in one process; across machines,
vflc serve --ppc and vflc join --ppc have the results of --written.

With --prior nothing is fitted: the parameters of MODEL are drawn from their priors, and replicates from the likelihood given them. Statistics of the data then lie among those of data that
the model holds possible before it has seen any; -o writes the groups prior and prior_predictive. --data, --key, --rows and --set are as in vflc run.`,
		Example: `  vflc ppc out
  vflc ppc out y --stat 'mean(y == 0)' --stat 'sd(y) / mean(y)'
  vflc ppc out -o checked.zarr
  vflc ppc logistic.vfl --prior`,
		Args: arguments(1, 0, "the folder RUN of a run"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			switch {
			case draws < 0:
				return usagef("--draws %d: give a number above 0, or 0 for all", draws)
			case output != "" && filepath.Ext(output) != ".zarr":
				return usagef("-o %s: name a directory that ends in .zarr", output)
			case prior && fitAt(cmd, args[0]) != nil:
				return usagef("--prior is of a MODEL in a file; :prior EXPR draws from the priors of this one")
			case prior && written:
				return usagef("--prior draws from the model as it is written: leave --written out")
			case !prior && (tables != nil || set != nil || cmd.Flags().Changed("key") ||
				cmd.Flags().Changed("rows")):
				return usagef("--data, --key, --rows and --set say what --prior draws " +
					"from; a run has its own")
			}
			if !cmd.Flags().Changed("draws") {
				draws = fit.UsualReplicates
			}
			name := filepath.Base(args[0])
			var p *fit.Replication
			var diags diag.List
			var err error
			if prior {
				p, diags, err = priorReplicates(cmd, args[0], modelFlags{set: set}, tables, &joins, draws,
					seed)
			} else {
				var r *fit.Finished
				if r, err = finished(cmd, args[0]); err != nil {
					return err
				}
				name = r.Name()
				replicate := r.Replicate
				if written {
					replicate = r.ReplicateWritten
				}
				p, diags, err = replicate(cmd.Context(), draws, seed)
			}
			if err := settled(cmd, diags, err); err != nil {
				return err
			}
			checks, diags, err := p.Checks(args[1:], expressions)
			if err := settled(cmd, diags, err); err != nil {
				return err
			}
			if output != "" {
				if err := p.WriteZarr(output); err != nil {
					return err
				}
			}
			if asJSON {
				return posterior.WriteJSON(cmd.OutOrStdout(),
					fit.ChecksDocument(name, p.Draws.Chains()*p.Draws.Len(0), checks))
			}
			_, err = io.WriteString(cmd.OutOrStdout(), checksText(checks, p.Draws.Chains()*p.Draws.Len(0)))
			return err
		}),
	}
	cmd.Flags().StringArrayVar(&expressions, "stat", nil,
		"a further statistic: an `expression` of a response that is one number; repeatable")
	cmd.Flags().IntVar(&draws, "draws", 1000,
		"use this many draws of the run, at even distances; 0: all; without it fewer where the "+
			"observations are very many")
	cmd.Flags().BoolVar(&prior, "prior", false,
		"draw the parameters of a MODEL from their priors, in place of a run's draws")
	cmd.Flags().StringArrayVar(&tables, "data", nil,
		"with --prior, table of a party: `PARTY=FILE`, as in vflc run; repeatable")
	joins.addJoins(cmd.Flags())
	joins.addAccount(cmd.Flags())
	cmd.Flags().StringArrayVar(&set, "set", nil,
		"with --prior, value of a const, in place of the model's own: `NAME=VALUE`; repeatable")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the replicates")
	cmd.Flags().BoolVar(&written, "written", false,
		"replicates of the model as it is written, without the noise of the transform: those that vflc "+
			"serve --ppc has across machines")
	cmd.Flags().StringVarP(&output, "output", "o", "", "write draws and replicates to this Zarr `directory`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// priorReplicates draws from the priors of a model, with all parties in one program.
func priorReplicates(cmd *cobra.Command, path string, f modelFlags, tables []string, joins *joinFlags,
	draws int, seed uint64) (*fit.Replication, diag.List, error) {
	if draws == 0 {
		return nil, nil, usagef("--draws 0: a run has a number of draws, and a prior has none; give one")
	}
	b, _, diags, err := pooled(cmd, path, f, tables, joins)
	if err != nil || diags.HasErrors() {
		return nil, diags, err
	}
	return fit.ReplicatePrior(cmd.Context(), b, draws, seed)
}

// pooled binds a model with the tables of all parties in one program.
func pooled(cmd *cobra.Command, path string, f modelFlags, tables []string,
	joins *joinFlags) (*compile.BoundModel, data.Sources, diag.List, error) {
	if _, err := f.honour(cmd, path); err != nil {
		return nil, nil, nil, err
	}
	f.accept = diag.AcceptanceNames() // nothing crosses here
	m, err := compileAloud(cmd, path, &f, true)
	if err != nil {
		return nil, nil, nil, err
	}
	m, diags := m.Pool()
	if diags.HasErrors() {
		return nil, nil, diags, nil
	}
	sources, err := data.Locate(path, m.Parties(), tables)
	if err != nil {
		return nil, nil, nil, err
	}
	joining, err := joins.joining()
	if err != nil {
		return nil, nil, nil, err
	}
	b, diags, err := compile.Bind(m, sources, joining)
	return b, sources, diags, err
}

// checksText is a table of the checks.
func checksText(checks []fit.PredictiveCheck, draws int) string {
	shown, left := fit.Telling(checks)
	text := posterior.AlignLeft(fit.CheckCells(shown)) +
		fmt.Sprintf("\n%d replicates; tail: the share of them above the observed value\n", draws)
	if left > 0 {
		text += fit.EqualNote(left) + "\n"
	}
	return text
}
