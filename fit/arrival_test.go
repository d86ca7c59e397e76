package fit

import (
	"context"
	"fmt"
	"testing"

	"github.com/vflc/vflc/stdlib/transforms"
)

// Chains that start where the log density is −1e4 to −1e9, and its gradient 1e9 times what it is in the posterior, all arrive there: a centred Poisson model
// under default settings, from seeds with which estimates of the metric from the first draws on kept one of four chains away.
func TestChainsArrive(t *testing.T) {
	bound := bindModel(t, "../bench/chains/models/glmm.vfl", transforms.None)
	for _, seed := range []uint64{10, 14, 15, 16} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p, diags, err := OpenBound(bound, Options{Seed: seed, Settings: map[string]string{"draws": "200"}})
			if err != nil || diags.HasErrors() {
				t.Fatal(err, diags)
			}
			r, err := p.Sample(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range r.Summary() {
				if !(row.RHat < 1.5) {
					t.Errorf("%s: R-hat %.2f", row.Name, float64(row.RHat))
				}
			}
		})
	}
}
