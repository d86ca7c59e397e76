package posterior

import "testing"

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		name, column string
		want         bool
	}{
		{"beta", "beta[2]", true}, {"beta[2]", "beta[2]", true}, {"beta", "beta_a[2]", false},
		{"lab[*].b", "lab[12].b", true}, {"beta[?]", "beta[3]", true},
		{"be*", "beta[3]", true}, {"b", "beta", false}, {"lab[2].b", "lab[2].b[1]", true},
		{"[", "beta", false},
	} {
		if got := matches(c.name, c.column); got != c.want {
			t.Errorf("%s matches %s: %v", c.name, c.column, got)
		}
	}
}

// An element whose label encodes a column is found by the column too, where it is the only one; a name of its
// own comes first.
func TestChooseByColumn(t *testing.T) {
	vars := Labelled([]Variable{{Name: "beta", Dims: []int{4}}, {Name: "g", Dims: []int{2}},
		{Name: "h", Dims: []int{2}}}, map[string][][]string{
		"beta": {{"zscore(age)", "grp=poor", "log(bp)", "bp"}}, "g": {{"zscore(age)", "log(age)"}},
		"h": {{"age", "zscore(age)"}},
	})
	d := NewDraws(vars, 1, 0)
	for name, want := range map[string]int{"beta[age]": 0, "beta[zscore(age)]": 0, "beta[bp]": 3,
		"beta[log(bp)]": 2, "h[age]": 6, "h[zscore(age)]": 7} {
		if got, err := d.Choose([]string{name}); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"g[age]", "beta[poor2]", "beta[zscore]"} { // of two, none
		if got, err := d.Choose([]string{name}); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}
