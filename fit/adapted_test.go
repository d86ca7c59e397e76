package fit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/model"
)

// metrics is a kernel of two parties with one and two parameters.
type metrics struct {
	backends.Kernel
	dense bool
}

func (metrics) StepSize() float64 { return 0.5 }

func (m metrics) InverseMetric(b int) (at func(i, j int) float64, diagonal bool) {
	switch {
	case b == 0:
		return func(int, int) float64 { return 7 }, true
	case m.dense:
		return func(i, j int) float64 { return []float64{1, 2, 2, 5}[2*i+j] }, false
	}
	return func(i, _ int) float64 { return []float64{1, 5}[i] }, true
}

// The inverse metric covers the parameters of all parties, and is a full matrix if any part of it is dense.
func TestAdapted(t *testing.T) {
	plan := &model.Plan{}
	for b, n := range []int{1, 2} {
		g := graph.New("party")
		g.Param("x", graph.Shape{n})
		built, err := g.Build()
		if err != nil {
			t.Fatal(b, err)
		}
		plan.Parties = append(plan.Parties, &model.Spec{Graph: built})
	}
	for dense, want := range map[bool]posterior.CSVInfo{
		false: {StepSize: 0.5, InverseMetric: []float64{7, 1, 5}},
		true:  {StepSize: 0.5, InverseMetric: []float64{7, 0, 0, 0, 1, 2, 0, 2, 5}, Dense: true},
	} {
		var got posterior.CSVInfo
		adapted(plan, metrics{dense: dense}, &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("dense %t: %s", dense, diff)
		}
	}
}
