package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/fit/crossvalidate"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
)

// cvFlags are those of cv that are not settings of a backend.
type cvFlags struct {
	modelFlags
	joinFlags
	data    []string
	backend string
	options crossvalidate.Options
	jobs    int
	nats    natsFlags
	quiet   bool
	asJSON  bool
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
	f.add(cmd)
	f.nats.add(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&f.data, "data", nil, "table of a party: `PARTY=FILE`, as in vflc run; repeatable")
	f.addJoins(fs)
	f.addAccount(fs)
	fs.StringVar(&f.backend, "backend", fit.Backends()[0].Name,
		"inference `algorithm`: "+strings.Join(algorithmNames(), ", "))
	fs.IntVar(&f.options.Folds, "folds", 10, "number of folds")
	fs.BoolVar(&f.options.Stratify, "stratify", false,
		"give each fold the same share of each value of the response")
	fs.StringVar(&f.options.By, "by", "", "keep the rows with one value of this `column` in one fold")
	fs.BoolVar(&f.options.NewLevels, "new-levels", false,
		"draw the parameters of categories that the fitted rows lack from their prior, as with --by "+
			"on the column of a level")
	fs.Uint64Var(&f.options.Seed, "seed", 1, "seed of the folds and of all fits")
	fs.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0),
		"number of folds to fit at the same time; the result does not depend on it")
	fs.BoolVar(&f.quiet, "quiet", false, quietDoc)
	fs.BoolVar(&f.asJSON, "json", false, "print JSON, with the key, the fold and the log density of each row")
	f.strict.add(fs)
	addSettings(cmd)
	return cmd
}

var errStrataOrGroups = usagef("--stratify and --by exclude one another: groups stay whole")

func crossValidate(cmd *cobra.Command, path string, f *cvFlags) error {
	typed, err := f.honour(cmd, path)
	if err != nil {
		return err
	}
	a, err := algorithm(f.backend)
	if err != nil {
		return err
	}
	if err := refuseForeign(typed, a); err != nil {
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
	m, err := compileAloud(cmd, path, &f.modelFlags, f.quiet)
	if err != nil {
		return err
	}
	if err := inspected(cmd, m, path, f.data, a, typed); err != nil {
		return err
	}
	sources, err := data.Locate(path, m.Parties(), f.data)
	if err != nil {
		return err
	}
	joining, err := f.joining()
	if err != nil {
		return err
	}
	f.options.Fit = fit.Options{Algorithm: a, Settings: settingsFor(cmd, a, m, typed), Joining: joining,
		Seed: f.options.Seed}
	v, diags, err := crossvalidate.New(m, sources, f.options)
	if err := settleQuietly(cmd, diags, f.quiet); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	ctx, stop := interrupted(cmd.Context())
	defer stop()
	show := terminal.NewCounter(cmd.ErrOrStderr(), f.quiet)
	folds := &stepwise{
		cmd: cmd, nats: &f.nats, model: m, path: path, data: f.data, typed: typed, apart: []string{"jobs", "identity"},
		steps: f.options.Folds, size: 1, jobs: f.jobs,
		make:     func(ctx context.Context, p cells.Part) ([]byte, error) { return v.Make(ctx, p.First) },
		take:     func(p cells.Part, result []byte) error { return v.Take(p.First, result) },
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
		err = r.WriteTable(cmd.OutOrStdout())
	}
	if err != nil {
		return err
	}
	for _, text := range r.Warnings() {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", text)
	}
	return f.strict.of(r.Found())
}
