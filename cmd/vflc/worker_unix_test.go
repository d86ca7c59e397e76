//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/cells"
	"github.com/vflc/vflc/tests/await"
)

// newQueue is a NATS server with JetStream, whose writes are synced.
func newQueue(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
		StoreDir: t.TempDir(), SyncAlways: true, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(await.Patience) {
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

// A study whose cells workers make has the results of one process, also where one of the workers is killed at
// its cell.
func TestStudyWithWorkersIsTheStudy(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	url := newQueue(t)
	s.write("grid.toml", spreadStudy)
	s.must("study", "grid.toml", "-o", "alone", "--quiet")
	offering := exec.Command("vflc", "study", "grid.toml", "-o", "spread", "--nats", url)
	var said printed
	offering.Dir, offering.Stdout, offering.Stderr = s.dir, &said, &said
	if err := offering.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = offering.Process.Kill() })
	first := s.worker(url, "w1")
	if !await.Until(func() bool { // it is at a cell, or has made one
		at, _ := filepath.Glob(filepath.Join(s.dir, "w1/results/cells/.*"))
		return len(at) > 0 || cellsMade(first) > 0
	}) {
		t.Fatal(said.String(), first.out.String())
	}
	_ = syscall.Kill(first.Process.Pid, syscall.SIGKILL)
	s.worker(url, "w2")
	late := time.AfterFunc(await.Patience, func() { _ = offering.Process.Kill() })
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
		// the run has its tables where the study has them
	} else if fit, err := filepath.Rel(s.dir, fits[0]); err != nil ||
		!strings.Contains(s.must("ppc", fit), "replicates") {
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

// A cell that cannot be fitted fails with its reason, as in one process; a worker refuses what is no cell of
// a study.
func TestWorkersSayWhatFails(t *testing.T) {
	t.Parallel()
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
}

// An asked is a command that asks workers for cells.
type asked struct {
	*exec.Cmd
	out, said printed
}

// ask starts a command.
func (s *stage) ask(args ...string) *asked {
	s.t.Helper()
	a := &asked{Cmd: exec.Command("vflc", args...)}
	a.Dir, a.Stdout, a.Stderr = s.dir, &a.out, &a.said
	if err := a.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = a.Process.Kill() })
	return a
}

// ended waits for the end of a command and returns its exit code.
func (a *asked) ended(t *testing.T) int {
	t.Helper()
	late := time.AfterFunc(await.Patience, func() { _ = a.Process.Kill() })
	defer late.Stop()
	var exit *exec.ExitError
	if err := a.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return a.ProcessState.ExitCode()
}

// cellsMade is how many cells a worker has named.
func cellsMade(w *played) int { return len(namedCell.FindAllString(w.out.String(), -1)) }

var namedCell = regexp.MustCompile(`cell \w+ \(`)

// atACell waits until a worker is at a cell, or has made one.
func (s *stage) atACell(w *played, scratch string) {
	s.t.Helper()
	if !await.Until(func() bool {
		at, _ := filepath.Glob(filepath.Join(s.dir, scratch, "inputs/*"))
		return len(at) > 0 || cellsMade(w) > 0
	}) {
		s.t.Fatal("no cell is taken")
	}
}

// Folds and replicates that two workers make give the bytes of one process, also where a third was killed at
// its cell.
func TestFoldsAndReplicatesWithWorkers(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	url := newQueue(t)
	s.write("vfl.toml", "[run]\nchains = 1\nwarmup = 300\ndraws = 300\n")
	commands := [][]string{
		{"cv", "m.vfl", "--folds", "7", "--json", "--data", "b=m/b.csv"},
		{"cv", "m.vfl", "--folds", "4", "--stratify", "--rho", "a=0.4,b=0.7", "--seed", "3"},
		{"calibrate", "m.vfl", "--replicates", "12", "--misstate", "m=1.5", "--strict"},
	}
	var want, wantSaid []string
	var codes []int
	for _, c := range commands {
		alone := s.ask(append(c, "--quiet")...)
		codes = append(codes, alone.ended(t))
		want, wantSaid = append(want, alone.out.String()), append(wantSaid, alone.said.String())
		if alone.out.String() == "" {
			t.Fatal(alone.said.String())
		}
	}
	var all []*asked
	for _, c := range commands {
		all = append(all, s.ask(append(c, "--quiet", "--nats", url)...))
	}
	first := s.worker(url, "w1")
	s.atACell(first, "w1")
	_ = syscall.Kill(first.Process.Pid, syscall.SIGKILL)
	s.worker(url, "w2")
	s.worker(url, "w3")
	for k, a := range all {
		if code := a.ended(t); code != codes[k] || a.out.String() != want[k] ||
			a.said.String() != wantSaid[k] {
			t.Errorf("%q: exit code %d\n%s%s\nin one process %d\n%s%s", commands[k], code, a.out.String(),
				a.said.String(), codes[k], want[k], wantSaid[k])
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "w[23]/inputs/*")); len(left) > 0 {
		t.Errorf("inputs are left: %q", left)
	}
}

// A command that was killed takes, when it is started again, the results that are there: here all of them,
// since no worker is left. A calibration with fewer replicates does as well.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	url := newQueue(t)
	command := []string{"calibrate", "m.vfl", "--replicates", "15", "--chains", "1", "--warmup", "100",
		"--draws", "200"}
	want := s.ask(append(command, "--quiet")...)
	want.ended(t)
	a := s.ask(append(command, "--nats", url)...)
	js := queueOf(t, url)
	if !await.Until(func() bool {
		work, err := js.Stream(t.Context(), "VFLC_WORK")
		return err == nil && work.CachedInfo().State.Msgs >= 3
	}) {
		t.Fatal("no cell is offered")
	}
	w := s.worker(url, "w1")
	s.atACell(w, "w1")
	_ = a.Process.Kill()
	_ = a.Wait()
	if !await.Until(func() bool { return cellsMade(w) >= 3 }) { // the worker goes on
		t.Fatal(w.out.String())
	}
	_ = w.Process.Signal(syscall.SIGTERM)
	_ = w.Wait()
	again := s.ask(append(command, "--nats", url, "--quiet")...)
	if code := again.ended(t); code != 0 || again.out.String() != want.out.String() ||
		again.out.String() == "" {
		t.Errorf("exit code %d\n%s%s\nin one process\n%s", code, again.out.String(), again.said.String(),
			want.out.String())
	}
	command[3] = "10"
	fewer := s.ask(append(command, "--nats", url, "--quiet")...)
	if code := fewer.ended(t); code != 0 || !strings.Contains(fewer.out.String(), "10 replicates") {
		t.Errorf("exit code %d\n%s%s", code, fewer.out.String(), fewer.said.String())
	}
}

// What fails in a cell is reported as in one process, with the places and paths of the one who asks.
func TestFailuresFromWorkers(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	url := newQueue(t)
	s.worker(url, "w1")
	s.write("levels.vfl",
		"data ward : level(W)[N]\ndata y : real[N]\nparam u : real[W] ~ normal(0, "+
			"1)\ny ~ normal(u[ward], 1)\n")
	s.write("levels/data.csv", "ward,y\nA,1\nB,2\nA,0.5\nC,1\nB,3\nC,2\n")
	s.write("start.vfl", "data y : real[N]\nparam a ~ normal(0, 1)\ny ~ uniform(0, exp(a) * 1e-300)\n")
	s.write("start/data.csv", "y\n1\n2\n3\n4\n")
	for _, c := range [][]string{
		{"cv", "levels.vfl", "--folds", "3", "--by", "ward"},
		{"cv", "start.vfl", "--folds", "2"},
		{"cv", "levels.vfl", "--folds", "2", "--target-accept", "2"},
		{"cv", "levels.vfl", "--folds", "50"},
		{"calibrate", "m.vfl", "--replicates", "8", "--draws", "20"},
		{"calibrate", "m.vfl", "--transform", "power", "--rho", "1"},
	} {
		alone := s.ask(append(c, "--quiet")...)
		want := alone.ended(t)
		spread := s.ask(append(c, "--quiet", "--nats", url)...)
		if got := spread.ended(t); got != want || got == 0 || spread.said.String() != alone.said.String() ||
			spread.out.String() != alone.out.String() {
			t.Errorf("%q: exit code %d\n%s\nin one process %d\n%s", c, got, spread.said.String(), want,
				alone.said.String())
		}
	}
}

// queueOf connects to a server as an attacker would.
func queueOf(t *testing.T, url string) jetstream.JetStream {
	t.Helper()
	conn, err := nats.Connect(url, nats.Timeout(await.Patience))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// A cell reads the files that come with it and no others: one whose settings name a table of the worker's
// machine is refused.
func TestCellsReadTheirFilesAlone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	url := newQueue(t)
	w := s.worker(url, "w1")
	s.write("secret.csv", "y\n1\n2\n3\n4\n")
	model, settings := "data y : real[N]\nparam a ~ normal(0, 1)\ny ~ normal(a, 1)\n",
		"[data]\nserver = \""+filepath.Join(s.dir, "secret.csv")+"\"\n"
	c := cells.Cell{Command: "cv", Model: "/x/m.vfl", Flags: []cells.Flag{{Name: "folds", Value: "2"}},
		Inputs: []cells.Input{cells.Digest("model", []byte(model)),
			cells.Digest("vfl.toml", []byte(settings))}}
	js := queueOf(t, url)
	type file struct {
		Path   string `json:"path"`
		SHA256 string `json:"sha256"`
	}
	var store, results jetstream.ObjectStore
	if !await.Until(func() bool {
		store, _ = js.ObjectStore(t.Context(), "vflc_inputs")
		results, _ = js.ObjectStore(t.Context(), "vflc_results")
		return store != nil && results != nil
	}) {
		t.Fatal("no worker makes the stores")
	}
	for k, text := range []string{model, settings} {
		if _, err := store.PutBytes(t.Context(), c.Inputs[k].SHA256, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []*cells.Steps{nil, {First: 0, End: 1}} {
		c.Part = part
		text, err := json.Marshal(map[string]any{"id": c.ID(), "version": fit.Build(), "cell": c,
			"files": []file{{c.Model, c.Inputs[0].SHA256}, {"/x/vfl.toml", c.Inputs[1].SHA256}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.Publish(t.Context(), "vflc.work."+c.ID(), text); err != nil {
			t.Fatal(err)
		}
		var result []byte
		if !await.Until(func() bool {
			result, err = results.GetBytes(t.Context(), c.ID())
			return err == nil
		}) {
			t.Fatal(err, w.out.String())
		}
		if !strings.Contains(string(result), "other files than it names") {
			t.Errorf("%s", result)
		}
	}
}

// The rows of a database do not go to workers: that is refused before a server is looked for, without the
// address, which may hold a password.
func TestDatabasesStayHere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("own.vfl", "data y : real[N]\nparam a ~ normal(0, 1)\ny ~ normal(a, 1)\n")
	db, err := sql.Open("sqlite", filepath.Join(s.dir, "rows.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("create table t (y real); insert into t values (1), (2), (3)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile(filepath.Join("testdata", "workers", "V0606.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"cv own.vfl --folds 2", "calibrate own.vfl --replicates 5"} {
		a := s.ask(append(strings.Fields(c), "--data", "server=rows.db?table=t", "--nats",
			"nats://127.0.0.1:1")...)
		if code := a.ended(t); code != exitInput || a.said.String() != string(archive.Files[0].Data) {
			t.Errorf("%s: exit code %d\n%s", c, code, a.said.String())
		}
	}
}
