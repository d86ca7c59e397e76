package fit

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
)

// everySupport has parameters of every support, at the server, at a client, at members of a family, shared,
// noncentered with locations and scales of other parties, and missing cells.
var everySupport = compiletest.Fixture{
	Text: `client a
client lab[J]
data y : real[N]
data x : real[N] @ a missing impute ~ normal(m, 2)
data t : real<lower=0>[N] @ a missing impute ~ lognormal(0.5, s)
data z : real[N] @ lab
param top ~ normal(0, 3) @ shared
param spread ~ half_normal(2) @ shared
param m ~ normal(0, 1) @ a
param s ~ exponential(1) @ a
param u ~ uniform(-2, 5) @ a
param below : real<upper=3>[2] ~ normal(0, 1) @ a
param share : real[2] ~ beta(2, 3) @ a
let width = exp(0.5 * m) + s
param slope : real[2, 3] ~ normal(top, width) noncentered @ a
param size : real[3] ~ half_normal(spread) noncentered @ a
param beta : real[2] ~ normal(0, spread) noncentered @ lab
param scale ~ gamma(2, 2) @ lab
param pi : simplex[2, 3] ~ dirichlet([1, 2, 3])
param cuts : ordered[3] ~ normal(0, 2)
param rates : positive_ordered[3] ~ exponential(1)
param L : corr_cholesky[3] ~ lkj_corr_cholesky(2)
param S : cov_matrix[2] ~ wishart(4, [[1, 0.3], [0.3, 2]])
param R : corr_matrix[3] ~ lkj_corr(2)
param direction : unit_vector[3] ~ flat()
param sigma ~ half_normal(1)
weight w : real[2, 2]
y ~ normal(top + x * slope[1, 2] + t * size[1] + sum(z[j] * beta[j][1] * scale[j] for j in lab) + sum(w) + direction[1], sigma)
factor sum(pi) + sum(cuts) - sum(rates) + sum(L) + sum(share)
`,
	Tables: map[string]string{
		"server": "y\n0.1\n-1\n2\n0.4\n", "a": "x,t\n1,\n,2\n0.3,\n,0.5\n", "lab/1": "z\n1\n2\n3\n4\n",
		"lab/2": "z\n0\n1\n-1\n2\n",
	},
	Family: map[string]int{"lab": 2},
}

// values are what the parties report at theta, as a document.
func documentAt(t *testing.T, env density.Env, theta [][]float64) string {
	t.Helper()
	values := make([][]float64, len(theta))
	for b, block := range env.Blocks() {
		n := 0
		for _, p := range block.Params() {
			n += p.Len
		}
		values[b] = make([]float64, n)
	}
	if err := env.Values(context.Background(), density.Draw{Theta: theta}, values); err != nil {
		t.Fatal(err)
	}
	document := map[string]any{}
	for b, block := range env.Blocks() {
		for _, p := range block.Params() {
			v := nested(values[b][p.Offset:p.Offset+p.Len], p.Dims)
			document[p.Name] = v
		}
	}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// nested is a column-major array as JSON has it, rows outside.
func nested(values []float64, dims []int) any {
	if len(dims) == 0 {
		return values[0]
	}
	var out []any
	for i := range dims[0] {
		var row []float64
		for at := i; at < len(values); at += dims[0] {
			row = append(row, values[at])
		}
		out = append(out, nested(row, dims[1:]))
	}
	return out
}

func thetas(env density.Env, each func() float64) (out [][]float64) {
	for _, b := range env.Blocks() {
		theta := make([]float64, b.Dim())
		for i := range theta {
			theta[i] = each()
		}
		out = append(out, theta)
	}
	return out
}

// The coordinates of the values at θ are θ, for every support and noncentered parameters. A unit vector has a
// coordinate more than its set has dimensions: there the values are the same again.
func TestUnconstrainInvertsConstrain(t *testing.T) {
	o := check.Options{Transform: stdlib.Augmented, Rho: 0.3, Accept: diag.AcceptanceNames()}
	alone := everySupport
	alone.Text = strings.Replace(alone.Text, "param direction : unit_vector[3] ~ flat()\n", "", 1)
	alone.Text = strings.Replace(alone.Text, " + direction[1]", "", 1)
	for name, f := range map[string]compiletest.Fixture{"unique": alone, "with unit vectors": everySupport} {
		p := prepared(t, f.Bind(t, o), backend(t, "sfvi"), nil)
		env, err := session.NewLocal(p.Plan, session.SimulatedKeys(1, p.Plan.Names))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 4))
		for range 20 {
			theta := thetas(env, r.NormFloat64)
			text := documentAt(t, env, theta)
			entries, diags := data.Entries("inits.json", []byte(text))
			if diags.HasErrors() {
				t.Fatal(data.Errors(diags))
			}
			starts, errs := p.unconstrain(entries)
			if len(errs) > 0 {
				t.Fatal(errs, text)
			}
			again := thetas(env, func() float64 { return math.NaN() })
			for b := range again {
				density.Place(density.StartedAt(env, starts), b, again[b])
			}
			for b := range again {
				for i, v := range again[b] {
					if name == "unique" && !(math.Abs(v-theta[b][i]) <= 1e-8*(1+math.Abs(theta[b][i]))) {
						t.Fatalf("%s: coordinate %d of %s is %v, want %v", name, i, p.Plan.Names[b], v,
							theta[b][i])
					}
				}
			}
			if name != "unique" {
				sameNumbers(t, text, documentAt(t, env, again))
			}
		}
	}
}

// sameNumbers compares the numbers of two documents.
func sameNumbers(t *testing.T, a, b string) {
	t.Helper()
	x, _ := data.Entries("a", []byte(a))
	y, _ := data.Entries("b", []byte(b))
	for k, e := range x {
		for i, v := range e.Values {
			if got := y[k].Values[i]; !(math.Abs(got-v) <= 1e-8*(1+math.Abs(v))) {
				t.Fatalf("%s: element %d is %v, want %v", e.Name, i, got, v)
			}
		}
	}
}

const smallStarts = `client a
data y : real[N]
data X : real[N, 2] @ a from x, z
param b ~ normal(0, 1)
param s ~ half_normal(1)
param tau ~ half_normal(1) @ a
param beta : real[2] ~ normal(0, tau) noncentered @ a
param pi : simplex[3] ~ dirichlet([1, 1, 1])
y ~ normal(b + X * beta + pi[1], s)
`

func smallPrepared(t *testing.T, algorithm string, settings map[string]string, inits ...string) (*Prepared,
	error) {
	t.Helper()
	b := bindFiles(t, smallStarts, stdlib.Augmented, 0.3,
		map[string]string{"server.csv": "id,y\n1,1\n2,0\n3,2\n", "a.csv": "id,x,z\n1,1,0\n2,2,1\n3,0,1\n"})
	p, diags, err := OpenBound(b, Options{Algorithm: backend(t, algorithm), Settings: settings, Inits: inits})
	if diags.HasErrors() {
		err = data.Errors(diags)
	}
	return p, err
}

func initsAt(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "inits.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Wrong initial values are named with their place.
func TestWrongStarts(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"s\": -1}": "inits.json:2: s is -1, but must be above 0",
		"{\"b\": 1,\n\"bata\": [1, 2]}": "inits.json:2: the model has no parameter " +
			"bata; did you mean beta?",
		"{\"tau\": 1,\n\"beta\": [1, 2, 3]}": "inits.json:2: beta has the shape [3] here, but the " +
			"model has the shape [2]",
		"{\"b\": [1]}": "inits.json:1: b has the shape [1] here, but " +
			"the model has one number",
		"{\"beta\": [1,\n2]}": "inits.json:1: beta is declared noncentered, so that its " +
			"coordinates depend on tau: give values for that too, or for neither",
		"{\"pi\": [0.5,\n0.2, 0.2]}": "inits.json:1: pi is not a simplex[3]: vflc doc simplex " +
			"describes the values that it may have",
		"{\"b\": null}":             "entry b: a value is missing, NaN or infinite",
		"{\"b\": \"one\"}":          "entry b has words, such as \"one\", in place of numbers",
		"{\"beta\": [[1], [2, 3]]}": "entry beta is not regular",
		"[1]":                       "expected an object",
		"{\"tau\": 1, \"beta\": [1,\n2], \"s\": 1,\n\"pi\":": "inits.json:3",
	} {
		if _, err := smallPrepared(t, "nuts", nil, initsAt(t, text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want …%s…", text, err, want)
		}
	}
	path := initsAt(t, `{"b": 1}`)
	if _, err := smallPrepared(t, "nuts", map[string]string{"chains": "3"}, path, path); err == nil ||
		!strings.Contains(err.Error(), "2 files, and the run has 3 starts") {
		t.Error(err)
	}
	if _, err := smallPrepared(t, "sfvi", nil, path, path); err == nil ||
		!strings.Contains(err.Error(), "2 files, and the run has 1 start") {
		t.Error(err)
	}
	if _, err := smallPrepared(t, "nuts", nil, filepath.Join(filepath.Dir(path), "inits_%d.json")); err ==
		nil || !strings.Contains(err.Error(), "inits_1.json") {
		t.Error(err)
	}
}

// A chain without warm-up whose first step is negligible has the given values in its first draw, those of its
// own file. A fit without steps has them in the mean.
func TestChainsBeginAtTheirFiles(t *testing.T) {
	path := initsAt(t, "")
	dir := filepath.Dir(path)
	want := func(k int) float64 { return 0.5 + float64(k) }
	for k := 1; k <= 2; k++ {
		text := fmt.Sprintf(`{"b": %v, "tau": 0.5, "beta": [0.25, -1]}`, want(k))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("i_%d.json", k)), []byte(text),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := smallPrepared(t, "nuts", map[string]string{"chains": "2"}, filepath.Join(dir, "i_%d.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nuts", "sfvi", "soul"} {
		a := backend(t, name)
		settings, err := a.Resolve(stdlib.Augmented, nil)
		if err != nil {
			t.Fatal(err)
		}
		for chain := 1; chain <= 2; chain++ {
			env, err := session.NewLocal(p.Plan, session.SimulatedKeys(1, p.Plan.Names))
			if err != nil {
				t.Fatal(err)
			}
			watched := &firstPoint{Env: p.startedAt(env, chain)}
			k, err := a.New(watched, settings)
			if err != nil {
				t.Fatal(err)
			}
			if err := k.Init(context.Background()); err != nil {
				t.Fatal(err)
			}
			slack := 1e-12
			if name == "sfvi" {
				slack = 1 // the first evaluation is at a draw around the mean
			}
			if got := watched.server[0]; math.Abs(got-want(chain)) > slack {
				t.Errorf("%s: b begins at %v in chain %d, want %v", name, got, chain, want(chain))
			}
		}
	}
}

// A firstPoint keeps where the server's density is evaluated first.
type firstPoint struct {
	density.Env
	server []float64
}

func (f *firstPoint) Unwrap() density.Env { return f.Env }

func (f *firstPoint) keep(theta [][]float64) {
	if f.server == nil {
		f.server = append([]float64(nil), theta[0]...)
	}
}

func (f *firstPoint) Density(ctx context.Context, theta [][]float64, c density.Coordinates, grad [][]float64,
	lp []float64) error {
	f.keep(theta)
	return f.Env.Density(ctx, theta, c, grad, lp)
}
