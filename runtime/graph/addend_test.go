package graph_test

import (
	"testing"

	"github.com/vflc/vflc/runtime/graph"
)

// What is added in several steps is one addend, their sum: here a + b + c.
func TestAddendOfSeveralSteps(t *testing.T) {
	b := graph.New("steps")
	h := b.Param("h", graph.Shape{3})
	at := h
	for _, name := range []string{"a", "b", "c"} {
		p := b.Param(name, graph.Shape{3})
		var err error
		if at, err = b.Apply("add", graph.Attr{}, at, p); err != nil {
			t.Fatal(err)
		}
	}
	sum := b.Addend(h, h)
	if sum == graph.NoID {
		t.Fatal("no addend is found")
	}
	for _, p := range b.Params() {
		if b.Depends(sum, p) == (p == h) {
			t.Errorf("the addend and parameter %d: it depends on all that is added, and not on h", p)
		}
	}
}
