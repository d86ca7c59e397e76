package fit

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/fit/attack"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/brief"
)

// twoHospitals is a logistic regression on two covariates of each of two clients, on disk, with cuts of sd
// about 1.5; with a factor of the first client's in place of its covariates where groups is not 0.
func twoHospitals(t *testing.T, n, groups int, transform def.Transform) *compile.BoundModel {
	t.Helper()
	random := rand.New(rand.NewPCG(11, 12))
	effects := make([]float64, groups)
	for g := range effects {
		effects[g] = 1.5 * random.NormFloat64()
	}
	tables := [3]strings.Builder{}
	tables[0].WriteString("id,y\n")
	tables[1].WriteString("id,x1,x2\n")
	tables[2].WriteString("id,w1,w2\n")
	if groups > 0 {
		tables[1].Reset()
		tables[1].WriteString("id,g\n")
	}
	for i := range n {
		a1, a2, b1, b2 := random.NormFloat64(), random.NormFloat64(), random.NormFloat64(),
			random.NormFloat64()
		eta := a1 - a2 + 1.2*b1 - 0.9*b2
		if groups > 0 {
			g := random.IntN(groups)
			eta = effects[g] + 1.2*b1 - 0.9*b2
			fmt.Fprintf(&tables[1], "%d,site%d\n", i, g)
		} else {
			fmt.Fprintf(&tables[1], "%d,%g,%g\n", i, a1, a2)
		}
		y := 0
		if random.Float64() < 1/(1+math.Exp(-eta-random.NormFloat64())) {
			y = 1
		}
		fmt.Fprintf(&tables[0], "%d,%d\n", i, y)
		fmt.Fprintf(&tables[2], "%d,%g,%g\n", i, b1, b2)
	}
	dir := t.TempDir()
	model := "client a, c\ndata y : binary[N] @ shared\ndata W : real[N, Q] @ c\nparam b ~ normal(0, " +
		"2)\nparam v : real[Q] ~ normal(0, 2) @ c\n"
	if groups > 0 {
		model += "data g : level(G)[N] @ a\nparam u : real[G] ~ normal(0, 2) @ a\ny ~ " +
			"bernoulli_logit(b + u[g] + W * v)\n"
	} else {
		model += "data X : real[N, P] @ a\nparam u : real[P] ~ normal(0, 2) @ a\ny ~ " +
			"bernoulli_logit(b + X * u + W * v)\n"
	}
	write(t, filepath.Join(dir, "m.vfl"), model)
	for k, name := range []string{"server", "a", "c"} {
		write(t, filepath.Join(dir, "m", name+".csv"), tables[k].String())
	}
	return bindPath(t, filepath.Join(dir, "m.vfl"), transform, 1)
}

// attacked runs a model with default settings but for those given, and attacks its folder.
func attacked(t *testing.T, b *compile.BoundModel, name string, given map[string]string) (string,
	*attack.Assessment) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	p, diags, err := OpenBound(b, Options{Algorithm: backend(t, name), Settings: given, Seed: 2, Dir: dir})
	good(t, diags, err)
	r, err := p.Sample(t.Context(), nil)
	if err == nil {
		err = r.Save(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, attackOn(t, dir)
}

func attackOn(t *testing.T, dir string) *attack.Assessment {
	t.Helper()
	run, err := posterior.OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	report, diags, err := Attack(t.Context(), run, Quiet{})
	good(t, diags, err)
	return report
}

// After one fit at ρ = 1 the server knows the cuts of every client, whose sd is above 1, with a correlation
// of at least 0.999: under every transform with noise, in the mean of either client and of their sum, with as
// many directions as the client has covariates. What is left over has the sd that the forecast says, within a
// factor of three.
func TestAttackRecoversCuts(t *testing.T) {
	t.Parallel()
	for _, transform := range stdlib.NoisyTransforms() {
		b := twoHospitals(t, 100, 0, transform)
		bundle, diags := b.Bundle()
		good(t, diags, nil)
		for _, name := range []string{"nuts", "sfvi", "soul"} {
			given := map[string]string{}
			switch name {
			case "nuts":
				given["warmup"], given["draws"] = "600", "600"
			case "sfvi":
				given["estimator"] = "sampled"
			}
			_, report := attacked(t, b, name, given)
			a := backend(t, name)
			rows, err := Audit(bundle, a, given)
			good(t, nil, err)
			forecasts, err := ForecastAttack(rows, bundle, a, given)
			good(t, nil, err)
			expected := 0.0
			for _, f := range forecasts {
				if f != nil {
					expected = f.ResidualSD
				}
			}
			if len(report.Cuts) != 3 {
				t.Fatalf("%d cuts and sums", len(report.Cuts))
			}
			for _, c := range report.Cuts {
				if c.CutSD < 1 || c.Correlation < 0.999 {
					t.Errorf("%s, %s, %s: correlation %.6f of a cut of sd %.2f", transform, name, c.Name,
						c.Correlation, c.CutSD)
				}
				if left := float64(c.ResidualSD); !c.Sum && expected > 0 &&
					(left > 3*expected || left < expected/3) {
					t.Errorf("%s, %s, %s: residual sd %.3g, expected about %.3g", transform, name, c.Name,
						left, expected)
				}
				if !c.Sum && name != "soul" && c.Directions != 2 { // z at a maximum hardly moves
					t.Errorf("%s, %s, %s: %d directions with span %.2f, of 2 covariates", transform, name,
						c.Name, c.Directions, c.Span)
				}
				last := c.Progress[len(c.Progress)-1].Accuracy
				if first := c.Progress[0].Correlation; first > 0.9 || last.Correlation < 0.999 {
					t.Errorf("%s, %s, %s: the correlation goes from %.3f to %.5f", transform, name, c.Name,
						first, last.Correlation)
				}
			}
			if transform.AtClients() != (len(report.Notes) > 0) {
				t.Errorf("%s: notes %q", transform, report.Notes)
			}
			for k, c := range report.Cuts {
				if transform.AtClients() != (c.Inversion != nil) && !c.Sum {
					t.Errorf("%s, %s, %s: %+v", transform, name, c.Name, c.Inversion)
				}
				if i := c.Inversion; i != nil && (i.Solved != 100 || i.ResidualSD > 1e-9 || c.Sum ||
					!slices.Equal(c.Receivers, []string{"server", []string{"c", "a"}[k]})) {
					t.Errorf("%s, %s, %s: one evaluation gives %d cuts within %v to %v", transform, name,
						c.Name, i.Solved, i.ResidualSD, c.Receivers)
				}
			}
		}
	}
}

// A client's private factor is found: the rows fall into its categories, all of them and no others, without
// knowing anything of the client.
func TestAttackFindsGroups(t *testing.T) {
	_, report := attacked(t, twoHospitals(t, 300, 12, stdlib.Augmented), "nuts",
		map[string]string{"warmup": "300", "draws": "300"})
	if g := report.Cuts[0].Groups; g == nil || g.True != 12 || g.Found != 12 || g.Rand != 1 {
		t.Errorf("groups of the factor: %v", g)
	}
	if g := report.Cuts[1].Groups; g != nil {
		t.Errorf("a client with continuous covariates has groups: %v", g)
	}
}

// mixed is a model of two clients, one with a factor beside a continuous and a binary covariate, one with two
// of each; over 240 rows, with a likelihood of y.
func mixed(t *testing.T, y, likelihood string, transform def.Transform) *compile.BoundModel {
	t.Helper()
	random := rand.New(rand.NewPCG(31, 32))
	tables := [3]strings.Builder{}
	tables[0].WriteString("id,y\n")
	tables[1].WriteString("id,g,age,sex\n")
	tables[2].WriteString("id,w1,w2,w3,w4\n")
	half := func(p float64) int { return int(random.Float64() + p) }
	for i := range 120 {
		g, age, sex, w1, w2, w3, w4 := random.IntN(5), random.NormFloat64(), half(0.5), random.NormFloat64(),
			random.NormFloat64(), half(0.3), half(0.1)
		eta := 0.5*float64(g-2) + 0.4*age + 0.6*float64(sex) - 0.3*w1 + 0.4*w2 - 0.5*float64(w3) +
			0.8*float64(w4)
		count := 0
		for p := random.Float64(); p > math.Exp(-math.Exp(eta)) && count < 12; count++ {
			p *= random.Float64()
		}
		fmt.Fprintf(&tables[0], "%d,%d\n", i, min(count, map[string]int{"binary": 1, "count": 12}[y]))
		fmt.Fprintf(&tables[1], "%d,site%d,%g,%d\n", i, g, age, sex)
		fmt.Fprintf(&tables[2], "%d,%g,%g,%d,%d\n", i, w1, w2, w3, w4)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "m.vfl"), "client a, c\ndata y : "+y+`[N] @ shared
data g : level(G)[N] @ a
data X : real[N, P] @ a from age, sex
data W : real[N, Q] @ c from w1, w2, w3, w4
param b ~ normal(0, 2)
param u : real[G] ~ normal(0, 1) @ a
param s : real[P] ~ normal(0, 2) @ a
param v : real[Q] ~ normal(0, 2) @ c
y ~ `+likelihood+"(b + X * s + u[g] + W * v)\n")
	for k, name := range []string{"server", "a", "c"} {
		write(t, filepath.Join(dir, "m", name+".csv"), tables[k].String())
	}
	return bindPath(t, filepath.Join(dir, "m.vfl"), transform, 0.25)
}

// From what crosses without noise the server has each column of two values exactly, and so the categories of
// a factor beside continuous covariates; under exact from sums of both clients too. Under augmented noise the
// short run of the test shows some of them.
func TestAttackFindsColumns(t *testing.T) {
	for _, c := range []struct {
		transform     def.Transform
		y, likelihood string
		sums          bool // a masked sum shows them too
	}{
		{stdlib.Exact, "binary", "bernoulli_logit", true},
		{stdlib.Power, "binary", "bernoulli_logit", false},
		{stdlib.Power, "count", "poisson_log", false},
		{stdlib.Augmented, "binary", "bernoulli_probit", false},
	} {
		_, report := attacked(t, mixed(t, c.y, c.likelihood, c.transform), "nuts",
			map[string]string{"warmup": "200", "draws": "200"})
		want := [][]string{{"sex", "g=site0", "g=site1", "g=site2", "g=site3", "g=site4"}, {"w3", "w4"}}
		for k, cut := range report.Cuts[:2] {
			got := cut.Columns
			if got == nil || got.TwoValued != len(want[k]) {
				t.Fatalf("%s, %s: %+v", c.transform, cut.Name, got)
			}
			slices.Sort(got.Found)
			slices.Sort(want[k])
			if bare := c.transform.AtClients() || !c.transform.Noise(); bare &&
				!slices.Equal(got.Found, want[k]) || len(got.Found) == 0 {
				t.Errorf("%s, %s: of %q it has %q", c.transform, cut.Name, want[k], got.Found)
			} else if bare && k == 0 && (len(got.Factors) != 1 || got.Factors[0].Rand != 1) {
				t.Errorf("%s, %s: %+v", c.transform, cut.Name, got.Factors)
			}
		}
		if sum := report.Cuts[2]; c.sums && (len(sum.Columns.Found) != 8 || sum.Columns.All != 11 ||
			!slices.Contains(sum.Columns.Found, "c: w3")) {
			t.Errorf("%s, the sum: %+v", c.transform, sum.Columns)
		}
	}
}

// After one default fit by quadrature the server has the cuts of every client, of a single one too, and their
// sum, whatever rho: those at the draws themselves, with as many directions as there are covariates, and
// where nothing corrects the fit the means at the last iterate.
func TestAttackOnQuadrature(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]map[string]string{
		"default":           {"draws": "200"},
		"joint":             {"correct": "false", "theta-guide": "joint", "draws": "200"},
		"the iterate alone": {"correct": "false", "draws": "200"},
		"meanfield":         {"theta-guide": "meanfield", "draws": "200"},
	} {
		for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Exact, stdlib.Power} {
			_, report := attacked(t, twoHospitals(t, 150, 0, transform), "sfvi", given)
			bare := name != "the iterate alone"
			for k, c := range report.Cuts {
				if c.CutSD < 1 || c.Correlation < 0.9999 || c.Rounds != 0 || c.Iterates < 3 ||
					len(c.Progress) < 2 {
					t.Errorf("%s, %s, %s: correlation %.6f after %d rounds and %d iterations", name,
						transform, c.Name, c.Correlation, c.Rounds, c.Iterates)
				}
				if want := []int{2, 2, 4}[k]; bare &&
					(c.Directions != want || math.Abs(float64(c.Span)-1) > 1e-6) {
					t.Errorf("%s, %s, %s: %d directions with span %v, want %d", name, transform, c.Name,
						c.Directions, c.Span, want)
				}
				if bare != (c.Inversion != nil) ||
					bare && (c.Inversion.Solved != 150 || c.Inversion.Correlation < 1-1e-12 ||
						c.Inversion.ResidualSD != 0) {
					t.Errorf("%s, %s, %s: %+v without noise", name, transform, c.Name, c.Inversion)
				}
				// uncorrected draws of the joint Gaussian are weighed too, for k̂
				if drawn := bare; drawn != (c.Draws > 100) {
					t.Errorf("%s, %s, %s: cuts at %d draws", name, transform, c.Name, c.Draws)
				}
			}
			if len(report.Notes) != map[bool]int{false: 1, true: 2}[transform.AtClients()] {
				t.Errorf("%s, %s: notes %q", name, transform, report.Notes)
			}
		}
	}
	alone := bound(t, oneHospital(t), check.Options{Transform: stdlib.Augmented, Rho: 1})
	_, report := attacked(t, alone, "sfvi", nil)
	if c := report.Cuts; len(c) != 1 || c[0].Correlation < 0.9999 || c[0].Directions != 2 ||
		!slices.Equal(c[0].Receivers, []string{"server"}) {
		t.Errorf("a single client: %+v", c)
	}
}

// oneHospital is the path of a logistic regression on two covariates of the only client.
func oneHospital(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.vfl")
	write(t, path,
		"client a\ndata y : binary[N] @ shared\ndata X : real[N, P] @ a\nparam b ~ normal(0, 2)\nparam u : "+
			"real[P] ~ normal(0, 2) @ a\ny ~ bernoulli_logit(b + X * u)\n")
	random := rand.New(rand.NewPCG(21, 22))
	y, x := "id,y\n", "id,x1,x2\n"
	for i := range 120 {
		x1, x2 := random.NormFloat64(), random.NormFloat64()
		one := 0
		if random.Float64() < 1/(1+math.Exp(-1.5*x1+x2)) {
			one = 1
		}
		y += fmt.Sprintf("%d,%d\n", i, one)
		x += fmt.Sprintf("%d,%g,%g\n", i, x1, x2)
	}
	write(t, filepath.Join(filepath.Dir(path), "m", "server.csv"), y)
	write(t, filepath.Join(filepath.Dir(path), "m", "a.csv"), x)
	return path
}

// A private factor and columns of two values are found in the draws of a default fit by quadrature, and in
// those with which chains began.
func TestAttackFindsColumnsByQuadrature(t *testing.T) {
	t.Parallel()
	_, report := attacked(t, twoHospitals(t, 300, 12, stdlib.Augmented), "sfvi",
		map[string]string{"draws": "200"})
	if g := report.Cuts[0].Groups; g == nil || g.True != 12 || g.Found != 12 || g.Rand != 1 {
		t.Errorf("groups of the factor: %v", g)
	}
	near := near("warmup", "20", "draws", "20")
	for backend, given := range map[string]map[string]string{"sfvi": {"draws": "200"}, "nuts": near} {
		for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Exact} {
			_, report := attacked(t, mixed(t, "binary", "bernoulli_logit", transform), backend, given)
			for k, want := range []int{6, 2, 8} {
				c := report.Cuts[k]
				if c.Columns == nil || len(c.Columns.Found) != want || c.Inversion == nil {
					t.Errorf("%s, %s, %s: %+v", backend, transform, c.Name, c.Columns)
				}
				if near := backend == "nuts"; near != (c.Rounds > 0) || c.Iterates == 0 {
					t.Errorf("%s, %s, %s: %d rounds, %d iterates", backend, transform, c.Name, c.Rounds,
						c.Iterates)
				}
			}
		}
	}
}

// The forecast has a row for each message in which a fit by quadrature sends a cut without noise.
func TestForecastWithoutNoise(t *testing.T) {
	bundle, diags := twoHospitals(t, 30, 0, stdlib.Augmented).Bundle()
	good(t, diags, nil)
	a, given := backend(t, "sfvi"), map[string]string{"estimator": "quadrature"}
	rows, err := Audit(bundle, a, given)
	good(t, nil, err)
	forecasts, err := ForecastAttack(rows, bundle, a, given)
	good(t, nil, err)
	bare := 0
	for k, f := range forecasts {
		if f != nil && f.Correlation == 1 && f.ResidualSD == 0 && strings.HasPrefix(DrawsOfNoise(rows[k], f),
			"none") {
			bare++
		}
	}
	if bare != 6 {
		t.Errorf("%d rows for the means, the products and the draws of two clients", bare)
	}
}

// The forecast has a row for the adjoint of each client that the attack solves for its cut: nothing is left
// over.
func TestForecastOfSolvedAdjoints(t *testing.T) {
	for likelihood, y := range map[string]string{"poisson_log": "count", "bernoulli_logit": "binary"} {
		bundle, diags := mixed(t, y, likelihood, stdlib.Power).Bundle()
		good(t, diags, nil)
		a := backend(t, "nuts")
		rows, err := Audit(bundle, a, nil)
		good(t, nil, err)
		forecasts, err := ForecastAttack(rows, bundle, a, nil)
		good(t, nil, err)
		solved := 0
		for k, f := range forecasts {
			if rows[k].Sum != "" && f != nil && f.Correlation == 1 && f.ResidualSD == 0 && f.Looks == 1 {
				solved++
			}
		}
		if solved != 2 {
			t.Errorf("%s: %d adjoints of 2 are solved", likelihood, solved)
		}
	}
}

// threeSizes are the columns of three clients, all in all threeColumns of them.
var threeSizes = map[string]int{"a": 3, "b": 3, "c": 2}

const threeColumns = 8

// threeClients is the path of a logistic regression on columns of three clients, the first of each with two
// values, and 200 rows.
func threeClients(t *testing.T) (path string) {
	t.Helper()
	random := rand.New(rand.NewPCG(31, 32))
	const n = 200
	dir, sizes := t.TempDir(), threeSizes
	eta := make([]float64, n)
	model := "client a, b, c\ndata y : binary[N] @ shared\nparam m ~ normal(0, 2)\n"
	for _, client := range []string{"a", "b", "c"} {
		table, beta := strings.Builder{}, make([]float64, sizes[client])
		table.WriteString("id")
		for k := range beta {
			beta[k] = 0.7 * random.NormFloat64()
			fmt.Fprintf(&table, ",x%s%d", client, k+1)
		}
		for i := range n {
			fmt.Fprintf(&table, "\n%d", i)
			for k := range beta {
				x := random.NormFloat64()
				if k == 0 {
					x = float64(random.IntN(2))
				}
				eta[i] += x * beta[k]
				fmt.Fprintf(&table, ",%v", x)
			}
		}
		write(t, filepath.Join(dir, "m", client+".csv"), table.String()+"\n")
		model += fmt.Sprintf("data X%[1]s : real[N, P%[1]s] @ %[1]s\nparam u%[1]s : real[P%[1]s] "+
			"~ normal(0, 1) @ %[1]s\n", client)
	}
	response := strings.Builder{}
	response.WriteString("id,y\n")
	for i, e := range eta {
		y := 0
		if random.Float64() < 1/(1+math.Exp(-e)) {
			y = 1
		}
		fmt.Fprintf(&response, "%d,%d\n", i, y)
	}
	write(t, filepath.Join(dir, "m", "server.csv"), response.String())
	write(t, filepath.Join(dir, "m.vfl"), model+"y ~ bernoulli_logit(m + Xa * ua + Xb * ub + Xc * uc)\n")
	return filepath.Join(dir, "m.vfl")
}

// From masked sums of three clients a server that follows the protocol has, after a run of nuts, all
// directions of the clients' columns and whose they are, each client's cut, its column of two values, and
// under a diagonal metric every single column.
func TestAttackSeparatesMaskedSums(t *testing.T) {
	t.Parallel()
	path, sizes := threeClients(t), threeSizes
	for _, c := range []struct {
		transform def.Transform
		metric    string
		wire      string
	}{{stdlib.Exact, "dense", "fixed"}, {stdlib.Exact, "diag", "fixed"},
		{stdlib.Augmented, "dense", "fixed"}, {stdlib.Augmented, "diag", "fixed"},
		{stdlib.Exact, "dense", "short"}, {stdlib.Exact, "diag", "short"},
		{stdlib.Augmented, "dense", "short"}, {stdlib.Augmented, "diag", "short"}} {
		b, dense := bindPath(t, path, c.transform, 1), c.metric == "dense"
		given := map[string]string{"secure-sum": "on", "wire": c.wire, "metric": c.metric, "chains": "4",
			"warmup": "200", "draws": "200"}
		_, report := attacked(t, b, "nuts", given)
		name := c.transform.Name + ", " + c.metric + ", " + c.wire
		if len(report.Separated) != 1 || len(report.Cuts) != 1 || !report.Cuts[0].Sum {
			t.Fatalf("%s: %d sums, %d cuts", name, len(report.Separated), len(report.Cuts))
		}
		if missing := unnamed(verdictOf(t, b, "nuts", given, nil), report); len(missing) > 0 {
			t.Errorf("%s: the verdict does not name\n%s", name, strings.Join(missing, "\n"))
		}
		s := report.Separated[0]
		single, two := 0, 0
		for _, g := range s.Groups {
			single, two = single+len(g.Single), two+len(g.Columns.Found)
			if !(g.Within >= 0.99) || !(g.Round >= 0.99) {
				t.Errorf("%s, %s: %v of its directions are in its columns, %v of a round", name, g.Party,
					g.Within, g.Round)
			}
			if dense && (g.Directions != sizes[g.Party] || !(g.Correlation >= 0.99)) {
				t.Errorf("%s, %s: %d directions, correlation %v", name, g.Party, g.Directions, g.Correlation)
			}
		}
		if s.Directions != threeColumns || dense && (len(s.Groups) != 3 || two != 3) ||
			!dense && single != threeColumns {
			t.Errorf("%s: %d directions, %d groups, %d single columns, %d of two values: %s", name,
				s.Directions, len(s.Groups), single, two, s.Missing)
		}
	}
}

// Where the residual of a linear regression is known the adjoint is a linear function of the total, and under
// augmented the same follows. Under exact it does not, since there is no noise by which steps differ: nothing
// is claimed then.
func TestAttackSeparatesALinearRegression(t *testing.T) {
	path := threeClients(t)
	text, err := os.ReadFile(path)
	good(t, nil, err)
	linear := strings.NewReplacer("y : binary", "y : real",
		"bernoulli_logit(m + Xa * ua + Xb * ub + Xc * uc)",
		"normal(m + Xa * ua + Xb * ub + Xc * uc, 0.5)").Replace(string(text))
	write(t, path, linear)
	for transform, want := range map[string]int{"augmented": threeColumns, "exact": 0} {
		on, _ := stdlib.TransformNamed(transform)
		b := bindPath(t, path, on, 0.1)
		_, report := attacked(t, b, "nuts", map[string]string{"secure-sum": "on", "wire": "fixed",
			"chains": "4", "warmup": "200", "draws": "200"})
		s := report.Separated[0]
		if s.Directions != want || want > 0 && len(s.Groups) != 3 || want == 0 && s.Missing == "" {
			t.Errorf("%s: %d directions of %d, %d groups: %s", transform, s.Directions, s.Dimensions,
				len(s.Groups), s.Missing)
		}
		for _, g := range s.Groups {
			if !g.Whole || !(g.Within >= 0.99) || !(g.Correlation >= 0.99) {
				t.Errorf("%s, %s: %+v", transform, g.Party, g)
			}
		}
	}
}

// From masked sums of the same clients it has as much after a default fit by quadrature, without any
// trajectory: all directions, whose they are, and each client's cut; under a diagonal q(θ) every single
// column. Under power the noise of each client hides part of the variances: where it is large, whose the
// directions are.
func TestAttackSeparatesMaskedVariances(t *testing.T) {
	t.Parallel()
	path := threeClients(t)
	for _, c := range []struct {
		transform      def.Transform
		theta          string
		rho            float64
		groups, single int
		more           bool
	}{
		{stdlib.Exact, "fixed fullrank", 0, 3, 0, false}, {stdlib.Exact, "fixed meanfield", 0,
			threeColumns, threeColumns, false},
		{stdlib.Exact, "joint", 0, 3, 0, false}, {stdlib.Exact, "fullrank", 0, 3, 0, true},
		{stdlib.Exact, "meanfield", 0, threeColumns, threeColumns, false},
		{stdlib.Augmented, "joint", 0.02, 3, 0, true}, {stdlib.Augmented, "joint", 1, 3, 0, false},
		{stdlib.Power, "joint", 0.02, 3, 0, false}, {stdlib.Power, "joint", 1, threeColumns, 0,
			false},
	} {
		if c.more && !*brief.Every {
			continue
		}
		b := bindPath(t, path, c.transform, c.rho)
		given, by := map[string]string{"secure-sum": "on", "theta-guide": c.theta, "draws": "200"},
			"variances"
		if theta, fixed := strings.CutPrefix(c.theta, "fixed "); fixed {
			// The server has the mean of q(θ); what it is compared with would be moved by weights, here and
			// there by more than a thousandth.
			given["theta-guide"], given["estimator"], given["correct"], by = theta, "fixed", "false", "draws"
		}
		_, report := attacked(t, b, "sfvi", given)
		name := fmt.Sprintf("%s, rho %v, %s", c.transform.Name, c.rho, c.theta)
		if len(report.Separated) != 1 || len(report.Cuts) != 1 {
			t.Fatalf("%s: %d sums, %d cuts", name, len(report.Separated), len(report.Cuts))
		}
		if missing := unnamed(verdictOf(t, b, "sfvi", given, nil), report); len(missing) > 0 {
			t.Errorf("%s: the verdict does not name\n%s", name, strings.Join(missing, "\n"))
		}
		s, single := report.Separated[0], 0
		for _, g := range s.Groups {
			single += len(g.Single)
			if !(g.Within >= 0.999) || c.groups == 3 && (g.Directions != threeSizes[g.Party] ||
				!(g.Correlation >= 0.999)) {
				t.Errorf("%s, %s: %d directions, %v of them in its columns, correlation %v", name, g.Party,
					g.Directions, g.Within, g.Correlation)
			}
		}
		if s.By != by || s.Directions != threeColumns || len(s.Groups) != c.groups || single != c.single {
			t.Errorf("%s: by %s %d directions, %d groups, %d single columns: %s", name, s.By, s.Directions,
				len(s.Groups), single, s.Missing)
		}
	}
}

// Without its record of what the server received, a run is repeated, with the same figures; with a file that
// was altered it is not, and a folder whose draws are those of another seed is refused.
func TestAttackRepeatsTheRun(t *testing.T) {
	t.Parallel()
	b := twoHospitals(t, 60, 0, stdlib.Augmented)
	for _, a := range Backends() {
		dir, kept := attacked(t, b, a.Name, short(a))
		path := filepath.Join(dir, posterior.ViewFile)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%s: %v, %v", a.Name, info, err)
		}
		if err := os.Rename(path, path+".elsewhere"); err != nil {
			t.Fatal(err)
		}
		again := attackOn(t, dir)
		if !again.Repeated || kept.Repeated {
			t.Errorf("%s: repeated %t, then %t", a.Name, kept.Repeated, again.Repeated)
		}
		again.Repeated = false
		if diff := cmp.Diff(kept, again, cmp.Comparer(sameNumber)); diff != "" {
			t.Errorf("%s: what was kept (-) and repeated (+):\n%s", a.Name, diff)
		}
		run, err := posterior.OpenRun(dir)
		good(t, nil, err)
		write(t, path, "something else")
		if _, _, err := Attack(t.Context(), run, Quiet{}); err == nil ||
			!strings.Contains(err.Error(), "is not as the run wrote it") {
			t.Errorf("%s: an altered file: %v", a.Name, err)
		}
		good(t, nil, os.Remove(path))
		run.Record.Seed++
		if _, _, err := Attack(t.Context(), run, Quiet{}); err == nil ||
			!strings.Contains(err.Error(), "other draws than the folder") {
			t.Errorf("%s: the record of another seed: %v", a.Name, err)
		}
	}
}

// Runs of which nothing crossed, and what is no run, are named.
func TestAttackRefusals(t *testing.T) {
	a := Backends()[0]
	pooled := twoPlaces(t, stdlib.NoTransform)
	alone := filepath.Join(t.TempDir(), "m.vfl")
	write(t, alone, "data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\n")
	write(t, filepath.Join(filepath.Dir(alone), "m", "data.csv"), "y\n1\n2\n0.5\n")
	apart := filepath.Join(t.TempDir(), "m.vfl")
	write(t, apart, "client a\ndata y : real[N] @ a\nparam b ~ normal(0, 1) @ a\ny ~ normal(b, 1)\n")
	write(t, filepath.Join(filepath.Dir(apart), "m", "a.csv"), "y\n1\n2\n0.5\n")
	for want, b := range map[string]*compile.BoundModel{
		"pools all data":             pooled,
		"has no clients":             bound(t, alone, check.Options{}),
		"no client contributes":      bound(t, apart, check.Options{}),
		"not in the folder of a run": nil,
	} {
		dir := filepath.Join(t.TempDir(), "run")
		run := &posterior.Run{Path: dir}
		if b != nil {
			p, diags, err := OpenBound(b, Options{Algorithm: a, Settings: short(a), Dir: dir})
			good(t, diags, err)
			r, err := p.Sample(t.Context(), nil)
			good(t, nil, err)
			good(t, nil, r.Save(dir))
			if exists(filepath.Join(dir, posterior.ViewFile)) {
				t.Errorf("%s: there is a %s", want, posterior.ViewFile)
			}
			if run, err = posterior.OpenRun(dir); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := Attack(t.Context(), run, Quiet{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}

// apart lists the transforms of an algorithm under which parties exchange messages.
func apart(a backends.Algorithm) []def.Transform {
	return slices.DeleteFunc(slices.Clone(a.Transforms), func(t def.Transform) bool { return t.Pooled() })
}

// A server sees the same in one loop over all parties and across goroutines that exchange messages, to the
// bit.
func TestServerSeesTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for _, a := range Backends() {
		for _, transform := range apart(a) {
			for name, given := range variants(a, transform) {
				if e := given["estimator"]; (e == "fixed" || e == "nested") && !transform.CutsCross() ||
					given["local-steps"] != "" && transform.AtClients() {
					continue // refused
				}
				p, diags, err := OpenBound(twoHospitals(t, 30, 0, transform),
					Options{Algorithm: a, Settings: given, Seed: 5})
				good(t, diags, err)
				one, apart := seen(t, p, session.OneLoop), seen(t, p, session.PerParty)
				if len(one) < 100 || !bytes.Equal(one, apart) {
					t.Errorf("%s, %s %s: the server sees other evaluations where parties are apart",
						transform, a.Name, name)
				}
			}
		}
	}
}

// A counter counts what a watcher is shown.
type counter struct{ sent, answered, relayed int }

func (c *counter) Sent(int, [][][]float64, [][]float64) { c.sent++ }
func (c *counter) Answered([][]float64, [][][]float64)  { c.answered++ }
func (c *counter) Relayed(*density.Exchange, int, int, [][][]float64, [][]float64, [][]float64) {
	c.relayed++
}

// Every draw of the ELBO that crosses in a message with others is shown as an evaluation, and so is every
// round trip of local steps, on each wire.
func TestServerSeesEveryDraw(t *testing.T) {
	const iterations, final = 40, 64
	for _, kind := range []def.Transform{stdlib.Exact, stdlib.Augmented} {
		for steps, trips := range map[string]int{"1": iterations + 1, "3": iterations + 1} {
			for _, wire := range []map[string]string{{"wire": "plain"}, {"wire": "fixed"},
				{"secure-sum": "on"}} {
				given := map[string]string{"estimator": "sampled", "iterations": "40", "elbo-every": "20",
					"elbo-draws": "64", "draws": "5", "local-steps": steps}
				maps.Copy(given, wire)
				p, diags, err := OpenBound(twoHospitals(t, 30, 0, kind),
					Options{Algorithm: backend(t, "sfvi"), Settings: given, Seed: 5})
				good(t, diags, err)
				c := &counter{}
				watched(t, p, c)
				if want := trips + 2*32 + final; c.sent != want || c.answered != want || c.relayed != 0 {
					t.Errorf("%s, %s steps, %v: %d evaluations shown, %d answered, %d others; want %d", kind,
						steps, wire, c.sent, c.answered, c.relayed, want)
				}
			}
		}
	}
}

// watched runs one kernel to its end in one loop.
func watched(t *testing.T, p *Prepared, w session.Watcher) {
	t.Helper()
	err := session.Run(t.Context(), p.Plan, session.OneLoop, 5,
		func(ctx context.Context, env density.Env) error {
			env.(session.Watchable).Watch(w)
			k, err := p.Algorithm.New(env, p.Settings)
			if err == nil {
				err = k.Init(ctx)
			}
			for done := false; err == nil && !done; {
				var info backends.StepInfo
				info, err = k.Step(ctx)
				done = info.Done
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
}

// seen runs one kernel to its end, and returns what its server saw.
func seen(t *testing.T, p *Prepared, mode session.Execution) []byte {
	t.Helper()
	var text bytes.Buffer
	var lock sync.Mutex
	err := session.Run(t.Context(), p.Plan, mode, 5, func(ctx context.Context, env density.Env) error {
		recorder := attack.NewRecorder(p.Plan)
		server := env.(session.Watchable).Watch(recorder)
		k, err := p.Algorithm.New(env, p.Settings)
		if err == nil {
			err = k.Init(ctx)
		}
		for done := false; err == nil && !done; {
			var info backends.StepInfo
			info, err = k.Step(ctx)
			done = info.Done
		}
		lock.Lock()
		defer lock.Unlock()
		if err == nil && server {
			err = attack.Write(&text, []*attack.Recorder{recorder})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// A run that was interrupted and resumed keeps what one without the interruption keeps.
func TestServerViewOfResumedRuns(t *testing.T) {
	for _, a := range Backends() {
		for _, transform := range apart(a) {
			for _, name := range []string{"default", "minibatch"} {
				given, ok := variants(a, transform)[name]
				if !ok {
					continue
				}
				open := func(dir string, resume bool) *Prepared {
					p, diags, err := OpenBound(twoHospitals(t, 30, 0, transform),
						Options{Algorithm: a, Settings: given, Seed: 5, Dir: dir, Resume: resume})
					good(t, diags, err)
					return p
				}
				want := sampledView(t, open(filepath.Join(t.TempDir(), "whole"), false), nil)
				for _, at := range []int64{3, 21} {
					dir := filepath.Join(t.TempDir(), "run")
					p := open(dir, false)
					ctx, interrupt := context.WithCancel(t.Context())
					p.Algorithm = interrupting(a, at, interrupt)
					sampledView(t, p, ctx.Done())
					if got := sampledView(t, open(dir, true), nil); len(want) < 100 ||
						!bytes.Equal(want, got) {
						t.Errorf("%s, %s %s, interrupted after %d steps: the server has seen something else",
							transform, a.Name, name, at)
					}
				}
			}
		}
	}
}

// sampledView is what a run's server saw; nil where the run ended before its first draw.
func sampledView(t *testing.T, p *Prepared, stop <-chan struct{}) []byte {
	t.Helper()
	r, err := p.Sample(t.Context(), stop)
	if err != nil {
		return nil
	}
	var text bytes.Buffer
	if err := attack.Write(&text, r.views()); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// The cuts that the attack is held against are those that the clients' own programs compute, for clients,
// families and cuts of several columns.
func TestTrueCutsAreTheClients(t *testing.T) {
	for name, fixture := range audited {
		b := fixture.Bind(t, check.Options{Transform: stdlib.Augmented, Rho: 0.5,
			Accept: diag.AcceptanceNames()})
		env, err := session.NewLocal(b.Plan, session.SimulatedKeys(1, b.Plan.Names))
		good(t, nil, err)
		m, diags := b.Contributions()
		good(t, diags, nil)
		taker := NewTaker(env, false)
		random := rand.New(rand.NewPCG(1, 2))
		for _, v := range taker.draw.Theta {
			for i := range v {
				v[i] = 0.5 * random.NormFloat64()
			}
		}
		good(t, nil, taker.env.Values(t.Context(), taker.draw, taker.values))
		d := posterior.NewDraws(variables(b.Plan, false), 1, 1)
		d.Append(0, slices.Concat(taker.values...))
		truth, err := trueCuts(b, d)
		good(t, nil, err)
		cuts := 0
		for k, block := range env.Blocks() {
			g := make([]float64, block.AuxLen())
			block.Cut(density.Here, taker.draw.Theta[k], g)
			for _, c := range block.Cuts() {
				cuts++
				for i, want := range g[c.Offset : c.Offset+c.Len()] {
					if got := truth[cutKey{block.Party(), c.Name}].Mean[i]; math.Abs(got-want) > 1e-12*(1+
						math.Abs(want)) {
						t.Errorf("%s: %s of %s, element %d: %v, want %v", name, c.Name, block.Party(), i, got,
							want)
					}
				}
			}
		}
		if cuts != len(m.Cuts) || cuts == 0 {
			t.Errorf("%s: %d cuts, want %d", name, len(m.Cuts), cuts)
		}
	}
}
