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

// A dense metric is the default for few parameters, in hierarchies where chains warm up alone; ridges are
// looked for in all others, and there is what is asked for. Parameters of hierarchies have no reference at
// first.
func TestTheFormOfTheMetric(t *testing.T) {
	for _, c := range []struct {
		block sized
		form  string
		begin string
		want  shape
	}{
		{sized{dim: 1}, "auto", "", shape{}},
		{sized{dim: 2}, "auto", "", shape{dense: 2}},
		{sized{dim: 1, hierarchical: true}, "auto", "", shape{hierarchy: 1}},
		{sized{dim: 128}, "auto", "sfvi", shape{dense: 128}},
		{sized{dim: 129}, "auto", "", shape{ridged: 129}},
		{sized{dim: 129}, "auto", "sfvi", shape{}},
		{sized{dim: 65}, "low-rank", "", shape{ridged: 65}},
		{sized{dim: 8, hierarchical: true}, "auto", "", shape{dense: 8, hierarchy: 8}},
		{sized{dim: 72, hierarchical: true}, "auto", "", shape{dense: 72, hierarchy: 72}},
		{sized{dim: 73, hierarchical: true}, "auto", "", shape{ridged: 73, hierarchy: 73}},
		{sized{dim: 512, hierarchical: true}, "auto", "", shape{ridged: 512, hierarchy: 512}},
		{sized{dim: 513, hierarchical: true}, "auto", "",
			shape{ridged: 513, long: true, hierarchy: 513}},
		{sized{dim: 8, hierarchical: true}, "low-rank", "", shape{ridged: 8, hierarchy: 8}},
		{sized{dim: 8, hierarchical: true}, "auto", "sfvi", shape{hierarchy: 8}},
		{sized{dim: 4097, hierarchical: true}, "auto", "", shape{hierarchy: 4097}},
		{sized{dim: 8, hierarchical: true}, "dense", "", shape{dense: 8, hierarchy: 8}},
		{sized{dim: 8, hierarchical: true}, "dense", "sfvi", shape{dense: 8, hierarchy: 8}},
		{sized{dim: 8}, "diag", "", shape{}},
		{sized{dim: 8}, "low-rank", "", shape{ridged: 8}},
		{sized{dim: 200}, "dense", "", shape{dense: 200}},
		{sized{dim: 1}, "joint", "", shape{ridged: 1, joint: true}},
	} {
		s, err := Algorithm().Resolve(Algorithm().Transforms[0],
			map[string]string{metricForm: c.form, initial: c.begin})
		if err != nil {
			t.Fatal(err)
		}
		if got := shapeOf(c.block, s); got != c.want {
			t.Errorf("--metric %s, --init %q, %+v: %+v, want %+v", c.form, c.begin, c.block, got, c.want)
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
