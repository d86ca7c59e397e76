//go:build unix

package main

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/tests/await"
)

// waitingServer begins a demonstration, stops it, and starts its server again, which waits for the others.
func (s *stage) waitingServer() *exec.Cmd {
	s.t.Helper()
	s.stopAfter("demo")
	s.meet(func(int) []string {
		return []string{"--chains", "1", "--warmup", "200", "--draws", "300"}
	}, func() bool {
		s.must("demo", "stop", "demo")
		return !strings.Contains(s.must("status", "demo"), node.Complete)
	})
	server := exec.Command("vflc", s.demo().Processes[0].Args...)
	server.Dir = filepath.Join(s.dir, "demo")
	if err := server.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = server.Process.Kill() }) // it has ended, unless the test failed
	if !s.hasStatus("server", fmt.Sprintf(`"process": %d`, server.Process.Pid)) ||
		!s.hasStatus("server", `"state": "waiting"`) {
		s.t.Fatal(s.logs("demo"))
	}
	address := s.demo().Processes[0].Args[slices.Index(s.demo().Processes[0].Args, "--listen")+1]
	if !await.Until(func() bool { // it says that it waits before it listens
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}) {
		s.t.Fatal("nothing answers at", address)
	}
	return server
}

// preflight returns what a preflight of b prints once the server has read its own data.
func (s *stage) preflight(more ...string) string {
	s.t.Helper()
	out := ""
	if !await.Until(func() bool {
		out, _ = s.vflc(append([]string{"preflight", "demo/programs", "--identity", "demo/parties/b",
			"--data", "m/b.csv"}, more...)...)
		return !strings.Contains(out, "the server has not read its own yet")
	}) {
		s.t.Fatal(out)
	}
	return out
}

// While the server waits, a preflight compares what both must have alike, lists what leaves with what a
// receiver can compute, and forecasts waiting; the process that asks disturbs none that takes part.
func TestPreflightAsksTheServer(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	server := s.waitingServer()
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	ask := func() string { return s.preflight("--data", "shared=m/server.csv") }
	out := ask()
	for _, want := range []string{
		"ok       shared data: as the server's: sizes, the order of 40 rows", "ok       payload: packets of",
		"for a round trip", "leaves: ", "to server, 40 numbers, every evaluation; masked:",
		"a curious server can compute",
		"arrives: adjoint of z_1 + z_2: 40 numbers, every evaluation that is wanted; lines of a policy that " +
			"limit them: max_adjoint (not set), max_rounds (not set)",
		"rounds: 1,800 to 15,800 (3 to 31 steps a transition", "takes 1 round trip and about 704 to 1.78 kB",
		"10,000 of them wait", "ok       run: m, backend nuts", "no problem found",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	s.write("m/b.csv", strings.Replace(s.read("m/b.csv"), "\n39,", "\n41,", 1))
	if out := ask(); !strings.Contains(out, "server and b hold other rows, or in another order") ||
		!strings.Contains(out, "vflc align puts rows in one order") {
		t.Error(out)
	}
	s.write("m/b.csv", strings.Replace(s.read("m/b.csv"), "\n41,", "\n39,", 1))
	const file = "demo/parties/b/policy.toml"
	before := s.read(file)
	bounded := func(rounds int) string {
		s.write(file, fmt.Sprintf("min_contributors = 2\nmax_rounds = %d\n", rounds))
		return ask()
	}
	const plenty = 100_000
	out = strings.ReplaceAll(bounded(plenty), ",", "")
	_, after, _ := strings.Cut(out, "ok       policy: max_rounds: ")
	var left int
	if _, err := fmt.Sscanf(after, "%d rounds are left", &left); err != nil {
		t.Fatal(err, out)
	}
	used := plenty - left // by the run before, whose noise is its own
	for _, c := range []struct {
		left int
		want string // of it, after the rounds that are left
		ok   bool
	}{
		{1000, "problem  policy: max_rounds: 1,000", false},
		{5000, "note     policy: max_rounds: 5,000", true},
		{16_000, "ok       policy: max_rounds: 16,000", true},
	} {
		out := bounded(used + c.left)
		took := strings.Contains(out, "rounds are left, and such a fit takes 1,800 to 15,800")
		if !strings.Contains(out, c.want) || strings.Contains(out, "no problem found") != c.ok ||
			took != (c.left < 15_800) {
			t.Errorf("%d rounds left:\n%s", c.left, out)
		}
	}
	s.write(file, before)
	s.must("stop", "demo/runs/server")
	select {
	case <-ended:
	case <-time.After(await.Patience):
		t.Fatal("the server does not stop")
	}
	s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")
	if out := s.must("audit", "demo/runs/server"); strings.Count(out,
		"server told b sizes of its data and salted digests") != 1 {
		t.Errorf("the audit does not say what the server has answered:\n%s", out)
	}
	if out := ask(); !strings.Contains(out, "cannot be reached") {
		t.Error(out)
	}
}

// A preflight compares rows before those with missing cells are left out: at the server and at the party
// others may be incomplete.
func TestPreflightComparesIncompleteRows(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("m.vfl", strings.NewReplacer("@ shared", "@ shared missing drop", "@ b\n",
		"@ b missing drop\n").Replace(demoModel[:strings.Index(demoModel, "param")])+
		demoModel[strings.Index(demoModel, "param"):])
	s.write("m/server.csv", regexp.MustCompile("(?m)^5,.*$").ReplaceAllString(s.read("m/server.csv"), "5,"))
	b := s.read("m/b.csv")
	s.write("m/b.csv", regexp.MustCompile("(?m)^17,.*$").ReplaceAllString(b, "17,"))
	server := s.waitingServer()
	if out := s.preflight(); !strings.Contains(out, "as many rows as at the server, in one order") ||
		!strings.Contains(out, "missing drop left out 1 row") {
		t.Error(out)
	}
	s.write("m/b.csv", strings.Replace(s.read("m/b.csv"), "\n39,", "\n41,", 1))
	if out := s.preflight(); !strings.Contains(out, "server and b hold other rows, or in another order") {
		t.Error(out)
	}
	s.must("stop", "demo/runs/server")
	_ = server.Wait()
}
