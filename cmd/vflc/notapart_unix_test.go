//go:build unix

package main

import (
	"strings"
	"testing"
)

// What needs the data of all parties in one place is refused with a code and what is instead, before anything
// is read.
func TestNotAcrossMachines(t *testing.T) {
	t.Parallel()
	s := &stage{t, t.TempDir()}
	for _, l := range lones {
		for _, verb := range []string{"serve", "join", "preflight"} {
			args := []string{verb, "programs", "--identity", "x", "--" + l.name}
			if l.value {
				args = append(args, "x")
			}
			if verb != "preflight" {
				args = append(args, "-o", "run")
			}
			out, err := s.vflc(args...)
			if err == nil || !strings.Contains(out, "V0815") || !strings.Contains(out, l.instead) {
				t.Errorf("%s --%s: %v\n%s", verb, l.name, err, out)
			}
		}
	}
}

// A preflight of a task looks at its programs and its run, forecasts it, and compares it with what the server
// was started for; a part of a run does not predict alone.
func TestPreflightOfTasks(t *testing.T) {
	t.Parallel()
	s := newTasks(t)
	if out, err := s.vflc("predict", "demo/runs/server"); err == nil || !strings.Contains(out, "V0816") ||
		!strings.Contains(out, "--predict") {
		t.Errorf("%v\n%s", err, out)
	}
	ask := func(args ...string) string {
		for {
			out, _ := s.vflc(append([]string{"preflight", "demo/programs", "--identity", "demo/parties/b"},
				args...)...)
			if !strings.Contains(out, "the server has not read its own yet") &&
				!strings.Contains(out, "cannot be reached") {
				return out
			}
		}
	}
	server := s.play("server", "--predict", "demo/runs/server", "--data", "new.csv", "-o", "predicted",
		"--use-draws", "20")
	out := ask("--predict", "demo/runs/b", "--data", "new_b.csv")
	for _, want := range []string{"a prediction, with 20 draws, takes 2 round trips", "leaves: ",
		"ok       shared data: as the server's"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if out := ask("--data", "m/b.csv"); !strings.Contains(out, "server runs another manifest than m") {
		t.Error(out)
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	server = s.play("server", "--cv", "3", "--data", "m/server.csv", "-o", "validated", "--chains", "1",
		"--warmup", "20", "--max-depth", "4", "--draws", "20")
	if out := ask("--cv", "3", "--data", "m/b.csv", "--data", "shared=m/server.csv"); !strings.Contains(out,
		"the cross-validation has 3 fits") {
		t.Error(out)
	}
	if out := ask("--cv", "4", "--data", "m/b.csv", "--data", "shared=m/server.csv"); !strings.Contains(out,
		"(fold 1 of 3)") {
		t.Error(out)
	}
	_ = server.Process.Kill()
	_ = server.Wait()
}
