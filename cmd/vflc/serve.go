package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/split"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/stdlib"
)

// partyFlags are those of a process that plays one party.
type partyFlags struct {
	node.PartyOptions
	taskFlags
	inits         string
	quiet, asJSON bool
	confirm       bool // of a preflight
}

func (f *partyFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Identity, "identity", "",
		"`folder` with the party's keys and certificate (vflc provision)")
	fs.StringArrayVar(&f.Tables, "data", nil,
		"the party's table: `FILE` or PARTY=FILE; shared=FILE for data @ shared that it "+
			"does not have; repeatable")
	fs.Int64Var(&f.MaxBytes, "max-bytes", safefile.MaxBytes, "largest size of a table in `bytes`")
	fs.StringVarP(&f.Dir, "output", "o", "",
		"`folder` of the run: results, what a later start goes on from, and the log")
	addNATS(fs, &f.NATS)
	fs.StringVar(&f.Metrics, "metrics", "",
		"`HOST:PORT` for the operator's tools: /metrics (Prometheus) and /health; HOST is of the loopback "+
			"interface unless there is a token; or unix:FILE, a socket of this user")
	fs.StringVar(&f.MetricsToken, "metrics-token", "",
		"`file` with a token of at least 32 characters that whoever asks --metrics must show: "+
			"Authorization: Bearer TOKEN")
	fs.BoolVar(&f.quiet, "quiet", false, "print no progress")
	fs.BoolVar(&f.asJSON, "json", false, "print the summary as JSON")
	fs.StringVar(&f.inits, "inits", "",
		"files with starting values of this party's parameters, as in vflc run")
	f.taskFlags.add(cmd)
	addLones(cmd)
}

// ready completes the options.
func (f *partyFlags) ready(cmd *cobra.Command, programs string) error {
	if err := refuseLones(cmd); err != nil {
		return err
	}
	switch {
	case f.Identity == "":
		return usagef("name the folder with the party's keys and certificate: --identity DIR")
	case f.Dir == "":
		return usagef("name a folder for the run: -o DIR")
	}
	if err := wholeNATS(f.NATS, f.Listen); err != nil {
		return err
	}
	if f.MetricsToken != "" && f.Metrics == "" {
		return usagef("--metrics-token is for --metrics: name the address too")
	}
	screen := terminal.NewScreen(cmd.ErrOrStderr(), f.quiet)
	f.Programs, f.Progress, f.Command = programs, screen, os.Args
	f.Say = func(text string) { screen.Say("%s %s", time.Now().Format(time.TimeOnly), text) }
	if f.quiet {
		f.Say = func(string) {}
	}
	if f.inits != "" {
		f.Inits = strings.Split(f.inits, ",")
	}
	return f.apply(cmd, &f.PartyOptions)
}

// play runs the party until its task is complete, or a signal ends the process.
func (f *partyFlags) play(cmd *cobra.Command,
	run func(o node.PartyOptions, stop <-chan struct{}) (node.Outcome, error)) error {
	stop, release := interrupted(cmd.Context())
	defer release()
	var result node.Outcome
	var err error
	switch {
	case f.folds > 0:
		err = f.crossValidate(cmd, func(o node.PartyOptions) (node.Outcome, error) {
			return run(o, stop.Done())
		})
	default:
		result, err = run(f.PartyOptions, stop.Done())
	}
	var done *fit.CompleteError
	switch {
	case errors.Is(err, node.ErrStopped):
		f.Say(err.Error())
		return interruption(stop)
	case errors.As(err, &done):
		fmt.Fprintf(cmd.ErrOrStderr(), "the run in %s is complete\n", f.Dir)
		return nil
	case err != nil || result == nil:
		return err
	}
	return f.show(cmd, result)
}

func newServe() *cobra.Command {
	var f partyFlags
	cmd := &cobra.Command{
		Use:   "serve PROGRAMS",
		Short: "Run the server's part of a run whose parties are on machines of their own, and coordinate it",
		Long: `Run the server's part of a run whose parties are on machines of their own, and coordinate it. PROGRAMS is the folder that
vflc compile --split-by client has written. Clients connect with their certificates (vflc provision) to the address of the project.

The run begins when all parties have joined. A party that is lost is named everywhere after 6 seconds; the run waits for it and
goes on when it is back. After a crash of any process, this one included, the same command goes on from what all parties have saved,
with the same results. Ctrl-C and vflc stop save and end this process; the other parties wait for it.

With --predict, --ppc or --cv the parties predict new rows, compare their rows with replicates, or cross-validate; every party gives the same flag, with its own run. The programs
for it are in PROGRAMS/predict and PROGRAMS/score: vflc audit prints what crosses. Clients send their cuts for the rows, without noise; in masked sums where that is possible.
With --from they begin where an earlier run has ended, each with its own folder of it.`,
		Example: `  vflc serve build --identity registry --data y.csv -o run
` + example("vflc serve build --identity registry --data y.csv -o run"),
		Args: oneArgument("the folder PROGRAMS"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			a, err := algorithm(f.Backend)
			if err != nil {
				return err
			}
			if _, err := (&joinFlags{key: f.Key, rows: rowsError}).joining(); err != nil {
				return err
			}
			if err := f.ready(cmd, args[0]); err != nil {
				return err
			}
			if m := f.manifest(); m != nil {
				if a, f.Settings, err = declared(cmd, m, a); err != nil {
					return err
				}
				f.Backend = a.Name
			}
			return f.play(cmd, func(o node.PartyOptions, stop <-chan struct{}) (node.Outcome, error) {
				return node.Serve(fit.Lone(cmd.Context()), o, stop)
			})
		}),
	}
	f.add(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.Listen, "listen", "",
		"`HOST:PORT` to listen on (default: the port of the project's address, on all interfaces)")
	fs.StringVar(&f.Key, "key", data.DefaultKey,
		"`column` on which the rows of the parties' tables are joined, or none for the order of the files")
	fs.Uint64Var(&f.Seed, "seed", 1, "seed of the random numbers that all parties share")
	fs.DurationVar(&f.CheckpointEvery, "checkpoint-interval", 10*time.Second,
		"`time` between two states that all parties save")
	fs.IntVar(&f.Task.Draws, "use-draws", 0,
		"with --predict and --ppc, use this many draws of the run, at even distances (default all)")
	fs.BoolVar(&f.Record, recordFlag, false,
		"keep what this server receives, in RUN/received, for vflc audit RUN --attack; all parties are "+
			"told, and those with a policy refuse unless it has record = true")
	addBackend(cmd, &f.Backend)
	return cmd
}

// manifest is that of the programs; nil where it cannot be read, which the party itself explains.
func (f *partyFlags) manifest() *split.Manifest {
	m, diags, err := split.ReadManifest(filepath.Join(f.Programs, compile.ManifestFile), stdlib.New())
	if err != nil || diags.HasErrors() {
		return nil
	}
	return m
}

// recordFlag has the server keep what it receives.
const recordFlag = "record"

// masked are the settings of a run across machines, where sums over clients are masked unless another wire is
// asked for.
func masked(a backends.Algorithm, given map[string]string) map[string]string {
	wire, _ := a.In(backends.Wire)
	secure, ok := a.In(backends.SecureSum)
	if _, set := given[secure.Name]; ok && !set && given[wire.Name] == "" {
		given[secure.Name] = "on"
	}
	return given
}

func newJoin() *cobra.Command {
	var f partyFlags
	cmd := &cobra.Command{
		Use:   "join PROGRAMS",
		Short: "Run a client's part of a run whose server is on another machine",
		Long: `Run a client's part of a run whose server is on another machine. PROGRAMS is a folder with the manifest and the party's program,
which vflc compile --split-by client has written. The party's table stays here, as do its parameters and their draws.

Without a policy.toml beside its keys the party takes part in a run only if its owner has confirmed it (vflc preflight --confirm).
The process waits for the server and for the other parties as long as that takes. After a crash the same command goes on from what
all parties have saved, with the same results.`,
		Example: `  vflc join build --identity hospital_a --data a.csv -o run
  vflc join build --identity hospital_a --data a.csv --data shared=y.csv -o run`,
		Args: oneArgument("the folder PROGRAMS"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if err := f.ready(cmd, args[0]); err != nil {
				return err
			}
			return f.play(cmd, func(o node.PartyOptions, stop <-chan struct{}) (node.Outcome, error) {
				return node.Join(fit.Lone(cmd.Context()), o, stop)
			})
		}),
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.Key, "key", "", "refuse a run that joins rows on another `column`")
	return cmd
}
