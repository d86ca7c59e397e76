package splitmodel_test

import (
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib/transforms"
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
	a := splitmodel.AttackModels(63, models, t.TempDir())
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
// its data, these and the gradient of that parameter determine the rows: check refuses it. Where its own
// does, as in a cut, they do not.
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
y1 ~ normal(XA * u + k * w, 1)
`
	for ending, refused := range map[string]bool{
		"y2 ~ normal(XB * k + XA * u, 1)\n": true, "y2 ~ normal(k + XB * v + XA * u, 1)\n": false} {
		f.Text = model + ending
		found, err := splitmodel.Determined(f, "b", t.TempDir())
		if err != nil || (len(found) > 0) != refused {
			t.Errorf("%s determines %v, %v", ending, found, err)
		}
		_, diags := compiletest.Try(t, source.New("model.vfl", f.Text),
			check.Options{Transform: transforms.Exact})
		if diags.HasErrors() != refused {
			t.Errorf("%s: %v", ending, diags)
		}
	}
}
