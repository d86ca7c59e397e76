package node

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Folds that are told arrive as they were; a list of another length, with a fold that there is not, or with
// one without rows is refused.
func TestFoldsAreToldWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, count := range []int{2, 3, 4, 5, 16, 17, 300} {
		folds := make([]int, 301)
		for i := range folds {
			folds[i] = i % count
		}
		r.Shuffle(len(folds), func(i, k int) { folds[i], folds[k] = folds[k], folds[i] })
		d, refused := packed(folds, count)
		got, err := d.unpacked(count)
		if err != nil || refused != nil || !slices.Equal(got, folds) {
			t.Errorf("%d folds: %v, %v", count, got, err)
		}
		for what, wrong := range map[string]dealt{
			"a byte less": {d.Rows, d.Folds[1:]},
			"rows more":   {d.Rows + 8, d.Folds},
			"few rows":    {count - 1, make([]byte, 1)},
			"one fold":    {d.Rows, make([]byte, len(d.Folds))},
			"negative":    {-1, nil},
		} {
			if _, err := wrong.unpacked(count); err == nil || codeOf(err) != CodeProtocol {
				t.Errorf("%d folds, %s: %v", count, what, err)
			}
		}
		if full, _ := packed([]int{0, 1, 2, 3, 3}, 4); count == 3 {
			if _, err := full.unpacked(3); err == nil {
				t.Error("a fold that there is not is taken")
			}
		}
		if _, err := packed(make([]int, 301), count); err == nil || codeOf(err) != CodeProtocol {
			t.Errorf("folds without rows are told: %v", err)
		}
	}
}
