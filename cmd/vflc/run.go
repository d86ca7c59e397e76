package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile/maximum"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/runtime/model"
)

// runFlags are the flags of run that are not settings of a backend.
type runFlags struct {
	modelFlags
	data    []string
	key     string
	backend string
	seed    uint64
	dir     string
	from    string
	resumed bool
	quiet   bool
	asJSON  bool
	strict  bool
	logLik  bool
	saveAux bool
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run MODEL",
		Short: "Fit a model, all parties simulated in this process",
		Long: `Fit a model, all parties simulated in this process with the programs that they would run apart,
and print a summary of the posterior. Without -o nothing is written.

Without --data, what vfl.toml beside the model says, else the folder of the model's name is read:
logistic/hospital_a.csv for the party hospital_a of logistic.vfl, logistic/lab/*.csv for a family lab,
logistic/data.csv or logistic/data.json where there are no clients.`,
		Example: `  vflc run logistic.vfl
  vflc run logistic.vfl --data hospital_a=a.csv --data hospital_b=b.csv --data registry=y.csv --key patient
  vflc run logistic.vfl --transform power --rho 0.5 --target-accept 0.9 -o out
  vflc run logistic.vfl --backend sfvi --guide noncentered`,
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error { return runModel(cmd, args[0], &f) }),
	}
	f.add(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&f.data, "data", nil, "table of a party: `PARTY=FILE`, of a family PARTY=FILE,FILE,…; or FILE where there are no clients; repeatable")
	fs.StringVar(&f.key, "key", "", "column on which rows are joined (default: id if every table has it, else row order)")
	fs.StringVar(&f.backend, "backend", algorithms()[0].Name, "inference algorithm: "+strings.Join(algorithmNames(), ", "))
	fs.Uint64Var(&f.seed, "seed", 1, "of all random numbers")
	fs.StringVarP(&f.dir, "output", "o", "", "write summary, draws, programs and the record of the run to this `folder`")
	fs.StringVar(&f.from, "from", "", "begin where the run of this `folder` ended: its positions, metric and step sizes; a short --warmup is enough then")
	fs.BoolVar(&f.resumed, resumeFlag, false, "")
	fs.MarkHidden(resumeFlag)
	fs.BoolVar(&f.logLik, "log-lik", false, "write the log density of every observation at every draw to draws.zarr, for vflc loo and ArviZ")
	fs.BoolVar(&f.saveAux, "save-aux", false, "write draws of the auxiliary variables too; each belongs to its client")
	fs.BoolVar(&f.quiet, "quiet", false, "no progress and no messages")
	fs.BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	fs.BoolVar(&f.strict, "strict", false, "exit with 3 when the diagnostics say not to trust the result")
	addSettings(cmd)
	return cmd
}

// runModel is the sequence of a run: compile, bind, fit, summarise, write.
func runModel(cmd *cobra.Command, path string, f *runFlags) error {
	begin, typed := time.Now(), typedFlags(cmd)
	if err := applySettingsFile(cmd, path); err != nil {
		return err
	}
	a, err := algorithm(f.backend)
	if err != nil {
		return err
	}
	if err := refuseForeign(typed, a); err != nil {
		return err
	}
	c, err := compileWhole(cmd, path, &f.modelFlags)
	if err != nil {
		return err
	}
	settings, err := a.Resolve(c.checked.Transform.Kind, givenSettings(cmd, a))
	if err != nil {
		return &failure{exitUsage, err}
	}
	if a.InTurn != "" {
		if err := settle(cmd, maximum.Check(c.cuts)); err != nil {
			return err
		}
	}
	if minibatch(a, settings) > 0 {
		if _, err := c.divisible(cmd); err != nil {
			return err
		}
	}
	p := newProgress(cmd.ErrOrStderr(), f.quiet)
	if t := c.checked.Transform; t.Implied && !t.Kind.Pooled {
		p.say("no transform given: %s(rho = %g)", t.Kind, t.Rho)
	}
	b, err := c.bind(cmd, path, f.data, f.key)
	if err != nil {
		return err
	}
	if err := b.divide(cmd, minibatch(a, settings), f.seed); err != nil {
		return err
	}
	if err := mayBeginFrom(f.from, a); err != nil {
		return err
	}
	if err := b.mayHaveLogLik(cmd, f); err != nil {
		return err
	}
	if err := b.maySaveAuxiliaries(f); err != nil {
		return err
	}
	record, err := b.record(f, a, settings)
	if err != nil {
		return err
	}
	if record, err = takeFolder(f, record); err != nil {
		return err
	}
	collectLater()
	loaded := time.Since(begin)
	gradient, err := gradientTime(cmd.Context(), b.plan, f.seed)
	if err != nil {
		return err
	}
	p.say("%s: %s; a gradient takes %.3g µs", c.name, strings.Join(b.plan.Names, ", "), float64(gradient.Nanoseconds())/1e3)
	fit, err := infer(cmd.Context(), b.plan, a, settings, f, p)
	if err != nil {
		return err
	}
	o := b.outcome(fit, record, settings)
	if f.logLik {
		if o.responses, err = b.pointwise(cmd, o.draws); err != nil {
			return err
		}
	}
	o.document.Timing = posterior.Timing{
		LoadS: seconds(loaded), GradientUS: posterior.Number(float64(gradient.Nanoseconds()) / 1e3),
		WarmupS: seconds(fit.fitting), SamplingS: seconds(fit.drawing), TotalS: seconds(time.Since(begin)),
		WarmupCPUS: fit.fittingCPU, SamplingCPUS: fit.drawingCPU,
	}
	return o.deliver(cmd, f, p)
}

// takeFolder makes the folder of a run ready, if there is one, and leaves the record there: without the rest it tells what to resume. A run that is
// resumed keeps its record.
func takeFolder(f *runFlags, r posterior.Record) (posterior.Record, error) {
	switch {
	case f.dir == "":
		return r, nil
	case f.resumed:
		return unchanged(f.dir, r)
	}
	if from, err := os.Stat(f.from); err == nil {
		if to, err := os.Stat(f.dir); err == nil && os.SameFile(from, to) {
			return r, usagef("--from and -o name one folder: the run to begin with would be lost")
		}
	}
	if err := claim(f.dir); err != nil {
		return r, err
	}
	return r, writeFile(f.dir, runs.RecordFile, func(w io.Writer) error { return posterior.WriteJSON(w, r) })
}

// mayBeginFrom refuses a folder that --from cannot begin with.
func mayBeginFrom(dir string, a backends.Algorithm) error {
	if dir == "" {
		return nil
	}
	if !a.Markov {
		return usagef("--from is for Markov chains, and the backend is %s", a.Name)
	}
	r, err := readRecord(dir)
	switch {
	case err != nil:
		return fmt.Errorf("--from %w", err)
	case r.Backend != a.Name:
		return fmt.Errorf("--from %s: it is a run of %s, and this one is of %s", dir, r.Backend, a.Name)
	}
	return nil
}

// infer runs an algorithm of either kind.
func infer(ctx context.Context, plan *model.Plan, a backends.Algorithm, s backends.Settings, f *runFlags, p *progress) (*fitted, error) {
	if !a.Markov && a.InTurn == "" {
		return fit(ctx, plan, a, s, f.seed, f.saveAux, p)
	}
	m := markov{
		plan: plan, algorithm: a, settings: s, seed: f.seed, dir: f.dir, resumed: f.resumed, from: f.from, auxiliary: f.saveAux,
		progress: oneProgress{p},
	}
	if a.Markov {
		m.progress = newChainProgress(p, m.kernels(), s.Int("warmup"), s.Int("draws"))
	}
	fitted, err := m.sample(ctx)
	if err != nil {
		return nil, err
	}
	if fitted.interrupted {
		fitted.advice = "-o DIR would have let it be resumed"
		if f.dir != "" {
			fitted.advice = "vflc resume " + f.dir + " goes on"
		}
	}
	if fitted.draws.Len(0) == 0 {
		return nil, fmt.Errorf("interrupted before the first draw; %s", fitted.advice)
	}
	return fitted, nil
}

func seconds(d time.Duration) posterior.Number { return posterior.Number(d.Seconds()) }
