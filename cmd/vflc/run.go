package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/release"
)

// runFlags are the flags of run.
type runFlags struct {
	fitFlags
	tableLimits
	dir     string
	replace bool
	every   time.Duration
	from    string
	inits   string
	resumed bool
	strict  strictness
	logLik  bool
	saveAux bool
	moments string // a file of a release
	signers string // the certificate of the authority of those who have signed it
}

func newRun() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run MODEL",
		Short: "Fit a model, with all parties simulated in this process",
		Long: `Fit a model and print a summary of the posterior. All parties are simulated in this process, each with the program that it
would run on its own machine. Without -o no file is written. Below the summary stand two commands that help next: for a model with
clients the same fit with rows that stay encrypted, where that is possible, or why it is not.

Without --data, the tables are those that vfl.toml beside the model names, else those in the folder of the model's name:
logistic/hospital_a.csv for the party hospital_a of logistic.vfl, logistic/lab/*.csv for a family lab,
logistic/data.csv or logistic/data.json where there are no clients.`,
		Example: `  vflc run logistic.vfl
  vflc run logistic.vfl --data hospital_a=a.csv --data hospital_b=b.csv --data registry=y.csv --key patient
  vflc run logistic.vfl --transform power --rho 0.5 --target-accept 0.9 -o out
` + example("vflc run logistic.vfl"),
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error { return runModel(cmd, args[0], &f) }),
	}
	f.add(cmd, "the summary")
	fs := cmd.Flags()
	f.addLimits(fs)
	f.addAccount(fs)
	fs.StringVarP(&f.dir, "output", "o", "",
		"write summary, draws, programs and the record of the run to this `folder`")
	fs.BoolVar(&f.replace, "overwrite", false, "replace the run that the folder of -o holds")
	fs.DurationVar(&f.every, "checkpoint-interval", 10*time.Second,
		"`time` between two writes of the state of a run with -o, as 30s or 2m")
	fs.StringVar(&f.from, "from", "", docOf("from"))
	fs.StringVar(&f.inits, "inits", "", docOf("inits"))
	fs.BoolVar(&f.resumed, resumeFlag, false, "")
	fs.MarkHidden(resumeFlag)
	fs.BoolVar(&f.priorOnly, "prior-only", false, docOf("prior-only"))
	fs.BoolVar(&f.logLik, "log-lik", false, docOf("log-lik"))
	fs.BoolVar(&f.saveAux, "save-aux", false, docOf("save-aux"))
	fs.StringVar(&f.moments, "release", "",
		"fit the posterior given the moments in this `file`, which a run or the parties of a model under "+
			"transform private wrote: it reads no rows and costs no budget; priors may "+
			"differ, and columns be fewer")
	fs.StringVar(&f.signers, "authority", "",
		"with --release, take a release alone that every owner of its columns has signed, by the authority "+
			"whose certificate is in this `file` (ca.crt of a project)")
	f.strict.add(fs)
	return cmd
}

// A runState is what the steps of a run share.
type runState struct {
	cmd      *cobra.Command
	path     string
	flags    *runFlags
	begun    time.Time
	model    *compile.Model
	screen   *terminal.Screen
	moments  *release.Moments // under transform private
	account  node.Account     // of those whose rows are released
	prepared *fit.Prepared
	result   *fit.Result
	recorded *posterior.Record // of a run that is resumed
	unsaved  error             // why the results are not in the folder
	// Whether it is known if the rows could stay encrypted, and why they could not.
	encryptable   bool
	unencryptable *fit.Unencryptable
	collector     *collector
	stopped       error // with the exit code of the signal that has interrupted the run; nil: none
}

// steps lists what vflc run does, in order.
func steps() []func(*runState) error {
	return []func(*runState) error{
		(*runState).readRecord,
		(*runState).readSettings,
		(*runState).refuseLostFiles,
		(*runState).compile,
		(*runState).inspect,
		(*runState).release,
		(*runState).open,
		(*runState).mayEncrypt,
		(*runState).sample,
		(*runState).save,
		(*runState).print,
		(*runState).warn,
	}
}

func runModel(cmd *cobra.Command, path string, f *runFlags) error {
	s := &runState{cmd: cmd, path: path, flags: f, begun: time.Now()}
	for _, step := range steps() {
		if err := step(s); err != nil {
			return s.ended(err)
		}
	}
	return s.ended(nil)
}

// ended returns the error that a run ends with: that of the signal that has interrupted it, unless something
// else went wrong.
func (s *runState) ended(err error) error {
	var early *fit.InterruptedError
	var own, by *failure
	switch {
	case !errors.As(s.stopped, &by):
		return err
	case errors.As(err, &early):
		return &failure{by.code, err}
	case err == nil, errors.As(err, &own) && own.err == nil:
		return by
	}
	return err
}

// readRecord reads the record of a run that is resumed. Its folder holds the model and vfl.toml as they were.
func (s *runState) readRecord() (err error) {
	if s.flags.resumed {
		s.recorded, err = posterior.ReadRecord(s.flags.dir)
		s.path = filepath.Join(s.flags.dir, posterior.ModelFile)
	}
	return err
}

func (s *runState) readSettings() error {
	return s.flags.read(s.cmd, s.path)
}

// refuseLostFiles returns an error for flags that write to the run's folder in a run without one.
func (s *runState) refuseLostFiles() error {
	switch {
	case s.flags.dir != "":
		return nil
	case s.flags.logLik:
		return usagef("--log-lik writes to the folder of the run; name one with -o")
	case s.flags.saveAux:
		return usagef("--save-aux writes to the folder of the run; name one with -o")
	}
	return nil
}

func (s *runState) compile() (err error) {
	if s.recorded == nil {
		s.model, err = compileAloud(s.cmd, s.path, &s.flags.modelFlags, s.flags.quiet)
		return err
	}
	model, err := fit.RecordedModel(s.flags.dir, s.recorded)
	if err != nil {
		return err
	}
	m, diags, err := compileSource(model, fit.RecordedModules(s.flags.dir), fit.RecordedPrivates(s.flags.dir),
		&s.flags.modelFlags)
	if s.model, err = whole(s.cmd, m, diags, s.flags.quiet, err); err != nil {
		return err
	}
	return fit.SameModules(s.recorded, s.model.Modules())
}

// inspect ends a run that is only inspected.
func (s *runState) inspect() error {
	return inspected(s.cmd, s.model, s.path, s.flags.data, s.flags.algorithm, s.flags.typed)
}

func (s *runState) open() error {
	s.collector = collectLater()
	changed, err := s.flags.options()
	if err != nil {
		return err
	}
	o, err := s.flags.fitting(s.cmd, s.model)
	if err != nil {
		return err
	}
	tables := s.flags.data
	if s.recorded != nil {
		tables = fit.RecordedData(s.recorded)
	}
	if o.Inits, err = s.inits(); err != nil {
		return err
	}
	s.screen = terminal.NewScreen(s.cmd.ErrOrStderr(), s.flags.quiet)
	beside := s.path
	var moments []byte
	if s.moments != nil {
		beside, tables = "", nil
		if moments, err = s.moments.JSON(); err != nil {
			return err
		}
	}
	if s.moments != nil || s.isPosterior() {
		o.Joining.Rows = nil // there are none
	}
	o.Dir, o.Overwrite, o.SaveEvery, o.Resume = s.flags.dir, s.flags.replace, s.flags.every, s.flags.resumed
	o.From, o.LogLik, o.Auxiliary, o.Progress = s.flags.from, s.flags.logLik, s.flags.saveAux, s.screen
	o.Origin = fit.Origin{Command: commandLine(s.cmd), Constants: changed.Set, Began: s.begun}
	o.Moments = moments
	s.prepared, err = open(s.cmd, s.model, beside, tables, s.flags.tableLimits, s.flags.quiet, o)
	return err
}

// inits lists the files of initial values; those of a run that is resumed are in its folder.
func (s *runState) inits() ([]string, error) {
	switch {
	case s.recorded != nil:
		return fit.RecordedInits(s.flags.dir, s.recorded)
	case s.flags.inits == "":
		return nil, nil
	}
	return strings.Split(s.flags.inits, ","), nil
}

// sample runs the algorithm until it is done or interrupted.
func (s *runState) sample() (err error) {
	if !s.flags.logLik {
		s.prepared.Release() // else each table is in memory twice: as it was read, and in the graph
	}
	if s.prepared.Settings.Plan.Encrypted {
		s.collector.end() // the fit collects ciphertexts
	}
	stop, release := interrupted(s.cmd.Context())
	defer release()
	s.result, err = s.prepared.Sample(s.cmd.Context(), stop.Done())
	s.stopped = interruption(stop)
	return err
}

// save writes the results. Where that fails, as on a full disk, they are printed before the run ends with the
// error.
func (s *runState) save() error {
	if s.flags.dir != "" {
		s.unsaved = s.result.Save(s.flags.dir)
	}
	return nil
}

func (s *runState) print() error {
	if s.flags.asJSON {
		return posterior.WriteJSON(s.cmd.OutOrStdout(), s.result.Document)
	}
	return s.result.WriteTableWithin(s.cmd.OutOrStdout(), terminal.TableWidth(s.cmd.OutOrStdout()))
}

// warn prints what is wrong with the result, also where the run is quiet, and where it was written.
func (s *runState) warn() error {
	for _, m := range s.result.Document.Diagnostics.Messages {
		fmt.Fprintf(s.cmd.ErrOrStderr(), "warning: %s\n", m)
	}
	if s.unsaved != nil {
		return s.unsaved
	}
	if s.flags.dir != "" {
		s.screen.Say("written to %s", s.flags.dir)
	}
	s.suggest()
	return s.flags.strict.of(s.result.Diagnose())
}
