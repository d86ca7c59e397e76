package playground

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/fit"
)

// written is a task with a model, and a table for its server, in a folder of its own.
func written(t *testing.T, model, table string) FitTask {
	t.Helper()
	dir := t.TempDir()
	path, data := filepath.Join(dir, "m.vfl"), filepath.Join(dir, "measured.csv")
	for name, text := range map[string]string{path: model, data: table} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return FitTask{Path: path, Tables: map[string][]string{"server": {data}},
		Settings: map[string]string{"chains": "2", "draws": "400", "warmup": "200"}}
}

// Places are offsets in units of UTF-16, of which 𝛽 has two, and applying a fix at them mends the model.
func TestPlacesAreThoseOfABrowser(t *testing.T) {
	const before = "// 𝛽 é\ndata y : real[N]\nparam mu ~ normal(0, 1)\ny ~ normal(mu, "
	c, err := Check(written(t, before+"1.)\n", ""))
	if err != nil || len(c.Diagnostics) != 1 || len(c.Diagnostics[0].Fixes) != 1 || len(c.Parties) != 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	d, runes := c.Diagnostics[0], len([]rune(before))
	if d.From != runes+1 || d.To != runes+3 || d.Code != "V0107" || !strings.Contains(d.Page, "Right:") {
		t.Errorf("%+v", d)
	}
	if x := d.Fixes[0]; x.From != d.From || x.To != d.To || x.Text != "1.0" {
		t.Errorf("%+v", x)
	}
}

// A fit of a normal mean has the posterior of its conjugate prior, plots and a report.
func TestFit(t *testing.T) {
	task := written(t, "data y : real[N]\nparam mu ~ normal(0, 1)\ny ~ normal(mu, 1)\n", "y\n1\n2\n3\n")
	f, err := Fit(task, nil, fit.Quiet{})
	if err != nil {
		t.Fatal(err)
	}
	mu := f.Document.Parameters[0]
	if d := float64(mu.Mean) - 1.5; d > 5*float64(mu.MCSE) || d < -5*float64(mu.MCSE) {
		t.Errorf("the mean is %v (mcse %v), want 1.5", mu.Mean, mu.MCSE)
	}
	for _, width := range []int{0, 360} {
		if svg, err := f.Run.Plot("density", []string{"mu"}, width); err != nil ||
			!strings.HasPrefix(svg, "<svg") {
			t.Errorf("a plot of width %d: %v", width, err)
		}
	}
	if page, err := f.Run.Report(filepath.Join(t.TempDir(), "run")); err != nil ||
		!strings.Contains(page, "Report of a run") {
		t.Errorf("the report: %v", err)
	}
	if _, err := f.Run.Plot("density", []string{"nu"}, 0); err == nil {
		t.Error("a plot of what is not there")
	}
}

// What is wrong with settings, tables or the kind of model is a Failure.
func TestFailures(t *testing.T) {
	const model = "data y : real[N]\nparam mu ~ normal(0, 1)\ny ~ normal(mu, 1)\n"
	for name, x := range map[string]struct {
		set, value, table, want string
	}{
		"setting":  {"rho", "-1", "y\n1\n", "rho"},
		"backend":  {"backend", "none", "y\n1\n", "backend"},
		"foreign":  {"iterations", "9", "y\n1\n", "no setting of the backend"},
		"constant": {"set", "K=1", "y\n1\n", "no const K"},
		"cell":     {"", "", "y\n1\nx\n", "measured.csv"},
	} {
		task := written(t, model, x.table)
		task.Settings[x.set] = x.value
		_, err := Fit(task, nil, fit.Quiet{})
		var why *Failure
		if !errors.As(err, &why) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := why.Message
		for _, d := range why.Diagnostics {
			text += d.Message + d.Where
		}
		if !strings.Contains(text, x.want) {
			t.Errorf("%s: %q", name, text)
		}
	}
	if _, err := Audit(written(t, model, ""), filepath.Join(t.TempDir(), "a")); err == nil {
		t.Error("an audit of a model with one party")
	}
}
