package session

import (
	"strings"
	"testing"
)

// Every content states how far it goes into single rows, so that the verdict of an audit counts it; and says of an array over rows what a receiver can compute of a row.
func TestContentsStateTheirReach(t *testing.T) {
	for c, d := range descriptions {
		if d.reach == unstated {
			t.Errorf("the description of content %d (%q) has no reach", c, d.what)
		}
		for _, text := range []string{d.learns, d.total} {
			if d.reach == Contribution && text != "" && !strings.Contains(text, "columns of two values") {
				t.Errorf("content %d (%q) shows what a client contributes to each row, and does not say that columns of two values can be found: %q", c, d.what, text)
			}
		}
	}
}
