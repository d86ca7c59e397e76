package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"vflc": main})
}

// Each archive in testdata is a session at a shell: commands, what they must print, and the files they work on.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup:               func(e *testscript.Env) error { e.Setenv("CI", ""); return nil },
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "sameDraws": sameDraws},
	})
}

// exits CODE COMMAND… runs a command and requires that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s: exit code %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// sameDraws FILE FILE compares Stan CSV files without their comments, which contain times.
func sameDraws(ts *testscript.TestScript, _ bool, args []string) {
	var numbers [2]string
	for i := range numbers {
		lines := strings.Split(ts.ReadFile(args[i]), "\n")
		lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "#") })
		numbers[i] = strings.Join(lines, "\n")
	}
	if numbers[0] != numbers[1] {
		ts.Fatalf("%s and %s hold different draws", args[0], args[1])
	}
}

// A panic is a bug of vflc: the message has what is needed to report it, and a stack only on request.
func TestPanicIsApologisedFor(t *testing.T) {
	var b bytes.Buffer
	if code := apologise(&b, errors.New("index out of range")); code != exitBug {
		t.Errorf("exit code %d, want %d", code, exitBug)
	}
	for _, want := range []string{"a bug in vflc", "index out of range", "github.com/vflc/vflc/issues", version()} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "goroutine") && os.Getenv("VFLC_DEBUG") == "" {
		t.Error("a stack that nobody asked for")
	}
}

// Errors of cobra are usage errors; errors of a command's body are input errors unless they have another kind.
func TestExitCodes(t *testing.T) {
	root := newRoot()
	plain := errors.New("wrong")
	wrapped := action(func(_ *cobra.Command, _ []string) error { return plain })(root, nil)
	for _, c := range []struct {
		err  error
		want int
	}{{nil, exitFine}, {plain, exitUsage}, {wrapped, exitInput}, {usagef("no"), exitUsage}, {shown(exitUntrusted), exitUntrusted}} {
		if got := exitCode(io.Discard, root, c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}
