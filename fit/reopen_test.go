package fit

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/posterior"
)

// What a record says becomes the flags that made it, also after its way through JSON.
func TestRecordedFlags(t *testing.T) {
	for _, c := range []struct {
		rho  any
		want string
	}{{0.1, "0.1"}, {map[string]float64{"b": 2, "a": 1e-7}, "a=1e-07,b=2"}, {nil, ""}} {
		text, err := json.Marshal(posterior.Record{Transform: "augmented", Rho: c.rho, Constants: map[string]float64{"k": 3, "a": 1.0 / 3}})
		if err != nil {
			t.Fatal(err)
		}
		var r posterior.Record
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		f := recordedFlags(&r)
		if f.rho != c.want || f.transform != "augmented" {
			t.Errorf("rho %q, want %q", f.rho, c.want)
		}
		options, err := f.options()
		if err != nil || options.Set["a"] != 1.0/3 || options.Set["k"] != 3 {
			t.Errorf("constants %v (%v)", options.Set, err)
		}
	}
}

func TestRecordedData(t *testing.T) {
	got := recordedData([]posterior.Source{{Party: "server", Path: "y.csv"}, {Party: "lab[1]", Path: "l1.csv"}, {Party: "lab[2]", Path: "l2.csv"}})
	if diff := cmp.Diff([]string{"server=y.csv", "lab=l1.csv,l2.csv"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		name, column string
		want         bool
	}{
		{"beta", "beta[2]", true}, {"beta[2]", "beta[2]", true}, {"beta", "beta_a[2]", false}, {"lab[*].b", "lab[12].b", true}, {"beta[?]", "beta[3]", true},
		{"be*", "beta[3]", true}, {"b", "beta", false}, {"lab[2].b", "lab[2].b[1]", true}, {"[", "beta", false},
	} {
		if got := matches(c.name, c.column); got != c.want {
			t.Errorf("%s stands for %s: %v", c.name, c.column, got)
		}
	}
}
