package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/lang/diag"
)

// The wrong example of a page on studies, estimators, starts or densities gets its code and no other, the
// right one none.
func TestPagesOfCommands(t *testing.T) {
	found := 0
	for _, page := range diag.Pages {
		studies := page.Code >= diag.BadStudy && page.Code <= diag.NoLocalSteps
		densities := page.Code >= diag.BadRequest && page.Code <= diag.NoRowDensity
		if !studies && !densities || page.Wrong == "" {
			continue
		}
		found++
		for text, want := range map[string]string{page.Wrong: string(page.Code), page.Right: ""} {
			archive := txtar.Parse([]byte(text))
			t.Chdir(t.TempDir())
			for _, f := range archive.Files {
				if err := os.MkdirAll(filepath.Dir(f.Name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out, errs bytes.Buffer
			code := execute(strings.Fields(string(archive.Comment))[1:], &out, &errs)
			if n := strings.Count(errs.String(), ": error V"); want == "" && (code != exitFine || n > 0) ||
				want != "" && (code != exitInput || n != 1 || !strings.Contains(errs.String(), want)) {
				t.Errorf("%s: exit code %d, want the code %q alone:\n%s", page.Code, code, want,
					errs.String())
			}
		}
	}
	if found != 13 {
		t.Errorf("%d pages", found)
	}
}

// Every cell of the studies of the paper would run, on the tables beside the models.
func TestStudiesOfThePaper(t *testing.T) {
	paths, err := filepath.Glob("../../examples/paper/*.toml")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d studies and settings: %v", len(paths), err)
	}
	for _, path := range paths {
		if filepath.Base(path) == "vfl.toml" {
			continue
		}
		if out := do(t, "study", path, "--list", "-o", t.TempDir()); !strings.Contains(out,
			" cells, 0 done") {
			t.Errorf("%s:\n%s", path, out)
		}
	}
	models, err := filepath.Glob("../../examples/paper/*.vfl")
	if err != nil || len(models) == 0 {
		t.Fatalf("no models: %v", err)
	}
	for _, model := range models {
		do(t, "check", model)
		do(t, "fmt", "--check", model)
	}
}

const killedStudy = `
[flags]
chains = 2
warmup = 200
checkpoint-interval = "1ms"
[[cells]]
model = "m.vfl"
vary.draws = [100, 6000, 6001]
[[table]]
name = "b"
rows = ["draws"]
columns = ["mean b", "sd b", "rhat b", "work.gradients"]
`

// A study that is killed in the middle of a cell, again and again, ends with the numbers of one that nobody
// killed: it keeps finished cells and continues the fit that was under way.
func TestKilledStudyLosesNothing(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("vflc") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"s.toml": killedStudy,
		"m.vfl": "data y : real[N]\nparam b ~ normal(0, 1)\nparam s ~ " +
			"half_normal(1)\ny ~ normal(b, s)\n",
		"m/data.csv": "y\n0.5\n1.5\n-0.5\n0.25\n1\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	study := func(out string) *exec.Cmd {
		cmd := exec.Command(program, "study", filepath.Join(dir, "s.toml"), "-o", filepath.Join(dir, out),
			"--jobs", "1", "--quiet")
		cmd.Dir = dir
		return cmd
	}
	table := func(out string) string {
		text, err := os.ReadFile(filepath.Join(dir, out, "tables", "b.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text, err := study("whole").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	killed := 0
	for killed < 2 {
		cmd, under := study("killed"),
			underWay(filepath.Join(dir, "killed", "cells", ".*", "run", "checkpoint", "chain-*"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if under(ended) {
			killed++
			cmd.Process.Kill()
			<-ended
			continue
		}
		if killed > 0 {
			break
		}
		t.Log("the study ended before it was seen in a fit")
		if err := os.RemoveAll(filepath.Join(dir, "killed")); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := study("killed").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got, want := table("killed"), table("whole"); got != want {
		t.Errorf("killed %d times it ends with\n%s\nand without with\n%s", killed, got, want)
	}
}

// underWay waits for states that are not there when it is called: what it returns waits until a process has
// saved one of these, and reports that; false where the process ends before.
func underWay(checkpoints string) func(ended <-chan error) bool {
	before, _ := filepath.Glob(checkpoints)
	return func(ended <-chan error) bool {
		for {
			select {
			case <-ended:
				return false
			case <-time.After(2 * time.Millisecond):
			}
			states, _ := filepath.Glob(checkpoints)
			if slices.ContainsFunc(states, func(s string) bool { return !slices.Contains(before, s) }) {
				return true
			}
		}
	}
}
