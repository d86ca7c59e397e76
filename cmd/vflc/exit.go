package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// What the process returns; scripts rely on these numbers.
const (
	exitFine      = 0
	exitInput     = 1  // the model, the data or a file is wrong
	exitUsage     = 2  // the command line is wrong
	exitUntrusted = 3  // it ran, and --strict says not to trust it
	exitPeer      = 4  // another party or the network failed
	exitBug       = 70 // our fault (EX_SOFTWARE of sysexits.h)
)

// A failure ends a command with a code. A nil err: everything was said already.
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

// said is a failure whose reason is on the screen already.
func said(code int) error { return &failure{code: code} }

// oneArgument wants exactly one argument beside the flags.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s takes %s; there are %d arguments", cmd.Name(), what, len(args))
		}
		return nil
	}
}

// action makes a command's body whose plain errors mean that the input was wrong; what cobra itself finds stays a matter of usage.
func action(body func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := body(cmd, args)
		var f *failure
		if err == nil || errors.As(err, &f) {
			return err
		}
		return &failure{exitInput, err}
	}
}

// report says what an error means and returns the exit code.
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
