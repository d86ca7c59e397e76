package sfvi

import (
	"testing"

	"github.com/vflc/vflc/tests/contract"
)

func TestContract(t *testing.T) {
	for _, given := range []map[string]string{
		{"guide": "structured"}, {"guide": "noncentered", "theta-guide": "meanfield"},
		{"guide": "meanfield", "schedule": "cosine"},
		{"guide": "noncentered"}, {"guide": "amortized"},
	} {
		given["iterations"], given["draws"], given["elbo-draws"], given["elbo-every"] = "150", "30", "150",
			"40"
		t.Run(given["guide"]+given["theta-guide"], func(t *testing.T) {
			contract.Check(t, Algorithm(), given)
		})
	}
}
