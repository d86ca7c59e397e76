package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/brief"
)

func TestMain(m *testing.M) {
	brief.Processes()
	testscript.Main(m, map[string]func(){"vflc": main})
}

// Each archive in testdata is a session at a shell: commands, what they must print, and the files they work
// on.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("CI", "")
			e.Setenv("GOGC", os.Getenv("GOGC"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "sameDraws": sameDraws, "moments": moments,
		},
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

// moments FILE DRAWS [NAME MEAN SD]… compares the summary of so many draws with a posterior: means within 4
// Monte Carlo standard errors, sds within 4 of those that half as many independent draws have, since draws
// may come in pairs on both sides of a mean.
func moments(ts *testscript.TestScript, _ bool, args []string) {
	var d posterior.SummaryDocument
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &d))
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		ts.Check(err)
		return v
	}
	for want := args[2:]; len(want) > 0; want = want[3:] {
		k := slices.IndexFunc(d.Parameters, func(r posterior.SummaryRow) bool { return r.Name == want[0] })
		mean, sd := number(want[1]), number(want[2])
		if r := d.Parameters[k]; !(math.Abs(float64(r.Mean)-mean) < 4*float64(r.MCSE)) ||
			!(math.Abs(float64(r.SD)/sd-1) < 4/math.Sqrt(number(args[1]))) {
			ts.Fatalf("%s: mean %v ± %v, sd %v; want %v, %v", want[0], r.Mean, r.MCSE, r.SD, mean, sd)
		}
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
	for _, want := range []string{"a bug in vflc", "index out of range", "github.com/vflc/vflc/issues",
		version()} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "goroutine") && os.Getenv("VFLC_DEBUG") == "" {
		t.Error("a stack that nobody asked for")
	}
}

// Errors of cobra are usage errors; errors of a command's body are input errors unless they have another
// kind.
func TestExitCodes(t *testing.T) {
	root := newRoot()
	plain := errors.New("wrong")
	wrapped := action(func(_ *cobra.Command, _ []string) error { return plain })(root, nil)
	for _, c := range []struct {
		err  error
		want int
	}{{nil, exitFine}, {plain, exitUsage}, {wrapped, exitInput}, {usagef("no"), exitUsage},
		{shown(exitUntrusted), exitUntrusted}} {
		if got := exitCode(io.Discard, root, c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
}
