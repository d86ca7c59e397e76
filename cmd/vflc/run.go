package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
)

// runFlags are the flags of run that are not settings of a backend.
type runFlags struct {
	modelFlags
	data    []string
	key     string
	rows    string
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
		Short: "Fit a model, with all parties simulated in this process",
		Long: `Fit a model and print a summary of the posterior. All parties are simulated in this process, each with the program that it
would run on its own machine. Without -o no file is written.

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
	f.add(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&f.data, "data", nil, "table of a party: `PARTY=FILE`; of a family: PARTY=FILE,FILE,…; of a model without clients: FILE; repeatable")
	fs.StringVar(&f.key, "key", "", "`column` on which the rows of the parties' tables are joined (default: id), or none for the order of the files")
	fs.StringVar(&f.rows, "rows", rowsError, "tables that hold different rows: error, or `intersect` to keep the rows that all have")
	fs.StringVar(&f.backend, "backend", fit.Backends()[0].Name, "inference `algorithm`: "+strings.Join(algorithmNames(), ", "))
	fs.Uint64Var(&f.seed, "seed", 1, "seed of all random numbers")
	fs.StringVarP(&f.dir, "output", "o", "", "write summary, draws, programs and the record of the run to this `folder`")
	fs.StringVar(&f.from, "from", "", "start from the last positions, metric and step sizes of the run in this `folder`; a short --warmup is then enough")
	fs.BoolVar(&f.resumed, resumeFlag, false, "")
	fs.MarkHidden(resumeFlag)
	fs.BoolVar(&f.logLik, "log-lik", false, "write the log density of every observation at every draw to draws.zarr, for vflc loo and ArviZ")
	fs.BoolVar(&f.saveAux, "save-aux", false, "write the draws of the auxiliary variables too; each belongs to its client")
	fs.BoolVar(&f.quiet, "quiet", false, "print no progress and no messages")
	fs.BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	fs.BoolVar(&f.strict, "strict", false, "exit with code 3 when the diagnostics find a problem")
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
	screen   *screen
	prepared *fit.Prepared
	result   *fit.Result
}

// runSteps lists what vflc run does, in order.
func runSteps() []func(*runState) error {
	return []func(*runState) error{
		(*runState).readSettings,
		(*runState).refuseLostFiles,
		(*runState).chooseBackend,
		(*runState).compile,
		(*runState).open,
		(*runState).sample,
		(*runState).save,
		(*runState).print,
		(*runState).warn,
	}
}

func runModel(cmd *cobra.Command, path string, f *runFlags) error {
	s := &runState{cmd: cmd, path: path, flags: f, begun: time.Now(), typed: typedFlags(cmd)}
	for _, step := range runSteps() {
		if err := step(s); err != nil {
			return err
		}
	}
	return nil
}

func (s *runState) readSettings() error { return applySettingsFile(s.cmd, s.path) }

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
	s.model, err = compileWhole(s.cmd, s.path, &s.flags.modelFlags)
	return err
}

func (s *runState) open() error {
	changed, err := s.flags.options()
	if err != nil {
		return err
	}
	joining, err := joiningOf(s.flags.key, s.flags.rows)
	if err != nil {
		return err
	}
	s.screen = newScreen(s.cmd.ErrOrStderr(), s.flags.quiet)
	s.prepared, err = open(s.cmd, s.model, s.flags.data, fit.Options{
		Algorithm: s.backend, Settings: givenSettings(s.cmd, s.backend), Joining: joining, Seed: s.flags.seed,
		Dir: s.flags.dir, Resume: s.flags.resumed, From: s.flags.from, LogLik: s.flags.logLik, Auxiliary: s.flags.saveAux,
		Progress: s.screen, Origin: fit.Origin{Command: os.Args, Constants: changed.Set, Began: s.begun},
	})
	return err
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
	return err
}

// interrupted returns a context that ends with the first interrupt. A second one ends the process.
func interrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func (s *runState) save() error {
	if s.flags.dir == "" {
		return nil
	}
	return s.result.Save(s.flags.dir)
}

func (s *runState) print() error {
	if s.flags.asJSON {
		return posterior.WriteJSON(s.cmd.OutOrStdout(), s.result.Document)
	}
	return s.result.WriteTable(s.cmd.OutOrStdout())
}

// warn prints what is wrong with the result, and where it was written.
func (s *runState) warn() error {
	messages := s.result.Document.Diagnostics.Messages
	for _, m := range messages {
		s.screen.say("warning: %s", m)
	}
	if s.flags.dir != "" {
		s.screen.say("written to %s", s.flags.dir)
	}
	if s.flags.strict && len(messages) > 0 {
		return shown(exitUntrusted)
	}
	return nil
}
