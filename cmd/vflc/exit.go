package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vflc/vflc/align"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/internal/grouped"
	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/runtime/session"
)

// Exit codes of the process. Scripts rely on these numbers.
const (
	exitFine      = 0
	exitInput     = 1  // the model, the data or a file is wrong
	exitUsage     = 2  // the command line is wrong
	exitUntrusted = 3  // with --strict: the result is not to be trusted
	exitPeer      = 4  // another party or the network failed
	exitBug       = 70 // a bug in vflc (EX_SOFTWARE of sysexits.h)
)

// A failure ends a command with an exit code. err is nil where the reason is already on the screen.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string {
	if f.err == nil {
		return "failed"
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

func usagef(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}

// shown returns a failure whose reason is already on the screen.
func shown(code int) error { return &failure{code: code} }

// oneArgument requires exactly one argument beside the flags.
func oneArgument(what string) cobra.PositionalArgs { return arguments(1, 1, what) }

// arguments requires at least and at most so many arguments beside the flags; most = 0 is no limit.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		n := len(args)
		if n >= least && (most == 0 || n <= most) {
			return nil
		}
		has := grouped.Count(n, "argument")
		if n == 0 {
			has = "no arguments"
		}
		return usagef("%s needs %s, but has %s", cmd.Name(), what, has)
	}
}

// flagError writes what is wrong with a flag as other messages do.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return pflag.ErrHelp
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return usagef("unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		name := "--" + unknown.GetSpecifiedName()
		return usagef("unknown flag %s%s", name, didYouMean(name, names))
	case errors.As(err, &bare):
		return usagef("--%s needs a value", bare.GetFlag().Name)
	case errors.As(err, &wrong):
		f := wrong.GetFlag()
		return usagef("--%s %s: %s", f.Name, wrong.GetValue(), expected(f, wrong.Unwrap()))
	}
	return err
}

// expected says what the value of a flag must be that has been refused with an error.
func expected(f *pflag.Flag, err error) string {
	if why, ok := map[string]string{"uint64": "write a whole number, 0 or more",
		"int": "write a whole number", "int64": "write a whole number", "float64": "write a number",
		"bool": "write true or false", "duration": "write a time, as 30s or 2m"}[f.Value.Type()]; ok {
		return why
	}
	return err.Error()
}

// action wraps the body of a command so that its errors get the exit codes of their kinds. Errors that cobra
// finds stay usage errors.
func action(body func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return asInFile(cmd, judged(cmd, body(cmd, args)))
	}
}

// judged sets the exit code of an error. A plain error means that the input was wrong. An error that holds
// diagnostics is printed here.
func judged(cmd *cobra.Command, err error) error {
	var f *failure
	var usage *fit.UsageError
	var peer *session.PeerError
	var ended *node.EndedError
	var protocol *session.ProtocolError
	var unlike *session.UnlikeError
	var misaligned *align.Error
	var diagnostics data.Errors
	err = data.Trouble(err)
	peers := func(code diag.Code, format string, args ...any) error {
		return cmp.Or(showDiagnostics(cmd.ErrOrStderr(), diag.List(data.Coded(code, format, args...))),
			shown(exitPeer))
	}
	switch {
	case err == nil || errors.As(err, &f):
		return err
	case errors.As(err, &diagnostics):
		return settle(cmd, diag.List(diagnostics))
	case errors.As(err, &usage):
		return &failure{exitUsage, err}
	case errors.As(err, &ended):
		return peers(ended.Code.Page(), "%v", ended)
	case errors.As(err, &unlike), errors.As(err, &peer) && peer.Code == session.EndUnlike:
		why := error(peer)
		if unlike != nil {
			why = unlike
		}
		return peers(diag.UnlikeAnswers, "the run cannot go on: %s", strings.TrimPrefix(why.Error(), "session: "))
	case errors.As(err, &protocol):
		code := diag.OffScript
		if protocol.Value {
			code = diag.ValueRefused
		}
		return peers(code, "the run cannot go on: %s sent a %s", protocol.Peer, protocol.What)
	case errors.As(err, &peer), errors.As(err, &misaligned):
		return &failure{exitPeer, err}
	}
	return &failure{exitInput, err}
}

// exitCode prints an error and returns the exit code.
func exitCode(w io.Writer, ran *cobra.Command, err error) int {
	if err == nil {
		return exitFine
	}
	f := &failure{exitUsage, err}
	errors.As(err, &f)
	if events, ok := w.(*terminal.Reporter); ok && f.err != nil {
		events.Tell(map[string]any{"event": "error", "exit": f.code, "text": f.err.Error()})
		return f.code
	}
	if f.err != nil {
		fmt.Fprintf(w, "vflc: %v\n", f.err)
	}
	if f.code == exitUsage {
		fmt.Fprintf(w, "See %s --help.\n", ran.CommandPath())
	}
	return f.code
}
