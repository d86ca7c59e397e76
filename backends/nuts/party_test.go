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

func (b sized) Dim() int           { return b.dim }
func (b sized) Hierarchical() bool { return b.hierarchical }

// A dense metric is the default for few parameters outside hierarchies, and there is one wherever it is asked for.
func TestWhereTheMetricIsDense(t *testing.T) {
	for _, c := range []struct {
		block sized
		form  string
		want  int
	}{
		{sized{dim: 1}, "auto", 0}, {sized{dim: 2}, "auto", 2}, {sized{dim: 32}, "auto", 32}, {sized{dim: 33}, "auto", 0},
		{sized{dim: 8, hierarchical: true}, "auto", 0}, {sized{dim: 8, hierarchical: true}, "dense", 8}, {sized{dim: 8}, "diag", 0}, {sized{dim: 200}, "dense", 200},
	} {
		if got := denseDims(c.block, c.form); got != c.want {
			t.Errorf("--metric %s, %+v: %d of the parameters are dense, want %d", c.form, c.block, got, c.want)
		}
	}
}
