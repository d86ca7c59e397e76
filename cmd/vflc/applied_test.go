package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	tables "github.com/vflc/vflc/tests/applied"
)

// An applied model is one of examples/applied with the sizes of its data. Each has two clients.
type applied struct {
	name  string
	sizes string // for vflc simulate
	// hidden parameters have no moments, or are known only up to an order, which the sampler does not change:
	// their quantities are compared instead.
	hidden func(name string) bool
	accept string // what is accepted where party programs are written
}

func within(parts ...string) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(name, p) })
	}
}

var appliedModels = []applied{
	{name: "beta", sizes: "N=120 PA=2 PB=2"},
	{name: "correlated_slopes", sizes: "N=150 J=12 PB=2"},
	{name: "cox", sizes: "N=150 PA=2 PB=2"},
	{name: "hmm"},
	{name: "horseshoe", sizes: "N=100 PA=5 PB=5", hidden: within("beta_a.", "beta_b.")},
	{name: "logistic", sizes: "N=150 PA=2 PB=2"},
	{name: "measurement_error", sizes: "N=100 PB=2", accept: "data-offset"},
	{name: "missing_covariates", sizes: "N=100 PB=2"},
	{name: "multinomial", sizes: "N=150 PA=2 PB=2"},
	{name: "negative_binomial", sizes: "N=120 PA=2 PB=2"},
	{name: "network", sizes: "N=60 PA=2 PB=2", hidden: within("h.")},
	{name: "ordinal", sizes: "N=150 PA=2 PB=2"},
	{name: "poisson_offset", sizes: "N=120 PA=2 PB=2"},
	{name: "probit", sizes: "N=150 PA=2 PB=2"},
	{name: "robust", sizes: "N=120 PA=2 PB=2"},
	{name: "spline", sizes: "N=120"},
	{name: "weibull", sizes: "N=150 PA=2 PB=2"},
	{name: "zero_inflated", sizes: "N=120 PA=2 PB=2"},
}

// A scalar is a parameter with its true value and its posterior.
type scalar struct {
	name            string
	truth, mean, sd float64
}

func (s scalar) z() float64 { return (s.mean - s.truth) / s.sd }

// Every applied model is checked, in the canonical layout, split and audited; under augmented it runs; under
// exact it finds the truth of data that vflc simulate made, or for hmm a generator of its own. Where truth is
// drawn from the prior, E z = 0 and E z² = 1 hold exactly over data and truth, z being the error of a
// posterior mean in posterior sds: whatever the posterior's form. The scalars of one model are dependent, so
// that the mean of z² of a model counts as one observation. Its variance is 2 where all of a model's z are
// one normal variable and 2/n where they are independent; over 17 models the sd of the mean is between about
// 0.1 and 0.34. The tolerances: each mean z² below 4.5, their mean within 0.6 of 1, the mean z of the models
// within 4/√17, and no |z| above 4.5 (of 600 scalars). That the data say so and not the prior is required
// too: over all coefficients, whose priors have sds of 0.5 to 1, the root mean square error is below 0.2.
func TestAppliedModelsRecoverTheTruth(t *testing.T) {
	found := make([][]scalar, len(appliedModels))
	t.Run("models", func(t *testing.T) {
		for k, m := range appliedModels {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				found[k] = m.fit(t, uint64(k+1))
			})
		}
	})
	var squares, means, errors []float64
	for k, m := range appliedModels {
		var z, zz []float64
		for _, s := range found[k] {
			z, zz = append(z, s.z()), append(zz, s.z()*s.z())
			if !(math.Abs(s.z()) < 4.5) {
				t.Errorf("%s: %s is %.3g ± %.2g, but was drawn as %.3g", m.name, s.name, s.mean, s.sd,
					s.truth)
			}
			// where data know differences of coefficients only
			if strings.HasPrefix(s.name, "beta_") && m.name != "multinomial" {
				errors = append(errors, (s.mean-s.truth)*(s.mean-s.truth))
			}
		}
		t.Logf("%s: %d scalars, mean z %.2f, mean z² %.2f", m.name, len(z), average(z), average(zz))
		if !(average(zz) < 4.5) {
			t.Errorf("%s: mean z² over %d scalars is %.2f", m.name, len(zz), average(zz))
		}
		if m.name != "cox" { // whose truth has another law than its priors
			squares, means = append(squares, average(zz)), append(means, average(z))
		}
	}
	if v := average(squares); math.Abs(v-1) > 0.6 {
		t.Errorf("mean z² over the models is %.2f, want 1 ± 0.6", v)
	}
	if v := average(means); math.Abs(v) > 4/math.Sqrt(float64(len(means))) {
		t.Errorf("mean z over the models is %.2f", v)
	}
	v := math.Sqrt(average(errors))
	t.Logf("over the models: mean z² %.2f, mean z %.2f; %d coefficients with an rms error of %.3f",
		average(squares), average(means), len(errors), v)
	if !(v < 0.2) {
		t.Errorf("the root mean square error of %d coefficients is %.3f", len(errors), v)
	}
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// fit takes a model through the commands, and returns its scalars.
func (m applied) fit(t *testing.T, seed uint64) []scalar {
	model := filepath.Join("../../examples/applied", m.name+".vfl")
	do(t, "check", model)
	do(t, "fmt", "--check", model)
	dir := t.TempDir()
	compile := []string{"compile", "--split-by", "client", model, "-o", filepath.Join(dir, "build")}
	if m.accept != "" {
		compile = append(compile, "--accept", m.accept)
	}
	do(t, compile...)
	audit := do(t, "audit", filepath.Join(dir, "build"))
	for _, client := range []string{"clinic", "lab"} {
		if !strings.Contains(audit, client) {
			t.Errorf("the audit does not speak of %s:\n%s", client, audit)
		}
	}
	truth := m.simulate(t, model, dir, seed)
	run := []string{"run", model, "--quiet", "--json"}
	for _, party := range []string{"registry", "clinic", "lab", "shared"} {
		if file := filepath.Join(dir, party+".csv"); exists(file) {
			run = append(run, "--data", party+"="+file)
		}
	}
	checkSummary(t, do(t, append(slices.Clone(run), "--transform", "augmented", "--rho", "0.1", "--chains",
		"1", "--warmup", "20", "--draws", "10")...))
	text := do(t, append(run, "--transform", "exact", "--chains", "2", "--warmup", "250", "--draws",
		"200")...)
	checkSummary(t, text)
	return m.scalars(t, text, truth)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// simulate writes the tables of the parties to a folder, and returns what they were made with.
func (m applied) simulate(t *testing.T, model, dir string, seed uint64) map[string]float64 {
	switch m.name {
	case "hmm":
		truth, err := tables.HiddenMarkov(dir, rand.New(rand.NewPCG(seed, 1)), 100)
		if err != nil {
			t.Fatal(err)
		}
		return truth
	// a Weibull time t with scale exp(m) has the log hazard -shape * m, up to a term that all rows share
	case "cox":
		truth, hazards := applied{name: "weibull", sizes: m.sizes}.simulate(t,
			filepath.Join(filepath.Dir(model), "weibull.vfl"), dir, seed), map[string]float64{}
		for name, v := range truth {
			if strings.HasPrefix(name, "beta_") {
				hazards[name] = -truth["shape"] * v
			}
		}
		return hazards
	}
	made := filepath.Join(dir, "made")
	args := []string{"simulate", model, "--seed", fmt.Sprint(seed), "--quiet", "-o", made}
	for _, size := range strings.Fields(m.sizes) {
		args = append(args, "--size", size)
	}
	do(t, args...)
	truth := map[string]float64{}
	for _, row := range readTable(t, filepath.Join(made, "truth.csv"))[1:] {
		truth[row[0]] = parsed(t, row[2])
	}
	files, err := filepath.Glob(filepath.Join(made, "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if err := os.Rename(file, filepath.Join(dir, filepath.Base(file))); err != nil {
			t.Fatal(err)
		}
	}
	if m.name == "missing_covariates" {
		missing, err := tables.Blank(filepath.Join(dir, "clinic.csv"), "chol")
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range missing {
			truth[fmt.Sprintf("chol.missing[%d]", k+1)] = v
		}
	}
	return truth
}

func readTable(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func parsed(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// scalars matches a summary with the truth. Elements that cannot vary have no sd.
func (m applied) scalars(t *testing.T, text string, truth map[string]float64) []scalar {
	t.Helper()
	var summary struct {
		Parameters []struct {
			Name     string
			Mean, SD float64
		}
	}
	if err := json.Unmarshal([]byte(text), &summary); err != nil {
		t.Fatal(err)
	}
	var out []scalar
	for _, p := range summary.Parameters {
		v, known := truth[p.Name]
		if !known {
			t.Errorf("the truth of %s is not known", p.Name)
		}
		if p.SD > 0 && (m.hidden == nil || !m.hidden(p.Name)) {
			out = append(out, scalar{p.Name, v, p.Mean, p.SD})
		}
	}
	if len(out) == 0 {
		t.Fatal("there is nothing to compare")
	}
	return out
}
