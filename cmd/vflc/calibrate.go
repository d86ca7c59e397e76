package main

import (
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/calibrate"
	"github.com/vflc/vflc/posterior"
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
` + example("vflc calibrate model.vfl --replicates 200") + `
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
	fs.StringVar(&f.backend, "backend", fit.Backends()[0].Name, "inference algorithm: "+strings.Join(algorithmNames(), ", "))
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
	m, err := compileWhole(cmd, path, &f.modelFlags)
	if err != nil {
		return err
	}
	p, err := open(cmd, m, f.data, fit.Options{Algorithm: a, Settings: givenSettings(cmd, a), Key: f.key, Seed: f.seed})
	if err != nil {
		return err
	}
	s, diags, err := calibrate.New(p, f.replicates)
	if err := settle(cmd, diags); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	if err := misstate(s, f.misstate); err != nil {
		return err
	}
	ctx, stop := interrupted(cmd.Context())
	defer stop()
	if err := s.Run(ctx, f.jobs, newScreen(cmd.ErrOrStderr(), f.quiet)); err != nil {
		return err
	}
	return reportStudy(cmd, s, f)
}

func reportStudy(cmd *cobra.Command, s *calibrate.Study, f *calibrateFlags) error {
	r, err := s.Report()
	if err != nil {
		return err
	}
	if f.asJSON {
		err = posterior.WriteJSON(cmd.OutOrStdout(), r)
	} else {
		err = r.WriteTable(cmd.OutOrStdout())
	}
	if err == nil && f.strict && (!r.Calibrated || len(r.Warnings) > 0) {
		return shown(exitUntrusted)
	}
	return err
}

// misstate does what --misstate asks for.
func misstate(s *calibrate.Study, flag string) error {
	if flag == "" {
		return nil
	}
	name, factor, err := assignment("--misstate", flag)
	if err != nil {
		return err
	}
	if !(factor > 0) || !slices.Contains(s.Scaled(), name) {
		return usagef("--misstate %s: it takes PARAMETER=FACTOR with a positive factor; parameters with a scale: %s", flag, strings.Join(s.Scaled(), ", "))
	}
	s.Misstate(name, factor)
	return nil
}
