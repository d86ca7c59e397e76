package posterior_test

import (
	"testing"

	"github.com/vflc/vflc/posterior"
)

// Tables have one line for a generated quantity of many elements, and all of any other.
func TestFolded(t *testing.T) {
	d := posterior.NewDraws([]posterior.Variable{
		{Name: "w", Dims: []int{30}}, {Name: "lab[2].y_rep", Dims: []int{5, 5}, Generated: true},
		{Name: "few", Dims: []int{20}, Generated: true}, {Name: "lab[3].z", Generated: true},
	}, 1, 3)
	row := make([]float64, len(d.Columns()))
	for range 3 {
		d.Append(0, row)
	}
	rows := posterior.Summarise(d)
	kept, folds := posterior.Folded(rows)
	if len(rows) != 76 || len(kept) != 51 || len(folds) != 1 ||
		folds[0] != (posterior.LeftOut{Name: "lab[2].y_rep", Elements: 25}) {
		t.Errorf("%d rows, %d kept, folds %v", len(rows), len(kept), folds)
	}
	all := make([]int, len(d.Columns()))
	for k := range all {
		all[k] = k
	}
	if left := posterior.WithoutFolds(d, all); len(left) != 51 || left[30] != 55 {
		t.Errorf("%d columns are left: %v", len(left), left)
	}
	if left := posterior.WithoutFolds(d, all[30:55]); len(left) != 25 {
		t.Errorf("%d of the 25 columns of one quantity are left", len(left))
	}
	if got, want := posterior.FoldText(folds, "name %s"),
		"lab[2].y_rep: 25 generated values; name lab[2].y_rep\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
