package fit

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted/protocol"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// unencryptableUnder asks a run by nuts under a transform.
func unencryptableUnder(t *testing.T, b *compile.BoundModel, given map[string]string) *Unencryptable {
	t.Helper()
	p, diags, err := OpenBound(b, Options{Settings: map[string]string{"chains": "1"}})
	good(t, diags, err)
	return p.Unencryptable(t.Context(), given)
}

// encryptedEnds is what a run with encrypted rows is refused with, before or after it begins; "": it is not.
func encryptedEnds(t *testing.T, text string, files, given map[string]string) string {
	t.Helper()
	settings := mapsWith(mapsWith(backends.EncryptedRows(), "correct", "false"), "draws", "100")
	maps.Copy(settings, given)
	a, _ := Encrypting()
	p, diags, err := OpenBound(bindFiles(t, text, stdlib.Exact, 0, files),
		Options{Algorithm: a, Settings: settings, ring: 8})
	if err == nil && !diags.HasErrors() {
		_, err = p.Sample(t.Context(), nil)
	}
	var found data.Errors
	switch {
	case diags.HasErrors():
		return diags[0].Message
	case errors.As(err, &found):
		return found[0].Message
	case err != nil:
		return err.Error()
	}
	return ""
}

// A run over other wires and under other transforms says of encrypted rows what a run with these ends with.
func TestUnencryptableIsWhatTheRunRefuses(t *testing.T) {
	t.Parallel()
	text, files := separate(3000, 2, 2)
	_, few := separate(200, 2, 2)
	change := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	alone := maps.Clone(files)
	alone["c1.csv"] = strings.Replace(files["c1.csv"], "\n7,", "\n7,9", 1)
	for name, c := range map[string]struct {
		text  string
		files map[string]string
		given map[string]string
		want  string // "": rows can stay encrypted
		needs bool   // that many rows
	}{
		"logistic": {text, files, nil, "", false},
		"probit":   {change("bernoulli_logit(", "bernoulli_probit("), files, nil, "", false},
		"few rows": {text, few, nil, "encrypted rows need n = 2,", true},
		"student_t": {change("binary", "real", "bernoulli_logit(b", "student_t(4, b", "u1_1)", "u1_1, 1)"),
			files, nil, "", false},
		"own scale": {change("binary", "real", "bernoulli_logit(b", "student_t(4, b", "u1_1)", "u1_1, s)",
			"param b", "param s ~ half_normal(1)\nparam b"), files, nil,
			"rows cannot stay encrypted: student_t has the parameter sigma", false},
		"undetermined": {change("u1_0 ~ normal(0, 2.5)", "u1_0 ~ flat()", "u1_1 ~ normal(0, 2.5)",
			"u1_1 ~ flat()", "x1_1 * u1_1", "x1_0 * u1_1"), files, nil,
			"rows cannot stay encrypted: c1: its columns and priors do not determine", false},
		"a scale": {change("param u1_1 ~ normal(0, 2.5)",
			"param tau ~ half_normal(1) @ c1\nparam u1_1 ~ normal(0, tau)"), files, nil, "", false},
		"scales of two": {change("param u1_1 ~ normal(0, 2.5)",
			"param tau ~ half_normal(1) @ c1\nparam u1_1 ~ normal(0, tau)", "param u0_1 ~ normal(0, 2.5)",
			"param s ~ half_normal(1) @ c0\nparam u0_1 ~ normal(0, s)"), files, nil,
			"rows cannot stay encrypted: encrypted rows: c0 and c1 have effects", false},
		"not affine": {change("x0_0 * u0_0", "x0_0 * exp(u0_0)"), files, nil,
			"rows cannot stay encrypted: c0: the cut", false},
		"one row alone": {text, alone, nil, "rows cannot stay encrypted: c1: with the column of u1_0, 1 row",
			false},
		"masks": {text, files, map[string]string{"secure-sum": "on"},
			"rows cannot stay encrypted: --secure-sum on hides integers", false},
		"by draws": {text, files, map[string]string{"estimator": "sampled"},
			"rows cannot stay encrypted: rows stay encrypted, and few sums", false},
	} {
		t.Run(name, func(t *testing.T) {
			ends := encryptedEnds(t, c.text, c.files, c.given)
			if (ends == "") != (c.want == "") {
				t.Fatalf("the run ends with %q", ends)
			}
			for _, kind := range []def.Transform{stdlib.Exact, stdlib.Augmented, stdlib.Power} {
				text := c.text
				if kind.Name == stdlib.Power.Name {
					text = strings.Replace(text, "[N]\nparam", "[N] @ shared\nparam", 1)
				}
				why := unencryptableUnder(t, bindFiles(t, text, kind, 0, c.files), c.given)
				switch {
				case why == nil:
					if c.want != "" {
						t.Errorf("%s: nothing is said, and the run ends with %q", kind.Name, ends)
					}
				case c.want == "" || !strings.HasPrefix(why.String(), c.want) || (why.Needs > 0) != c.needs ||
					!c.needs && why.Reason != ends:
					t.Errorf("%s: %s\nand the run ends with %q", kind.Name, why, ends)
				}
			}
		})
	}
}

// As many rows as are said to be needed suffice, and one less does not.
func TestNeededRowsSuffice(t *testing.T) {
	needs := func(n int) *Unencryptable {
		text, files := separate(n, 2, 2)
		return unencryptableUnder(t, bindFiles(t, text, stdlib.Exact, 0, files), nil)
	}
	why := needs(100)
	if why == nil || why.Needs < 100 {
		t.Fatal(why)
	}
	n := why.Needs
	if why := needs(n); why != nil {
		t.Errorf("n = %d: %s", n, why)
	}
	if why := needs(n - 1); why == nil || why.Needs != n {
		t.Errorf("n = %d: %v", n-1, why)
	}
}

// Where parameters alone take more rows than there are, and their columns would fill the memory, these are
// not written out to find that the prior is not normal. Where there are as many rows as that takes, nothing
// is said of them, and nothing is allocated that has a number for each.
func TestWideColumnsAreNotWrittenOut(t *testing.T) {
	ask := func(rows, categories int) *Unencryptable {
		server, a := strings.Builder{}, strings.Builder{}
		server.WriteString("id,y\n")
		a.WriteString("id,g\n")
		for i := range rows {
			fmt.Fprintf(&server, "%d,%d\n", i, i%2)
			fmt.Fprintf(&a, "%d,g%d\n", i, i%categories)
		}
		const text = "client a\ndata y : binary[N]\ndata g : level(C)[N] @ a\nparam s ~ " +
			"half_normal(1) @ a\nparam u : real[C] ~ normal(0, s) @ a\ny ~ bernoulli_logit(u[g])\n"
		p, diags, err := OpenBound(bindFiles(t, text, stdlib.Exact, 0,
			map[string]string{"server.csv": server.String(), "a.csv": a.String()}),
			Options{Settings: map[string]string{"chains": "1"}})
		good(t, diags, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		why := p.Unencryptable(t.Context(), nil)
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > uint64(8*rows) {
			t.Errorf("%d rows: %d bytes", rows, bytes)
		}
		return why
	}
	if why := ask(40_000, 500); why == nil || why.Needs < density.RowsPerNumber*500*501/2 {
		t.Error(why)
	}
	if why := ask(400_000, 50); why == nil || why.Numbers != 400_000*51 ||
		!strings.Contains(why.String(), "20,400,000 numbers") {
		t.Error(why)
	}
}

// The rows that docs/choosing.md names for models of two clients are those that a run asks for, about.
func TestRowsThatTheDocsName(t *testing.T) {
	text, err := os.ReadFile("../docs/choosing.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says    string
		rows    float64
		backend string
		given   map[string]string
		columns []int
	}{
		{"4 chains of 2,000 transitions take n = 31,000,000 rows", 31e6, "nuts", nil, []int{1, 1, 1}},
		{"(`--chains 2 --warmup 50 --draws 100`) 1,200,000, at", 1.2e6, "nuts",
			map[string]string{"chains": "2", "warmup": "50", "draws": "100"}, []int{1, 1, 1}},
		{"two clients of ten columns take 10,000 rows", 1e4, "sfvi", nil, []int{1, 10, 10}},
		{"50 groups take n = 46,000", 46e3, "sfvi", nil, []int{1, 51, 1}},
	} {
		a := backend(t, c.backend)
		s, err := a.Resolve(stdlib.Exact, mapsWith(c.given, "wire", "encrypted"))
		if err != nil {
			t.Fatal(err)
		}
		usual, _ := Foreseen(protocol.LikelihoodNumbers{Response: true, Binary: true}.Opens(a.Exchanges(s)),
			c.columns, -1)
		if n := float64(usual * density.RowsPerNumber); !strings.Contains(string(text), c.says) ||
			c.rows < .98*n || c.rows > 1.1*n {
			t.Errorf("%q, and a run takes %.0f", c.says, n)
		}
	}
}
