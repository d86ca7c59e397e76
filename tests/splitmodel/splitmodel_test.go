package splitmodel_test

import (
	"testing"

	"github.com/vflc/vflc/tests/brief"
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
