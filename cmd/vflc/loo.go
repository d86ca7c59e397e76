package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/assess"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

// A criterion is one of package accuracy with the texts of its command.
type criterion struct {
	assess.Criterion
	short, long string
}

func leaveOneOut() criterion {
	return criterion{assess.LOO(), "Estimate predictive accuracy by leave-one-out cross-validation", `Estimate the expected log predictive density of a run's model by Pareto-smoothed importance sampling leave-one-out
cross-validation (PSIS-LOO), without fitting again. The estimate is not reliable for observations whose Pareto k is high: they have too much influence.`}
}

func widelyApplicable() criterion {
	return criterion{assess.WAIC(), "Estimate predictive accuracy by WAIC", `Estimate the expected log predictive density of a run's model by the widely applicable information criterion. PSIS-LOO
(vflc loo) is more reliable, and reports the observations for which it is not.`}
}

// whatDensity explains what is computed for each transform.
const whatDensity = `The log density of each observation is read from the run if vflc run --log-lik stored it, else computed from the run's model, data and draws.
With transform augmented, the auxiliary variables are integrated out, row by row, where they enter through one sum. A run with transform power
has no such density. The computation needs all data in one process: it is for simulations and pooled models.`

func newLOO() *cobra.Command  { return newCriterion(leaveOneOut()) }
func newWAIC() *cobra.Command { return newCriterion(widelyApplicable()) }

func newCriterion(c criterion) *cobra.Command {
	var asJSON, strict bool
	var l looFlags
	var which likelihoodFlags
	cmd := &cobra.Command{
		Use:   c.Name + " RUN",
		Short: c.short,
		Long:  c.long + "\n\n" + whatDensity,
		Example: fmt.Sprintf("  vflc run model.vfl -o out --log-lik\n  vflc %s out\n  vflc %s out --json",
			c.Name, c.Name),
		Args: oneArgument("a RUN"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := finished(cmd, args[0])
			if err != nil {
				return err
			}
			show := terminal.NewCounter(cmd.ErrOrStderr(), which.quiet)
			responses, points, err := l.densities(cmd, r, which, show)
			if err != nil {
				return err
			}
			sayStretch(cmd, c, r.Run)
			e := points.Moving(c.Criterion, len(responses)).Of(r.Run, responses, show.Of(c.Name))
			show.End()
			if err := points.Err(); err != nil {
				return err
			}
			if l.pit {
				var diags diag.List
				if e.Transformed, diags, err = r.Transform(cmd.Context()); err != nil || diags.HasErrors() {
					return cmp.Or(settle(cmd, diags), err)
				}
			}
			if asJSON {
				err = posterior.WriteJSON(cmd.OutOrStdout(), e)
			} else {
				err = e.WriteTable(cmd.OutOrStdout())
			}
			if err == nil && strict && len(e.Warnings) > 0 {
				return shown(exitUntrusted)
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with every observation")
	which.add(cmd)
	if c.Name == assess.LOO().Name {
		l.add(cmd)
		cmd.Flags().BoolVar(&l.pit, "pit", false, "where each observation lies in what the model without "+
			"it predicts (LOO-PIT): uniform if it predicts rows as they vary")
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with code 3 when the estimate cannot be trusted")
	return cmd
}

// likelihoodFlags say at which draws log densities are wanted.
type likelihoodFlags struct {
	draws int
	quiet bool
}

func (f *likelihoodFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.draws, "draws", 0,
		"use this many draws, at even distances, and print the error (default all, as far as their "+
			"log densities fit in 1 GB)")
	cmd.Flags().BoolVar(&f.quiet, "quiet", false, "show no progress")
}

func (f *likelihoodFlags) wanted(show *terminal.Counter) fit.LogDensities {
	return fit.LogDensities{Draws: f.draws, Progress: show.Of("log density")}
}

// sayStretch says what a criterion cannot see of a run with auxiliary variables, and reports whether the run
// has any.
func sayStretch(cmd *cobra.Command, c criterion, r *posterior.Run) bool {
	t, known := fit.TransformOf(r)
	if !known || !t.Noise() {
		return false
	}
	say(cmd, fmt.Sprintf("%s judges the model of transform %s with its noise, and cannot see by how much "+
		"rho stretches the coefficients: the line below the table of vflc run forecasts that.",
		strings.ToUpper(c.Name), t))
	return true
}

// looFlags say how rows are left out.
type looFlags struct{ moves, pit bool }

func (l *looFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&l.moves, "moment-match", false, "move the draws for observations whose "+
		"Pareto k is too high, with the density at new points: the tables are read again")
}

// densities is logLikelihood, with the density elsewhere where draws are moved.
func (l *looFlags) densities(cmd *cobra.Command, r *fit.Finished, which likelihoodFlags,
	show *terminal.Counter) ([]export.Observed, *fit.NewPoints, error) {
	if l.moves {
		return atNewPoints(cmd, r, which, show)
	}
	responses, err := logLikelihood(cmd, r, which, show)
	return responses, nil, err
}

// atNewPoints is logLikelihood with the density elsewhere.
func atNewPoints(cmd *cobra.Command, r *fit.Finished, which likelihoodFlags, show *terminal.Counter) (
	[]export.Observed, *fit.NewPoints, error) {
	if which.draws < 0 {
		return nil, nil, usagef("--draws %d: give a number above 0", which.draws)
	}
	responses, points, diags, err := r.AtNewPoints(which.wanted(show))
	show.End()
	if err := settle(cmd, diags); err != nil {
		return nil, nil, err
	}
	return responses, points, err
}

// logLikelihood returns the log density that the run has stored, or computes it from the model and the data,
// whose diagnostics it prints.
func logLikelihood(cmd *cobra.Command, r *fit.Finished, which likelihoodFlags,
	show *terminal.Counter) ([]export.Observed, error) {
	if which.draws < 0 {
		return nil, usagef("--draws %d: give a number above 0", which.draws)
	}
	responses, diags, err := r.LogLikelihood(which.wanted(show))
	show.End()
	if err := settle(cmd, diags); err != nil {
		return nil, err
	}
	return responses, err
}
