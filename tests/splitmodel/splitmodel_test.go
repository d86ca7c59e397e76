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
	for _, of := range splitmodel.Count(models, t.TempDir()) {
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
