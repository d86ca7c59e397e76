package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// do runs a command line in this process and requires it to succeed.
func do(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := execute(args, &out, &errs); code != exitFine {
		t.Fatalf("vflc %s: exit code %d\n%s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// Every example is checked, is in the canonical layout, is compiled and run.
func TestExamplesRun(t *testing.T) {
	models, err := filepath.Glob("../../examples/*.vfl")
	models = append(models, "../../examples/paper/split_nn.vfl",
		"../../examples/paper/hier_bayes_split_nn.vfl")
	if err != nil || len(models) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, model := range models {
		t.Run(filepath.Base(model), func(t *testing.T) {
			t.Parallel()
			do(t, "check", model)
			do(t, "fmt", "--check", model)
			dir := t.TempDir()
			do(t, "compile", "--split-by", "client", model, "-o", dir)
			if !strings.Contains(do(t, "audit", dir), "every evaluation") {
				t.Error("the audit of a model with clients shows nothing that crosses")
			}
			runExample(t, model)
		})
	}
}

// runExample runs a model under every transform, by sfvi and, without weights, by nuts: with weights that is
// refused. More arguments may give other tables.
func runExample(t *testing.T, model string, more ...string) {
	t.Helper()
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	weights := bytes.Contains(text, []byte("\nweight ")) || bytes.Contains(text, []byte("nn.features")) ||
		bytes.Contains(text, []byte("nn.last_layer"))
	for _, transform := range []string{"exact", "augmented", "power", "none"} {
		run := append([]string{"run", model, "--transform", transform, "--json", "--quiet"}, more...)
		checkSummary(t, do(t, append(run, "--backend", "sfvi", "--iterations", "40", "--elbo-draws", "50",
			"--draws", "20")...))
		sample := append(run, "--chains", "2", "--warmup", "20", "--draws", "10", "--max-depth", "5")
		if weights {
			refused(t, "V0641", sample...)
			continue
		}
		checkSummary(t, do(t, sample...))
	}
}

// refused requires that a command line is refused with a code.
func refused(t *testing.T, code string, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := execute(args, &out, &errs); got != exitInput || !strings.Contains(errs.String(), code) {
		t.Errorf("vflc %s: exit code %d, want %s\n%s", strings.Join(args, " "), got, code, errs.String())
	}
}

// The examples of the paper's models run on its simulated counts and on tables with the columns of the heart
// disease data.
func TestExamplesOnTablesOfThePaper(t *testing.T) {
	tables := filepath.Join("..", "..", "tests", "reference", "paper")
	heart := []string{"registry=" + filepath.Join(tables, "heart", "server.csv"),
		"hospital_a=" + filepath.Join(tables, "heart", "client1.csv"),
		"hospital_b=" + filepath.Join(tables, "heart", "client2.csv")}
	counts := []string{"server=" + filepath.Join(tables, "poisson", "server.csv"),
		"health=" + filepath.Join(tables, "poisson", "client1.csv"),
		"census=" + filepath.Join(tables, "poisson", "client2.csv")}
	for name, data := range map[string][]string{"paper/split_nn": heart, "paper/hier_bayes_split_nn": heart,
		"split_nn": heart, "poisson_multilevel": counts} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := []string{"run", filepath.Join("..", "..", "examples", name+".vfl"), "--json", "--quiet",
				"--backend", "sfvi", "--iterations", "100", "--elbo-draws", "100", "--draws", "200"}
			for _, d := range data {
				run = append(run, "--data", d)
			}
			checkSummary(t, do(t, run...))
		})
	}
}

// checkSummary requires finite numbers for every parameter, with its owner. Elements of a structure that are
// always 0 or 1 have no sd.
func checkSummary(t *testing.T, text string) {
	t.Helper()
	var summary struct {
		Parameters []struct {
			Name, Owner string
			Mean, SD    *float64
			Point       bool `json:"point_estimate"`
		}
		ELBO        struct{ Value *float64 }
		Diagnostics struct{ Divergences *int }
	}
	if err := json.Unmarshal([]byte(text), &summary); err != nil {
		t.Fatal(err)
	}
	if len(summary.Parameters) == 0 ||
		(summary.ELBO.Value == nil) == (summary.Diagnostics.Divergences == nil) {
		t.Fatalf("the summary has no parameters, or neither the ELBO nor divergences:\n%s", text)
	}
	for _, p := range summary.Parameters {
		if p.Owner == "" || p.Mean == nil || p.Point != (p.SD == nil) {
			t.Errorf("%s: owner %q, mean %v, sd %v", p.Name, p.Owner, p.Mean, p.SD)
		} else if fixed := *p.Mean == 0 || *p.Mean == 1; !p.Point && !(*p.SD > 0 || fixed && *p.SD == 0) {
			t.Errorf("%s: mean %g, sd %g", p.Name, *p.Mean, *p.SD)
		}
	}
}
