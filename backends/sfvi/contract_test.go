package sfvi

import (
	"testing"

	"github.com/vflc/vflc/tests/contract"
)

func TestContract(t *testing.T) {
	for _, given := range []map[string]string{
		{"guide": "structured"}, {"guide": "noncentered", "theta-guide": "meanfield"},
		{"guide": "meanfield", "schedule": "cosine"},
		{"guide": "noncentered", "mc-samples": "3"}, {"guide": "amortized"},
		{"guide": "amortized", "guide-inputs": "total"},
	} {
		given["iterations"], given["draws"], given["elbo-draws"], given["elbo-every"] = "150", "30", "150",
			"40"
		t.Run(given["guide"]+given["guide-inputs"]+given["mc-samples"], func(t *testing.T) {
			contract.Check(t, Algorithm(), given)
		})
	}
}
