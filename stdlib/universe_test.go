package stdlib

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/stdlib/dist"
	"github.com/vflc/vflc/stdlib/encoder"
	"github.com/vflc/vflc/stdlib/fn"
)

// Every listed thing is found under its name, no name is listed twice, and a function is elementwise or
// structural, not both.
func TestLookup(t *testing.T) {
	u := New()
	if got, want := len(u.Dists()), len(dist.All())+len(dist.Events()); got != want {
		t.Errorf("%d distributions found, %d listed", got, want)
	}
	if got, want := len(u.Encoders()), len(encoder.All()); got != want {
		t.Errorf("%d encoders found, %d listed", got, want)
	}
	if got, want := len(u.Funcs()), len(fn.Elementwise())+len(fn.Structural()); got != want {
		t.Errorf("%d functions found, %d listed", got, want)
	}
	for _, name := range u.Dists() {
		if d, ok := u.Dist(name); !ok || d.Name != name {
			t.Errorf("distribution %s is not found", name)
		}
	}
	for _, name := range u.Funcs() {
		f, elementwise := u.Func(name)
		s, structural := u.Structural(name)
		if elementwise == structural || elementwise && f.Name != name || structural && s.Name != name {
			t.Errorf("function %s: elementwise %v, structural %v", name, elementwise, structural)
		}
	}
	for _, name := range u.Encoders() {
		if e, ok := u.Encoder(name); !ok || e.Name != name {
			t.Errorf("encoder %s is not found", name)
		}
	}
}

func TestNamesAreSortedAndUnique(t *testing.T) {
	u := New()
	for _, names := range [][]string{u.Dists(), u.Funcs(), u.Encoders(), u.Bijectors()} {
		want := slices.Clone(names)
		slices.Sort(want)
		if diff := cmp.Diff(slices.Compact(want), names); diff != "" {
			t.Error(diff)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	u := New()
	_, d := u.Dist("sum")
	_, f := u.Func("sum")
	_, s := u.Structural("exp")
	_, e := u.Encoder("exp")
	if d || f || s || e {
		t.Error("found a name that is not listed")
	}
}

func TestBijectorFor(t *testing.T) {
	u := New()
	bound := 1.0
	for _, c := range []struct {
		lower, upper *float64
		want         string
	}{
		{nil, nil, "identity"},
		{&bound, nil, "lower"},
		{nil, &bound, "upper"},
		{&bound, &bound, "interval"},
	} {
		if got := u.For(c.lower, c.upper); got.Name != c.want {
			t.Errorf("%s, want %s", got.Name, c.want)
		}
	}
}

func TestEncodersDocumented(t *testing.T) {
	for _, e := range encoder.All() {
		if e.Doc == "" || len(e.Examples) == 0 || e.Columns.Allows(0) {
			t.Errorf("%s: documentation, an example and a column are needed", e.Name)
		}
		for _, o := range e.Options {
			if found, ok := e.Option(o.Name); !ok || found.Doc == "" || !found.Allows(found.Example()) {
				t.Errorf("%s: option %s needs documentation and values", e.Name, o.Name)
			}
		}
		if _, ok := e.Option("nothing"); ok {
			t.Errorf("%s has an option that is not listed", e.Name)
		}
	}
}
