package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/fit/calibrate"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/posterior"
)

// calibrateFlags are those of calibrate.
type calibrateFlags struct {
	fitFlags
	replicates int
	jobs       int
	misstate   string
	strict     bool
	nats       natsFlags
}

// perCell is how many replicates a worker makes at a time. Results are found again by a command with another
// number of replicates, as long as this stays the same.
const perCell = 5

func newCalibrate() *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate MODEL",
		Short: "Check a backend on a model by simulation-based calibration",
		Long: `Check a backend on a model by simulation-based calibration (SBC). Each replicate draws parameters from the priors and responses from the
likelihood, fits the model to these responses, and ranks each parameter among its posterior draws. The ranks are uniform over many
replicates if the sampler is correct. All other data are used as given. With transform augmented the auxiliary variables are
drawn too. Transform power is not supported: its density is not a distribution of data.

The log likelihood of the responses is ranked too: it shows where data are left out or counted twice. It is computed in this
process, which holds all tables, and nothing more crosses.

A quantity is ranked among 99 draws, thinned from a Markov chain that is made longer until its effective sample size is 99.
Three tests are made of its ranks: of a shift (posterior too high or too low, in standard deviations), of the width (so many times too
wide or too narrow), and of any other shape. The smallest p-value of the three is adjusted for their number, then over quantities by
Holm's method, and judged at 0.01: a correct sampler fails at most 1 study in 100. The verdict is "undecided" where the ranks look
uniform, but replicates could not be fitted or their chains had too few effective draws. A line below it gives the errors that a study of this
size finds with probability 0.9.

With --nats the replicates are fitted by the processes of vflc worker on any machines, with the same result. They stay at the server for a month: the same command, after an interrupt or a crash or
with more replicates, takes those that are there.`,
		Example: `  vflc calibrate model.vfl --replicates 1000
` + example("vflc calibrate model.vfl --replicates 200") + `
  vflc calibrate model.vfl --replicates 1000 --misstate sigma=1.2 --strict
  vflc calibrate model.vfl --replicates 1000 --nats nats://queue:4222`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			return calibrateModel(cmd, args[0], &f)
		}),
	}
	f.add(cmd, "the result")
	f.nats.add(cmd)
	fs := cmd.Flags()
	f.addAccount(fs)
	fs.IntVar(&f.replicates, "replicates", 200, "number of data sets to simulate and fit")
	fs.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0),
		"number of replicates to fit at the same time; the result does not depend on it")
	fs.StringVar(&f.misstate, "misstate", "",
		"simulate with the scale of a parameter's prior divided by a factor, `PARAMETER=FACTOR`: a correct "+
			"sampler must then fail, which shows that the check detects such an error")
	fs.BoolVar(&f.strict, "strict", false, "exit with code 3 unless the verdict is \"calibrated\"")
	return cmd
}

func calibrateModel(cmd *cobra.Command, path string, f *calibrateFlags) error {
	if err := f.read(cmd, path); err != nil {
		return err
	}
	if f.replicates < 1 || f.jobs < 1 {
		return usagef("--replicates and --jobs must be positive")
	}
	if err := f.nats.check(cmd); err != nil {
		return err
	}
	if r := requested(cmd); r != nil {
		f.replicates = r.part.End // on how many there are, none depends
	}
	m, err := f.compiled(cmd, path)
	if err != nil {
		return err
	}
	options, err := f.fitting(cmd, m)
	if err != nil {
		return err
	}
	p, err := open(cmd, m, m.Source.Name, f.data, tableLimits{most: safefile.MaxBytes}, f.quiet, options)
	if err != nil {
		return err
	}
	s, diags, err := calibrate.New(p, f.replicates)
	if err := cmp.Or(settleQuietly(cmd, diags, f.quiet), err); err != nil {
		return err
	}
	if err := misstate(s, f.misstate); err != nil {
		return err
	}
	ctx, stop := interrupted(cmd.Context())
	defer stop()
	show := terminal.NewScreen(cmd.ErrOrStderr(), f.quiet)
	done := 0
	replicates := &stepwise{
		cmd: cmd, nats: &f.nats, model: m, path: path, data: f.data, typed: f.typed,
		apart: []string{"jobs", "replicates", "identity"}, steps: f.replicates, size: perCell, jobs: f.jobs,
		make: func(ctx context.Context, p cells.Steps) ([]byte, error) {
			if requested(cmd) == nil {
				ctx = context.WithoutCancel(ctx) // a replicate that has begun is finished, and counts
			}
			return s.Make(ctx, p)
		},
		take: s.Take, progress: tenths(show, &done), say: show.Message,
	}
	err = replicates.run(ctx)
	by := interruption(ctx)
	switch {
	case by != nil && done == 0:
		show.Message("interrupted" + f.nats.afterwards())
		return by
	case by != nil:
		show.Message("interrupted: the verdict is on the replicates that were done" + f.nats.afterwards())
	case err != nil:
		return err
	}
	if err := reportStudy(cmd, s, f); err != nil {
		return err
	}
	return by
}

// tenths shows every tenth of the replicates, and counts them.
func tenths(show *terminal.Screen, count *int) func(done, all int) {
	said := 0
	return func(done, all int) {
		*count = done
		if tenth := 10 * done / all; tenth > said {
			said = tenth
			show.Message(fmt.Sprintf("Replicate: %d / %d", done, all))
		}
	}
}

func reportStudy(cmd *cobra.Command, s *calibrate.Calibration, f *calibrateFlags) error {
	r, err := s.Report()
	if err != nil {
		return err
	}
	if f.asJSON {
		err = posterior.WriteJSON(cmd.OutOrStdout(), r)
	} else {
		err = r.WriteTable(cmd.OutOrStdout())
	}
	if err == nil && f.strict && !r.Calibrated {
		return shown(exitUntrusted)
	}
	return err
}

// misstate applies --misstate to a study.
func misstate(s *calibrate.Calibration, flag string) error {
	if flag == "" {
		return nil
	}
	name, factor, err := assignment("--misstate", flag)
	if err != nil {
		return err
	}
	if !(factor > 0) || !slices.Contains(s.Scaled(), name) {
		return usagef("--misstate %s: write PARAMETER=FACTOR with a positive factor; "+
			"parameters with a scale: %s", flag, strings.Join(s.Scaled(), ", "))
	}
	s.Misstate(name, factor)
	return nil
}

func assignment(flag, text string) (string, float64, error) {
	name, value, ok := strings.Cut(strings.TrimSpace(text), "=")
	v, err := strconv.ParseFloat(value, 64)
	if !ok || name == "" || err != nil {
		return "", 0, usagef("%s %s: write NAME=NUMBER", flag, text)
	}
	return name, v, nil
}
