package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/fit"
)

// checked writes a model without clients with its table, runs it, and returns the section on its predictive
// check. gone: its table is removed before the page is written.
func checked(t *testing.T, model, table string, gone bool) *node {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		good(t, nil, os.MkdirAll(filepath.Dir(path), 0o755))
		good(t, nil, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	path := write("m.vfl", model)
	tablePath := write("m/data.csv", table)
	r := run(t, task{model: path, backend: "nuts"})
	if gone {
		good(t, nil, os.Remove(tablePath))
	}
	text := written(t, r)
	checkSelfContained(t, parse(t, text))
	return parse(t, text).section(t, "predictive")
}

const fewRows = "y,e\n0.2,1\n0.9,0\n1.4,1\n0.3,1\n2.2,0\n0.7,1\n"

// The section is the table of the checks, to all digits, with a picture, for a response of each kind, under
// every transform and backend.
func TestPredictiveCheck(t *testing.T) {
	for name, x := range map[string]task{
		"binary":       {model: "logistic.vfl", backend: "nuts"},
		"counts":       {model: "poisson_multilevel.vfl", backend: "nuts"},
		"real, power":  {model: "linear.vfl", backend: "nuts", transform: "power"},
		"exact":        {model: "linear.vfl", backend: "nuts", transform: "exact", logLik: true},
		"pooled, sfvi": {model: "linear.vfl", backend: "sfvi", transform: "none"},
		"soul":         {model: "logistic_family.vfl", backend: "soul"},
		"likelihoods":  {model: "several.vfl", backend: "nuts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := run(t, x)
			section := parse(t, written(t, r)).section(t, "predictive")
			p, diags, err := fit.Replicate(t.Context(), r, fit.UsualReplicates, 1)
			good(t, diags, err)
			checks, _, err := p.Checks(nil, nil)
			good(t, nil, err)
			shown, _ := fit.Telling(checks)
			if diff := cmp.Diff(fit.CheckCells(shown), table(t, section)); diff != "" {
				t.Error(diff)
			}
			picture := section.named("svg")
			if len(picture) == 0 {
				t.Fatal("no picture")
			}
			for _, y := range p.Responses {
				if !strings.Contains(picture[0].content(), y.Name) {
					t.Errorf("the picture does not name %s", y.Name)
				}
			}
			if text := section.content(); strings.Contains(text,
				"no distribution of the response") != (x.transform == "power") {
				t.Errorf("what is said of the replicates: %.300s", text)
			}
		})
	}
}

// A statistic that no replicate reaches is named, and one that is as expected is not.
func TestPredictiveFar(t *testing.T) {
	far := checked(t, "data y : real[N]\nparam m ~ normal(0, 1)\ny ~ normal(m, 0.01)\n",
		"y\n-5\n5\n-4\n4\n-6\n6\n", false)
	if got := far.with("problem"); len(got) != 1 || !strings.Contains(got[0].content(), "sd of y") ||
		strings.Contains(got[0].content(), "mean of y") {
		t.Errorf("the section says %s", far.content())
	}
	if near := checked(t, "data y : real[N]\nparam m ~ normal(0, 1)\ny ~ normal(m, 0.7)\n", fewRows,
		false); len(near.with("problem")) != 0 {
		t.Errorf("the section says %s", near.content())
	}
}

// Where no check can be made the section says why.
func TestPredictiveAbsent(t *testing.T) {
	for name, c := range map[string]struct {
		model, want string
		gone        bool
	}{
		"table gone": {"data y : real[N]\nparam m ~ normal(0, 1)\ny ~ normal(m, 1)\n", "Put the table back",
			true},
		"censored": {"data y : real<lower=0>[N]\ndata e : binary[N]\nparam s ~ exponential(1)\ny ~ " +
			"exponential(s) censor(right=e == 0)\n", "other rows censored", false},
		"joint": {"data y : real<lower=0>[N]\ndata e : binary[N]\nparam b ~ normal(0, " +
			"1)\ny ~ cox(b * y, e)\n", "cox, a likelihood of all rows together", false},
		"factor": {"data y : real[N]\nparam m ~ normal(0, 1)\nfactor -square(y - m)\n", "a factor",
			false},
	} {
		if got := checked(t, c.model, fewRows, c.gone); !strings.Contains(got.content(),
			"There is no check of this run: ") || !strings.Contains(got.content(), c.want) ||
			len(got.named("svg", "table")) > 0 {
			t.Errorf("%s: the section says %s", name, got.content())
		}
	}
}
