package fit

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib"
)

// A record gives the options that it was made from, also after it is written to JSON and read back.
func TestRecordedOptions(t *testing.T) {
	for _, c := range []struct {
		rho  any
		one  float64
		want map[string]float64
	}{{0.1, 0.1, nil}, {map[string]float64{"b": 2, "a": 1e-7}, 0, map[string]float64{"b": 2, "a": 1e-7}},
		{nil, 0, nil}} {
		text, err := json.Marshal(posterior.Record{Transform: "augmented", Rho: c.rho,
			Constants: map[string]float64{"k": 3, "a": 1.0 / 3}})
		if err != nil {
			t.Fatal(err)
		}
		var r posterior.Record
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		o := recordedOptions(&r)
		if diff := cmp.Diff(c.want, o.RhoBy); diff != "" || o.Rho != c.one ||
			o.Transform != stdlib.Augmented {
			t.Errorf("rho %v, %s, transform %s", o.Rho, diff, o.Transform)
		}
		if o.Set["a"] != 1.0/3 || o.Set["k"] != 3 {
			t.Errorf("constants %v", o.Set)
		}
	}
}

func TestRecordedData(t *testing.T) {
	got := RecordedData(&posterior.Record{Data: []posterior.InputRecord{{Party: "server", Path: "y.csv"},
		{Party: "lab[1]", Path: "l1.csv"}, {Party: "lab[2]", Path: "l2.csv"}}})
	if diff := cmp.Diff([]string{"server=y.csv", "lab=l1.csv", "lab=l2.csv"}, got); diff != "" {
		t.Error(diff)
	}
}
