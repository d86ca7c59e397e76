package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/sbc"
)

// calibrateFlags are those of calibrate that are not settings of a backend.
type calibrateFlags struct {
	modelFlags
	data       []string
	key        string
	backend    string
	replicates int
	seed       uint64
	jobs       int
	misstate   string
	quiet      bool
	asJSON     bool
	strict     bool
}

func newCalibrate() *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate MODEL",
		Short: "Check a backend on a model by simulation-based calibration",
		Long: `Draw parameters from the priors and responses from the likelihood, fit the model to them, and see whether the rank of each parameter among
its posterior draws is uniform over many replicates, as it must be where priors, likelihood and sampler are right. Data that are no response
stay as they are. With transform augmented the auxiliary variables are drawn too; the power model's density is that of no data.

Each replicate gives 99 draws, thinned from a Markov chain that is made longer until it has as many effective ones.
The verdict is a χ² test of the ranks, with p-values adjusted over parameters by Holm's method, at 0.01.`,
		Example: `  vflc calibrate model.vfl --replicates 1000
  vflc calibrate model.vfl --replicates 200 --backend sfvi --iterations 5000
  vflc calibrate model.vfl --replicates 1000 --misstate sigma=1.2 --strict`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			a, err := algorithm(f.backend)
			if err != nil {
				return err
			}
			return calibrateModel(cmd, args[0], &f, a)
		}),
	}
	f.add(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&f.data, "data", nil, "table of a party, as in vflc run; its responses are replaced; repeatable")
	fs.StringVar(&f.key, "key", "", "column on which rows are joined (default: id if every table has it, else row order)")
	fs.StringVar(&f.backend, "backend", algorithms()[0].Name, "inference algorithm: "+strings.Join(algorithmNames(), ", "))
	fs.IntVar(&f.replicates, "replicates", 200, "how many data sets are simulated and fitted")
	fs.Uint64Var(&f.seed, "seed", 1, "of all random numbers")
	fs.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "replicates at a time; the result does not depend on it")
	fs.StringVar(&f.misstate, "misstate", "", "simulate with the scale of this parameter's prior divided by the factor, so that a right sampler must fail: to see that the check would notice; `PARAMETER=FACTOR`")
	fs.BoolVar(&f.quiet, "quiet", false, "no progress and no messages")
	fs.BoolVar(&f.asJSON, "json", false, "print the result as JSON")
	fs.BoolVar(&f.strict, "strict", false, "exit with 3 when it is not calibrated")
	addSettings(cmd)
	return cmd
}

func calibrateModel(cmd *cobra.Command, path string, f *calibrateFlags, a backends.Algorithm) error {
	if err := refuseForeign(typedFlags(cmd), a); err != nil {
		return err
	}
	if f.replicates < 1 || f.jobs < 1 {
		return usagef("--replicates and --jobs take positive numbers")
	}
	c, err := compileWhole(cmd, path, &f.modelFlags)
	if err != nil {
		return err
	}
	b, err := c.bind(cmd, path, f.data, f.key)
	if err != nil {
		return err
	}
	s, err := newStudy(cmd, b, f, a)
	if err != nil {
		return err
	}
	settings, err := s.settings(0)
	if err != nil {
		return err
	}
	if err := b.divide(cmd, minibatch(a, settings), f.seed); err != nil {
		return err
	}
	p := newProgress(cmd.ErrOrStderr(), f.quiet)
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	if err := s.run(ctx, f.jobs, p); err != nil {
		return err
	}
	return s.report(cmd, f)
}

// calibration is what --json prints.
type calibration struct {
	Schema     int          `json:"schema"`
	Model      string       `json:"model"`
	Backend    string       `json:"backend"`
	Transform  string       `json:"transform"`
	Seed       uint64       `json:"seed"`
	Replicates int          `json:"replicates"`
	Draws      int          `json:"draws"`
	Calibrated bool         `json:"calibrated"`
	Parameters []sbc.Result `json:"parameters"`
	Warnings   []string     `json:"warnings"`
}

func (s *study) report(cmd *cobra.Command, f *calibrateFlags) error {
	ranks, done := s.ranks()
	if done == 0 {
		return fmt.Errorf("no replicate was fitted: %s", strings.Join(s.warnings(), "; "))
	}
	results := sbc.Judge(s.names, ranks, ranked)
	r := calibration{
		Schema: posterior.Schema, Model: s.bound.name, Backend: s.algorithm.Name, Transform: s.bound.checked.Transform.Kind.Name, Seed: f.seed,
		Replicates: done, Draws: ranked, Calibrated: sbc.Calibrated(results), Parameters: results, Warnings: s.warnings(),
	}
	out := cmd.OutOrStdout()
	if f.asJSON {
		if err := posterior.WriteJSON(out, r); err != nil {
			return err
		}
	} else {
		fmt.Fprint(out, r.table())
	}
	if f.strict && (!r.Calibrated || len(r.Warnings) > 0) {
		return said(exitUntrusted)
	}
	return nil
}

func (r calibration) table() string {
	rows := [][]string{{"parameter", "chi2", "df", "p", "p (Holm)", "ranks", ""}}
	least := 1.0
	for _, x := range r.Parameters {
		least = min(least, x.Adjusted)
		rows = append(rows, []string{x.Name, fmt.Sprintf("%.1f", x.Chi2), fmt.Sprint(x.DF), fmt.Sprintf("%.3g", x.P), fmt.Sprintf("%.3g", x.Adjusted), "│" + x.Bars() + "│", x.Reading()})
	}
	text := posterior.AlignLeft(rows)
	verdict := "calibrated"
	if !r.Calibrated {
		verdict = "not calibrated"
	}
	text += fmt.Sprintf("%s: the smallest of %d adjusted p-values is %.2g, judged at %g; %d replicates, %d draws each\n", verdict, len(r.Parameters), least, sbc.Level, r.Replicates, r.Draws)
	for _, w := range r.Warnings {
		text += w + "\n"
	}
	return text
}

// misstated reads --misstate: the factor by which the scale of each parameter's prior is changed in the simulation.
func misstated(flag string, names []string) (func(string) float64, error) {
	if flag == "" {
		return nil, nil
	}
	name, factor, err := assignment("--misstate", flag)
	if err != nil {
		return nil, err
	}
	if !(factor > 0) || !slices.Contains(names, name) {
		return nil, usagef("--misstate %s: it takes PARAMETER=FACTOR with a positive factor; parameters with a scale: %s", flag, strings.Join(names, ", "))
	}
	return func(parameter string) float64 {
		if parameter == name {
			return 1 / factor
		}
		return 1
	}, nil
}
