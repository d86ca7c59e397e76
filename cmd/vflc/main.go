// Command vflc compiles probabilistic programs whose data are owned by several parties, and infers their
// posteriors.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/vflc/vflc/internal/terminal"
	"github.com/vflc/vflc/runtime/vector"
)

// messagesVariable is the environment variable by which another program has messages as lines of JSON.
const messagesVariable = "VFLC_MESSAGES"

func main() {
	cobra.EnableCommandSorting = false // in help they stand as in commandGroups
	var errs io.Writer = os.Stderr
	if os.Getenv(messagesVariable) == "json" {
		errs = terminal.NewReporter(errs)
	}
	os.Exit(execute(os.Args[1:], os.Stdout, errs))
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
	root := newRoot(args...)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	foldFlags(root, terminal.TableWidth(out))
	ran, err := root.ExecuteContextC(context.Background())
	return exitCode(errs, ran, err)
}

// perform carries out a command line within another command. It returns the command that was found.
func perform(ctx context.Context, args []string, out, messages io.Writer) (*cobra.Command, error) {
	root := newRoot(args...)
	root.SetOut(out)
	root.SetErr(messages)
	root.SetArgs(args)
	return root.ExecuteContextC(context.WithValue(ctx, commandLineKey{}, append([]string{"vflc"}, args...)))
}

// apologise reports a panic: always a bug of this program, never of its user.
func apologise(w io.Writer, bug any) int {
	fmt.Fprintf(w, "vflc: a bug in vflc, not in your model: %v\n", bug)
	fmt.Fprintf(w, "We are sorry. Please report it with the command, the model and this line: %s\n",
		version())
	fmt.Fprintln(w, "  https://github.com/vflc/vflc/issues")
	if os.Getenv("VFLC_DEBUG") != "" {
		w.Write(debug.Stack())
	} else {
		fmt.Fprintln(w, "VFLC_DEBUG=1 in the environment shows where it happened.")
	}
	return exitBug
}
