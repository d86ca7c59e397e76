package leak

import (
	"slices"

	"github.com/vflc/vflc/lang/diag"
)

// ofRows are the codes of findings about numbers a row that cross: cuts, what noise is on them, and adjoints.
var ofRows = []diag.Code{
	diag.LabelLeak, diag.SeparateCuts, diag.NoiseChanged, diag.NoiseAverages, diag.FactorInCuts,
	diag.CutVariants, diag.DataCut, diag.DataOffset, diag.FixedCut, diag.WeakNoise,
}

// Staying returns the findings without those about numbers a row that cross. On the encrypted wire none does,
// and what its sums tell is said with their number (docs/privacy.md).
func Staying(list diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(list), func(d *diag.Diagnostic) bool {
		return slices.Contains(ofRows, d.Code)
	})
}
