//go:build unix

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/await"
)

// Folds that follow from what one party has are those of one process: its response, and a column of a client
// whose policy allows it, also where rows are incomplete and a process is killed. They cross once, and stand
// in the ledgers of those that tell them.
func TestFoldsThatOnePartyTells(t *testing.T) {
	t.Parallel()
	model := strings.NewReplacer("@ shared", "@ server", "onehot(ward)", "onehot(ward) missing drop",
		"x : real[N] @ b", "x : real[N] @ b missing drop").Replace(taskModel)
	s := newTasksOf(t, model, map[string]string{
		"m/a.csv": "id,age,ward,site\np1,50,n,u\np2,40,s,u\np3,61,n,v\np4,,n,v\np5,39,s,w\np6,42,n,w\np7,58,s,x\np8,47,n,x\np9,52,s,x\n",
		"m/b.csv": "id,x\np9,0.4\np8,-1.1\np7,0.8\np6,\np5,-0.9\np4,0.1\np3,1.2\np2,-0.3\np1,0.5\n",
	})
	fits := []string{"--chains", "1", "--warmup", "20", "--max-depth", "4", "--draws", "20"}
	play := func(party, folder string, divided ...string) *played {
		args := slices.Concat([]string{"--cv", "3", "--data", "m/" + party + ".csv", "-o",
			folder + "/" + party}, divided)
		if party == "server" {
			args = append(args, fits...)
		}
		return s.play(party, args...)
	}
	same := func(folder string, divided ...string) {
		t.Helper()
		s.wantSame(folder+"/server/"+posterior.ValidationFile,
			slices.Concat([]string{"cv", "m.vfl", "--folds", "3", "--seed", "7", "--secure-sum=on", "--json",
				"--quiet"}, divided, fits)...)
	}
	s.end(play("server", "strata", "--stratify"), play("a", "strata", "--stratify"),
		play("b", "strata", "--stratify"))
	same("strata", "--stratify")

	// The column is a client's: without a line in its policy it tells nothing, and everybody else learns that
	// alone.
	all := []*played{play("server", "none", "--by", "site"), play("a", "none", "--by", "site"),
		play("b", "none", "--by", "site")}
	s.fail(all...)
	if out := all[1].out.String(); !strings.Contains(out, "V0608") ||
		!strings.Contains(out, `folds = ["site"]`) {
		t.Error(out)
	}
	for _, k := range []int{0, 2} {
		if out := all[k].out.String(); strings.Contains(out, "V0608") ||
			!strings.Contains(out, "a does not allow this run by its policy") {
			t.Error(out)
		}
	}
	s.write("demo/parties/a/policy.toml", "folds = [\"site\"]\nmin_contributors = 2\n")
	killed, b, server := play("a", "groups", "--by", "site"), play("b", "groups", "--by", "site"),
		play("server", "groups", "--by", "site")
	told := filepath.Join(s.dir, "groups/a/fold-2/fit/session", posterior.SessionFile)
	if !await.Until(func() bool { return has(told) }) {
		t.Fatal(server.out.String())
	}
	_ = killed.Process.Kill()
	_ = killed.Wait()
	s.end(play("a", "groups", "--by", "site"), b, server)
	same("groups", "--by", "site")
	for party, want := range map[string]string{"server": "server told every client in which fold",
		"a": "a told server in which fold"} {
		if text := s.must("audit", "groups/"+party+"/fold-1/fit"); !strings.Contains(text,
			want+" of the cross-validation each row is (7 rows).") {
			t.Error(text)
		}
		if text := s.must("audit", "groups/"+party+"/fold-2/fit"); strings.Contains(text,
			"told server in which fold") || strings.Contains(text, "every client in which fold") {
			t.Error(text)
		}
	}
	if text := s.must("audit", "groups/b/fold-1/fit"); strings.Contains(text, "b told server in which fold") {
		t.Error(text)
	}

	// Nobody has the column, or two have.
	for column, want := range map[string]string{"nowhere": "no party whose rows are divided has", "id": ""} {
		all := []*played{play("server", "wrong_"+column, "--by", column),
			play("a", "wrong_"+column, "--by", column), play("b", "wrong_"+column, "--by", column)}
		s.fail(all...)
		if out := all[0].out.String(); want != "" && (!strings.Contains(out, want) ||
			!strings.Contains(out, "V0609")) {
			t.Error(out)
		}
	}
	for text, wrong := range map[string][]string{
		"exclude one another":                    {"--cv", "3", "--stratify", "--by", "site"},
		"--stratify and --by say how --cv divid": {"--stratify"},
	} {
		if out, err := s.vflc(slices.Concat([]string{"join", "demo/programs", "--identity", "demo/parties/a",
			"--data", "m/a.csv", "-o", "x"}, wrong)...); err == nil || !strings.Contains(out, text) {
			t.Errorf("%v: %v\n%s", wrong, err, out)
		}
	}
	if out, err := s.vflc("preflight", "demo/programs", "--identity", "demo/parties/a", "--data", "m/a.csv",
		"--cv", "3", "--by", "site"); !strings.Contains(out,
		"in which of 3 folds each of 8 rows is, which follows from site") {
		t.Error(err, out)
	}
}
