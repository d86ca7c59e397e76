package effects_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/effects"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
)

const model = `client clinic, lab
data y : binary[N] @ shared
data X : real[N, P] @ clinic from zscore(age), onehot(sex, drop=first)
data ward : level(J)[N] @ clinic
data visits : count[N] @ lab
param b : real[P] ~ normal(0, 1) @ clinic
param mu ~ normal(0, 1) @ clinic
param tau ~ half_normal(1) @ clinic
param u : real[J] ~ normal(mu, tau) noncentered @ clinic
param v ~ normal(0, 0.3) @ lab
y ~ bernoulli_logit(X * b + u[ward] + visits * v)
transform exact
`

// A patient is a row.
type patient struct {
	age, visits float64
	sex, ward   string
}

func patients() (out []patient) {
	for i := range 23 {
		out = append(out, patient{age: 30 + float64(7*i%41) + 0.25*float64(i%3), visits: float64(i * i % 6),
			sex: []string{"f", "m"}[i*i%5%2], ward: []string{"east", "west", "north"}[i%3]})
	}
	return out
}

// fitted is a short run of the model.
func fitted(t *testing.T) *fit.Finished { return fittedTo(t, model) }

func fittedTo(t *testing.T, model string) *fit.Finished {
	t.Helper()
	dir := t.TempDir()
	var tables [3]strings.Builder
	tables[0].WriteString("id,y\n")
	tables[1].WriteString("id,age,sex,ward\n")
	tables[2].WriteString("id,visits\n")
	for i, p := range patients() {
		fmt.Fprintf(&tables[0], "p%d,%d\n", i, i*i%3%2)
		fmt.Fprintf(&tables[1], "p%d,%g,%s,%s\n", i, p.age, p.sex, p.ward)
		fmt.Fprintf(&tables[2], "p%d,%g\n", i, p.visits)
	}
	var flags []string
	for k, party := range []string{"server", "clinic", "lab"} {
		file := filepath.Join(dir, party+".csv")
		if err := os.WriteFile(file, []byte(tables[k].String()), 0o600); err != nil {
			t.Fatal(err)
		}
		flags = append(flags, party+"="+file)
	}
	m, diags := compile.Compile(source.New("m.vfl", model), check.Options{})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	sources, err := data.Named(m.Parties(), flags)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "run")
	p, diags, err := fit.Open(m, sources, fit.Options{Seed: 3, Dir: out,
		Settings: map[string]string{"chains": "2", "warmup": "20", "draws": "12"}})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	r, err := p.Sample(t.Context(), nil)
	if err == nil {
		err = r.Save(out)
	}
	if err != nil {
		t.Fatal(err)
	}
	run, err := posterior.OpenRun(out)
	if err != nil {
		t.Fatal(err)
	}
	return &fit.Finished{Run: run}
}

// draws are those of an element of a parameter, chain after chain.
func draws(t *testing.T, f *fit.Finished, name string, element int) []float64 {
	at := 0
	for _, v := range f.Draws.Vars {
		if v.Name == name {
			return slices.Concat(f.Draws.Column(at + element)...)
		}
		at += v.Len()
	}
	t.Fatalf("no parameter %s", name)
	return nil
}

// predictors are those of a row at each draw; ward "" has the centre of the wards.
func predictors(t *testing.T, f *fit.Finished, p patient) []float64 {
	mean, sd, n := 0.0, 0.0, float64(len(patients()))
	for _, q := range patients() {
		mean += q.age / n
	}
	for _, q := range patients() {
		sd += (q.age - mean) * (q.age - mean) / (n - 1)
	}
	age, sex, visits := draws(t, f, "b", 0), draws(t, f, "b", 1), draws(t, f, "v", 0)
	ward := draws(t, f, "mu", 0)
	if k := slices.Index([]string{"east", "north", "west"}, p.ward); k >= 0 {
		ward = draws(t, f, "u", k)
	}
	out := make([]float64, len(age))
	for i := range out {
		out[i] = age[i]*(p.age-mean)/math.Sqrt(sd) + ward[i] + visits[i]*p.visits
		if p.sex == "m" {
			out[i] += sex[i]
		}
	}
	return out
}

func probabilities(eta []float64) (out []float64) {
	for _, v := range eta {
		out = append(out, 1/(1+math.Exp(-v)))
	}
	return out
}

// same compares a summary with draws that are computed from the parameters.
func same(t *testing.T, what string, got effects.Spread, want []float64) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(want))
	mean := 0.0
	for _, v := range want {
		mean += v / float64(len(want))
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{{"mean", float64(got.Mean), mean}, {"median", float64(got.Median), posterior.Quantile(sorted, 0.5)},
		{"2.5%", float64(got.Lower), posterior.Quantile(sorted, 0.025)},
		{"97.5%", float64(got.Upper), posterior.Quantile(sorted, 0.975)}} {
		if !(math.Abs(c.got-c.want) < 1e-12) {
			t.Errorf("%s: %s is %v, not %v", what, c.name, c.got, c.want)
		}
	}
}

// Effects and contrasts are what the parameters of each draw say of rows that the test makes up itself.
func TestEffectsFollowFromDraws(t *testing.T) {
	f := fitted(t)
	mean, n := 0.0, float64(len(patients()))
	for _, q := range patients() {
		mean += q.age / n
	}
	of := func(term string, change func(o *effects.Options)) effects.Effect {
		t.Helper()
		o := effects.Usual()
		change(&o)
		d, diags, err := effects.Of(t.Context(), f, "m", []string{term}, o)
		if err != nil || diags.HasErrors() {
			t.Fatal(err, data.Errors(diags))
		}
		return d.Effects[0]
	}
	plain := func(*effects.Options) {}
	e := of("age:sex", plain)
	if len(e.Points) != 200 || e.Points[0].At[0] != "30" || e.Points[99].At[0] != "67.5" {
		t.Errorf("%d points from %v to %v", len(e.Points), e.Points[0].At, e.Points[99].At)
	}
	for _, k := range []int{0, 41, 99, 100, 163} {
		at := e.Points[k].At
		age, _ := strconv.ParseFloat(at[0], 64)
		same(t, strings.Join(at, ", "), e.Points[k].Spread, probabilities(predictors(t, f,
			patient{age: age, sex: at[1], visits: 3})))
	}
	e = of("visits", func(o *effects.Options) {
		o.At, o.Linear = []string{"ward=north", "sex=m", "age=50.5"}, true
	})
	for k, p := range e.Points {
		same(t, "visits", p.Spread, predictors(t, f, patient{age: 50.5, sex: "m", visits: float64(k),
			ward: "north"}))
	}
	if len(e.Points) != 5 { // 0 … 4
		t.Errorf("visits has %d points", len(e.Points))
	}
	e = of("ward", plain)
	same(t, "ward", e.Points[2].Spread, probabilities(predictors(t, f, patient{age: mean, sex: "f", visits: 3,
		ward: "west"})))

	contrasts := func(text string, change func(o *effects.Options)) []effects.Contrast {
		t.Helper()
		o := effects.Usual()
		o.Groups = effects.GroupsOwn
		change(&o)
		d, diags, err := effects.Contrasts(t.Context(), f, "m", []string{text}, o)
		if err != nil || diags.HasErrors() {
			t.Fatal(err, data.Errors(diags))
		}
		return d.Contrasts
	}
	c := contrasts("visits", func(o *effects.Options) { o.By = "sex" })
	for k, sex := range []string{"f", "m"} {
		want, rows := make([]float64, 24), 0.0
		for _, p := range patients() {
			if p.sex == sex {
				more := p
				more.visits++
				rows++
				a, b := probabilities(predictors(t, f, more)), probabilities(predictors(t, f, p))
				for i := range want {
					want[i] += a[i] - b[i]
				}
			}
		}
		for i := range want {
			want[i] /= rows
		}
		same(t, "one visit more of "+sex, c[k].Spread, want)
	}
	c = contrasts("age=60, sex=m / age=40", func(o *effects.Options) {
		o.Typical, o.Groups = true, effects.GroupsNone
	})
	a := probabilities(predictors(t, f, patient{age: 60, sex: "m", visits: 3}))
	b := probabilities(predictors(t, f, patient{age: 40, sex: "f", visits: 3}))
	for i := range a {
		a[i] /= b[i]
	}
	same(t, "a ratio", c[0].Spread, a)
}

// Effects of groups that sum to 0 are held at 0.
func TestZeroSumEffectsAreHeldAtZero(t *testing.T) {
	f := fittedTo(t, strings.NewReplacer("real[J] ~ normal(mu, tau) noncentered",
		"sum_to_zero[J] ~ zero_sum_normal(tau)", "u[ward]", "mu + u[ward]").Replace(model))
	o := effects.Usual()
	o.At, o.Linear = []string{"sex=m", "age=50.5"}, true
	d, diags, err := effects.Of(t.Context(), f, "m", []string{"visits"}, o)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	for k, p := range d.Effects[0].Points {
		same(t, "visits", p.Spread, predictors(t, f, patient{age: 50.5, sex: "m", visits: float64(k)}))
	}
}

// What asks for nothing that there is has a code, and says what there is.
func TestEffectsRefuse(t *testing.T) {
	f := fitted(t)
	for _, c := range []struct {
		term, at string
		code     diag.Code
		note     string
	}{{"aeg", "", diag.NotAColumn, "there are age, sex, ward, visits"},
		{"age:sex:ward", "", diag.NotAColumn, "--at"},
		{"age", "sex=x", diag.NotAColumn, "its categories are f, m"}} {
		o := effects.Usual()
		if c.at != "" {
			o.At = []string{c.at}
		}
		_, diags, err := effects.Of(t.Context(), f, "m", []string{c.term}, o)
		if err != nil || !diags.HasErrors() || diags[0].Code != c.code ||
			!strings.Contains(diags[0].Notes[0].Message, c.note) {
			t.Errorf("%s %s: %v, %v", c.term, c.at, err, diags)
		}
	}
}

// The rows that a party makes up for others tell nothing of its least and its largest value: whatever these
// are, the table is the same.
func TestApartRowsHideTheOutermost(t *testing.T) {
	f := fitted(t)
	made := func() string {
		t.Helper()
		o := effects.Usual()
		o.At = []string{"ward=east"}
		table, diags, err := effects.ApartRows(f, "age", "id", o, nil)
		if err != nil || diags.HasErrors() {
			t.Fatal(err, data.Errors(diags))
		}
		return fmt.Sprint(table)
	}
	first := made()
	file := filepath.Join(filepath.Dir(f.Path), "clinic.csv")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	age := func(line string) float64 {
		v, _ := strconv.ParseFloat(strings.Split(line, ",")[1], 64)
		return v
	}
	slices.SortFunc(lines[1:], func(a, b string) int { return int(math.Copysign(1, age(a)-age(b))) })
	for k, v := range map[int]string{1: "-1000", len(lines) - 1: "1e6"} {
		cells := strings.Split(lines[k], ",")
		cells[1] = v
		lines[k] = strings.Join(cells, ",")
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if second := made(); first != second || !strings.Contains(first, "[1 ") {
		t.Errorf("the rows tell of the outermost ages: %s, then %s", first, second)
	}
	o := effects.Usual()
	if _, diags, err := effects.ApartRows(f, "visits", "id", o, nil); err != nil || !diags.HasErrors() ||
		diags[0].Code != diag.NoCentre {
		t.Error(err, diags)
	}
}
