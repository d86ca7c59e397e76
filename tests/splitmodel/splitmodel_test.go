package splitmodel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/brief"
	"github.com/vflc/vflc/tests/compiletest"
	"github.com/vflc/vflc/tests/splitmodel"
)

func TestMain(m *testing.M) { brief.Run(m) }

// The parties of a split model have together the density and the gradient of the pooled model, with z at the
// cuts, whatever the model and the transform. bench/splits takes more models.
func TestSplitModels(t *testing.T) {
	models := brief.Draws(40, 400)
	for _, of := range splitmodel.Count(0, models, t.TempDir()) {
		for _, fault := range of.Faults {
			t.Error(fault)
		}
		// the lists are of likelihoods that noise takes, and of sums that power takes, as a rule
		if of.Compared < models/3 {
			t.Errorf("%s: %d models of %d are compared; refused are %v", of.Transform, of.Compared, models,
				of.Refused)
		}
		t.Log(of.Transform, of.Compared, of.Refused)
	}
}

// What the server sees of a client determines no number of its rows in a model of which nothing is refused,
// but data that check says are added to what the client sends. These the attack finds, so that it sees what
// it should. bench/splits -attack takes more models.
func TestRowsOfDrawnModels(t *testing.T) {
	models := brief.Draws(9, 400)
	a := splitmodel.AttackModels(67, models, t.TempDir())
	for _, found := range a.Found {
		t.Error("rows are found:", found)
	}
	for _, fault := range a.Faults {
		t.Error(fault)
	}
	if a.Clients < models || len(a.Told) == 0 {
		t.Errorf("%d clients of %d models were attacked, and added data of %d found", a.Clients, models,
			len(a.Told))
	}
}

// A client that holds a response answers with a derivative for each row. Where a shared parameter multiplies
// its data, these and the gradient of that parameter determine the rows: check refuses it, and a parameter of
// its own that another cut tells. Where its own does that no other cut has, they do not.
func TestRowsOfAHolder(t *testing.T) {
	f := compiletest.Fixture{Tables: map[string]string{
		"a": `{"y1": [0.3, -1.1, 0.7, 2.0, -0.4, 1.2], "XA": [0.5, 1.5, -0.7, 0.9, -1.3, 0.4]}`,
		"b": `{"y2": [1.3, 0.1, -0.7, 1.0, 0.4, -1.2], "XB": [1.5, -0.5, 0.7, -0.9, 0.3, 1.4]}`}}
	const model = `client a, b
data y1 : real[N] @ a
data y2 : real[N] @ b
data XA : real[N] @ a
data XB : real[N] @ b
param k ~ normal(0, 1) @ shared
param u ~ normal(0, 1) @ a
param v ~ normal(0, 1) @ b
param w ~ normal(0, 1) @ b
`
	for ending, refused := range map[string]bool{
		"y1 ~ normal(XA * u + k * w, 1)\ny2 ~ normal(XB * k + XA * u, 1)\n":     true,
		"y1 ~ normal(XA * u + k * v, 1)\ny2 ~ normal(k + XB * v + XA * u, 1)\n": true,
		"y1 ~ normal(XA * u + k * w, 1)\ny2 ~ normal(k + XB * v + XA * u, 1)\n": false} {
		f.Text = model + ending
		found, err := splitmodel.Determined(f, "b", t.TempDir())
		if err != nil || (len(found) > 0) != refused {
			t.Errorf("%s determines %v, %v", ending, found, err)
		}
		_, diags := compiletest.Try(t, source.New("model.vfl", f.Text),
			check.Options{Transform: stdlib.Exact})
		if diags.HasErrors() != refused {
			t.Errorf("%s: %v", ending, diags)
		}
	}
}

// Where cuts without data tell the parameters of a client, what its data times these leave of the data is
// nothing: check refuses what the attack finds. What other cuts leave unknown of a parameter hides the rows.
// With one coefficient of several the equations leave its column open up to the others', which a regression
// over draws does not: that is refused too.
func TestRowsOfParametersThatCutsTell(t *testing.T) {
	f := compiletest.Fixture{Tables: map[string]string{
		"server": `{"y": [0.3, -1.1, 0.7, 2.0, -0.4, 1.2], "s": [0.4, -0.2, 1.1, 0.9, -1.6, 0.3]}`,
		"b": `{"x": [1.5, -0.5, 0.7, -0.9, 0.3, 1.4], "g": [1, 2, 1, 2, 2, 1],
"X": [[0.5, 1.5], [-0.7, 0.9], [-1.3, 0.4], [0.6, -0.8], [1.1, 0.2], [-0.3, -1.2]]}`}}
	const model = `client b
data y : real[N]
data s : real[N] @ shared
data x : real[N] @ b
data X : real[N, 2] @ b
data g : level(2)[N] @ b
param k ~ normal(0, 1)
param v ~ normal(0, 1) @ b
param w ~ normal(0, 1) @ b
param V : real[2] ~ normal(0, 1) @ b
let half = V[1] / 2
y ~ normal(k * (FIRST), 1)
`
	leaks := func(d *diag.Diagnostic) bool { return d.Code == diag.GradientLeak }
	for _, c := range []struct {
		first, rest string
		found       bool
	}{
		{"v", "y ~ normal(x * v, 1)", true},
		{"exp(2 * v)", "y ~ normal(tanh(x * v), 1)", true},
		{"s * v", "y ~ normal(x * v + k, 1)", true},
		{"v + w", "y ~ normal(k * (v - w), 1)\ny ~ normal(x * w, 1)", true},
		{"v + w", "y ~ normal(x * w, 1)", false},
		{"w", "y ~ normal(x * v, 1)", false},
		{"w", "y ~ normal(x * v * w, 1)", false},
		{"V[g]", "y ~ normal(X * V, 1)", true},
		{"sum(V)", "y ~ normal(k * half, 1)\ny ~ normal(X * V, 1)", true},
		{"half", "y ~ normal(x * V[1], 1)", true},
		{"V[1]", "y ~ normal(x * V[2], 1)", false},
		{"V[1]", "y ~ normal(k + X * V, 1)", false},
		{"x * v", "y ~ normal(k + X * V, 1)", false},
		{"w", `param A ~ half_normal(1) @ b
param E : real[N] ~ normal(0, 1) @ b
y ~ normal(k * E[1] + k, exp(E[2] * k))
y ~ normal(cholesky(gp_matern32(x, A, 1) + diag(rep(0.1, N))) * E, 1)`, false}, // distances of x alone
	} {
		f.Text = strings.Replace(model, "FIRST", c.first, 1) + c.rest + "\n"
		found, err := splitmodel.Determined(f, "b", t.TempDir())
		if err != nil || (len(found) > 0) != c.found {
			t.Errorf("%s, %s determines %v, %v", c.first, c.rest, found, err)
		}
		_, diags := compiletest.Try(t, source.New("model.vfl", f.Text),
			check.Options{Transform: stdlib.Exact})
		refused := c.found || c.rest == "y ~ normal(k + X * V, 1)" && c.first == "V[1]" ||
			strings.Contains(c.rest, "gp_matern32")
		if has := slices.ContainsFunc(diags, leaks); has != refused {
			t.Errorf("%s, %s: %v", c.first, c.rest, diags)
		}
	}
}
