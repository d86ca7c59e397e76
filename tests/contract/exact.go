package contract

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/testmodel"
)

const (
	exactChains = 4
	// exactErrors is the largest error of an estimate in Monte Carlo standard errors: with nearly 400
	// functions over the zoo, a correct sampler exceeds it in one suite of 400, and the seed is fixed.
	exactErrors = 4.5
)

// CheckExact runs an algorithm that claims exact draws, a Markov chain, over the zoo of known posteriors: the
// mean of every function is within exactErrors Monte Carlo standard errors of its expectation. given(known)
// are settings that make a run long enough; nil leaves a posterior out.
func CheckExact(t *testing.T, a backends.Algorithm, given func(testmodel.Known) map[string]string) {
	t.Helper()
	for _, k := range testmodel.Zoo() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			want := given(k)
			if want == nil {
				t.Skip("left out")
			}
			s, err := a.Resolve(k.Transform, want)
			if err != nil {
				t.Fatal(err)
			}
			values := make([][][]float64, len(k.Means)) // by function and chain
			for chain := 1; chain <= exactChains; chain++ {
				for f, v := range functions(t, k, a, s, chain) {
					values[f] = append(values[f], v)
				}
			}
			for f, want := range k.Means {
				mean := average(slices.Concat(values[f]...))
				if se := posterior.MCSEMean(values[f]); !(math.Abs(mean-want) < exactErrors*se) {
					t.Errorf("the mean of function %d is %g, %.1f standard errors from %g", f, mean,
						(mean-want)/se, want)
				}
			}
		})
	}
}

// functions runs one chain and returns every function of every draw.
func functions(t *testing.T, k testmodel.Known, a backends.Algorithm, s backends.Settings,
	chain int) [][]float64 {
	t.Helper()
	env := density.Chain(k.Env(11), chain)
	kernel, err := a.New(env, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := kernel.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	r, err := Follow(context.Background(), env, kernel, Run{})
	if err != nil {
		t.Fatal(err)
	}
	out, one := make([][]float64, len(k.Means)), make([]float64, len(k.Means))
	for _, blocks := range r.Draws {
		k.Functions(slices.Concat(blocks...), one)
		for f, v := range one {
			out[f] = append(out[f], v)
		}
	}
	return out
}

func average(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
