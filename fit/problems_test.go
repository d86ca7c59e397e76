package fit

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/posterior"
)

// Findings of one check with one remedy are one problem; of each check eight are shown, and the others
// counted, whatever their remedies.
func TestProblems(t *testing.T) {
	var found []posterior.Finding
	add := func(check, try string, n int) {
		for range n {
			found = append(found,
				posterior.Finding{Check: check, Text: fmt.Sprintf("%s %d", check, len(found)), Try: try})
		}
	}
	add("rhat", "longer", 1)
	add("ess", "twice", 7)
	add("ess", "thrice", 3)
	add("ess", "often", 2)
	add("constant", "", 1)
	want := []Problem{
		{Texts: []string{"rhat 0"}, Try: "longer"},
		{Texts: []string{"ess 1", "ess 2", "ess 3", "ess 4", "ess 5", "ess 6", "ess 7"}, Try: "twice"},
		{Texts: []string{"ess 8"}, More: 4, Try: "thrice"},
		{Texts: []string{"constant 13"}},
	}
	if diff := cmp.Diff(want, Problems(found)); diff != "" {
		t.Error(diff)
	}
	if got := Problems(nil); got != nil {
		t.Errorf("problems of nothing: %v", got)
	}
}
