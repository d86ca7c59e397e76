package sfvi

import (
	"context"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/tests/testmodel"
)

// all puts a vector of every factor of a party together.
func (p *party) all(of func(*factor) []float64) []float64 {
	var out []float64
	for _, f := range p.factors() {
		f.flush()
		out = append(out, of(f)...)
	}
	return out
}

func phiOf(f *factor) []float64  { return f.phi }
func gradOf(f *factor) []float64 { return f.grad }

// elsewhere moves all variational parameters away from their start, the same for every kernel of one model.
func elsewhere(k *kernel) {
	random := vector.NewGenerator(vector.SharedKey(9), "phi")
	for _, p := range k.parties {
		for _, f := range p.factors() {
			f.flush()
		}
		p.start(1)
		for _, f := range p.factors() {
			for i := range f.phi {
				f.phi[i] += 0.3 * random.Rand().NormFloat64()
			}
		}
	}
}

// By auto a party draws as from a full covariance up to the bound, and as from a diagonal one beyond it.
func TestAutoFormOfTheta(t *testing.T) {
	for dim, want := range map[int]string{3: fullRank, 201: "meanfield"} {
		drawn := func(form string) []float64 {
			k := kernelOver(t, testmodel.Linear(3, 20, []int{dim}, 0.8).Env(1),
				map[string]string{"estimator": "sampled", "theta-guide": form, "iterations": "10",
					"elbo-draws": "2", "draws": "1"})
			err := k.Init(context.Background())
			for done := false; err == nil && !done; {
				var info backends.StepInfo
				info, err = k.Step(context.Background())
				done = info.Done
			}
			if err != nil {
				t.Fatal(err)
			}
			theta := [][]float64{make([]float64, 1), make([]float64, dim)}
			k.Draw(0, theta)
			return theta[1]
		}
		by := drawn(auto)
		for _, form := range []string{fullRank, "meanfield"} {
			if same := slices.Equal(by, drawn(form)); same != (form == want) {
				t.Errorf("%d dimensions: auto draws as %s: %t", dim, form, same)
			}
		}
	}
}
