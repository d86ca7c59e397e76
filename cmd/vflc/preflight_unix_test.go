//go:build unix

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// While the server waits, a preflight compares what both must have alike, lists what leaves with what a receiver can compute, and forecasts waiting; the process that asks
// disturbs none that takes part.
func TestPreflightAsksTheServer(t *testing.T) {
	s := newStage(t)
	s.stopAfter("demo")
	s.must("demo", "start", "m.vfl", "-o", "demo", "--chains", "1", "--warmup", "30", "--draws", "20")
	s.must("demo", "stop", "demo")
	server := exec.Command("vflc", s.demo().Processes[0].Args...)
	server.Dir = filepath.Join(s.dir, "demo")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill() }) // it has ended, unless the test failed
	s.wantStatus("server", fmt.Sprintf(`"process": %d`, server.Process.Pid), 10*time.Second)
	s.wantStatus("server", `"state": "waiting"`, 10*time.Second)
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	ask := func() string {
		out, _ := s.vflc("preflight", "demo/programs", "--identity", "demo/parties/b", "--data", "m/b.csv", "--data", "shared=m/server.csv")
		return out
	}
	out := ask()
	for _, want := range []string{
		"none: as the server's: sizes, the order of 40 rows", "none: packets of", "for a round trip", "leaves: ", "to server, every evaluation; masked:", "a curious server can compute",
		"takes 1 round trips and about 656", "10,000 of them wait", "none: m, backend nuts",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	s.write("m/b.csv", strings.Replace(s.read("m/b.csv"), "\n39,", "\n41,", 1))
	if out := ask(); !strings.Contains(out, "server and b hold other rows, or in another order") || !strings.Contains(out, "vflc align puts rows in one order") {
		t.Error(out)
	}
	s.write("m/b.csv", strings.Replace(s.read("m/b.csv"), "\n41,", "\n39,", 1))
	s.must("stop", "demo/runs/server")
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not stop")
	}
	s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")
	if out := ask(); !strings.Contains(out, "cannot be reached") {
		t.Error(out)
	}
}
