package noise

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/testmodel"
)

// opened prepares fits of a model with its tables, at the default noises.
func opened(t *testing.T, text string, tables []string, clients int, key string,
	settings map[string]string) *Series {
	t.Helper()
	m, diags := compile.Compile(source.New("m.vfl", text), check.Options{})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	sources, err := data.Locate("m.vfl", m.Parties(), tables)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Addends(sources); got != clients {
		t.Fatalf("%d clients, want %d", got, clients)
	}
	s, diags, err := Open(m, sources, Values(DefaultSDs(), clients), fit.Options{Algorithm: fit.Backends()[0],
		Settings: settings, Joining: data.Joining{Key: key}, Seed: 6}, nil)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	if err := s.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return s
}

const regressionText = `client a, b
data y : real[N] @ server
data u : real[N] @ a
data v : real[N] @ b
param c ~ normal(0, 1)
param s ~ normal(0, 1) @ a
param t ~ normal(0, 1) @ b
y ~ normal(c + u * s + v * t, 1.2)
transform augmented
`

// Fits of a linear regression are those with noise of variance σ² + ρ²J, and the extrapolation is that with
// σ², within its error.
func TestNormalRegression(t *testing.T) {
	l, dir := regression(30), t.TempDir()
	var tables []string
	column := func(party, name string, value func(int) float64) {
		text := name + "\n"
		for i := range l.y.Len() {
			text += fmt.Sprintln(value(i))
		}
		path := filepath.Join(dir, party+".csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, party+"="+path)
	}
	column("server", "y", l.y.AtVec)
	column("a", "u", func(i int) float64 { return l.x.At(i, 1) })
	column("b", "v", func(i int) float64 { return l.x.At(i, 2) })
	s := opened(t, regressionText, tables, 2, data.RowOrder,
		map[string]string{"warmup": "300", "draws": "800"})
	e := s.Extrapolate()
	order := []string{"c", "s", "t"}
	for i, f := range s.Fits {
		mean, sd := l.moments(s.SD(f) * s.SD(f))
		for k, name := range order {
			at := find(t, e, name).At[i]
			if math.Abs(float64(at.Mean)-mean[k]) > 4*float64(at.MCSE) ||
				math.Abs(float64(at.SD)-sd[k]) > 4*float64(at.MCSESD) {
				t.Errorf("rho %v, %s: %v ± %v for %v, sd %v for %v", f.Rho, name, at.Mean, at.MCSE, mean[k],
					at.SD, sd[k])
			}
		}
	}
	mean, sd := l.moments(0)
	for k, name := range order {
		p := find(t, e, name)
		if math.Abs(float64(p.Mean)-mean[k]) > float64(p.MeanError) ||
			math.Abs(float64(p.SD)-sd[k]) > float64(p.SDError) {
			t.Errorf("%s: %v ± %v for %v, sd %v ± %v for %v", name, p.Mean, p.MeanError, mean[k], p.SD,
				p.SDError, sd[k])
		}
		if float64(p.MeanError) > 0.25*sd[k] {
			t.Errorf("%s: the error %v says little beside the sd %v", name, p.MeanError, sd[k])
		}
	}
}

func find(t *testing.T, e Extrapolation, name string) ParameterEstimate {
	t.Helper()
	i := slices.IndexFunc(e.Parameters, func(p ParameterEstimate) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("no %s", name)
	}
	return e.Parameters[i]
}

// The logistic design: the posterior at rho = 0 is the reference posterior of the true model in every
// parameter, within the stated errors, which are at most 0.15 sd in the median. The references' own Monte
// Carlo error is a third of ours. The errors have a Monte Carlo part, so that they cover with a probability:
// of 40 seeds one had an element outside.
func TestLogisticReference(t *testing.T) {
	shared := filepath.Join("..", "..", "tests", "reference")
	text, err := os.ReadFile(filepath.Join(shared, "reference", "logistic_true.json"))
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Parameters map[string]struct{ Mean, SD float64 }
	}
	if err := json.Unmarshal(text, &reference); err != nil {
		t.Fatal(err)
	}
	for _, clients := range []int{2, 10}[:brief.Draws(1, 2)] {
		t.Run(fmt.Sprint(clients), func(t *testing.T) {
			model, tables := logistic(t, clients, shared)
			e := opened(t, model, tables, clients, "",
				map[string]string{"warmup": "200", "draws": "600"}).Extrapolate()
			var errors []float64
			for i, name := range designNames(clients) {
				want, known := reference.Parameters["b"], true
				if i > 0 {
					want, known = reference.Parameters[fmt.Sprintf("beta[%d]", i)]
				}
				if !known {
					t.Fatalf("no reference for %s", name)
				}
				p := find(t, e, name)
				if math.Abs(float64(p.Mean)-want.Mean) > float64(p.MeanError) ||
					math.Abs(float64(p.SD)-want.SD) > float64(p.SDError) {
					t.Errorf("%s: %v ± %v for %v, sd %v ± %v for %v", name, p.Mean, p.MeanError, want.Mean,
						p.SD, p.SDError, want.SD)
				}
				errors = append(errors, float64(p.MeanError)/want.SD)
			}
			slices.Sort(errors)
			if median := errors[len(errors)/2]; median > 0.15 {
				t.Errorf("the median error is %v sd", median)
			}
		})
	}
}

// logistic is the regression of 20 covariates, divided among clients, with its tables.
func logistic(t *testing.T, clients int, folder string) (text string, tables []string) {
	t.Helper()
	own, err := testmodel.LogisticTables(folder, clients)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var b strings.Builder
	predictor := "b"
	b.WriteString("server lab\ndata y : binary[N] @ shared\nparam b ~ normal(0, 1)\n")
	tables = append(tables, "lab="+filepath.Join(folder, "paper", "logistic", "server.csv"))
	for j := 1; j <= clients; j++ {
		fmt.Fprintf(&b,
			"client c%d\ndata X%[1]d : real[N, P%[1]d] @ c%[1]d\nparam beta%[1]d : real[P%[1]d] ~ "+
				"normal(0, 1) @ c%[1]d\n", j)
		predictor += fmt.Sprintf(" + X%d * beta%[1]d", j)
		path := filepath.Join(dir, fmt.Sprintf("client%d.csv", j))
		if err := os.WriteFile(path, []byte(own[j-1]), 0o644); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, fmt.Sprintf("c%d=%s", j, path))
	}
	b.WriteString("y ~ bernoulli_logit(" + predictor + ")\ntransform augmented\n")
	return b.String(), tables
}

// designNames are the intercept and the coefficients in the order of the covariates.
func designNames(clients int) []string {
	names := []string{"b"}
	for j := 1; j <= clients; j++ {
		for k := 1; k <= 20/clients; k++ {
			names = append(names, fmt.Sprintf("beta%d[%d]", j, k))
		}
	}
	return names
}

// Where the error is large beside the spread, that is a finding; findings of the fits are there with their
// rho.
func TestFindings(t *testing.T) {
	draws := func(offset float64) *posterior.Draws {
		d := posterior.NewDraws([]posterior.Variable{{Name: "m", Owner: "server"}}, 1, 100)
		for i := range 100 {
			d.Append(0, []float64{offset + math.Sin(float64(i*i))})
		}
		return d
	}
	var fits []Point
	for k, rho := range []float64{1, 0.7, 0.35} {
		d := draws([]float64{0, 5, 0}[k]) // no polynomial of low degree
		fits = append(fits, Point{rho, d, posterior.Summarise(d), nil})
	}
	fits[1].Findings = []posterior.Finding{{Check: "rhat", Text: "R-hat is large"}}
	e := Extrapolate("m", 1, fits)
	if len(e.Findings) != 2 || e.Findings[0].Text != "rho = 0.7: R-hat is large" ||
		e.Findings[1].Check != "extrapolation" {
		t.Errorf("%+v", e.Findings)
	}
}
