package posterior

import "testing"

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		name, column string
		want         bool
	}{
		{"beta", "beta[2]", true}, {"beta[2]", "beta[2]", true}, {"beta", "beta_a[2]", false}, {"lab[*].b", "lab[12].b", true}, {"beta[?]", "beta[3]", true},
		{"be*", "beta[3]", true}, {"b", "beta", false}, {"lab[2].b", "lab[2].b[1]", true}, {"[", "beta", false},
	} {
		if got := matches(c.name, c.column); got != c.want {
			t.Errorf("%s matches %s: %v", c.name, c.column, got)
		}
	}
}
