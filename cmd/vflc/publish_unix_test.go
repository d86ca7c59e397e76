//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/node/ledger"
	"github.com/vflc/vflc/posterior"
)

// refusedAs compares what a command that is refused prints with the golden file of its code.
func (s *stage) refusedAs(golden string, args ...string) {
	s.t.Helper()
	out, err := s.vflc(args...)
	if err == nil {
		s.t.Errorf("vflc %s is not refused:\n%s", strings.Join(args, " "), out)
	}
	path := filepath.Join("testdata", "published", golden+".txtar")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path,
			txtar.Format(&txtar.Archive{Files: []txtar.File{{Name: "want", Data: []byte(out)}}}),
			0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	want, err := txtar.ParseFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if out != string(want.Files[0].Data) {
		s.t.Errorf("%s: vflc %s prints\n%s\nwant\n%s", golden, strings.Join(args, " "), out,
			want.Files[0].Data)
	}
}

// rows are those of a summary, by name.
func (s *stage) rows(dir string) map[string]posterior.SummaryRow {
	s.t.Helper()
	var doc posterior.SummaryDocument
	if err := json.Unmarshal([]byte(s.must("summary", dir, "--json")), &doc); err != nil {
		s.t.Fatal(err)
	}
	out := map[string]posterior.SummaryRow{}
	for _, r := range doc.Parameters {
		out[r.Name] = r
	}
	return out
}

// Nothing leaves unless the policy releases it; what does is signed, stands in the ledger, and is shown by
// owner beside the results of whoever has it, as in a run in one process.
func TestPublish(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.stopAfter("demo")
	args := []string{"--seed", "7", "--chains", "2", "--warmup", "20", "--max-depth", "4", "--draws", "10"}
	s.must(append([]string{"demo", "start", "m.vfl", "-o", "demo", "--wait"}, args...)...)
	s.must(append([]string{"run", "m.vfl", "-o", "whole", "--secure-sum", "on"}, args...)...)
	publish := []string{"publish", "demo/runs/a", "--identity", "demo/parties/a"}
	if err := os.Remove(filepath.Join(s.dir, "demo/parties/a/policy.toml")); err != nil {
		t.Fatal(err)
	}
	s.refusedAs("no_policy", publish...)
	s.write("demo/parties/a/policy.toml", "min_rows = 10\n")
	s.refusedAs("V0855", publish...)
	s.write("demo/parties/a/policy.toml", "release = \"summaries\"\n")
	s.refusedAs("draws", append(publish, "--draws")...)
	if found, _ := filepath.Glob(filepath.Join(s.dir, "demo/runs/a", posterior.PublishedDir, "*")); len(found) >
		0 {
		t.Errorf("%v was written", found)
	}
	s.refusedAs("V0856", "publish", "demo/runs/b", "--identity", "demo/parties/a")
	s.must(publish...)
	s.write("demo/parties/b/policy.toml", "release = \"draws\"\n")
	s.must("publish", "demo/runs/b", "--draws", "--identity", "demo/parties/b", "-o", "b.json")

	s.write("demo/runs/server/published/a.json", s.read("demo/runs/a/published/a.json"))
	s.write("demo/runs/server/published/from_b.json", s.read("b.json"))
	want, got := s.rows("whole"), s.rows("demo/runs/server")
	for name, owner := range map[string]string{"m": "server", "ba": "a", "bb": "b"} {
		w, g := want[name], got[name]
		if g.Owner != owner || g.Mean != w.Mean || g.SD != w.SD || g.ESSBulk != w.ESSBulk ||
			g.RHat != w.RHat {
			t.Errorf("%s is %+v, in a run in one process %+v", name, g, w)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d rows", len(got))
	}
	if out := s.must("summary", "demo/runs/server", "ba", "bb"); strings.Contains(out, "server") ||
		!strings.Contains(out, "ba         a") {
		t.Error(out)
	}
	s.must("export", "demo/runs/server", "--format", "csv", "-o", "all.csv")
	if head, _, _ := strings.Cut(s.read("all.csv"), "\n"); !strings.Contains(head, "bb") ||
		strings.Contains(head, "ba") {
		t.Error(head)
	}

	var r ledger.Reconciliation
	if err := json.Unmarshal([]byte(s.must("audit", "demo", "--json")), &r); err != nil ||
		len(r.Published) != 2 || len(r.Unclosed) > 0 || r.Both != r.Messages {
		t.Errorf("%v %+v", err, r)
	}
	if got := r.Published[1]; got.Party != "b" || got.What != "draws" || got.Bytes != len(s.read("b.json")) {
		t.Errorf("%+v", got)
	}

	// A publication that was altered, and one of another run.
	s.write("demo/runs/server/published/from_b.json", strings.Replace(s.read("b.json"), "nuts", "soul", 1))
	s.refusedAs("V0857", "summary", "demo/runs/server")
	s.write("demo/runs/server/published/from_b.json", s.read("demo/runs/a/published/a.json"))
	s.refusedAs("twice", "summary", "demo/runs/server")
	s.write("demo/runs/server/published/from_b.json", "nothing")
	s.refusedAs("no_publication", "summary", "demo/runs/server")

	// Those of another run of the project, and of a project with the same names.
	s.write("earlier.json", s.read("demo/runs/a/published/a.json"))
	s.must("demo", "stop", "demo")
	for _, party := range []string{"a", "b"} {
		s.write("demo/parties/"+party+"/policy.toml", "policy = \"open\"\n")
	}
	for _, gone := range []string{"runs"} {
		if err := os.RemoveAll(filepath.Join(s.dir, "demo", gone)); err != nil {
			t.Fatal(err)
		}
	}
	s.must("demo", "start", "m.vfl", "-o", "demo", "--wait")
	s.stopAfter("other")
	s.must(append([]string{"demo", "start", "m.vfl", "-o", "other", "--wait"}, args...)...)
	s.write("demo/runs/server/published/a.json", s.read("earlier.json"))
	s.write("other/runs/server/published/a.json", s.read("earlier.json"))
	for dir, want := range map[string]string{
		"demo":  "a has published this of run ",
		"other": "no party of the project has signed this: it was changed, or is of another project [V0857]",
	} {
		for _, args := range [][]string{{"summary"}, {"plot"},
			{"export", "--format", "csv", "-o", "none.csv"}} {
			if out, err := s.vflc(append([]string{args[0], dir + "/runs/server"}, args[1:]...)...); err ==
				nil || !strings.Contains(out, want) {
				t.Errorf("%s: vflc %s: %v\n%s", dir, args[0], err, out)
			}
		}
	}
}
