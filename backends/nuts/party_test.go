package nuts

import (
	"testing"

	"github.com/vflc/vflc/density"
)

// sized is a block of which only its size and kind are known.
type sized struct {
	density.Block
	dim          int
	hierarchical bool
}

func (sized) Party() string { return "clinic" }

func (b sized) Dim() int           { return b.dim }
func (b sized) Hierarchical() bool { return b.hierarchical }

// A dense metric is the default for few parameters outside hierarchies, ridges are looked for in all others,
// and there is what is asked for. Parameters of hierarchies have no reference.
func TestTheFormOfTheMetric(t *testing.T) {
	for _, c := range []struct {
		block sized
		form  string
		adapt string
		want  shape
	}{
		{sized{dim: 1}, "auto", "fisher", shape{}},
		{sized{dim: 2}, "auto", "fisher", shape{dense: 2}},
		{sized{dim: 1, hierarchical: true}, "auto", "fisher", shape{hierarchy: 1}},
		{sized{dim: 128}, "auto", "stan", shape{dense: 128}},
		{sized{dim: 129}, "auto", "fisher", shape{ridged: 129}},
		{sized{dim: 129}, "auto", "stan", shape{}},
		{sized{dim: 65}, "low-rank", "fisher", shape{ridged: 65}},
		{sized{dim: 8, hierarchical: true}, "auto", "fisher", shape{ridged: 8, proved: true, hierarchy: 8}},
		{sized{dim: 512, hierarchical: true}, "auto", "fisher",
			shape{ridged: 512, proved: true, hierarchy: 512}},
		{sized{dim: 513, hierarchical: true}, "auto", "fisher",
			shape{ridged: 513, long: true, hierarchy: 513}},
		{sized{dim: 8, hierarchical: true}, "low-rank", "fisher", shape{ridged: 8, proved: true, hierarchy: 8}},
		{sized{dim: 8, hierarchical: true}, "auto", "stan", shape{hierarchy: 8}},
		{sized{dim: 4097, hierarchical: true}, "auto", "fisher", shape{hierarchy: 4097}},
		{sized{dim: 8, hierarchical: true}, "dense", "fisher", shape{dense: 8, hierarchy: 8}},
		{sized{dim: 8, hierarchical: true}, "dense", "stan", shape{dense: 8, hierarchy: 8}},
		{sized{dim: 8}, "diag", "fisher", shape{}},
		{sized{dim: 8}, "low-rank", "fisher", shape{ridged: 8}},
		{sized{dim: 200}, "dense", "fisher", shape{dense: 200}},
	} {
		s, err := Algorithm().Resolve(Algorithm().Transforms[0],
			map[string]string{metricForm: c.form, adaptation: c.adapt})
		if err != nil {
			t.Fatal(err)
		}
		if got := shapeOf(c.block, s); got != c.want {
			t.Errorf("--metric %s, --adapt %s, %+v: %+v, want %+v", c.form, c.adapt, c.block, got, c.want)
		}
	}
}

// A metric that takes the memory of a matrix of all parameters is refused where these are many.
func TestDenseMetricsAreBounded(t *testing.T) {
	s, err := Algorithm().Resolve(Algorithm().Transforms[0], map[string]string{metricForm: "dense"})
	if err != nil {
		t.Fatal(err)
	}
	for dim, refused := range map[int]bool{MostDense: false, MostDense + 1: true} {
		if err := checkMetric([]density.Block{sized{dim: dim}}, s); (err != nil) != refused {
			t.Errorf("%d parameters: %v", dim, err)
		}
	}
}
