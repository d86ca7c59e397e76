package fit

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/vflc/vflc/stdlib/transforms"
)

// Under power the corrected draws are of the posterior that Stan samples with all auxiliary variables, on the paper's logistic design: two clients, where the noise of each is integrated out
// by itself, and ten, where it is correlated between the clients' likelihoods. Reference means have Monte Carlo errors of about 0.01 standard deviations.
func TestPowerIsCorrected(t *testing.T) {
	const folder = "../../shared/data"
	for _, c := range []struct {
		clients int
		rho     float64
	}{{2, 0.5}, {2, 2}, {10, 1}} {
		text, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("reference/logistic_power_J%d_rho%g.json", c.clients, c.rho)))
		if err != nil {
			t.Skip("no reference: ", err)
		}
		var reference struct {
			Parameters map[string]struct{ Mean, SD float64 }
		}
		if err := json.Unmarshal(text, &reference); err != nil {
			t.Fatal(err)
		}
		p, diags, err := OpenBound(paperLogistic(t, folder, c.clients, transforms.Power, c.rho), Options{Algorithm: backend(t, "sfvi"), Settings: map[string]string{"correct": "true"}, Seed: 1})
		good(t, diags, err)
		r, err := p.Sample(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		d := r.Document
		if k := float64(d.Diagnostics.Khat); !d.Diagnostics.Corrected || k > 0.7 {
			t.Errorf("J = %d, ρ = %g: k̂ %.2f, corrected: %t", c.clients, c.rho, k, d.Diagnostics.Corrected)
		}
		if len(d.Parameters) != 21 {
			t.Fatalf("%d parameters", len(d.Parameters))
		}
		for i, row := range d.Parameters {
			name := "b"
			if i > 0 {
				name = fmt.Sprintf("beta[%d]", i)
			}
			want, ok := reference.Parameters[name]
			if !ok {
				t.Fatalf("the reference has no %s", name)
			}
			if shift, wider := math.Abs(float64(row.Mean)-want.Mean)/want.SD, float64(row.SD)/want.SD-1; shift > 0.08 || math.Abs(wider) > 0.07 {
				t.Errorf("J = %d, ρ = %g: %s is %.3f standard deviations off, its sd by %.1f %%", c.clients, c.rho, row.Name, shift, 100*wider)
			}
		}
		t.Logf("J = %d, ρ = %g: k̂ %.2f, %d round trips", c.clients, c.rho, float64(d.Diagnostics.Khat), d.Work.SequentialRounds)
	}
}
