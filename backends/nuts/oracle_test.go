package nuts_test

import (
	"context"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/contract"
	"github.com/vflc/vflc/backends/nuts"
	"github.com/vflc/vflc/internal/testmodel"
)

func TestScratch(t *testing.T) {
	for _, tr := range []string{"none", "augmented", "power"} {
		for _, ad := range []string{"fisher", "stan"} {
			for _, me := range []string{"diag", "dense"} {
				m := contract.Model(tr)
				a := nuts.Algorithm()
				s, err := a.Resolve(tr, map[string]string{"warmup": "1000", "draws": "4000", "adapt": ad, "metric": me})
				if err != nil {
					t.Fatal(err)
				}
				env := m.Env(5)
				k, _ := a.New(env, s)
				if err := k.Init(context.Background()); err != nil {
					t.Fatal(err)
				}
				lf, div := 0, 0
				var last backends.Info
				r := contract.Run{}
				for !last.Done {
					last, err = k.Step(context.Background())
					if err != nil {
						t.Fatal(err)
					}
					if last.Draws > 0 {
						lf += last.Transition.Leapfrogs
						if last.Transition.Divergent {
							div++
						}
						th := [][]float64{}
						for _, b := range env.Blocks() {
							th = append(th, make([]float64, b.Dim()))
						}
						k.Draw(0, th)
						r.Draws = append(r.Draws, th)
					}
				}
				mean, sd := r.Moments()
				fit := m.Optimum(testmodel.Structured)
				t.Log(tr, ad, me, "leapfrogs/draw", float64(lf)/4000, "div", div, "eps", last.Transition.StepSize)
				for i := range mean {
					t.Logf("  %8.3f %8.3f   %8.3f %8.3f  z=%.2f", mean[i], fit.Mean[i], sd[i], fit.Exact[i], (mean[i]-fit.Mean[i])/fit.Exact[i])
				}
			}
		}
	}
}
