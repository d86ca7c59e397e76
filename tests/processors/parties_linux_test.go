//go:build rebuild

package processors

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/tests/parties"
)

// A client on arm64 among parties on amd64, or the other way round: the draws of all are those of a run in
// one process, byte for byte.
func TestPartiesOnDifferentProcessors(t *testing.T) {
	e := emulator(t, "arm64")
	if e == "" {
		t.Skip("the parties here are on arm64, and what is tested is another processor among them")
	}
	here, there := command(t, "amd64"), command(t, "arm64")
	for name, more := range map[string][]string{
		"nuts": {"--chains", "1", "--warmup", "30", "--draws", "20"},
		"sfvi": {"--backend", "sfvi", "--estimator", "sampled", "--iterations", "40", "--draws", "20"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			model, err := filepath.Abs("../../examples/logistic.vfl")
			if err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) {
				t.Helper()
				cmd := exec.Command(here, args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("vflc %s: %v\n%s", strings.Join(args, " "), err, out)
				}
			}
			run(append([]string{"run", model, "-o", "whole", "--seed", "7", "--quiet", "--wire", "fixed"},
				more...)...)
			run(append([]string{"demo", "start", model, "-o", "demo", "--seed", "7"}, more...)...)
			var demo struct {
				Processes []struct {
					Party   string
					Args    []string
					Process int
				}
			}
			text, err := os.ReadFile(filepath.Join(dir, "demo", "demo.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &demo); err != nil || len(demo.Processes) != 3 {
				t.Fatal(err, demo)
			}
			for _, p := range demo.Processes { // they were started on this processor
				if _, err := parties.Kill(p.Process); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.RemoveAll(filepath.Join(dir, "demo", "runs")); err != nil {
				t.Fatal(err)
			}
			var running []*exec.Cmd
			for i, p := range demo.Processes {
				args := append([]string{here}, p.Args...)
				if i == 1 {
					args = append([]string{e, there}, p.Args...)
				}
				cmd := exec.Command(args[0], args[1:]...)
				cmd.Dir = filepath.Join(dir, "demo")
				log, err := os.Create(filepath.Join(dir, p.Party+".log"))
				if err != nil {
					t.Fatal(err)
				}
				defer log.Close()
				cmd.Stdout, cmd.Stderr = log, log
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = cmd.Process.Kill() })
				running = append(running, cmd)
			}
			for i, cmd := range running {
				if err := cmd.Wait(); err != nil {
					text, _ := os.ReadFile(filepath.Join(dir, demo.Processes[i].Party+".log"))
					t.Fatalf("%s: %v\n%s", demo.Processes[i].Party, err, text)
				}
			}
			want := drawsOf(t, filepath.Join(dir, "whole"))
			seen := 0
			for _, p := range demo.Processes {
				for name, got := range drawsOf(t, filepath.Join(dir, "demo", "runs", p.Party)) {
					seen++
					if got != want[name] {
						t.Errorf("%s: %s is not that of a run in one process", p.Party, name)
					}
				}
			}
			if seen != len(want) || seen == 0 {
				t.Errorf("the parties have %d columns, the run in one process %d", seen, len(want))
			}
		})
	}
}

func drawsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	draws, err := parties.Draws(dir)
	if err != nil {
		t.Fatal(err)
	}
	return draws
}
