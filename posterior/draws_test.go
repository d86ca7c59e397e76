package posterior

import "testing"

// A party alone may have no parameters: its draws are counted all the same.
func TestDrawsWithoutColumnsAreCounted(t *testing.T) {
	d := NewDraws(nil, 2, 3)
	for range 3 {
		d.Append(0, nil)
	}
	d.Append(1, nil)
	if d.Len(0) != 3 || d.Len(1) != 1 {
		t.Errorf("%d and %d draws, want 3 and 1", d.Len(0), d.Len(1))
	}
}
