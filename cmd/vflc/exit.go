package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/session"
)

// What the process returns; scripts rely on these numbers.
const (
	exitFine      = 0
	exitInput     = 1  // the model, the data or a file is wrong
	exitUsage     = 2  // the command line is wrong
	exitUntrusted = 3  // it ran, and with --strict is not to be trusted
	exitPeer      = 4  // another party or the network failed
	exitBug       = 70 // our fault (EX_SOFTWARE of sysexits.h)
)

// A failure ends a command with a code. A nil err: the reason is on the screen already.
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

// shown is a failure whose reason is on the screen already.
func shown(code int) error { return &failure{code: code} }

// oneArgument wants exactly one argument beside the flags.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s takes %s; there are %d arguments", cmd.Name(), what, len(args))
		}
		return nil
	}
}

// action makes a command's body whose errors get their exit codes by kind; what cobra itself finds stays a matter of usage.
func action(body func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		return judged(cmd, body(cmd, args))
	}
}

// judged gives an error its exit code. Plain errors mean that the input was wrong. Diagnostics in the form of an error are shown here.
func judged(cmd *cobra.Command, err error) error {
	var f *failure
	var usage *fit.UsageError
	var peer *session.PeerError
	var diagnostics data.Errors
	switch {
	case err == nil || errors.As(err, &f):
		return err
	case errors.As(err, &diagnostics):
		return settle(cmd, diag.List(diagnostics))
	case errors.As(err, &usage):
		return &failure{exitUsage, err}
	case errors.As(err, &peer):
		return &failure{exitPeer, err}
	}
	return &failure{exitInput, err}
}

// report prints an error and returns the exit code.
func report(w io.Writer, ran *cobra.Command, err error) int {
	if err == nil {
		return exitFine
	}
	f := &failure{exitUsage, err}
	errors.As(err, &f)
	if f.err != nil {
		fmt.Fprintf(w, "vflc: %v\n", f.err)
	}
	if f.code == exitUsage {
		fmt.Fprintf(w, "%s --help shows what it takes.\n", ran.CommandPath())
	}
	return f.code
}
