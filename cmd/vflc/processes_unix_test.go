//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/vflc/vflc/node"
	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/await"
	lab "github.com/vflc/vflc/tests/parties"
)

// The model of the demonstrations: two clients and a server, 40 rows.
const demoModel = lab.Model

// A stage is a folder with the model, its tables and demonstrations of it.
type stage struct {
	t   *testing.T
	dir string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t, t.TempDir()}
	noise := rand.New(rand.NewPCG(1, 2))
	var y, a, b bytes.Buffer
	y.WriteString("id,y\n")
	a.WriteString("id,xa\n")
	b.WriteString("id,xb\n")
	for id := range 40 {
		xa, xb := noise.NormFloat64(), noise.NormFloat64()
		fmt.Fprintf(&a, "%d,%v\n", id, xa)

		fmt.Fprintf(&y, "%d,%v\n", id, 0.5+xa-xb+noise.NormFloat64())
	}
	b.Reset()
	b.WriteString("id,xb\n")
	for id := 39; id >= 0; id-- {
		fmt.Fprintf(&b, "%d,%v\n", id, noise.NormFloat64())
	}
	s.write("m.vfl", demoModel)
	s.write("m/server.csv", y.String())
	s.write("m/a.csv", a.String())
	s.write("m/b.csv", b.String())
	return s
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// vflc runs the program of this test's own binary: see TestMain.
func (s *stage) vflc(args ...string) (string, error) {
	cmd := exec.Command("vflc", args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *stage) must(args ...string) string {
	s.t.Helper()
	out, err := s.vflc(args...)
	if err != nil {
		s.t.Fatalf("vflc %s: %v\n%s%s", strings.Join(args, " "), err, out, s.logs("demo"))
	}
	return out
}

// logs are what the processes of a demonstration have printed.
func (s *stage) logs(demo string) (all string) {
	files, _ := filepath.Glob(filepath.Join(s.dir, demo, "*.log"))
	for _, f := range files {
		text, _ := os.ReadFile(f)
		all += f + "\n" + string(text)
	}
	return all
}

// stopAfter ends the processes of a demonstration after the test.
func (s *stage) stopAfter(demo string) {
	s.t.Cleanup(func() { s.kill(demo) })
}

// kill ends the processes of a demonstration, where there are any, and waits until they are gone.
func (s *stage) kill(demo string) {
	d, err := readDemo(filepath.Join(s.dir, demo))
	if err != nil {
		return
	}
	for _, p := range d.Processes {
		if alive(p.Process) {
			_ = syscall.Kill(p.Process, syscall.SIGKILL)
		}
	}
	for _, p := range d.Processes {
		await.Until(func() bool { return !alive(p.Process) })
	}
}

func (s *stage) demo() *demo {
	s.t.Helper()
	d, err := readDemo(filepath.Join(s.dir, "demo"))
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// draws are the draws of a run by chain and column, see lab.Draws.
func (s *stage) draws(dir string) map[string]string {
	s.t.Helper()
	draws, err := lab.Draws(filepath.Join(s.dir, dir))
	if err != nil {
		s.t.Fatal(err)
	}
	return draws
}

// wantWhole compares what the parties of the demonstration wrote with a run in one process.
func (s *stage) wantWhole(whole string) {
	s.t.Helper()
	want := s.draws(whole)
	seen := 0
	for _, p := range s.demo().Processes {
		for key, got := range s.draws(filepath.Join("demo", "runs", fileOf(p.Party))) {
			if got != want[key] {
				s.t.Errorf("%s: %s differs from that of a run in one process", p.Party, key)
			}
			seen++
		}
	}
	if seen != len(want) || seen == 0 {
		s.t.Errorf("the parties have %d columns of draws, the run in one process %d", seen, len(want))
	}
}

// Processes that meet over the network have the draws of a run in one process on the same wire, masked or
// not; bench/parties -wires does so for every backend, transform and wire.
func TestProcessesEqualOneProcess(t *testing.T) {
	t.Parallel()
	soul := []string{"--transform", "power", "--rho", "0.4", "--backend", "soul", "--iterations", "30",
		"--draws", "20"}
	for name, args := range map[string][]string{
		"nuts exact": {"--transform", "exact", "--chains", "2", "--warmup", "30", "--max-depth", "4",
			"--draws", "20"},
		"sfvi augmented": {"--backend", "sfvi", "--estimator", "sampled", "--iterations", "60",
			"--elbo-draws", "100", "--draws", "30"},
		"sfvi quadrature": {"--transform", "power", "--rho", "0.4", "--backend", "sfvi", "--draws", "30"},
		"sfvi fixed": {"--transform", "exact", "--backend", "sfvi", "--estimator", "fixed", "--draws",
			"30"},
		"sfvi nested": {"--transform", "exact", "--backend", "sfvi", "--estimator", "nested", "--draws",
			"30"},
		"sfvi steps": {"--backend", "sfvi", "--estimator", "sampled", "--local-steps", "3",
			"--iterations", "60", "--elbo-draws", "100", "--draws", "30"},
		"soul power": soul,
		"soul bare":  soul,
		"sfvi plain": {"--transform", "exact", "--backend", "sfvi", "--estimator", "sampled",
			"--iterations", "60", "--elbo-draws", "100", "--draws", "30"},
		"nuts plain": {"--chains", "1", "--warmup", "20", "--max-depth", "4", "--draws", "10"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stopAfter("demo")
			wire, masks := "--wire=fixed", "--secure-sum=on"
			switch _, how, _ := strings.Cut(name, " "); how {
			case "bare": // on the wire of masks, without them
				masks = "--secure-sum=off"
			case "plain":
				wire, masks = "--wire=plain", "--secure-sum=off"
			}
			s.must(append([]string{"demo", "start", "m.vfl", "-o", "demo", "--seed", "7", "--wait", wire,
				masks}, args...)...)
			s.must(append([]string{"run", "m.vfl", "-o", "whole", "--seed", "7", wire}, args...)...)
			s.wantWhole("whole")
			var r ledger.Reconciliation
			if err := json.Unmarshal([]byte(s.must("audit", "demo", "--json")), &r); err != nil ||
				r.Messages == 0 || r.Both != r.Messages || r.Lost != 0 || len(r.Unclosed) != 0 ||
				len(r.Parties) != 3 {
				t.Error(err, r)
			}
			var own ledger.Reconciliation
			if err := json.Unmarshal([]byte(s.must("audit", "demo/runs/a", "--json")), &own); err != nil ||
				len(own.Verdict) == 0 || !slices.Equal(own.Verdict, r.Verdict) {
				t.Error(err, own.Verdict, r.Verdict)
			}
			s.write("demo/runs/a/programs/manifest.json", s.read("demo/runs/a/programs/manifest.json")+" ")
			if text, err := s.vflc("audit", "demo/runs/a"); err == nil || !strings.Contains(text, "V0698") {
				t.Errorf("another manifest beside the ledger: %v %s", err, text)
			}
			var all []*node.Status
			if err := json.Unmarshal([]byte(s.must("status", "demo", "--json")), &all); err != nil ||
				len(all) != 3 || all[0].State != node.Complete {
				t.Error(err, all)
			}
			var doc posterior.SummaryDocument
			if err := json.Unmarshal([]byte(s.must("summary", "demo/runs/a", "--json")), &doc); err != nil {
				t.Error(err)
			}
		})
	}
}

// hasStatus waits until the status of a party's run has a text, and reports whether it does: a run that is
// complete may have missed it.
func (s *stage) hasStatus(party, text string) (has bool) {
	s.t.Helper()
	file := filepath.Join(s.dir, "demo", "runs", party, "session", node.StatusFile)
	var got []byte
	if !await.Until(func() bool {
		got, _ = os.ReadFile(file)
		has = strings.Contains(string(got), text)
		return has || strings.Contains(string(got), `"state": "`+node.Complete+`"`)
	}) {
		s.t.Fatalf("%s: no %q:\n%s", party, text, got)
	}
	return has
}

// meet starts demonstrations, each four times as long as the one before, until what is done to one has met it
// under way, as do reports. It returns the settings of that one.
func (s *stage) meet(settings func(n int) []string, do func() bool) []string {
	s.t.Helper()
	for n := 1; ; n *= 4 {
		given := settings(n)
		s.must(append([]string{"demo", "start", "m.vfl", "-o", "demo"}, given...)...)
		if do() {
			return given
		}
		s.t.Logf("%q: it was complete before", given)
		s.kill("demo")
		s.clean("demo")
	}
}

// oneChain are the settings of a demonstration whose one chain has 150 draws behind a warm-up that is as
// long. It saves so often that a test sees soon that it is under way.
func oneChain(n int) []string {
	return []string{"--chains", "1", "--warmup", fmt.Sprint(150 * n), "--draws", fmt.Sprint(150 * n),
		"--checkpoint-interval", "20ms"}
}

// A client that answers no more is named by all others; the run goes on when it is back, with the same draws.
// The benchmark bench/parties tells after how long it is named.
func TestSilentPartyIsNamedEverywhere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	args := s.meet(oneChain, func() bool {
		silent := s.demo().Processes[1].Process
		if !s.reach("a", 1) || syscall.Kill(silent, syscall.SIGSTOP) != nil {
			return false
		}
		defer func() { _ = syscall.Kill(silent, syscall.SIGCONT) }()
		const named = `"a": "nothing was heard from it for 6 s"`
		return s.hasStatus("server", named) && s.hasStatus("b", named)
	})
	s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")
	s.must(append([]string{"run", "m.vfl", "-o", "whole", "--secure-sum=on"}, args...)...)
	s.wantWhole("whole")
}

// A demonstration that is stopped goes on with what it had saved.
func TestStoppedProcessesGoOn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	args := s.meet(func(n int) []string {
		return []string{"--chains", "2", "--warmup", fmt.Sprint(100 * n), "--draws", fmt.Sprint(100 * n),
			"--checkpoint-interval", "20ms"}
	}, func() bool {
		s.reach("a", 1)
		server := s.demo().Processes[0]
		// at once: the command takes a while to begin
		_ = node.AskToStop(filepath.Join(s.dir, "demo", "runs", server.Party), server.Process)
		s.must("demo", "stop", "demo")
		out := s.must("status", "demo")
		if strings.Contains(out, node.Complete) {
			return false
		}
		if strings.Count(out, "stopped") != 3 || strings.Count(out, "(ended)") != 3 {
			t.Error(out)
		}
		return true
	})
	s.must("demo", "start", "-o", "demo")
	if err := syscall.Kill(s.demo().Processes[2].Process, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	s.must("demo", "stop", "demo") // though the others wait for the one that is gone
	s.must("demo", "start", "-o", "demo", "--wait")
	if out := s.must("demo", "start", "m.vfl", "-o", "demo", "--draws", "7"); !strings.Contains(out,
		"goes on with the model, tables and settings that it was begun with") {
		t.Error("another number of draws:", out)
	}
	for party, command := range map[string]string{"server": "vflc serve", "a": "vflc join"} {
		if out, err := s.vflc("resume", "demo/runs/"+party); err == nil ||
			!strings.Contains(out, "start the command that began it again") ||
			!strings.Contains(out, command) {
			t.Errorf("vflc resume of %s's part: %v %s", party, err, out)
		}
	}
	if out, err := s.vflc("demo", "start", "-o", "none"); err == nil ||
		!strings.Contains(out, "name the MODEL of a new one") {
		t.Error(err, out)
	}
	if log := s.must("logs", "demo/runs/server"); !strings.Contains(log,
		"the run goes on from what all parties have saved") {
		t.Error(log)
	}
	s.must(append([]string{"run", "m.vfl", "-o", "whole", "--secure-sum=on"}, args...)...)
	s.wantWhole("whole")
}

// A party whose certificate is revoked while it takes part is disconnected; everyone is told its name and
// why, and the run waits. With a new certificate it goes on, with the same draws.
func TestRevokedPartyIsCutOff(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	args := s.meet(oneChain, func() bool {
		b := s.demo().Processes[2].Process
		// the run waits for it, and does not end meanwhile
		if !s.reach("a", 1) || syscall.Kill(b, syscall.SIGSTOP) != nil {
			return false
		}
		defer func() { _ = syscall.Kill(b, syscall.SIGCONT) }()
		s.must("provision", "revoke", "demo/project", "a")
		s.write("demo/parties/server/revoked.crl", s.read("demo/project/revoked.crl"))
		const revoked = `"a": "its certificate was revoked"`
		if !s.hasStatus("server", revoked) || syscall.Kill(b, syscall.SIGCONT) != nil {
			return false
		}
		return s.hasStatus("b", revoked) && s.hasStatus("a", `"server": "nothing was heard from it for 6 s"`)
	})
	s.must("stop", "demo/runs/a")
	if log := s.must("logs", "demo/runs/server"); !strings.Contains(log,
		"a is refused: its certificate was revoked") || !strings.Contains(log, "V0827") {
		t.Error(log)
	}
	if log := s.ended("a"); !strings.Contains(log,
		"the server refuses this party's certificate; its log says why") {
		t.Error(log)
	}
	s.must("provision", "request", "new", "--project", "demo", "--party", "a")
	s.must("provision", "add", "demo/project", "new/request.csr")
	for _, file := range []string{"party.key", "party.crt", "revoked.crl"} {
		from := "demo/project/bundles/a/" + file
		if file == "party.key" {
			from = "new/" + file
		}
		s.write("demo/parties/a/"+file, s.read(from))
	}
	s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")
	s.must(append([]string{"run", "m.vfl", "-o", "whole", "--secure-sum=on"}, args...)...)
	s.wantWhole("whole")
}

// ended waits for a process of a demonstration to end, and returns what it printed.
func (s *stage) ended(party string) string {
	s.t.Helper()
	for _, p := range s.demo().Processes {
		if p.Party == party && !await.Until(func() bool { return !alive(p.Process) }) {
			s.t.Errorf("%s is still running", party)
		}
	}
	text, err := os.ReadFile(filepath.Join(s.dir, "demo", party+".log"))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// What does not fit ends the run at every party, with the reason where it is and a name and a code elsewhere.
func TestRunsThatCannotBegin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(s *stage)
		want  map[string]string
	}{
		"other rows": {
			func(s *stage) { s.write("m/b.csv", strings.Replace(s.read("m/b.csv"), "\n39,", "\n40,", 1)) },
			map[string]string{"server": "server and b hold other rows, or in another order",
				"a": "server and b hold other rows", "b": "server and b hold other rows"},
		},
		"fewer rows": {
			func(s *stage) {
				s.write("m/b.csv", strings.Join(strings.SplitAfter(s.read("m/b.csv"), "\n")[:40], ""))
			},
			map[string]string{"server": "the size N is 40 at server, but 39 at b",
				"a": "the size N is 40 at server"},
		},
		"other shared data": {
			func(s *stage) {
				s.write("m/shared.csv",
					regexp.MustCompile("(?m)^7,.*$").ReplaceAllString(s.read("m/server.csv"), "7,3.5"))
				d := s.demo()
				args := d.Processes[2].Args
				for k, arg := range args {
					if strings.HasPrefix(arg, "shared=") {
						args[k] = "shared=" + filepath.Join(s.dir, "m", "shared.csv")
					}
				}
				if err := d.write(); err != nil {
					s.t.Fatal(err)
				}
			},
			map[string]string{"server": "the shared data y of a and b differ",
				"a": "the shared data y of a and b differ", "b": "the shared data y of a and b differ"},
		},
		"altered program": {
			func(s *stage) {
				s.write("demo/programs-b/manifest.json", s.read("demo/programs/manifest.json"))
				s.write("demo/programs-b/b.vfl", s.read("demo/programs/b.vfl")+"\n")
				d := s.demo()
				d.Processes[2].Args[1] = "programs-b"
				if err := d.write(); err != nil {
					s.t.Fatal(err)
				}
			},
			map[string]string{"b": "programs-b/b.vfl is not the program that the manifest lists: it was " +
				"changed since it was compiled"},
		},
		"broken data": {
			func(s *stage) {
				s.write("m/b.csv", strings.Replace(s.read("m/b.csv"), "\n38,", "\n38,nought", 1))
			},
			map[string]string{"server": "b found an error in its own data, which its " +
				"own log shows (code data)", "a": "b found an error in its own data", "b": "nought"},
		},
		"another manifest": {
			func(s *stage) {
				path := "demo/programs-b/manifest.json"
				s.write(path, strings.Replace(s.read("demo/programs/manifest.json"), `"model": "m"`,
					`"model": "n"`, 1))
				for _, party := range []string{"server", "a", "b"} {
					s.write("demo/programs-b/"+party+".vfl", s.read("demo/programs/"+party+".vfl"))
				}
				d := s.demo()
				d.Processes[2].Args[1] = "programs-b"
				if err := d.write(); err != nil {
					s.t.Fatal(err)
				}
			},
			map[string]string{"server": "b has another manifest or another program than the " +
				"server runs (code manifest)", "a": "b has another manifest",
				"b": "runs another manifest than n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stopAfter("demo")
			start := []string{"demo", "start", "m.vfl", "-o", "demo", "--chains", "1", "--warmup", "10",
				"--max-depth", "4", "--draws", "10"}
			if name == "other shared data" { // that the clients read too
				start = append(start, "--transform", "power", "--rho", "0.4")
			}
			s.must(start...)
			s.must("demo", "stop", "demo")
			for _, p := range s.demo().Processes { // the run begins anew
				if err := os.RemoveAll(filepath.Join(s.dir, "demo", "runs", p.Party)); err != nil {
					t.Fatal(err)
				}
			}
			c.spoil(s)
			s.must("demo", "start", "m.vfl", "-o", "demo")
			for party, want := range c.want {
				if log := s.ended(party); !strings.Contains(log, want) {
					t.Errorf("%s does not say %q:\n%s", party, want, log)
				}
			}
			for _, p := range s.demo().Processes {
				if alive(p.Process) && c.want[p.Party] != "" {
					t.Errorf("%s has not ended", p.Party)
				}
			}
			if log := s.ended("b"); name == "broken data" && strings.Contains(s.ended("server"), "nought") {
				t.Errorf("the text of an error has left its party:\n%s", log)
			}
		})
	}
}

func (s *stage) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// Members of a family, modules that a client keeps to itself and minibatches give the draws of a run in one
// process too.
func TestProcessesOfOtherModelsEqualOneProcess(t *testing.T) {
	t.Parallel()
	const family = `client lab[J]
data y : real[N] @ shared
data X : real[N, P] @ lab
param m ~ normal(0, 5)
param w : real[P] ~ normal(0, 1) @ lab
y ~ normal(m + sum(X[j] * w[j] for j in lab), 1)
transform augmented(rho = 0.5)
`
	module := strings.NewReplacer("data xb : real[N] @ b\n", "contribution c : real[N] @ b\n",
		"param bb ~ normal(0, 1) @ b\n", "", "xb * bb", "c").Replace(demoModel)
	scales := strings.NewReplacer("param ba ~ normal(0, 1) @ a",
		"param s ~ half_normal(1) @ shared\nparam mu ~ normal(0, 1) @ shared\nparam ba ~ normal(mu, s) @ a",
		"param bb ~ normal(0, 1) @ b",
		"param r ~ half_normal(1) @ b\nparam bb ~ normal(0, r) noncentered @ b").Replace(demoModel)
	network := strings.NewReplacer("param ba ~ normal(0, 1) @ a",
		"param ba ~ normal(0, 1) @ a\nparam v : real[3] ~ normal(0, 1) @ a\nparam w : "+
			"real[3] ~ normal(0, 1) @ a", "xa * ba", "xa * ba + tanh(outer(xa, v)) * w").Replace(demoModel)
	for name, c := range map[string]struct {
		model string
		args  []string
	}{
		// over a grid, as all agree
		"hierarchy": {scales, []string{"--transform", "exact", "--backend", "sfvi", "--draws", "100"}},
		"network": {network, []string{"--transform", "exact", "--backend", "sfvi", "--estimator",
			"last-layer", "--draws", "100"}},
		"family": {family, []string{"--chains", "1", "--warmup", "20", "--max-depth", "4", "--draws",
			"10"}},
		"module": {module, []string{"--chains", "1", "--warmup", "20", "--max-depth", "4", "--draws",
			"10"}},
		"drop": {strings.NewReplacer("@ a\nd", "@ a missing drop\nd", "real[N] @ b",
			"real[N] @ b missing drop").Replace(demoModel), []string{"--chains", "1", "--warmup", "20",
			"--max-depth", "4", "--draws", "10"}},
		"minibatch": {demoModel, []string{"--backend", "sfvi", "--minibatch", "12", "--iterations", "40",
			"--elbo-draws", "100", "--draws", "10"}},
		"powers": {demoModel, []string{"--transform", "power", "--rho", "0.4", "--backend", "sfvi",
			"--minibatch", "12", "--iterations", "40", "--elbo-draws", "100", "--draws", "10"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stopAfter("demo")
			s.write("m.vfl", c.model)
			switch name {
			case "family": // its members have one column and two
				s.write("m/lab/lab1.csv", s.read("m/a.csv"))
				var wide strings.Builder
				for k, line := range strings.Split(strings.TrimSpace(s.read("m/b.csv")), "\n") {
					if k == 0 {
						wide.WriteString("id,x1,x2\n")
						continue
					}
					fmt.Fprintf(&wide, "%s,%d\n", line, k%3)
				}
				s.write("m/lab/lab2.csv", wide.String())
			case "drop": // rows 3 and 17 at a, 17, 20 and 39 at b
				for file, ids := range map[string][]string{"m/a.csv": {"3", "17"},
					"m/b.csv": {"17", "20", "39"}} {
					text := s.read(file)
					for _, id := range ids {
						text = regexp.MustCompile("(?m)^"+id+",.*$").ReplaceAllString(text, id+",")
					}
					s.write(file, text)
				}
			case "module":
				s.write("m/b.vfl",
					"module b implements m\ndata own : real[N, Q] from xb\nparam slope : real[Q] ~ "+
						"normal(0, 1)\nc = own * slope\n")
			}
			s.must(append([]string{"demo", "start", "m.vfl", "-o", "demo", "--seed", "7", "--wait"},
				c.args...)...)
			s.must(append([]string{"run", "m.vfl", "-o", "whole", "--seed", "7", "--secure-sum=on"},
				c.args...)...)
			s.wantWhole("whole")
			if name != "drop" {
				return
			}
			out := s.must("audit", "demo")
			for _, want := range []string{
				"server told every client which rows all parties leave out: 4 of 40 (N).",
				"a told server which rows of the party are incomplete: 2 of 40 (N).",
				"b told server which rows of the party are incomplete: 3 of 40 (N).",
			} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
		})
	}
}

// A party that is killed when it has its results, while the run is ending, finds the run complete when it is
// started again.
func TestCompleteRunIsKnownAfterAKill(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	args := []string{"demo", "start", "m.vfl", "-o", "demo", "--backend", "sfvi", "--estimator", "quadrature",
		"--draws", "20", "--wait"}
	s.must(args...)
	forget := func(party string, with func(m map[string]any)) {
		path := "demo/runs/" + party + "/session/" + posterior.SessionFile
		m := map[string]any{}
		if err := json.Unmarshal([]byte(s.read(path)), &m); err != nil {
			t.Fatal(err)
		}
		with(m)
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		s.write(path, string(text))
	}
	// it was killed before it had heard that a knows
	forget("server", func(m map[string]any) { m["unaware"] = []string{"a"} })
	// it was killed before it was told
	forget("a", func(m map[string]any) { delete(m, "complete") })
	s.must(args...)
	if log := s.must("logs", "demo/runs/server"); !strings.Contains(log,
		"the run is complete; a may not know it yet") {
		t.Error(log)
	}
	if text := s.read("demo/runs/a/session/" + posterior.SessionFile); !strings.Contains(text,
		`"complete": true`) {
		t.Error(text)
	}
}
