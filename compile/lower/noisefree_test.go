package lower_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/tests/brief"
)

func TestMain(m *testing.M) { brief.Run(m) }

// byName puts every parameter at a value that its name and element decide, so that plans with other parties
// and orders get the same.
func (j *joint) byName(plan *model.Plan) {
	for b, spec := range plan.Parties {
		for _, p := range spec.Params {
			for i := range p.Len {
				if p.Offset+i >= len(j.theta[b]) {
					continue // computed, not drawn
				}
				h := fnv.New32a()
				fmt.Fprint(h, p.Name, i)
				j.theta[b][p.Offset+i] = float64(h.Sum32()%1000)/1000 - 0.5
			}
		}
	}
}

// noiseFree is the joint density of a model without its auxiliary variables, with z equal to the cuts.
func noiseFree(t *testing.T, f fixture, o check.Options) float64 {
	plan := f.Bind(t, o).Plan
	j := newJoint(t, plan, 0)
	j.byName(plan)
	return j.value(t)
}
