package node

import (
	"testing"

	"github.com/vflc/vflc/node/policy"
	"github.com/vflc/vflc/runtime/model"
)

// A policy that lets no contribution leave without a mask takes part where rows are encrypted: nobody can
// read what leaves.
func TestEncryptedRowsNeedNoMasks(t *testing.T) {
	plan := &model.Plan{Names: []string{"server", "a", "b"},
		Groups: []model.Group{{Name: "s", Members: []model.Port{{Party: 1}, {Party: 2}}}}}
	for _, c := range []struct {
		wire    model.Wire
		refused bool
	}{{model.Wire{}, true}, {model.Wire{Fixed: true}, true}, {model.Wire{Fixed: true, Masked: true}, false},
		{model.Wire{Encrypted: true}, false}} {
		if err := forbidden(policy.Unwritten("").Sums(sums(plan.On(c.wire), 1))); (err != nil) != c.refused {
			t.Errorf("%+v: %v", c.wire, err)
		}
	}
}
