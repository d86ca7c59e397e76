package testmodel_test

import (
	"testing"

	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/contract"
	"github.com/vflc/vflc/tests/testmodel"
)

func TestBlocksKeepTheContract(t *testing.T) {
	for _, scale := range []bool{false, true} {
		for _, transform := range stdlib.Transforms() {
			m := contract.Model(transform)
			m.Scale = scale && transform != stdlib.NoTransform
			contract.CheckBlocks(t, m.Env(1))
		}
	}
	one := testmodel.Linear(3, 10, []int{2}, 0.8) // whose one client has no cut under power
	one.Transform = stdlib.Power
	contract.CheckBlocks(t, one.Env(1))
}
