//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Fits at several rho across machines are those of vflc run --extrapolate, byte for byte, and each party
// extrapolates its own parameters as one process does. What a policy refuses ends before the first of them.
func TestExtrapolationApart(t *testing.T) {
	t.Parallel()
	s := newTasksOf(t, strings.Replace(taskModel, "transform exact", "transform augmented(rho = 0.5)", 1),
		nil)
	const rhos = "0.6,0.4,0.2"
	fits := []string{"--chains", "2", "--warmup", "20", "--draws", "20"}
	s.must("compile", "--split-by", "client", "m.vfl", "--extrapolate", "--rho", rhos, "-o", "several")
	s.must(slices.Concat([]string{"run", "m.vfl", "--extrapolate", "--rho", rhos, "-o", "one", "--seed", "7",
		"--wire", "fixed", "--quiet"}, fits)...)
	play := func(party, dir string) *played {
		args := []string{"--extrapolate", "--data", "m/" + party + ".csv", "-o", dir + "/" + party, "--json"}
		if party == "server" {
			args = append(args, fits...)
		}
		p := s.playOf(party, "several", args...)
		return p
	}

	// A party whose policy does not allow the smallest rho ends before the first fit.
	s.write("demo/parties/b/policy.toml", "min_rho = 0.3\nmin_contributors = 2\n")
	b := play("b", "refused")
	s.fail(b)
	if out := b.out.String(); !strings.Contains(out, "V0683") ||
		!strings.Contains(out, "the run has rho 0.2") {
		t.Error(out)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "refused")); err == nil {
		t.Error("a folder was made")
	}
	if out, err := s.vflc("preflight", "several", "--identity", "demo/parties/b", "--data", "m/b.csv",
		"--extrapolate"); err == nil || !strings.Contains(out, "rho = 0.2: policy: min_rho") ||
		strings.Contains(out, "rho = 0.4: policy: min_rho  the policy wants") {
		t.Error(err, out)
	}
	s.write("demo/parties/b/policy.toml", "min_rho = 0.2\nmin_contributors = 2\nsigned_by = [\"server\"]\n")
	s.must("provision", "sign", "several", "--identity", "demo/parties/server")

	all := []*played{play("server", "series"), play("a", "series"), play("b", "series")}
	s.end(all...)
	want := map[string]json.RawMessage{}
	type table struct {
		Parameters []map[string]json.RawMessage `json:"parameters"`
	}
	read := func(text string) (out table) {
		if err := json.Unmarshal([]byte(text[strings.Index(text, "{"):]), &out); err != nil {
			t.Fatal(err, text)
		}
		return out
	}
	line := func(p map[string]json.RawMessage) json.RawMessage {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, p := range read(s.must("summary", "one", "--json")).Parameters {
		want[string(p["name"])] = line(p)
	}
	for party, n := range map[string]int{"server": 1, "a": 3, "b": 1} {
		own := read(s.must("summary", "series/"+party, "--json")).Parameters
		if len(own) != n {
			t.Errorf("%s has %d parameters", party, len(own))
		}
		for _, p := range own {
			if got := line(p); string(got) != string(want[string(p["name"])]) {
				t.Errorf("%s: %s, in one process %s", party, got, want[string(p["name"])])
			}
		}
	}
	if text := s.must("status", "series/a"); !strings.Contains(text, "complete") {
		t.Error(text)
	}
	if text := s.must("audit", "series/a/rho-0.4"); !strings.Contains(text,
		"all as the script of the session has them") {
		t.Error(text)
	}

	again := play("a", "series") // it is complete
	if err := again.Wait(); err != nil || !strings.Contains(again.out.String(), `"parameters"`) {
		t.Error(err, again.out.String())
	}
	for text, wrong := range map[string][]string{
		"several holds programs for several rho":  {"several", "--data", "m/a.csv"},
		"demo/programs has no extrapolation.json": {"demo/programs", "--data", "m/a.csv", "--extrapolate"},
		"exclude one another": {"several", "--data", "m/a.csv", "--extrapolate", "--cv",
			"3"},
		"is for one fit": {"several", "--data", "m/a.csv", "--extrapolate", "--from",
			"demo/runs/a"},
	} {
		if out, err := s.vflc(slices.Concat([]string{"join"}, wrong, []string{"--identity", "demo/parties/a",
			"-o", "x"})...); err == nil || !strings.Contains(out, text) {
			t.Errorf("%v: %v\n%s", wrong, err, out)
		}
	}
	s.write("several/extrapolation.json", strings.Replace(s.read("several/extrapolation.json"), `"rho": 0.4`,
		`"rho": 0.45`, 1))
	if out, err := s.vflc("join", "several", "--identity", "demo/parties/a", "--data", "m/a.csv",
		"--extrapolate", "-o", "x"); err == nil || !strings.Contains(out, "V0817") ||
		!strings.Contains(out, "have rho = 0.4") {
		t.Error(err, out)
	}
	if out, err := s.vflc("compile", "--split-by", "client", "m.vfl", "--extrapolate", "--rho", "0.6,0.4",
		"-o", "x"); err == nil || !strings.Contains(out, "needs 3 values of rho") {
		t.Error(err, out)
	}
}
