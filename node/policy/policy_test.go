package policy

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/tests/diagtest"
)

// A run is what a policy is asked about: the files policy.toml and run.toml of an archive.
type run struct {
	Program struct {
		Manifest, Transform, Rho, Key string
		Signers, Parties              []string
		Sends                         bool
		At                            time.Time
	}
	Rows    Rows
	Sums    []Sum
	Adjoint struct {
		Name      string
		Values    []float64
		Clients   int
		Announced bool
	}
}

func judge(t *testing.T) diagtest.Phase {
	return func(f *source.File) diag.List {
		t.Helper()
		var text, facts []byte
		marks := strings.NewReplacer("> policy\n", "-- policy.toml --\n", "> run\n", "-- run.toml --\n") // an archive in an archive
		for _, file := range txtar.Parse([]byte(marks.Replace(f.Text))).Files {
			if file.Name == FileName {
				text = file.Data
			} else {
				facts = file.Data
			}
		}
		p, diags := Parse(FileName, text)
		if diags.HasErrors() {
			return diags
		}
		var r run
		if err := toml.NewDecoder(bytes.NewReader(facts)).DisallowUnknownFields().Decode(&r); err != nil {
			t.Fatal(err)
		}
		g := r.Program
		lines := p.Program(Program{Manifest: g.Manifest, Transform: g.Transform, Rho: g.Rho, Key: g.Key, Signers: g.Signers, Parties: g.Parties, Sends: g.Sends, At: g.At})
		lines = append(append(lines, p.Rows(r.Rows)...), p.Sums(r.Sums)...)
		return append(Refused(lines), p.Adjoint(r.Adjoint.Name, r.Adjoint.Values, max(1, r.Adjoint.Clients), r.Adjoint.Announced)...)
	}
}

func TestPages(t *testing.T) { diagtest.Pages(t, "V068", judge(t)) }

// Every line of a policy refuses what it is for: one archive for each.
func TestRefusals(t *testing.T) {
	covered := diagtest.Goldens(t, "testdata/*.txtar", judge(t))
	for _, page := range diag.Pages {
		if strings.HasPrefix(string(page.Code), "V068") && !covered[page.Code] {
			t.Errorf("no archive gets %s", page.Code)
		}
	}
}

// What stands at a bound is allowed.
func TestBoundsAreAllowed(t *testing.T) {
	at := time.Date(2027, 3, 1, 23, 59, 0, 0, time.UTC)
	p, diags := Parse("p", []byte("min_rho = 0.3\nmax_rounds = 10\nmin_rows = 5\nmin_cell = 2\nmin_difference = 4\nmax_adjoint = 1.0\nexpires = 2027-03-01\n"))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	lines := p.Program(Program{Sends: true, Rho: "0.3", At: at})
	lines = append(lines, p.Rows(Rows{Rows: 5, Cells: []Cell{{"x", 2}}, Differs: 4, Rounds: 9})...)
	lines = append(lines, p.Sums([]Sum{{"s", 3, true}})...)
	if bad := append(Refused(lines), p.Adjoint("a", []float64{1, -1}, 1, false)...); len(bad) > 0 || len(lines) != 8 {
		t.Error(len(lines), bad)
	}
	if len(Refused(p.Program(Program{At: at.Add(time.Minute)}))) != 1 {
		t.Error("a policy is not over after its last day")
	}
	if len(p.Over(at)) != 0 || len(p.Over(at.Add(time.Minute))) != 1 || p.Over(at.Add(time.Minute))[0].Code != diag.PolicyTerms {
		t.Error("a run goes on after the last day, or not until its end")
	}
	if len(p.Adjoint("a", []float64{2.9}, 3, false)) != 0 || len(p.Adjoint("a", []float64{3.1}, 3, false)) != 1 {
		t.Error("the bound of a total is not that of its parts together")
	}
}

// Rounds add up over runs on the same rows, also after a crash, and over no others; an earlier run's rows are compared.
func TestHistoryAddsUp(t *testing.T) {
	dir := t.TempDir()
	h := OpenHistory(dir)
	p := &Policy{MaxRounds: 2500}
	names := func(from, to int) (out []string) {
		for k := from; k < to; k++ {
			out = append(out, fmt.Sprint("patient ", k))
		}
		return out
	}
	rows, other := NewRowSet([]byte("s"), names(0, 100)), NewRowSet([]byte("s"), names(3, 101))
	if n := rows.Differs(other); n != 4 {
		t.Error(n, "rows differ, and 4 do")
	}
	count := func(m *Meter, n int) (allowed int) {
		for k := range n {
			for range 3 { // messages of one round
				ok, err := m.Round(1, uint64(k+1))
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					return allowed
				}
			}
			allowed++
		}
		return allowed
	}
	m := NewMeter(p, h, rows)
	if got := count(m, 700); got != 700 {
		t.Error(got)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if differs, rounds, err := h.Earlier(rows); err != nil || differs != 0 || rounds != 700 {
		t.Error(differs, rounds, err)
	}
	if differs, rounds, err := h.Earlier(other); err != nil || differs != 4 || rounds != 0 {
		t.Error(differs, rounds, err)
	}
	count(NewMeter(p, h, rows), 10) // killed: what it took is spent
	if _, rounds, _ := h.Earlier(rows); rounds != 1700 {
		t.Error(rounds)
	}
	if got := count(NewMeter(p, h, rows), 5000); got != 800 {
		t.Error(got, "rounds of the 800 that are left")
	}
	text, err := os.ReadFile(filepath.Join(dir, HistoryDir, historyFile))
	if err != nil || bytes.Contains(text, []byte("patient")) {
		t.Error("the history names rows", err)
	}
	if NewRowSet([]byte("other secret"), names(0, 100)).Differs(rows) != 200 {
		t.Error("the numbers of rows do not depend on the secret")
	}
}

// The rows in which sets differ, by counting, and rounds over runs on many sets: sums of what was counted on each, never beyond the bound.
func TestHistoryOfManySets(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 8 {
		h := OpenHistory(t.TempDir())
		most := int64(1 + r.IntN(60))
		sets, spent := map[string][]string{}, map[string]int64{}
		for range 12 {
			var names []string
			key := ""
			for k := range 6 {
				if r.IntN(2) == 0 {
					names = append(names, fmt.Sprint(k))
					key += fmt.Sprint(k)
				}
			}
			rows := NewRowSet([]byte("s"), names)
			differs := 0
			for _, other := range sets {
				n := 0
				for k := range 6 {
					if slices.Contains(names, fmt.Sprint(k)) != slices.Contains(other, fmt.Sprint(k)) {
						n++
					}
				}
				if n > 0 && (differs == 0 || n < differs) {
					differs = n
				}
			}
			if got, rounds, err := h.Earlier(rows); err != nil || got != differs || rounds != spent[key] {
				t.Fatalf("%v differ and %d rounds, %v; %d differ and %d rounds", got, rounds, err, differs, spent[key])
			}
			want := int64(r.IntN(30))
			counted, err := h.Add(rows, want, most)
			if err != nil || counted != min(want, most-spent[key]) {
				t.Fatal(counted, want, most, spent[key], err)
			}
			sets[key], spent[key] = names, spent[key]+counted
		}
	}
}

// What is published is what the policy releases, and less; nothing without a policy.
func TestReleases(t *testing.T) {
	var none *Policy
	for text, allowed := range map[string][]Release{"": nil, "release = \"nothing\"": nil, "release = \"summaries\"": {Summaries}, "release = \"draws\"": {Summaries, Draws}, "release = \"draws\"\nexpires = 2001-01-01": nil} {
		p, diags := Parse("p", []byte(text+"\n"))
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for _, what := range []Release{Summaries, Draws} {
			if got := !p.Publishes("p", what).HasErrors(); got != slices.Contains(allowed, what) {
				t.Errorf("%q, %s: %v", text, what, got)
			}
			if !none.Publishes("p", what).HasErrors() {
				t.Error("a party without a policy publishes")
			}
		}
	}
}
