package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/inputfile"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/runs"
	"github.com/vflc/vflc/runtime/release"
)

// runFlags are the flags of run that are not settings of a backend.
type runFlags struct {
	modelFlags
	joinFlags
	data    []string
	backend string
	seed    uint64
	dir     string
	replace bool
	every   time.Duration
	most    int64
	from    string
	inits   string
	resumed bool
	quiet   bool
	asJSON  bool
	strict  strictness
	logLik  bool
	saveAux bool
	several bool   // fits at several rho
	moments string // a file of a release
	signers string // the certificate of the authority of those who have signed it
	link    linkFlags
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
  vflc run logistic.vfl --extrapolate
  vflc run logistic.vfl --extrapolate --rho 0.6,0.4,0.2 -o out
` + example("vflc run logistic.vfl"),
		Args: oneArgument("a MODEL"),
		RunE: action(func(cmd *cobra.Command, args []string) error { return runModel(cmd, args[0], &f) }),
	}
	f.add(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&f.data, "data", nil,
		"table of a party: `PARTY=FILE`; of a family: PARTY=FILE,FILE,…; of a model without "+
			"clients: FILE; repeatable")
	fs.Int64Var(&f.most, "max-bytes", inputfile.MaxBytes, "largest size of a table in `bytes`")
	f.addJoins(fs)
	f.addAccount(fs)
	fs.StringVar(&f.backend, "backend", fit.Backends()[0].Name,
		"inference `algorithm`: "+strings.Join(algorithmNames(), ", "))
	fs.Uint64Var(&f.seed, "seed", 1, docOf("seed"))
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
	fs.BoolVar(&f.several, extrapolateFlag, false,
		"fit at three rho, side by side, and print means and standard deviations extrapolated to rho = 0, "+
			"each with a bound of its error; the rho are 1/√J, 0.7/√J and 0.35/√J, in the units of vflc "+
			"rho, or three that --rho lists")
	fs.StringVar(&f.moments, "release", "",
		"fit the posterior given the moments in this `file`, which a run or the parties of a model under "+
			"transform private wrote: it reads no rows and costs no budget; priors may "+
			"differ, and columns be fewer")
	fs.StringVar(&f.signers, "authority", "",
		"with --release, take a release alone that every owner of its columns has signed, by the authority "+
			"whose certificate is in this `file` (ca.crt of a project)")
	fs.BoolVar(&f.quiet, "quiet", false, quietDoc+"; findings about the result are always printed")
	fs.BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	f.strict.add(fs)
	f.link.add(cmd)
	addSettings(cmd)
	return cmd
}

// A runState is what the steps of a run share.
type runState struct {
	cmd      *cobra.Command
	path     string
	flags    *runFlags
	begun    time.Time
	typed    []string // flags of the command line
	backend  backends.Algorithm
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
	stopped       error // with the exit code of the signal that has interrupted the run; nil: none
}

// firstSteps lists what vflc run does, in order, until it fits.
func firstSteps() []func(*runState) error {
	return []func(*runState) error{
		(*runState).readRecord,
		(*runState).readSettings,
		(*runState).refuseLostFiles,
		(*runState).chooseBackend,
	}
}

// fitSteps lists what follows for one fit.
func fitSteps() []func(*runState) error {
	return []func(*runState) error{
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
	for _, step := range firstSteps() {
		if err := step(s); err != nil {
			return s.ended(err)
		}
	}
	if f.several {
		return s.ended(s.extrapolate())
	}
	for _, step := range fitSteps() {
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
		s.recorded, err = runs.ReadRecord(s.flags.dir)
		s.path = filepath.Join(s.flags.dir, runs.ModelFile)
	}
	return err
}

func (s *runState) readSettings() (err error) {
	if _, _, err := s.flags.link.link(s.cmd); err != nil {
		return err
	}
	s.typed, err = s.flags.honour(s.cmd, s.path)
	return err
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

func (s *runState) chooseBackend() (err error) {
	if s.backend, err = algorithm(s.flags.backend); err != nil {
		return err
	}
	return refuseForeign(s.typed, s.backend)
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
	return inspected(s.cmd, s.model, s.path, s.flags.data, s.backend, s.typed)
}

func (s *runState) open() error {
	changed, err := s.flags.options()
	if err != nil {
		return err
	}
	joining, err := s.flags.joining()
	if err != nil {
		return err
	}
	tables := s.flags.data
	if s.recorded != nil {
		tables = fit.RecordedData(s.recorded)
	}
	inits, err := s.inits()
	if err != nil {
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
		joining.Rows = nil // there are none
	}
	s.prepared, err = open(s.cmd, s.model, beside, tables, s.flags.most, s.flags.quiet, fit.Options{
		Algorithm: s.backend, Settings: settingsFor(s.cmd, s.backend, s.model, s.typed), Joining: joining,
		Seed: s.flags.seed,
		Dir:  s.flags.dir, Overwrite: s.flags.replace, Moments: moments,
		SaveEvery: s.flags.every, Resume: s.flags.resumed,
		From: s.flags.from, Inits: inits, LogLik: s.flags.logLik, Auxiliary: s.flags.saveAux,
		Progress: s.screen, Origin: fit.Origin{Command: commandLine(s.cmd), Constants: changed.Set,
			Began: s.begun},
	})
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
	collectLater()
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
	if c := s.result.Cost(); c != "" && len(s.result.Diagnose()) == 0 {
		s.screen.Say("%s", c)
	}
	// read before the run
	if l, asked, _ := s.flags.link.link(s.cmd); asked && s.result.Document.Work.Rounds > 0 {
		s.screen.Say("%s", l.Forecast(s.result.Document.Work))
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
