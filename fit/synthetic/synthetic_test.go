package synthetic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

const twoClients = `server registry
client a, lab[J]
data y : real[N]
data w : level(R)[N] @ shared
data X : real[N, P] @ a from zscore(age), onehot(sex, drop=first), poly(bp, 2), is(use, "Y")
data Z : real[N, Q] @ lab
param b ~ normal(0, 2)
param u : real[R] ~ normal(0, 1)
param s ~ half_normal(1)
param beta : real[P] ~ normal(0, 2) @ a
param g : real[Q] ~ normal(0, 2) @ lab
y ~ normal(b + u[w] + X * beta + sum(Z[j] * g[j] for j in lab), s)
`

func compiled(t *testing.T, text string, transform def.Transform) *compile.Model {
	t.Helper()
	m, diags := compile.Compile(source.New(filepath.Join(t.TempDir(), "m.vfl"), text),
		check.Options{Transform: transform})
	if diags.HasErrors() {
		t.Fatal(data.Errors(diags))
	}
	return m
}

func simulated(t *testing.T, m *compile.Model, r Request) *Simulation {
	t.Helper()
	s, diags, err := New(m, r)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	return s
}

// A run on the tables of a simulation has the parameters as drawn within 4.5 of its standard deviations, in a
// model of two clients and two members of a family (12 parameters, seed fixed); and the same seed gives the
// same tables, another one others.
func TestRunRecoversTheTruth(t *testing.T) {
	m := compiled(t, twoClients, stdlib.Exact)
	r := Request{Sizes: map[string]int{"N": 400, "J": 2, "Q": 2, "R": 3}, Seed: 4}
	s := simulated(t, m, r)
	if diff := cmp.Diff(s, simulated(t, m, r)); diff != "" {
		t.Errorf("the same seed gives other tables: %s", diff)
	}
	other := simulated(t, m, Request{Sizes: r.Sizes, Seed: 5})
	if cmp.Equal(s.Truth, other.Truth) || cmp.Equal(s.Tables, other.Tables) {
		t.Error("another seed gives the same")
	}
	dir := strings.TrimSuffix(m.Source.Name, ".vfl")
	paths, err := s.Write(dir, false)
	if err != nil || len(paths) != 6 {
		t.Fatal(paths, err)
	}
	if _, err := s.Write(dir, false); err == nil {
		t.Error("tables are written over")
	}
	sources, err := data.Locate(m.Source.Name, m.Parties(), nil)
	if err != nil {
		t.Fatal(err)
	}
	run, diags, err := fit.Open(m, sources,
		fit.Options{Seed: 1, Settings: map[string]string{"warmup": "300", "draws": "300", "chains": "2"}})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	result, err := run.Sample(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	truth := map[string]Value{}
	for _, v := range s.Truth {
		truth[v.Name] = v
	}
	for _, row := range result.Summary() {
		v, ok := truth[row.Name]
		if far := math.Abs(float64(row.Mean)-v.Value) / float64(row.SD); !ok || v.Owner != row.Owner ||
			far > 4.5 {
			t.Errorf("%s of %s: %v ± %v, drawn as %v of %s", row.Name, row.Owner, row.Mean, row.SD, v.Value,
				v.Owner)
		}
		delete(truth, row.Name)
	}
	if len(truth) > 0 {
		t.Errorf("the run does not have %v", truth)
	}
}

// Columns that are given stay as they are, with their keys, and the response is replaced; numbers that a
// model declares lie within its bounds.
func TestGivenColumnsStay(t *testing.T) {
	m := compiled(t, `client a
data y : count[N]
data o : real<lower=1, upper=2>[N]
data x : real[N] @ a
param b ~ normal(0, 1)
param k ~ normal(0, 1) @ a
y ~ poisson_log(b + log(o) + k * x)
`, stdlib.Exact)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := os.WriteFile(path, []byte("id,x,more\n30,0.5,p\n4,-1,q\n11,2,r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	given, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	given.Party = "a"
	s := simulated(t, m, Request{Seed: 1, Given: []Table{given}, Sizes: map[string]int{"N": 3}})
	want := []data.Values{{Name: "id", Words: []string{"4", "11", "30"}},
		{Name: "x", Words: []string{"-1", "2", "0.5"}}, {Name: "more", Words: []string{"q", "r", "p"}}}
	for _, table := range s.Tables {
		switch table.Party {
		case "a":
			if diff := cmp.Diff(want, table.Columns); diff != "" {
				t.Error(diff)
			}
		default:
			if diff := cmp.Diff(want[0], table.Columns[0]); diff != "" {
				t.Error(diff)
			}
			for _, cell := range table.column("o").Words {
				if cell < "1" || cell > "2" {
					t.Errorf("o is %s", cell)
				}
			}
		}
	}
}

// The truth has generated quantities too, at the parameters as drawn and with imputed data as drawn.
func TestTruthHasGeneratedQuantities(t *testing.T) {
	m := compiled(t, `client a
data y : real[N]
data x : real[N] @ a missing impute ~ normal(5, 1)
param s ~ half_normal(1)
param k ~ normal(0, 1) @ a
y ~ normal(k * x, s)
generate f = k * x
generate variance = s ^ 2
`, stdlib.Exact)
	s := simulated(t, m, Request{Sizes: map[string]int{"N": 3}, Seed: 8})
	truth := map[string]Value{}
	for _, v := range s.Truth {
		truth[v.Name] = v
	}
	want := map[string]Value{"s": truth["s"], "k": truth["k"]}
	for _, table := range s.Tables {
		if table.Party != "a" {
			continue
		}
		for i, word := range table.column("x").Words {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("f[%d]", i+1)
			want[name] = Value{name, "a", truth["k"].Value * x}
		}
	}
	want["variance"] = Value{"variance", "server", truth["s"].Value * truth["s"].Value}
	if diff := cmp.Diff(want, truth, cmpopts.EquateApprox(1e-14, 0)); diff != "" {
		t.Error(diff)
	}
}

// A document under the name of a table is refused.
func TestDocumentIsNoTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte(" {\"x\": [1]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), "this is a document") {
		t.Error(err)
	}
}

const arrays = `client a, b
data y : real[N] @ shared
data n : count[S, K] @ shared
data c : real @ a
data o : int @ a
data W : real[N, A, B] @ a
data g : level(R)[N] @ a
data Z : real[N, P] @ b
data V : real[N, Q] @ b
param u : real[A] ~ normal(0, 1) @ a
param v : real[R] ~ normal(c, 1 + o) @ a
param z : real[P] ~ normal(0, 1) @ b
param q : real[Q] ~ normal(0, 1) @ b
param theta : simplex[K] ~ dirichlet(1) @ shared
param s ~ half_normal(1)
y ~ normal(W[:, :, 1] * u + v[g] + Z * z + V * q, s)
n ~ multinomial(theta)
`

// Data that are no columns of one length are entries of documents, one a party: scalars, arrays of three
// dimensions, several matrices and several sizes of rows. What is written is read again by a run and, as it
// stands, by another simulation; a response of a document has the values that its arguments give it.
func TestDocuments(t *testing.T) {
	m := compiled(t, arrays, stdlib.Exact)
	r := Request{Seed: 3, Sizes: map[string]int{"N": 7, "S": 4, "K": 3, "A": 2, "B": 3, "R": 9, "P": 2,
		"Q": 4}}
	s := simulated(t, m, r)
	dir := strings.TrimSuffix(m.Source.Name, ".vfl")
	paths, err := s.Write(dir, false)
	if diff := cmp.Diff([]string{"a.json", "b.json", "shared.json", "truth.csv"}, paths); diff != "" ||
		err != nil {
		t.Fatal(diff, err)
	}
	sources, err := data.Locate(m.Source.Name, m.Parties(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, diags, err := compile.Bind(m, sources, data.Joining{})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, data.Errors(diags))
	}
	if diff := cmp.Diff(s.Sizes, b.Sizes.Common); diff != "" {
		t.Error(diff)
	}
	a, own, shared := b.Values["a"], b.Values["b"], b.Values["server"]
	truth := map[string]float64{}
	for _, v := range s.Truth {
		truth[v.Name] = v.Value
	}
	far := 0.0
	for i, y := range shared["y"].Values {
		mean := truth[fmt.Sprintf("v[%v]", a["g"].Values[i])]
		for k := range 2 {
			mean += a["W"].Values[i+7*k]*truth[fmt.Sprintf("u[%d]", k+1)] +
				own["Z"].Values[i+7*k]*truth[fmt.Sprintf("z[%d]", k+1)]
		}
		for k := range 4 {
			mean += own["V"].Values[i+7*k] * truth[fmt.Sprintf("q[%d]", k+1)]
		}
		far = max(far, math.Abs(y-mean)/truth["s"])
	}
	if far > 4 || far == 0 {
		t.Errorf("a response is %v standard deviations from its mean", far)
	}
	total := 0.0
	for _, n := range shared["n"].Values {
		total += n
	}
	if total == 0 {
		t.Error("multinomial draws have no trials")
	}

	again := Request{Seed: 4}
	for i, path := range paths[:3] {
		given, err := Read(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		given.Party = s.Tables[i].Party
		again.Given = append(again.Given, given)
	}
	other := simulated(t, m, again)
	if diff := cmp.Diff(s.Tables[:2], other.Tables[:2], cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(s.Sizes, other.Sizes); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(s.Tables[2], other.Tables[2]) {
		t.Error("another seed gives the same responses")
	}
}

// The rows of a given document are in the order of its key.
func TestRowsOfDocumentFollowTheKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(path,
		[]byte(`{"id": [10, 9, "2b"], "x": [[1, 2], [3, 4], [5, null]], "w": ["u", "v", "NaN"], "k": 2, "m": [1, 2]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	given, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "id": ["2b", 9, 10],
  "x": [[5, null], [3, 4], [1, 2]],
  "w": ["NaN", "v", "u"],
  "k": 2,
  "m": [1, 2]
}
`
	if diff := cmp.Diff(want, string(given.document())); diff != "" {
		t.Error(diff)
	}
}

// A generated quantity may use the response: nothing that is drawn depends on it.
func TestGeneratedFromResponse(t *testing.T) {
	m := compiled(t,
		"data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)\ngenerate spread = sd(y - b)",
		stdlib.NoTransform)
	s, diags, err := New(m, Request{Sizes: map[string]int{"N": 5}, Seed: 1})
	if err != nil || diags.HasErrors() || s.Tables[0].Rows() != 5 {
		t.Error(err, data.Errors(diags))
	}
}

// What cannot be simulated is refused by name, and what is not given is asked for.
func TestRefusals(t *testing.T) {
	for _, x := range []struct {
		text, want string
		usage      bool
	}{
		{"data y : real[N]\nparam b ~ flat()\ny ~ normal(b, 1)", "b has the improper prior flat", false},
		{"data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b + mean(y), 1)", "y depends on itself",
			false},
		{"data y : real[N] from log(cost)\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)",
			"y goes through the encoder log", false},
		{"data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1) weights exp(y)", "has weights", false},
		{"data y : count[N]\nparam b ~ normal(1e9, 1)\ny ~ poisson_log(b)", "no value could be drawn", false},
		{"data y : real[N]\ndata x : real[N, P]\nparam b : real[P] ~ normal(0, 1)\ny ~ normal(x * b, 1)",
			"the size P is not given; add --size P=NUMBER", true},
		{"data y : real[N]\ndata g : level(R)[N]\nparam b : real[R] ~ normal(0, 1)\ny ~ normal(b[g], 1)",
			"the size R is not given", true},
		{"data y : real[N]\nparam b ~ normal(0, 1)\nfactor normal_lpdf(y | b, 1)", "the model has a factor",
			false},
		{"data y : real<lower=0>[N]\ndata x : real[N]\nparam b ~ normal(0, 1)\ny ~ cox(b * x)",
			"the model has cox", false},
		{"data y : real[N]\ndata g : level(9)[N]\nparam b : real[9] ~ normal(0, 1)\ny ~ normal(b[g], 1)",
			"needs 9 rows", false},
	} {
		_, diags, err := New(compiled(t, x.text, stdlib.NoTransform),
			Request{Sizes: map[string]int{"N": 5}, Seed: 1})
		var usage *fit.UsageError
		if err == nil && diags.HasErrors() {
			err = data.Errors(diags)
		}
		if err == nil || !strings.Contains(err.Error(), x.want) || errors.As(err, &usage) != x.usage {
			t.Errorf("%s:\n%v, want %s", x.text, err, x.want)
		}
	}
	_, _, err := New(compiled(t, "data y : real[N]\nparam b ~ normal(0, 1)\ny ~ normal(b, 1)",
		stdlib.NoTransform), Request{Sizes: map[string]int{"N": 5, "M": 2}})
	if err == nil || !strings.Contains(err.Error(), "--size M") {
		t.Error(err)
	}
}

// Data that are parameters of distributions lie in their domains, so that something can be drawn from these;
// a bound that is declared stays.
func TestDataInDomains(t *testing.T) {
	const text = "data alpha : real[K]\ndata S : real[K, K]\ndata L : real[K, K]\ndata q : real[K]\ndata " +
		"se : real[N]\ndata p : real[N]\ndata y : real[N]\ndata d : binary[N]\ndata z : level(K)[N]\n" +
		"param theta : simplex[K] ~ dirichlet(alpha)\nparam Q : cov_matrix[K] ~ inv_wishart(6, S)\nparam v " +
		": real[K] ~ multi_normal_cholesky(alpha, L)\nparam m ~ normal(0, 1)\ny ~ normal(m + theta[1], " +
		"se)\nd ~ bernoulli(p)\nz ~ categorical(q)\n"
	m := compiled(t, text, stdlib.NoTransform)
	for seed := range uint64(5) {
		s := simulated(t, m, Request{Sizes: map[string]int{"K": 3, "N": 30}, Seed: seed})
		for _, name := range []string{"alpha", "se", "p", "q"} {
			sum := 0.0
			for _, w := range s.Tables[0].column(name).Words {
				v, err := strconv.ParseFloat(w, 64)
				if err != nil || v <= 0 || v >= 1 && name != "alpha" && name != "se" {
					t.Errorf("%s has %s", name, w)
				}
				sum += v
			}
			if name == "q" && math.Abs(sum-1) > 1e-12 {
				t.Errorf("q adds up to %v", sum)
			}
		}
	}
}
