package contract_test

import (
	"testing"

	"github.com/vflc/vflc/tests/contract"
	"github.com/vflc/vflc/tests/metropolis"
)

// A simple algorithm passes the contract, over an Env and blocks that have no capability.
func TestMetropolisKeepsTheContract(t *testing.T) {
	a := metropolis.Algorithm()
	contract.Check(t, a, map[string]string{"burn": "40", "keep": "40", "scale": "0.2"})
	for _, transform := range a.Transforms {
		s, err := a.Resolve(transform, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.New(contract.Core(contract.Model(transform).Env(1)), s); err != nil {
			t.Errorf("%s: over the core of an Env: %v", transform, err)
		}
	}
}
