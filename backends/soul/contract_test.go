package soul

import (
	"testing"

	"github.com/vflc/vflc/tests/contract"
)

func TestContract(t *testing.T) {
	for _, metropolis := range []string{"false", "true"} {
		contract.Check(t, Algorithm(), map[string]string{"iterations": "60", "inner": "3",
			"inner-chains": "2", "draws": "15", "mala": metropolis})
	}
}
