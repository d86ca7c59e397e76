//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// What a party's policy does not allow ends the run at that party, by a code and the line; the others get its
// name and a code.
func TestPoliciesEndRuns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ policy, want string }{
		"contributors": {"", "V0686: the policy wants 3 clients or more in a masked sum"},
		"expired": {"expires = 2020-01-01\nmin_contributors = 2",
			"V0688: the policy has expired: its last day was 2020-01-01"},
		"adjoint": {"max_adjoint = 0.001\nmin_contributors = 2", "V0689: element"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.stopAfter("demo")
			s.must("demo", "start", "m.vfl", "-o", "demo", "--chains", "1", "--warmup", "2000", "--draws",
				"1000")
			s.must("demo", "stop", "demo")
			for _, p := range s.demo().Processes {
				if err := os.RemoveAll(filepath.Join(s.dir, "demo", "runs", p.Party)); err != nil {
					t.Fatal(err)
				}
			}
			s.write("demo/parties/b/policy.toml", c.policy+"\n")
			s.must("demo", "start", "m.vfl", "-o", "demo")
			if log := s.ended("b"); !strings.Contains(log, c.want) {
				t.Errorf("b does not say %q:\n%s", c.want, log)
			}
			golden, err := txtar.ParseFile("testdata/ended/V0677.txtar")
			if err != nil {
				t.Fatal(err)
			}
			for _, party := range []string{"server", "a"} {
				if log := s.ended(party); !strings.Contains(log, string(golden.Files[0].Data)) ||
					strings.Contains(log, c.want) {
					t.Errorf("%s:\n%s", party, log)
				}
			}
		})
	}
}

// What a policy says of the programs and the rows of a party is seen before a run, without the others.
func TestPreflightShowsThePolicy(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	s.must("demo", "start", "m.vfl", "-o", "demo", "--chains", "1", "--warmup", "20", "--max-depth", "4",
		"--draws", "10", "--wait")
	for policy, want := range map[string]string{
		"manifests = [\"" + strings.Repeat("0", 64) + "\"]": "V0682",
		"min_rho = 0.6": "the policy wants noise of sd 0.6 or more on what this party sends, " +
			"and the run has rho 0.5",
		"min_rows = 41":        "the policy wants 41 rows or more, and the run has 40",
		"max_rounds = 50":      "the runs on these rows have had the 50 rounds that the policy allows",
		"min_contributors = 1": "V0681",
	} {
		if strings.HasPrefix(policy, "max_rounds") { // a run that spends them
			s.write("demo/parties/b/policy.toml", policy+"\nmin_contributors = 2\n")
			s.must("demo", "stop", "demo")
			for _, p := range s.demo().Processes {
				if err := os.RemoveAll(filepath.Join(s.dir, "demo", "runs", p.Party)); err != nil {
					t.Fatal(err)
				}
			}
			s.must("demo", "start", "m.vfl", "-o", "demo")
			if log := s.ended("b"); !strings.Contains(log, "V0684: "+want) {
				t.Error(log)
			}
		}
		s.write("demo/parties/b/policy.toml", policy+"\n")
		if out, err := s.vflc("preflight", "demo/programs", "--identity", "demo/parties/b", "--data",
			"m/b.csv", "--data", "shared=m/server.csv"); err == nil || !strings.Contains(out, want) {
			t.Errorf("%s: no %q in\n%s", policy, want, out)
		}
	}
}

// A policy that allows a run changes nothing of it; the rounds of all runs on the same rows add up, and
// nearly the same rows are refused.
func TestPolicyRemembersRuns(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	args := []string{"--chains", "1", "--warmup", "50", "--max-depth", "4", "--draws", "50"}
	s.must(append([]string{"demo", "start", "m.vfl", "-o", "demo"}, args...)...)
	again := func() {
		t.Helper()
		s.must("demo", "stop", "demo") // a process that is ending would tell the next run of its own end
		for _, p := range s.demo().Processes {
			if err := os.RemoveAll(filepath.Join(s.dir, "demo", "runs", p.Party)); err != nil {
				t.Fatal(err)
			}
		}
	}
	again()
	s.must("provision", "sign", "demo/programs", "--identity", "demo/parties/server")
	s.write("demo/parties/b/policy.toml",
		"signed_by = [\"server\"]\ntransforms = [\"augmented\"]\nmin_rho = 0.5\nmin_contributors = "+
			"2\nmin_rows = 30\nmin_difference = 5\nkey = \"id\"\npeers = [\"server\", \"a\", \"b\"]\n")
	s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")
	s.must(append([]string{"run", "m.vfl", "-o", "whole", "--secure-sum=on"}, args...)...)
	s.wantWhole("whole")
	again()
	for _, file := range []string{"m/server.csv", "m/a.csv", "m/b.csv"} { // one row less
		var kept []string
		for line := range strings.Lines(s.read(file)) {
			if !strings.HasPrefix(line, "7,") {
				kept = append(kept, line)
			}
		}
		s.write(file, strings.Join(kept, ""))
	}
	s.must("demo", "start", "m.vfl", "-o", "demo")
	if log := s.ended("b"); !strings.Contains(log,
		"V0687: the rows differ in 1 from those of an earlier run") {
		t.Error(log)
	}
	again()
	// no longer what was signed
	s.write("demo/programs/manifest.json", s.read("demo/programs/manifest.json")+" ")
	s.must("demo", "start", "m.vfl", "-o", "demo")
	if log := s.ended("b"); !strings.Contains(log, "V0682: the policy wants the signature of server") {
		t.Error(log)
	}
}
