package policy

import (
	"bytes"
	"fmt"
	"math"
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
		Sends, Encrypted              bool
		At                            time.Time
	}
	Rows    RowCounts
	Sums    []ContributedSum
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
		// an archive in an archive
		marks := strings.NewReplacer("> policy\n", "-- policy.toml --\n", "> run\n", "-- run.toml --\n")
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
		lines := p.Program(Proposal{Manifest: g.Manifest, Transform: g.Transform, Rho: g.Rho, Key: g.Key,
			Signers: g.Signers, Parties: g.Parties, Sends: g.Sends, Encrypted: g.Encrypted, At: g.At})
		lines = append(append(lines, p.Rows(r.Rows)...), p.Sums(r.Sums)...)
		return append(Refused(lines), p.Adjoint(r.Adjoint.Name, r.Adjoint.Values, max(1, r.Adjoint.Clients),
			r.Adjoint.Announced)...)
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
	p, diags := Parse("p",
		[]byte("min_rho = 0.3\nmax_rounds = 10\nmin_rows = 5\nmin_cell = 2\nmin_difference = "+
			"4\nmax_adjoint = 1.0\nexpires = 2027-03-01\n"))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	lines := p.Program(Proposal{Sends: true, Rho: "0.3", At: at})
	lines = append(lines,
		p.Rows(RowCounts{Rows: 5, Cells: []FactorLevel{{"x", 2}}, Differs: 4, Spent: Spent{Rounds: 9}})...)
	lines = append(lines, p.Sums([]ContributedSum{{"s", 3, true}})...)
	if bad := append(Refused(lines), p.Adjoint("a", []float64{1, -1}, 1, false)...); len(bad) > 0 ||
		len(lines) != 8 {
		t.Error(len(lines), bad)
	}
	if len(Refused(p.Program(Proposal{At: at.Add(time.Minute)}))) != 1 {
		t.Error("a policy is not over after its last day")
	}
	if len(p.Over(at)) != 0 || len(p.Over(at.Add(time.Minute))) != 1 ||
		p.Over(at.Add(time.Minute))[0].Code != diag.PolicyTerms {
		t.Error("a run goes on after the last day, or not until its end")
	}
	if len(p.Adjoint("a", []float64{2.9, -2.9}, 3, false)) != 0 ||
		len(p.Adjoint("a", []float64{3.1, -3.1}, 3, false)) != 1 {
		t.Error("the bound of a total is not that of its parts together")
	}
}

// What an intercept adds to all rows is allowed beside the bound, up to twice of it, and hides no row beyond
// it.
func TestAnInterceptMayShiftAdjoints(t *testing.T) {
	p, _ := Parse("p", []byte("max_adjoint = 1.0\n"))
	for _, c := range []struct {
		v       []float64
		refused int
	}{
		{[]float64{-1.082, 0.9}, 0}, {[]float64{-1.1, 0.95}, 1}, {[]float64{2, 2.9}, 0},
		{[]float64{2, 3.1}, 1}, {[]float64{math.NaN(), 0.5, -1.6}, 1}, {[]float64{math.NaN()}, 0}, {nil, 0},
	} {
		if bad := p.Adjoint("a", c.v, 1, true); len(bad) != c.refused {
			t.Error(c.v, bad)
		}
	}
}

// A policy that is open allows what no other line limits, and a run that its owner has confirmed without a
// policy is masked wherever that hides something.
func TestOpenAndUnwrittenPolicies(t *testing.T) {
	all := []ContributedSum{{"pair", 2, true}, {"alone", 1, false}, {"bare", 2, false}}
	refused := func(p *Policy) (out []string) {
		for _, s := range all {
			if Refused(p.Sums([]ContributedSum{s})).HasErrors() {
				out = append(out, s.Name)
			}
		}
		if Refused(p.Program(Proposal{Record: true})).HasErrors() {
			out = append(out, "record")
		}
		return out
	}
	whole, _ := Parse("p", []byte("policy = \"open\"\nmin_rows = 9\n"))
	if got := refused(whole); got != nil || !Refused(whole.Rows(RowCounts{Rows: 8})).HasErrors() {
		t.Error("an open policy refuses", got, "or forgets its other lines")
	}
	if got := refused(Unwritten("p")); !slices.Equal(got, []string{"bare", "record"}) {
		t.Error("without a policy", got)
	}
	three, _ := Parse("p", []byte("policy = \"open\"\nmin_contributors = 3\n"))
	if got := refused(three); !slices.Equal(got, []string{"pair"}) {
		t.Error("an open policy with a line:", got)
	}
}

// Predictions have lines of their own where the policy has them, and those of fits where it does not.
func TestPredictionsHaveTheirOwnLines(t *testing.T) {
	for text, want := range map[string]int{"min_rows = 100\n": 1,
		"min_rows = 100\n[predict]\nmin_rows = 5\n": 0, "min_rows = 1\n[predict]\nmin_rows = 6\n": 1,
		"min_cell = 9\n[predict]\nmin_rows = 1\n": 0} {
		p, diags := Parse("p", []byte(text))
		if got := Refused(p.Rows(RowCounts{Predicted: true, Rows: 5,
			Cells: []FactorLevel{{"ward", 2}}})); diags.HasErrors() || len(got) != want {
			t.Error(text, diags, got)
		}
	}
	if p, _ := Parse("p",
		[]byte("min_rows = 100\n[predict]\nmin_rows = 5\n")); len(Refused(p.Rows(RowCounts{Rows: 5}))) != 1 {
		t.Error("the line for predictions holds for a fit")
	}
}

// Rounds add up over runs on the same rows, also after a crash, and over no others; an earlier run's rows are
// compared.
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
	if differs, spent, err := h.Earlier(rows); err != nil || differs != 0 || spent.Rounds != 700 {
		t.Error(differs, spent, err)
	}
	if differs, spent, err := h.Earlier(other); err != nil || differs != 4 || spent.Rounds != 0 {
		t.Error(differs, spent, err)
	}
	count(NewMeter(p, h, rows), 10) // killed: what it took is spent
	if _, spent, _ := h.Earlier(rows); spent.Rounds != 1700 {
		t.Error(spent)
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

// Products add up over processes and epochs on the same rows, each of which has a meter of its own, and over
// no others; what is beyond the bound is refused by each.
func TestProductsAddUp(t *testing.T) {
	h := OpenHistory(t.TempDir())
	p := &Policy{MaxProducts: 2500}
	rows, other := NewRowSet([]byte("s"), []string{"1", "2"}), NewRowSet([]byte("s"), []string{"1", "3"})
	for k, want := range []bool{true, true, false, false} {
		if diags, err := NewMeter(p, h, rows).Products(1001); err != nil || diags.HasErrors() == want {
			t.Errorf("process %d: %v %v", k+1, diags, err)
		}
	}
	if diags, err := NewMeter(p, h, other).Products(1001); err != nil || diags.HasErrors() {
		t.Error(diags, err)
	}
	_, spent, err := h.Earlier(rows)
	if err != nil || spent.Products != 4004 || !refuses(p.Rows(RowCounts{Spent: spent}), "max_products") {
		t.Error(spent, err)
	}
	if _, spent, _ = h.Earlier(other); spent.Products != 1001 || refuses(p.Rows(RowCounts{Spent: spent}),
		"max_products") {
		t.Error(spent)
	}
}

// What is decrypted adds up for each person, over sets of rows that differ in some, and what would exceed the
// bound is refused and not counted.
func TestDecryptedAddsUpForPersons(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 6))
	for range 20 {
		runs := 0
		h, p := OpenHistory(t.TempDir()), &Policy{MaxDecrypted: int64(20 + r.IntN(60))}
		of := map[int]int64{}
		for range 15 {
			var names []string
			var persons []int
			most := int64(0)
			for k := range 8 {
				if r.IntN(4) > 0 {
					names, persons = append(names, fmt.Sprint(k)), append(persons, k)
					most = max(most, of[k])
				}
			}
			rows, asked := NewRowSet([]byte("s"), names), int64(1+r.IntN(12))
			spent, err := h.Decrypted(rows, "")
			if err != nil || spent != most {
				t.Fatalf("of %v %d numbers are known, want %d (%v)", names, spent, most, err)
			}
			refused := most+asked > p.MaxDecrypted
			if refuses(p.Rows(RowCounts{Rows: len(rows), Decrypted: &DecryptionCounts{spent, asked, asked}}),
				"max_decrypted") != refused {
				t.Fatalf("%d of %d, and %d more", spent, p.MaxDecrypted, asked)
			}
			runs++
			if diags, err := NewMeter(p, h, rows).Decrypt(fmt.Sprint(runs), asked, func() error {
				return nil
			}); err != nil || diags.HasErrors() != refused {
				t.Fatal(diags, err)
			}
			for _, k := range persons {
				if !refused {
					of[k] += asked
				}
			}
		}
	}
}

// Without a line a 20th of the rows may be decrypted; what a run has no encrypted rows for is not asked.
func TestATwentiethOfTheRows(t *testing.T) {
	for _, p := range []*Policy{{}} {
		if p.Decrypts(2000, 30) != 70 || p.Decrypts(2000, 130) != 0 {
			t.Error(p.Decrypts(2000, 30), p.Decrypts(2000, 130))
		}
	}
	p := &Policy{path: "p"}
	if refuses(p.Rows(RowCounts{Rows: 10}), "max_decrypted") ||
		!refuses(p.Rows(RowCounts{Rows: 2000, Decrypted: &DecryptionCounts{0, 101, 101}}), "max_decrypted") {
		t.Error("the line is wrong where it is not set")
	}
}

func refuses(lines []Ruling, name string) bool {
	return slices.ContainsFunc(lines, func(l Ruling) bool { return l.Name == name && l.Refused != nil })
}

// The rows in which sets differ, by counting, and rounds over runs on many sets: sums of what was counted on
// each, never beyond the bound.
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
			if got, had, err := h.Earlier(rows); err != nil || got != differs || had.Rounds != spent[key] {
				t.Fatalf("%v differ and %v, %v; %d differ and %d rounds", got, had, err, differs, spent[key])
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
	for text, allowed := range map[string][]Release{"": nil, "release = \"nothing\"": nil,
		"release = \"summaries\"": {Summaries}, "release = \"draws\"": {Summaries, Draws},
		"release = \"draws\"\nexpires = 2001-01-01": nil} {
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
