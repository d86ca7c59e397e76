//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/await"
)

// taskModel has encoders, of which a prediction takes those of the run, and a response that is 0 or 1.
const taskModel = `client a, b
data y : binary[N] @ shared
data XA : real[N, PA] @ a from zscore(age), onehot(ward)
data x : real[N] @ b
param m ~ normal(0, 1)
param ba : real[PA] ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
y ~ bernoulli_logit(m + XA * ba + x * bb)
transform exact
`

// newTasks is a stage with a run of taskModel in a demonstration, and the same in one process.
func newTasks(t *testing.T) *stage { return newTasksOf(t, taskModel, nil) }

// newTasksOf is newTasks of another model, and with other tables.
func newTasksOf(t *testing.T, model string, tables map[string]string) *stage {
	s := &stage{t, t.TempDir()}
	s.stopAfter("demo")
	s.write("m.vfl", model)
	s.write("m/server.csv", "id,y\np1,1\np2,0\np3,1\np4,1\np5,0\np6,0\np7,1\np8,0\np9,1\n")
	s.write("m/a.csv",
		"id,age,ward\np1,50,n\np2,40,s\np3,61,n\np4,55,n\np5,39,s\np6,42,n\np7,58,s\np8,47,n\np9,52,s\n")
	s.write("m/b.csv", "id,x\np9,0.4\np8,-1.1\np7,0.8\np6,0.2\np5,-0.9\np4,0.1\np3,1.2\np2,-0.3\np1,0.5\n")
	s.write("new_a.csv", "id,age,ward\nq1,51,n\nq2,44,s\nq10,60,s\n")
	s.write("new_b.csv", "id,x\nq10,-1\nq1,0.3\nq2,0\n")
	s.write("new.csv", "id\nq2\nq1\nq10\n")
	for name, text := range tables {
		s.write(name, text)
	}
	s.must("demo", "start", "m.vfl", "-o", "demo", "--seed", "7", "--wait", "--chains", "2", "--warmup", "20",
		"--max-depth", "4", "--draws", "20")
	s.must("run", "m.vfl", "-o", "whole", "--seed", "7", "--secure-sum=on", "--chains", "2", "--warmup", "20",
		"--max-depth", "4", "--draws", "20", "--quiet")
	return s
}

// A played is a party's process of a task.
type played struct {
	*exec.Cmd
	out printed
}

// A printed is what a process has printed, which may be read while it runs.
type printed struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

// Write implements io.Writer.
func (p *printed) Write(b []byte) (int, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.text.String()
}

// play starts the party of the demonstration, with the arguments of its task.
func (s *stage) play(party string, args ...string) *played {
	return s.playOf(party, "demo/programs", args...)
}

// playOf is play with other programs.
func (s *stage) playOf(party, programs string, args ...string) *played {
	s.t.Helper()
	verb := []string{"join"}
	if party == "server" {
		at := s.demo().Processes[0].Args
		verb = []string{"serve", "--listen", at[slices.Index(at, "--listen")+1], "--seed", "7"}
	}
	p := &played{Cmd: exec.Command("vflc",
		slices.Concat(verb, []string{programs, "--identity", "demo/parties/" + party}, args)...)}
	p.Dir, p.Stdout, p.Stderr = s.dir, &p.out, &p.out
	if err := p.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = p.Process.Kill() })
	return p
}

// has reports whether a file is there.
func has(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// end waits until the process has ended without an error.
func (s *stage) end(all ...*played) {
	s.t.Helper()
	late := time.AfterFunc(await.Patience, func() { // one that has failed lets the others wait
		for _, p := range all {
			_ = p.Process.Kill()
		}
	})
	defer late.Stop()
	for _, p := range all {
		if err := p.Wait(); err != nil {
			s.t.Errorf("%v: %v\n%s", p.Args, err, p.out.String())
		}
	}
}

// fail waits until all processes have ended with an error of their own.
func (s *stage) fail(all ...*played) {
	s.t.Helper()
	late := time.AfterFunc(await.Patience, func() {
		s.t.Error("a process did not end")
		for _, p := range all {
			_ = p.Process.Kill()
		}
	})
	defer late.Stop()
	for _, p := range all {
		if err := p.Wait(); err == nil {
			s.t.Errorf("%v\n%s", p.Args, p.out.String())
		}
	}
}

// ofFits matches the findings about the fits of a cross-validation, which across machines each party has for
// itself.
var ofFits = regexp.MustCompile(`(?s),\n  "findings": \[.*\n  \]\n}`)

// wantSame compares a file with what a command prints, but for findings about fits.
func (s *stage) wantSame(file string, args ...string) {
	s.t.Helper()
	cmd := exec.Command("vflc", args...)
	cmd.Dir = s.dir
	want, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("vflc %v: %v", args, err)
	}
	want = ofFits.ReplaceAll(want, []byte("\n}"))
	if got := s.read(file); got != string(want) || len(want) == 0 {
		s.t.Errorf("%s\n%s\nvflc %s\n%s", file, got, strings.Join(args, " "), want)
	}
}

// loo are the estimates of vflc loo for the response of a run.
func (s *stage) loo(run string) map[string]float64 {
	s.t.Helper()
	var out struct {
		Responses []map[string]any `json:"responses"`
	}
	text := s.must("loo", run, "--json", "--quiet")
	if err := json.Unmarshal([]byte(text[strings.Index(text, "{"):strings.LastIndex(text, "}")+1]),
		&out); err != nil || len(out.Responses) != 1 {
		s.t.Fatal(err, text)
	}
	values := map[string]float64{}
	for k, v := range out.Responses[0] {
		if v, ok := v.(float64); ok {
			values[k] = v
		}
	}
	return values
}

// Starting values that each party has for its own parameters are those of a run in one process that has them
// all.
func TestStartingValuesApart(t *testing.T) {
	t.Parallel()
	s := newTasks(t)
	s.write("all.json", `{"m":0.7,"ba":[0.5,-0.5,0.1],"bb":-1.2}`)
	inits := map[string]string{"server": `{"m":0.7}`, "a": `{"ba":[0.5,-0.5,0.1]}`, "b": `{"bb":-1.2}`}
	args := []string{"--chains", "1", "--warmup", "0", "--draws", "5"}
	var all []*played
	for _, party := range []string{"server", "a", "b"} {
		s.write(party+".json", inits[party])
		given := []string{"--data", "m/" + party + ".csv", "--inits", party + ".json", "-o",
			"placed/" + party}
		if party == "server" {
			given = append(given, args...)
		}
		all = append(all, s.play(party, given...))
	}
	s.end(all...)
	s.must(slices.Concat([]string{"run", "m.vfl", "-o", "began", "--seed", "7", "--secure-sum=on", "--inits",
		"all.json", "--quiet"}, args)...)
	want := s.draws("began")
	for party, name := range map[string]string{"server": "chain-1.csv m", "a": "chain-1.csv ba.2",
		"b": "chain-1.csv bb"} {
		if got := s.draws("placed/" + party)[name]; got == "" || got != want[name] {
			t.Errorf("%s: %v, in one process %v", name, got, want[name])
		}
	}
	s.must(slices.Concat([]string{"run", "m.vfl", "-o", "elsewhere", "--seed", "7", "--secure-sum=on",
		"--quiet"}, args)...)
	if want["chain-1.csv m"] == s.draws("elsewhere")["chain-1.csv m"] {
		t.Error("the run did not begin at the values")
	}
}

// Chains that begin where those of an earlier run have ended, of which each party has its part, are those of
// one process; a folder that is not that part is refused, by its name.
func TestChainsApartBeginWhereARunHasEnded(t *testing.T) {
	t.Parallel()
	s := newTasks(t)
	args := []string{"--chains", "3", "--warmup", "10", "--max-depth", "4", "--draws", "20"}
	start := func(party, from, dir string, more ...string) *played {
		given := []string{"--data", "m/" + party + ".csv", "--from", from, "-o", dir + "/" + party}
		if party == "server" {
			given = append(given, args...)
		}
		return s.play(party, append(given, more...)...)
	}
	s.end(start("server", "demo/runs/server", "warm"), start("a", "demo/runs/a", "warm"),
		start("b", "demo/runs/b", "warm"))
	s.must(slices.Concat([]string{"run", "m.vfl", "-o", "again", "--seed", "7", "--secure-sum=on", "--from",
		"whole", "--quiet"}, args)...)
	s.must(slices.Concat([]string{"run", "m.vfl", "-o", "cold", "--seed", "7", "--secure-sum=on", "--quiet"},
		args)...)
	want, cold := s.draws("again"), s.draws("cold")
	for party, names := range map[string][]string{"server": {"m"}, "a": {"ba.1", "ba.2"}, "b": {"bb"}} {
		got := s.draws("warm/" + party)
		for _, name := range names {
			for _, chain := range []string{"chain-1.csv ", "chain-2.csv ", "chain-3.csv "} {
				if v := got[chain+name]; v == "" || v != want[chain+name] || v == cold[chain+name] {
					t.Errorf("%s, %s: %v, in one process %v, from the beginning %v", party, chain+name, v,
						want[chain+name], cold[chain+name])
				}
			}
		}
	}

	// A folder of another run at one party ends the run everywhere; each has its reason.
	server, a, b := start("server", "demo/runs/server", "wrong"), start("a", "warm/a", "wrong"),
		start("b", "demo/runs/b", "wrong")
	s.fail(server, a, b)
	if out := a.out.String(); !strings.Contains(out, "V0607") ||
		!strings.Contains(out, "--from warm/a is run") {
		t.Error(out)
	}
	if out := server.out.String(); !strings.Contains(out, "a does not take the settings of the run") {
		t.Error(out)
	}
	for text, wrong := range map[string][]string{
		"holds no part of a run across processes":  {"--from", "whole"},
		"it is the part of b, and this party is a": {"--from", "demo/runs/b"},
		"name the same folder":                     {"--from", "warm/a", "-o", "warm/a"},
		"--from is for one fit":                    {"--from", "warm/a", "--cv", "3"},
	} {
		if out, err := s.vflc(slices.Concat([]string{"join", "demo/programs", "--identity", "demo/parties/a",
			"--data", "m/a.csv", "-o", "x"}, wrong)...); err == nil || !strings.Contains(out, text) {
			t.Errorf("%v: %v\n%s", wrong, err, out)
		}
	}
}

// Parties apart predict new rows, and compare their own with replicates, as one process does, byte for byte;
// also where one of them is killed on the way.
func TestPredictionsApartEqualOneProcess(t *testing.T) {
	t.Parallel()
	s := newTasks(t)
	tables := map[string]string{"server": "new.csv", "a": "new_a.csv", "b": "new_b.csv"}
	start := func(party string) *played {
		return s.play(party, "--predict", "demo/runs/"+party, "--data", tables[party], "-o", "new/"+party)
	}
	killed := start("a")
	if !await.Until(func() bool { return has(filepath.Join(s.dir, "new/a/session", node.StatusFile)) }) {
		t.Fatal(killed.out.String())
	}
	_ = killed.Process.Kill()
	_ = killed.Wait()
	s.end(start("server"), start("a"), start("b"))
	s.wantSame("new/server/"+posterior.PredictedFile, "predict", "whole", "--data", "a=new_a.csv", "--data",
		"b=new_b.csv", "--seed", "7", "--json")
	if text := s.read("new/a/" + posterior.PredictedFile); strings.Contains(text, "mean") {
		t.Error("a client has predictions", text)
	}

	check := func(party string) *played {
		return s.play(party, "--ppc", "demo/runs/"+party, "-o", "checked/"+party)
	}
	s.end(check("server"), check("a"), check("b"))
	s.wantSame("checked/server/"+posterior.ChecksFile, "ppc", "whole", "--written", "--draws", "0", "--seed", "7",
		"--json")

	weigh := func(party string) *played {
		return s.play(party, "--log-lik", "demo/runs/"+party, "-o", "weighed/"+party)
	}
	s.end(weigh("server"), weigh("a"), weigh("b"))
	for _, what := range []string{"elpd", "p"} {
		apart, whole := s.loo("demo/runs/server")[what], s.loo("whole")[what]
		if diff := math.Abs(apart - whole); !(diff < 1e-9) {
			t.Errorf("%s: %v apart, %v in one process", what, apart, whole)
		}
	}
	if out, err := s.vflc("predict", "demo/runs/server"); err == nil ||
		!strings.Contains(out, "vflc serve PROGRAMS") {
		t.Error(err, out)
	}

	// An effect across machines is a prediction of rows that each party makes up from its own table.
	for party, flags := range map[string][]string{"server": nil, "a": {"--range", "40:60"},
		"b": {"--at", "x=0.5"}} {
		s.must(slices.Concat([]string{"effects", "demo/runs/" + party, "age", "--points", "6", "--rows",
			"rows_" + party + ".csv"}, flags)...)
	}
	if want := "id,age,ward\n1,40,n\n2,44,n\n"; !strings.HasPrefix(s.read("rows_a.csv"), want) {
		t.Error(s.read("rows_a.csv"))
	}
	along := func(party string) *played {
		return s.play(party, "--predict", "demo/runs/"+party, "--data", "rows_"+party+".csv", "-o", "along/"+party)
	}
	s.end(along("server"), along("a"), along("b"))
	s.wantSame("along/server/"+posterior.PredictedFile, "predict", "whole", "--data", "a=rows_a.csv", "--data",
		"b=rows_b.csv", "--seed", "7", "--json")
	if out := s.must("effects", "demo/runs/a", "age", "--rows", "rows_a.csv", "--predictions",
		"along/server/"+posterior.PredictedFile, "--band", "0.9"); strings.Count(out, "  y ") != 6 {
		t.Error(out)
	}

	// What has crossed is in the ledgers of the sender and of the receiver.
	for _, party := range []string{"a", "b"} {
		if err := os.CopyFS(filepath.Join(s.dir, "new/all"),
			os.DirFS(filepath.Join(s.dir, "new", party, "ledger"))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(s.dir, "new/server/ledger"),
		os.DirFS(filepath.Join(s.dir, "new/all"))); err != nil {
		t.Fatal(err)
	}
	if text := s.must("audit", "new/server"); !strings.Contains(text,
		"all as the script of the session has them") || strings.Contains(text, "No ledger was given") {
		t.Error(text)
	}
}

// A cross-validation apart is that of one process, byte for byte, also where the server is killed in it.
func TestCrossValidationApartEqualsOneProcess(t *testing.T) {
	t.Parallel()
	s := newTasks(t)
	fits := []string{"--chains", "1", "--warmup", "20", "--max-depth", "4", "--draws", "20"}
	start := func(party string) *played {
		args := []string{"--cv", "3", "--data", "m/" + party + ".csv", "-o", "validated/" + party}
		if party == "server" {
			args = append(args, fits...)
		}
		return s.play(party, args...)
	}
	a, b, server := start("a"), start("b"), start("server")
	second := filepath.Join(s.dir, "validated/server/fold-2/fit/session", posterior.SessionFile)
	if !await.Until(func() bool { return has(second) }) {
		t.Fatal(server.out.String())
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	s.end(start("server"), a, b)
	s.wantSame("validated/server/"+posterior.ValidationFile,
		slices.Concat([]string{"cv", "m.vfl", "--folds", "3", "--seed", "7", "--secure-sum=on", "--json",
			"--quiet"}, fits)...)
	if text := s.must("status", "validated/server"); !strings.Contains(text, node.Complete) {
		t.Error(text)
	}
}

// What parties were started for must agree: else each says what the server asked for.
func TestTasksMustAgree(t *testing.T) {
	t.Parallel()
	s := newTasks(t)
	a := s.play("a", "--predict", "demo/runs/a", "--data", "new_a.csv", "-o", "new/a")
	b := s.play("b", "--ppc", "demo/runs/b", "-o", "new/b")
	server := s.play("server", "--predict", "demo/runs/server", "--data", "new.csv", "-o", "new/server")
	for _, p := range []*played{b, server, a} {
		if err := p.Wait(); err == nil {
			t.Errorf("%v\n%s", p.Args, p.out.String())
		}
	}
	if !strings.Contains(b.out.String(), "another manifest") ||
		!strings.Contains(server.out.String(), "b has another manifest") {
		t.Errorf("%s\n%s", b.out.String(), server.out.String())
	}
	for _, wrong := range [][]string{
		{"join", "demo/programs", "--identity", "demo/parties/a", "--predict", "nowhere", "-o", "x"},
		{"join", "demo/programs", "--identity", "demo/parties/a", "--predict", "demo/runs/a", "--cv", "3",
			"-o", "x"},
		{"join", "demo/programs", "--identity", "demo/parties/a", "--cv", "1", "-o", "x"},
		{"join", "demo/programs/predict", "--identity", "demo/parties/a", "--data", "m/a.csv", "-o", "x"},
	} {
		if out, err := s.vflc(wrong...); err == nil || strings.Contains(out, "panic") {
			t.Errorf("vflc %v: %v\n%s", wrong, err, out)
		} else {
			t.Log(out)
		}
	}
}

// Rows with missing cells are left out at all parties, whatever they do together: of a run and of new rows,
// joined on a key and in the order of the files.
func TestTasksApartLeaveOutIncompleteRows(t *testing.T) {
	t.Parallel()
	model := strings.NewReplacer("onehot(ward)", "onehot(ward) missing drop", "x : real[N] @ b",
		"x : real[N] @ b missing drop").Replace(taskModel)
	s := newTasksOf(t, model, map[string]string{
		"m/a.csv":   "id,age,ward\np1,50,n\np2,40,s\np3,61,n\np4,,n\np5,39,s\np6,42,n\np7,58,s\np8,47,n\np9,52,s\n",
		"m/b.csv":   "id,x\np9,0.4\np8,-1.1\np7,0.8\np6,\np5,-0.9\np4,0.1\np3,1.2\np2,-0.3\np1,0.5\n",
		"new_a.csv": "id,age,ward\nq1,51,n\nq2,,s\nq10,60,s\n",
	})
	tables := map[string]string{"server": "new.csv", "a": "new_a.csv", "b": "new_b.csv"}
	task := func(folder string, args func(party string) []string) {
		t.Helper()
		var all []*played
		for _, party := range []string{"server", "a", "b"} {
			all = append(all, s.play(party, append(args(party), "-o", folder+"/"+party)...))
		}
		s.end(all...)
	}
	task("new", func(party string) []string {
		return []string{"--predict", "demo/runs/" + party, "--data", tables[party]}
	})
	s.wantSame("new/server/"+posterior.PredictedFile, "predict", "whole", "--data", "a=new_a.csv", "--data",
		"b=new_b.csv", "--seed", "7", "--json")
	if text := s.read("new/server/" + posterior.PredictedTable); strings.Contains(text, "q2") ||
		!strings.Contains(text, "q10") {
		t.Error(text)
	}
	if text := s.must("audit", "new/server"); !strings.Contains(text,
		"server told every client which rows all parties leave out: 1 of 3 (N).") {
		t.Error(text)
	}
	task("checked", func(party string) []string { return []string{"--ppc", "demo/runs/" + party} })
	s.wantSame("checked/server/"+posterior.ChecksFile, "ppc", "whole", "--written", "--draws", "0", "--seed", "7",
		"--json")
	task("weighed", func(party string) []string { return []string{"--log-lik", "demo/runs/" + party} })
	if apart, whole := s.loo("demo/runs/server")["elpd"],
		s.loo("whole")["elpd"]; !(math.Abs(apart-whole) < 1e-9) {
		t.Errorf("elpd: %v apart, %v in one process", apart, whole)
	}

	fits := []string{"--chains", "1", "--warmup", "20", "--max-depth", "4", "--draws", "20"}
	s.write("m/b.csv", "id,x\np1,0.5\np2,-0.3\np3,1.2\np4,0.1\np5,-0.9\np6,\np7,0.8\np8,-1.1\np9,0.4\n")
	for _, key := range []string{"id", "none"} {
		task("validated_"+key, func(party string) []string {
			args := []string{"--cv", "3", "--key", key, "--data", "m/" + party + ".csv"}
			if party == "server" {
				args = append(args, fits...)
			}
			return args
		})
		s.wantSame("validated_"+key+"/server/"+posterior.ValidationFile,
			slices.Concat([]string{"cv", "m.vfl", "--folds", "3", "--seed", "7", "--secure-sum=on", "--key",
				key, "--json"}, fits)...)
	}
}
