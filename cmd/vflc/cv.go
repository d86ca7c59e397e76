package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/fit/crossvalidate"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
)

// cvFlags are those of cv.
type cvFlags struct {
	fitFlags
	options crossvalidate.Options
	jobs    int
	nats    natsFlags
	strict  strictness
}

func newCV() *cobra.Command {
	var f cvFlags
	cmd := &cobra.Command{
		Use:   "cv MODEL",
		Short: "Cross-validate a model",
		Long: `Divide the rows that the parties share into folds, fit the model to all folds but one, in turn, and predict that one. Printed are the expected log predictive density (elpd) with its
standard error over rows, the mean log density, and the error of the expectation; of a response that is 0 or 1 also accuracy, AUC, Brier score, the mean log density of the rows that were predicted
wrongly, and how often a 1 came among rows of like probability. Findings about the fits follow: in how many folds, and the first.

Folds follow from --seed and the order of the joined rows, and where a column or response is one party's alone also from random numbers of that party. --stratify gives each fold the same share of each value of the response; --by COLUMN keeps the rows with one value of
that column together. Encoders are fitted to the rows of each fit alone. Predictions are those of the model as it is written, as in vflc predict.

With --nats the folds are fitted by the processes of vflc worker on any machines, with the same result. They stay at the server for a month: the same command, after an interrupt or a crash, takes
those that are there.`,
		Example: `  vflc cv logistic.vfl --folds 10 --stratify
  vflc cv logistic.vfl --folds 10 --nats nats://queue:4222
  vflc cv logistic.vfl --folds 5 --by ward --warmup 300 --draws 300 --json`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			return crossValidate(cmd, args[0], &f)
		}),
	}
	f.add(cmd, "the report, with the key, the fold and the log density of each row,")
	f.nats.add(cmd)
	fs := cmd.Flags()
	f.addAccount(fs)
	fs.IntVar(&f.options.Folds, "folds", 10, "number of folds")
	fs.BoolVar(&f.options.Stratify, "stratify", false,
		"give each fold the same share of each value of the response")
	fs.StringVar(&f.options.By, "by", "", "keep the rows with one value of this `column` in one fold")
	fs.BoolVar(&f.options.NewLevels, "new-levels", false,
		"draw the parameters of categories that the fitted rows lack from their prior, as with --by "+
			"on the column of a level")
	fs.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0),
		"number of folds to fit at the same time; the result does not depend on it")
	f.strict.add(fs)
	return cmd
}

var errStrataOrGroups = usagef("--stratify and --by exclude one another: groups stay whole")

func crossValidate(cmd *cobra.Command, path string, f *cvFlags) error {
	if err := f.read(cmd, path); err != nil {
		return err
	}
	if f.options.Stratify && f.options.By != "" {
		return errStrataOrGroups
	}
	if f.jobs < 1 {
		return usagef("--jobs must be positive")
	}
	if err := f.nats.check(cmd); err != nil {
		return err
	}
	m, err := f.compiled(cmd, path)
	if err != nil {
		return err
	}
	sources, err := data.Locate(path, m.Parties(), f.data)
	if err != nil {
		return err
	}
	f.options.Seed = f.seed
	if f.options.Fit, err = f.fitting(cmd, m); err != nil {
		return err
	}
	v, diags, err := crossvalidate.New(m, sources, f.options)
	if err := cmp.Or(settleQuietly(cmd, diags, f.quiet), err); err != nil {
		return err
	}
	ctx, stop := interrupted(cmd.Context())
	defer stop()
	show := terminal.NewCounter(cmd.ErrOrStderr(), f.quiet)
	folds := &stepwise{
		cmd: cmd, nats: &f.nats, model: m, path: path, data: f.data, typed: f.typed,
		apart: []string{"jobs", "identity"},
		steps: f.options.Folds, size: 1, jobs: f.jobs,
		make:     func(ctx context.Context, p cells.Steps) ([]byte, error) { return v.Make(ctx, p.First) },
		take:     func(p cells.Steps, result []byte) error { return v.Take(p.First, result) },
		progress: show.Of("folds"), say: show.Message,
	}
	err = folds.run(ctx)
	show.End()
	if by := interruption(ctx); by != nil {
		show.Message("interrupted" + f.nats.afterwards())
		return by
	}
	if err != nil {
		return err
	}
	return f.tell(cmd, v.Report())
}

// tell prints the report, and what the fits say of themselves.
func (f *cvFlags) tell(cmd *cobra.Command, r *crossvalidate.Report) (err error) {
	if f.asJSON {
		err = posterior.WriteJSON(cmd.OutOrStdout(), r)
	} else {
		var text strings.Builder
		if err = r.WriteTable(&text); err == nil {
			_, err = io.WriteString(cmd.OutOrStdout(), foldedText(cmd.OutOrStdout(), text.String()))
		}
	}
	if err != nil {
		return err
	}
	for _, text := range r.Warnings() {
		fmt.Fprint(cmd.ErrOrStderr(), foldedText(cmd.ErrOrStderr(), "warning: "+text+"\n"))
	}
	return f.strict.of(r.Found())
}
