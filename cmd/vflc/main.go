// Command vflc compiles probabilistic programs whose data are owned by several parties, and infers their posteriors.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/vflc/vflc/runtime/vector"
)

func main() {
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and returns the exit code. Results go to out, progress and messages to errs.
func execute(args []string, out, errs io.Writer) (code int) {
	defer func() {
		if bug := recover(); bug != nil {
			code = apologise(errs, bug)
		}
	}()
	if err := vector.Refused(); err != nil {
		fmt.Fprintf(errs, "vflc: %v\n", err)
	}
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	ran, err := root.ExecuteContextC(context.Background())
	return exitCode(errs, ran, err)
}

// apologise reports a panic: always a bug of this program, never of its user.
func apologise(w io.Writer, bug any) int {
	fmt.Fprintf(w, "vflc: a bug in vflc, not in your model: %v\n", bug)
	fmt.Fprintf(w, "We are sorry. Please report it with the command, the model and this line: %s\n", version())
	fmt.Fprintln(w, "  https://github.com/vflc/vflc/issues")
	if os.Getenv("VFLC_DEBUG") != "" {
		w.Write(debug.Stack())
	} else {
		fmt.Fprintln(w, "VFLC_DEBUG=1 in the environment shows where it happened.")
	}
	return exitBug
}
