//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// newQueue is a NATS server with JetStream, whose writes are synced.
func newQueue(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), SyncAlways: true, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s.ClientURL()
}

// worker starts a worker, which ends with the test.
func (s *stage) worker(url, scratch string) *played {
	s.t.Helper()
	p := &played{Cmd: exec.Command("vflc", "worker", "--nats", url, "--jobs", "1", "--scratch", scratch)}
	p.Dir, p.Stdout, p.Stderr = s.dir, &p.out, &p.out
	if err := p.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	return p
}

const spreadStudy = `
[data.own]
a = "m/a.csv"
b = "m/b.csv"
server = "m/server.csv"
[[cells]]
model = "m.vfl"
flags = { chains = 1, warmup = 300, draws = 300 }
vary.seed = [1, 2]
[[cells]]
command = "cv"
model = "m.vfl"
data = "own"
flags = { folds = 3, chains = 1, warmup = 40, draws = 40 }
vary.seed = [3]
[[table]]
name = "means"
rows = ["seed"]
columns = ["mean m", "elpd"]
`

// A study whose cells workers make has the results of one process, also where one of the workers is killed at its cell.
func TestStudyWithWorkersIsTheStudy(t *testing.T) {
	s := newStage(t)
	url := newQueue(t)
	s.write("grid.toml", spreadStudy)
	s.must("study", "grid.toml", "-o", "alone", "--quiet")
	offering := exec.Command("vflc", "study", "grid.toml", "-o", "spread", "--nats", url)
	var said bytes.Buffer
	offering.Dir, offering.Stdout, offering.Stderr = s.dir, &said, &said
	if err := offering.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = offering.Process.Kill() })
	first := s.worker(url, "w1")
	for begin := time.Now(); ; time.Sleep(time.Millisecond) { // until it is at a cell
		if at, _ := filepath.Glob(filepath.Join(s.dir, "w1/results/cells/.*")); len(at) > 0 {
			break
		}
		if time.Since(begin) > 10*time.Second {
			t.Fatal(said.String(), first.out.String())
		}
	}
	_ = syscall.Kill(first.Process.Pid, syscall.SIGKILL)
	s.worker(url, "w2")
	late := time.AfterFunc(40*time.Second, func() { _ = offering.Process.Kill() })
	defer late.Stop()
	if err := offering.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	cells, _ := filepath.Glob(filepath.Join(s.dir, "alone/cells/*"))
	for _, cell := range cells {
		id := filepath.Base(cell)
		files := []string{"run/draws/chain-1.csv", "cell.json"}
		if _, err := os.Stat(filepath.Join(cell, "cv.json")); err == nil {
			files[0] = "cv.json"
		}
		for _, file := range files {
			want, got := s.read("alone/cells/"+id+"/"+file), s.read("spread/cells/"+id+"/"+file)
			if want = untimed(want); want != untimed(got) {
				t.Errorf("%s/%s\n%s\n%s", id, file, want, got)
			}
		}
	}
	if fits, _ := filepath.Glob(filepath.Join(s.dir, "spread/cells/*/run")); len(fits) != 2 {
		t.Error(fits)
	} else if fit, err := filepath.Rel(s.dir, fits[0]); err != nil || !strings.Contains(s.must("ppc", fit), "replicates") { // the run has its tables where the study has them
		t.Error(err)
	}
	if len(cells) != 3 {
		t.Errorf("%d cells", len(cells))
	}
	if s.read("alone/tables/means.csv") != s.read("spread/tables/means.csv") {
		t.Error("the tables differ")
	}
	if out := s.must("study", "grid.toml", "-o", "spread", "--nats", url); !strings.Contains(out, "3 cells") {
		t.Error(out)
	}
}

// untimed leaves out the lines of a file that tell how long it took.
func untimed(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// A cell that cannot be fitted fails with its reason, as in one process; a worker refuses what is no cell of a study.
func TestWorkersSayWhatFails(t *testing.T) {
	s := newStage(t)
	url := newQueue(t)
	s.write("grid.toml", spreadStudy)
	s.write("m/b.csv", "id,xb\n0,word\n")
	alone, err := s.vflc("study", "grid.toml", "-o", "alone", "--quiet")
	if err == nil {
		t.Fatal(alone)
	}
	s.worker(url, "w1")
	spread, err := s.vflc("study", "grid.toml", "-o", "spread", "--nats", url, "--quiet")
	if err == nil || spread != alone {
		t.Errorf("%v\n%s\nin one process\n%s", err, spread, alone)
	}
	if out, err := s.vflc("worker"); err == nil || !strings.Contains(out, "--nats URL") {
		t.Error(err, out)
	}
	if out, err := s.vflc("worker", "--nats", "nats://127.0.0.1:1"); err == nil || !strings.Contains(out, "--nats") {
		t.Error(err, out)
	}
}
