package backends_test

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

func example() backends.Algorithm {
	return backends.Algorithm{
		Name:       "example",
		Transforms: []def.Transform{stdlib.NoTransform, stdlib.Power},
		Settings: []backends.Setting{
			{Name: "draws", Default: 4000, Min: 1},
			{Name: "rate", Default: 0.5, Min: 1e-9, Max: 1},
			{Name: "guide", Default: "a", Choices: []string{"a", "b"}},
		},
	}
}

func TestResolveFillsDefaults(t *testing.T) {
	s, err := example().Resolve(stdlib.Power, map[string]string{"rate": "0.25", "guide": "b"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Int("draws") != 4000 || s.Float("rate") != 0.25 || s.Text("guide") != "b" ||
		s.Transform != stdlib.Power {
		t.Errorf("got %v", s)
	}
	if got, want := s.String(), "transform=power draws=4000 guide=b rate=0.25"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestResolveNamesEveryMistake(t *testing.T) {
	_, err := example().Resolve(stdlib.Augmented, map[string]string{"draws": "0", "rate": "nan",
		"guide": "c", "chains": "4"})
	if err == nil {
		t.Fatal("nothing refused")
	}
	for _, want := range []string{`transform "augmented"`, "draws: 0 is less", "rate: nan is less",
		`"c" is not one of a, b`, `no setting "chains"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not mentioned in:\n%v", want, err)
		}
	}
	for _, bad := range []map[string]string{{"draws": "many"}, {"rate": "x"}, {"rate": "1.5"}} {
		if _, err := example().Resolve(stdlib.NoTransform, bad); err == nil {
			t.Errorf("%v: not refused", bad)
		}
	}
}

func TestUndeclaredSettingIsMisuse(t *testing.T) {
	s, err := example().Resolve(stdlib.NoTransform, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r, _ := recover().(string); !strings.HasPrefix(r, "backends: ") {
			t.Errorf("got panic %q", r)
		}
	}()
	s.Float("draws")
}

// A plan reads settings by what they mean, whatever they are called, and knows which there are not.
func TestPlanIsFoundByRoles(t *testing.T) {
	a := backends.Algorithm{Transforms: []def.Transform{stdlib.NoTransform}, Settings: []backends.Setting{
		{Name: "length", Default: 7, Role: backends.Draws}, {Name: "draws", Default: 3},
		{Name: "burn", Default: 5, Role: backends.Warmup},
	}}
	s, err := a.Resolve(stdlib.NoTransform, map[string]string{"length": "9"})
	if err != nil {
		t.Fatal(err)
	}
	if want := (backends.Workload{Chains: 1, Warmup: 5, Draws: 9}); s.Plan != want {
		t.Errorf("%+v, want %+v", s.Plan, want)
	}
	if d, ok := a.In(backends.Draws); !ok || d.Name != "length" {
		t.Errorf("draws are counted by %q", d.Name)
	}
	if _, ok := a.In(backends.MaxDepth); ok {
		t.Error("there is a limit of trees that are not there")
	}
}
