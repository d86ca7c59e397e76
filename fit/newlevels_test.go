package fit_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/fit/synthetic"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

// Effects of wards, independent and correlated, with a scale and a factor of the client that has the wards.
const wardModel = `server registry
client clinic, lab
data y : real[N] @ shared
data ward : level(R)[N] @ clinic
data x : real[N] @ clinic
data z : real[N] @ lab
param b ~ normal(0, 1)
param s ~ lognormal(0, 0.5)
param tau : real[2] ~ half_normal(1) @ clinic
param L : corr_cholesky[2] ~ lkj_corr_cholesky(2) @ clinic
param u : real[R, 2] ~ multi_normal_cholesky(0, col(tau) .* L) @ clinic
param v : real[R] ~ student_t(6, 0, tau[1]) @ clinic
param g ~ normal(0, 1) @ lab
y ~ normal(b + u[ward, 1] + (u[ward, 2]) .* x + exp(0.1 * v)[ward] + z * g, s)
`

// wardRun fits the model to simulated data and returns its folder.
func wardRun(t *testing.T, text, transform, backend string, sizes map[string]int,
	settings map[string]string) *posterior.Run {
	t.Helper()
	exact, _ := stdlib.TransformNamed("exact")
	path := filepath.Join(t.TempDir(), "m.vfl")
	m, diags := compile.Compile(source.New(path, text), check.Options{Transform: exact})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	if m.Pooled() {
		m, _ = compile.Compile(source.New(path, text), check.Options{})
	}
	s, diags, err := synthetic.New(m, synthetic.Request{Seed: 5, Sizes: sizes})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	if _, err := s.Write(strings.TrimSuffix(path, ".vfl"), len(m.Parties()) == 1); err != nil {
		t.Fatal(err)
	}
	kind, _ := stdlib.TransformNamed(transform)
	m, diags = compile.Compile(source.New(path, text), check.Options{Transform: kind})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	sources, err := data.Locate(path, m.Parties(), nil)
	if err != nil {
		t.Fatal(err)
	}
	algorithm := fit.Backends()[slices.IndexFunc(fit.Backends(), func(a backends.Algorithm) bool {
		return a.Name == backend
	})]
	dir := filepath.Join(t.TempDir(), "run")
	p, diags, err := fit.Open(m, sources, fit.Options{Algorithm: algorithm, Settings: settings, Seed: 2,
		Dir: dir})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	r, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	out, err := posterior.OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// newTables writes new tables and returns them as --data names them.
func newTables(t *testing.T, by map[string]string) (flags []string) {
	t.Helper()
	dir := t.TempDir()
	for party, text := range by {
		path := filepath.Join(dir, party+".csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		flags = append(flags, party+"="+path)
	}
	return flags
}

func predicted(t *testing.T, r *posterior.Run, q fit.PredictionRequest) *fit.Predictions {
	t.Helper()
	p, diags, err := fit.Predict(t.Context(), r, q)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	return p
}

// A new ward's effects are draws from their prior given the draw of the hyperparameters, after each backend
// and under each transform: the expectation and the variance of its response are those of the hierarchy,
// within 5 standard errors of the draws. Rows of wards that the run has are predicted as without new ones,
// and a goroutine for each party gives the same bits.
func TestNewLevels(t *testing.T) {
	settings := map[string]map[string]string{
		"nuts": {"chains": "1", "warmup": "200", "draws": "500"},
		"sfvi": {"draws": "1000"},
		"soul": {"draws": "500"},
	}
	new := map[string]string{"clinic": "id,ward,x\n1,2,0.5\n2,7,0.5\n3,7,-1\n4,6,2\n",
		"lab": "id,z\n1,0.2\n2,0.3\n3,0.4\n4,1\n"}
	old := map[string]string{"clinic": "id,ward,x\n1,2,0.5\n", "lab": "id,z\n1,0.2\n"}
	for _, x := range []struct{ backend, transform string }{{"nuts", "exact"}, {"nuts", "power"},
		{"sfvi", "exact"}, {"soul", "augmented"}} {
		t.Run(x.backend+"/"+x.transform, func(t *testing.T) {
			r := wardRun(t, wardModel, x.transform, x.backend, map[string]int{"N": 60, "R": 5},
				settings[x.backend])
			q := fit.PredictionRequest{Data: newTables(t, new), NewLevels: true, Seed: 3}
			p := predicted(t, r, q)
			if p.NewLevels["R"] != 2 {
				t.Fatalf("new levels %v", p.NewLevels)
			}
			y := p.Responses[0]
			alone := predicted(t, r, fit.PredictionRequest{Data: newTables(t, old), Seed: 3}).Responses[0]
			if math.Abs(y.Mean[0]-alone.Mean[0]) > 1e-12 {
				t.Errorf("a ward that the run has: %v, without new ones %v", y.Mean[0], alone.Mean[0])
			}
			q.PerParty = true
			again := predicted(t, r, q)
			for e := range y.Draws {
				if !slices.Equal(y.Draws[e], again.Responses[0].Draws[e]) {
					t.Errorf("row %d differs with a goroutine for each party", e+1)
				}
			}
			hierarchy(t, r, y)
		})
	}
}

// hierarchy compares rows 2 to 4 with the law of a new ward given each draw of the run.
func hierarchy(t *testing.T, r *posterior.Run, y fit.PredictedResponse) {
	t.Helper()
	value := func(name string) []float64 {
		columns, err := r.Draws.Choose([]string{name})
		if err != nil || len(columns) != 1 {
			t.Fatal(name, err)
		}
		return slices.Concat(r.Draws.Column(columns[0])...)
	}
	b, s, g := value("b"), value("s"), value("g")
	t1, t2, l21 := value("tau[1]"), value("tau[2]"), value("L[2,1]")
	for e, row := range []struct{ x, z float64 }{1: {0.5, 0.3}, 2: {-1, 0.4}, 3: {2, 1}} {
		if e == 0 {
			continue
		}
		// exp(0.1 v) has mean near 1 and variance near 0.01·1.5·tau², both up to terms of the fourth order,
		// which the tolerance covers
		var sum, squares float64
		for i := range b {
			variance := t1[i]*t1[i] + 2*row.x*l21[i]*t1[i]*t2[i] + row.x*row.x*t2[i]*t2[i] + s[i]*s[i] +
				0.015*t1[i]*t1[i]
			scaled := (y.Draws[e][i] - b[i] - 1 - 0.0075*t1[i]*t1[i] - row.z*g[i]) / math.Sqrt(variance)
			sum, squares = sum+scaled, squares+scaled*scaled
		}
		n := float64(len(b))
		if mean, variance := sum/n, squares/n; math.Abs(mean)*math.Sqrt(n) > 5 ||
			math.Abs(variance-1)*math.Sqrt(n/2) > 6 {
			t.Errorf("row %d: standardised by the law of a new ward, mean %v and variance %v of %v draws",
				e+1, mean, variance, n)
		}
	}
}

// New words get the codes behind those of the run, in byte order, and a ward is the same in all its rows; at
// a shared column, whose words all parties have; without --new-levels they are refused with the way out.
func TestNewWords(t *testing.T) {
	const text = `client a
data y : real[N] @ shared
data ward : level(R)[N] @ shared
data x : real[N] @ a
param u : real[R] ~ normal(0, 50)
param k ~ normal(0, 1) @ a
y ~ normal(u[ward] + k * x, 0.001)
transform exact
`
	r := wardRun(t, strings.Replace(text, "param u", "levels R = \"ash\", \"elm\", \"oak\"\nparam u", 1),
		"exact", "nuts", map[string]int{"N": 30}, map[string]string{"chains": "1", "warmup": "200",
			"draws": "400"})
	listed := fit.PredictionRequest{Data: newTables(t, map[string]string{"shared": "id,ward\n1,yew\n",
		"a": "id,x\n1,0\n"}), NewLevels: true}
	if _, diags, err := fit.Predict(t.Context(), r, listed); err != nil || !diags.HasErrors() ||
		diags[0].Code != diag.NewCategory {
		t.Errorf("a word beside the list of the model: %v %v", err, diags)
	}

	dir := filepath.Dir(r.Path)
	model := filepath.Join(dir, "m.vfl")
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, diags := compile.Compile(source.New(model, text), check.Options{})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	var shared, own strings.Builder
	shared.WriteString("id,ward,y\n")
	own.WriteString("id,x\n")
	for i := range 12 {
		fmt.Fprintf(&shared, "%d,%s,%d\n", i, []string{"oak", "ash", "elm"}[i%3], []int{30, 10, 20}[i%3])
		fmt.Fprintf(&own, "%d,%d\n", i, i%2)
	}
	sources, err := data.Named(m.Parties(),
		newTables(t, map[string]string{"shared": shared.String(), "a": own.String()}))
	if err != nil {
		t.Fatal(err)
	}
	p, diags, err := fit.Open(m, sources,
		fit.Options{Settings: map[string]string{"chains": "1", "warmup": "1000", "draws": "400"}, Seed: 1})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	fitted, err := p.Sample(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := fit.PredictionRequest{Data: newTables(t,
		map[string]string{"shared": "id,ward\n1,oak\n2,yew\n3,ash\n4,box\n5,yew\n6,elm\n",
			"a": "id,x\n1,0.001\n2,0.002\n3,0\n4,0\n5,0\n6,0\n"}), NewLevels: true, Seed: 4}
	got, diags, err := fit.PredictBound(t.Context(), p.BoundModel, fitted.Draws, q)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	y := got.Responses[0]
	for row, want := range map[int]float64{0: 30, 2: 10, 5: 20} {
		if math.Abs(y.Mean[row]-want) > 0.1 {
			t.Errorf("row %d: %v, want %v", row+1, y.Mean[row], want)
		}
	}
	for i := range y.Draws[1] {
		if math.Abs(y.Draws[1][i]-y.Draws[4][i]) > 0.02 || y.Draws[1][i] == y.Draws[3][i] {
			t.Fatalf("yew is %v and %v, box is %v", y.Draws[1][i], y.Draws[4][i], y.Draws[3][i])
		}
	}
	q.NewLevels = false
	_, diags, err = fit.PredictBound(t.Context(), p.BoundModel, fitted.Draws, q)
	if err != nil || !diags.HasErrors() || diags[0].Code != diag.NewCategory || len(diags[0].Notes) == 0 ||
		!strings.Contains(diags[0].Notes[0].Message, "--new-levels") {
		t.Errorf("without the flag: %v %v", err, diags)
	}
}

// Models in which a new category would change what is said of the others, or has no prior of its own, are
// refused with the reason.
func TestNewLevelsRefused(t *testing.T) {
	for _, x := range []struct{ declared, eta, why string }{
		{"param u : real[R] ~ normal(0, 1)", "u[ward] - mean(u)", "mean mixes the categories"},
		{"param u : real[R] ~ gaussian_random_walk(0, 1)", "u[ward]", "one joint prior"},
		{"param u : real[R] ~ normal(0, 1)\nlet w = u - sum(u) / R", "w[ward]", "mixes the categories"},
		{"param u : real[R] ~ normal(0, 1)", "u[ward] * R", "used as a value"},
		{"param u : real[R] ~ normal(0, sd(x))", "u[ward]", "depends on data of the rows"},
		{"param u : real[R - 1] ~ normal(0, 1)", "append([0], u)[ward]", "not one for each category"},
		{"param u : simplex[R] ~ dirichlet(1)", "u[ward]", "one joint prior"},
		{"param u : real[R] ~ normal(0, 1)\nlet w : real[R] = recur w[1] = u[1], w[t] = w[t - " +
			"1] + u[t] for t in 2..R", "w[ward]", "categories of level(R)"},
		{"param u : real[R] ~ flat()\nfactor -0.5 * u ^ 2", "u[ward]",
			"this factor is a part of the prior of u"},
		{"param u : real[R] ~ normal(0, 1)", "u[ward]", ""},
		{"param u : real[R, 2] ~ normal(0, 1)\nparam m : real[R] ~ normal(u[:, 2], " +
			"1)\nlet w = exp(u[:, 1]) .* m", "w[ward]", ""},
	} {
		text := "data y : real[N]\ndata ward : level(R)[N]\ndata x : real[N]\n" + x.declared +
			"\ny ~ normal(" + x.eta + ", 1)\n"
		m, diags := compile.Compile(source.New("m.vfl", text), check.Options{})
		if diags.HasErrors() {
			if x.why != "" && strings.Contains(x.declared, "R - 1") {
				continue // this version cannot index such a vector by a level either
			}
			t.Fatal(text, data.Errors(diags))
		}
		found := m.NewLevels("R")
		if x.why == "" && found.HasErrors() || x.why != "" &&
			(!found.HasErrors() || !strings.Contains(found[0].Message, x.why) || len(found[0].Notes) == 0) {
			t.Errorf("%s%v, want %q", text, data.Errors(found), x.why)
		}
	}
}
