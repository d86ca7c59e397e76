package model_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

const rows = 4

// must stops a test whose graph is wrong.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// client has a cut g = a ∘ scale with a parameter of length rows and an early input, and reports a. Its log
// density is -½ Σ (a - mu)².
func client(t *testing.T, name string) *model.Spec {
	b := graph.New(name)
	a := b.Param("a", graph.Shape{rows})
	mu, scale := b.Input("mu", nil), b.Input("scale", nil)
	node, none := must[graph.ID](t), graph.Attr{}
	d := node(b.Apply("sub", none, a, mu))
	half := node(b.Apply("mul", none, b.Scalar(-0.5), node(b.Apply("mul", none, d, d))))
	if err := b.Add("a", half, 1); err != nil {
		t.Fatal(err)
	}
	b.Output("g", node(b.Apply("mul", none, a, scale)))
	b.Report("a", a)
	return &model.Spec{
		Party: name, Graph: must[*graph.Graph](t)(b.Build()),
		Cuts:   []density.Cut{{Name: "g", Rows: rows, Cols: 1, Rho: 1}},
		Params: []density.Parameter{{Name: "a", Owner: name, Dims: []int{rows}, Len: rows}},
	}
}

// otherEffects have maps for two effects where some are described.
func otherEffects(dim int, effects ...density.Effects) *model.RecentringGraphs {
	b := graph.New("maps")
	x := b.Param("x", graph.Shape{dim})
	b.Output("location", b.Const("two", graph.Shape{2}, []float64{0, 0}))
	one, err := b.Apply("sum", graph.Attr{}, x)
	if err != nil {
		panic(err)
	}
	b.Output("log scale", one)
	g, err := b.Build()
	if err != nil {
		panic(err)
	}
	return &model.RecentringGraphs{Effects: effects,
		Stages: []model.RecentringStage{{Effects: []int{0}, Graph: g, Roots: make([][]float64, 1)}}}
}

// server receives s, sends mu and scale, and has the log density -½ Σ s² - ½ mu² - ½ scale².
func server(t *testing.T) *model.Spec {
	b := graph.New("hub")
	s, mu, scale := b.Input("s", graph.Shape{rows}), b.Param("mu", nil), b.Param("scale", nil)
	node := must[graph.ID](t)
	for _, id := range []graph.ID{s, mu, scale} {
		half := node(b.Apply("mul", graph.Attr{}, b.Scalar(-0.5), node(b.Apply("mul", graph.Attr{}, id, id))))
		if err := b.Add("squares", half, 1); err != nil {
			t.Fatal(err)
		}
	}
	b.Output("mu", mu)
	b.Output("scale", scale)
	return &model.Spec{Party: "hub", Graph: must[*graph.Graph](t)(b.Build())}
}

func sound(t *testing.T) *model.Plan {
	return &model.Plan{
		Names:   []string{"hub", "east", "west"},
		Parties: []*model.Spec{server(t), client(t, "east"), client(t, "west")},
		Groups: []model.Group{{Name: "s", Len: rows, Members: []model.Port{{Party: 1}, {Party: 2}},
			Receivers: []model.Port{{}}}},
		Shared: []model.Shared{
			{Name: "mu", To: []model.Port{{Party: 1}, {Party: 2}}},
			{Name: "scale", From: model.Port{Index: 1},
				To: []model.Port{{Party: 1, Index: 1}, {Party: 2, Index: 1}}, Early: true},
		},
	}
}

// Each change makes a sound plan wrong; the error names the place.
var faults = map[string]struct {
	spoil       func(*model.Plan)
	where, what string
}{
	"a name missing": {func(p *model.Plan) {
		p.Names = p.Names[:2]
	}, "parties", "2 names for 3 parties"},
	"a name twice":      {func(p *model.Plan) { p.Names[2] = "east" }, `party "east"`, "used twice"},
	"another's program": {func(p *model.Plan) { p.Names[2] = "north" }, `party "north"`, `"west"`},
	"no program":        {func(p *model.Plan) { clear(p.Parties) }, "parties", "no program"},
	"a cut at the server": {func(p *model.Plan) {
		p.Parties[0].Cuts = p.Parties[1].Cuts
	}, `party "hub"`, "no cuts"},
	"a cut left out": {func(p *model.Plan) {
		p.Parties[1].Cuts = nil
	}, `party "east"`, "0 cuts for 1 outputs"},
	"a cut's shape": {func(p *model.Plan) { p.Parties[1].Cuts[0].Rows = 3 }, `party "east"`, "3×1"},
	"a cut's offset": {func(p *model.Plan) {
		p.Parties[1].Cuts[0].Offset = 1
	}, `party "east"`, "offset 1"},
	"a cut without noise": {func(p *model.Plan) { p.Parties[1].Cuts[0].Rho = 0 }, `party "east"`, "rho is 0"},
	"a cut's noise": {func(p *model.Plan) {
		p.Parties[1].Cuts[0].Rho = math.NaN()
	}, `party "east"`, "rho is NaN"},
	"a cut with noise where it crosses itself": {func(p *model.Plan) {
		p.Exact = true
	}, `party "east"`, "cuts themselves cross"},
	"a client receives its own cut": {func(p *model.Plan) {
		p.Exact, p.AtClients = true, true
		p.Groups[0].Receivers = []model.Port{{Party: 1}}
		for i := range p.Parties[1:] {
			p.Parties[1+i].Cuts[0].Rho = 0
		}
	}, `group "s"`, "east receives a sum of cuts that has its own"},
	"a cut's group": {func(p *model.Plan) {
		p.Parties[1].Cuts[0].Group = 1
	}, `party "east"`, "group 1 of 1"},
	"a map of coordinates that is missing": {func(p *model.Plan) {
		p.Parties[1].Recentring = &model.RecentringGraphs{Stages: make([]model.RecentringStage, 1)}
	}, `party "east"`, "map of coordinates"},
	"separable parameters that are none": {func(p *model.Plan) {
		p.Parties[1].Separable = []density.Effects{{Offset: p.Parties[1].Graph.Dim(), Len: 1}}
	}, `party "east"`, "separable parameters"},
	"effects without a map": {func(p *model.Plan) {
		p.Parties[1].Recentring = &model.RecentringGraphs{Effects: make([]density.Effects, 1)}
	}, `party "east"`, "0 effects, and there are 1"},
	"a map of no effects": {func(p *model.Plan) {
		p.Parties[1].Recentring = otherEffects(p.Parties[1].Graph.Dim())
	}, `party "east"`, "effects 0 of 0"},
	"effects of another length": {func(p *model.Plan) {
		p.Parties[1].Recentring = otherEffects(p.Parties[1].Graph.Dim(), density.Effects{Name: "v", Len: 3})
	}, `party "east"`, "effects v"},
	"a term that is no parameter": {func(p *model.Plan) {
		dim := p.Parties[1].Graph.Dim()
		p.Parties[1].Recentring = otherEffects(dim, density.Effects{Name: "v", Len: 2}, density.Effects{Len: 1,
			Terms: []density.EffectTerm{{Offset: dim, Len: 1, Effects: -1}}})
	}, `party "east"`, "a term is no parameter"},
	"terms of effects that are none": {func(p *model.Plan) {
		p.Parties[1].Recentring = otherEffects(p.Parties[1].Graph.Dim(), density.Effects{Name: "v", Len: 2},
			density.Effects{Len: 1, Terms: []density.EffectTerm{{Offset: 0, Len: 1, Effects: 0}}})
	}, `party "east"`, "a term is no parameter"},
	"terms of another length": {func(p *model.Plan) {
		p.Parties[1].Recentring = otherEffects(p.Parties[1].Graph.Dim(), density.Effects{Name: "v", Len: 2},
			density.Effects{Len: 1, Terms: []density.EffectTerm{{Offset: 0, Len: 2, Effects: 0}}})
	}, `party "east"`, "terms have 2 elements, not 1"},
	"a parameter left out": {func(p *model.Plan) {
		p.Parties[1].Params = nil
	}, `party "east"`, "0 parameters for 1 reports"},
	"a parameter's length": {func(p *model.Plan) {
		p.Parties[1].Params[0].Len = 1
	}, `party "east"`, "parameter a"},
	"a group's name":   {func(p *model.Plan) { p.Shared[0].Name = "s" }, `shared "s"`, "used twice"},
	"a group's length": {func(p *model.Plan) { p.Groups[0].Len = 5 }, `group "s"`, "length 5"},
	"no member":        {func(p *model.Plan) { p.Groups[0].Members = nil }, `group "s"`, "no member"},
	"no receiver": {func(p *model.Plan) {
		p.Groups[0].Receivers = nil
	}, `group "s"`, "no receiver"},
	"members out of order": {func(p *model.Plan) {
		swap(p.Groups[0].Members)
	}, `group "s"`, "east is not in party order"},
	"a member twice": {func(p *model.Plan) {
		p.Groups[0].Members[1].Party = 1
	}, `group "s"`, "not in party order"},
	"the server a member": {func(p *model.Plan) {
		p.Groups[0].Members[0].Party = 0
	}, `group "s"`, "party 0 is not one of 1 to 2"},
	"a member's cut": {func(p *model.Plan) {
		p.Groups[0].Members[0].Index = 1
	}, `group "s"`, "cut 1 of east"},
	"an unknown member": {func(p *model.Plan) {
		p.Groups[0].Members[1].Party = 3
	}, `group "s"`, "party 3"},
	"a cut in no group": {func(p *model.Plan) {
		p.Groups[0].Members = p.Groups[0].Members[:1]
	}, `party "west"`, "output g goes nowhere"},
	"a cut in two groups": {func(p *model.Plan) {
		p.Groups = append(p.Groups, p.Groups[0])
		p.Groups[1].Name = "t"
	}, `group "t"`, `taken by group "s"`},
	"a client receives": {func(p *model.Plan) {
		p.Groups[0].Receivers = []model.Port{{}, {Party: 1}}
	}, `group "s"`, "whose likelihoods the server evaluates"},
	"at clients, which receive nothing": {func(p *model.Plan) {
		p.AtClients = true
	}, "parties", "none receives a sum"},
	"a receiver's input": {func(p *model.Plan) {
		p.Groups[0].Receivers[0].Index = 1
	}, `group "s"`, "input 1 of hub"},
	"from a client": {func(p *model.Plan) {
		p.Shared[0].From.Party = 1
	}, `shared "mu"`, "not from the server"},
	"an output too many": {func(p *model.Plan) {
		p.Shared[1].From.Index = 2
	}, `shared "scale"`, "output 2 of hub"},
	"an output twice": {func(p *model.Plan) {
		p.Shared[1].From.Index = 0
	}, `shared "scale"`, `taken by shared "mu"`},
	"an output unused": {func(p *model.Plan) {
		p.Shared = p.Shared[:1]
	}, `party "hub"`, "output scale goes nowhere"},
	"an input of the hub": {func(p *model.Plan) {
		p.Names, p.Parties, p.Groups, p.Shared = p.Names[:1], p.Parties[:1], nil, nil
	}, `party "hub"`, "nothing arrives at input s"},
	"no destination": {func(p *model.Plan) { p.Shared[0].To = nil }, `shared "mu"`, "no destination"},
	"to the server":  {func(p *model.Plan) { p.Shared[0].To[0].Party = 0 }, `shared "mu"`, "party 0"},
	"a destination's input": {func(p *model.Plan) {
		p.Shared[0].To[1].Index = -1
	}, `shared "mu"`, "input -1 of west"},
	"an input twice": {func(p *model.Plan) {
		p.Shared[1].To[1].Index = 0
	}, `shared "scale"`, `taken by shared "mu"`},
	"an input open": {func(p *model.Plan) {
		p.Shared[0].To = p.Shared[0].To[:1]
	}, `party "west"`, "nothing arrives at input mu"},
	"late for a cut": {func(p *model.Plan) {
		p.Shared[1].Early = false
	}, `shared "scale"`, "arrives after"},
}

func swap(p []model.Port) { p[0], p[1] = p[1], p[0] }

func TestVerify(t *testing.T) {
	plan := sound(t)
	if err := plan.Verify(); err != nil {
		t.Fatalf("a sound plan: %v", err)
	}
	for i := range plan.Parties {
		if err := plan.Only(i).Verify(); err != nil {
			t.Errorf("as party %d holds it: %v", i, err)
		}
	}
	for name, f := range faults {
		plan := sound(t)
		f.spoil(plan)
		var wiring *model.WiringError
		if err := plan.Verify(); !errors.As(err, &wiring) || wiring.Where != f.where ||
			!strings.Contains(wiring.What, f.what) {
			t.Errorf("%s: got %v, want %s: …%s…", name, err, f.where, f.what)
		}
	}
}

// A party sees its part of the plan without the others' programs.
func TestRole(t *testing.T) {
	plan := sound(t)
	for i := range plan.Parties {
		whole, own := plan.Role(i), plan.Only(i).Role(i)
		if len(whole.Members) != len(own.Members) || len(whole.Receptions) != len(own.Receptions) ||
			len(whole.Arrivals) != len(own.Arrivals) {
			t.Errorf("party %d: %+v, alone %+v", i, whole, own)
		}
		for k, a := range own.Arrivals {
			if a != whole.Arrivals[k] || a.Len != 1 {
				t.Errorf("party %d: arrival %+v, alone %+v", i, whole.Arrivals[k], a)
			}
		}
	}
}
