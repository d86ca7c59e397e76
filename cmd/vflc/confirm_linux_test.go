package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/tests/console"
)

// At a terminal the owner of a client without a policy is asked below what the run tells of its rows: yes
// confirms it, and anything else does not.
func TestOwnerConfirmsAtATerminal(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	server := s.waitingServer()
	s.preflight("--data", "shared=m/server.csv") // the server has read its own data
	own := filepath.Join(s.dir, "demo", "parties", "b")
	if err := os.Remove(filepath.Join(own, policy.FileName)); err != nil {
		t.Fatal(err)
	}
	for _, answer := range []string{"no", "y", "yes"} {
		cmd := exec.Command("vflc", "preflight", "demo/programs", "--identity", "demo/parties/b", "--data",
			"m/b.csv", "--data", "shared=m/server.csv")
		cmd.Dir = s.dir
		c, err := console.Start(cmd, 200, 400)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Wait("the question", func(text, _ string) bool {
			return strings.Contains(text, "(yes or no)")
		}); err != nil {
			t.Fatal(err, c.Text())
		}
		shown := c.Text()
		if at := strings.Index(shown, "server can compute: "); at < 0 ||
			at > strings.Index(shown, "(yes or no)") {
			t.Errorf("the question stands before the verdict:\n%s", shown)
		}
		if err := c.Type(answer + "\n"); err != nil {
			t.Fatal(err)
		}
		ended := c.End()
		_, found := os.Stat(filepath.Join(own, node.ConfirmedFile))
		if yes := answer == "yes"; (found == nil) != yes || (ended == nil) != yes {
			t.Errorf("%q: %v, %v:\n%s", answer, found, ended, c.Text())
		}
		c.Close()
	}
	s.must("stop", "demo/runs/server")
	_ = server.Wait()
}
