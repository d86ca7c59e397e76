//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/vflc/vflc/tests/await"
)

// A run of every backend that a signal interrupts saves its state, writes what it has drawn, prints how to
// continue, and exits as shells expect. While it runs, no other process can write to its folder.
func TestSignals(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("vflc") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	for by, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143,
		syscall.SIGHUP: 129} {
		for _, settings := range [][]string{
			{"--warmup", "50", "--chains", "1", "--draws", "3000000"},
			{"--backend", "sfvi", "--estimator", "sampled", "--iterations", "100000000"},
			{"--backend", "soul", "--transform", "augmented", "--draws", "1000000"},
		} {
			t.Run(by.String()+" "+settings[1], func(t *testing.T) {
				t.Parallel()
				if signal.Ignored(by) {
					t.Skipf("the tests run where %v is ignored, as under nohup, and so "+
						"is it by what they start", by)
				}
				dir := t.TempDir()
				for name, text := range map[string]string{
					"m.vfl": "client a\ndata y : real[N] @ server\ndata x : real[N] @ a\nparam b ~ " +
						"normal(0, 1)\nparam u ~ normal(0, 1) @ a\ny ~ normal(b + x * u, 1)\n",
					"y.csv": "id,y\n1,1\n2,2\n3,3\n", "x.csv": "id,x\n1,0\n2,1\n3,3\n",
				} {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				interruptRun(t, program, dir, by, code, settings)
			})
		}
	}
}

func interruptRun(t *testing.T, program, dir string, by syscall.Signal, code int, settings []string) {
	t.Helper()
	args := append([]string{"run", "m.vfl", "--data", "server=y.csv", "--data", "a=x.csv", "-o", "out",
		"--checkpoint-interval", "10ms"}, settings...)
	cmd := exec.Command(program, args...)
	var text bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !await.Until(func() bool {
		saved, _ := filepath.Glob(filepath.Join(dir, "out", "checkpoint", "chain-*"))
		return len(saved) > 0
	}) {
		t.Error("no state is saved")
	}
	other := exec.Command(program, "resume", "out")
	other.Dir = dir
	if refusal, err := other.CombinedOutput(); err == nil ||
		!strings.Contains(string(refusal), "in use by process "+strconv.Itoa(cmd.Process.Pid)) {
		t.Errorf("a second process on the folder: %v: %s", err, refusal)
	}
	if err := cmd.Process.Signal(by); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != code {
		t.Errorf("%v, want exit code %d", err, code)
	}
	if !strings.Contains(text.String(), "vflc resume out continues it") {
		t.Errorf("no advice in:\n%s", text.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "out", "summary.json")); err != nil &&
		!strings.Contains(text.String(), "before the first draw") {
		t.Error(err)
	}
}
