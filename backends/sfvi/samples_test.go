package sfvi

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/runtime/rng"
	"github.com/vflc/vflc/stdlib/transforms"
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

func phiOf(f *factor) []float64   { return f.phi }
func gradOf(f *factor) []float64  { return f.grad }
func slopeOf(f *factor) []float64 { return f.slope }

// elsewhere moves all variational parameters away from their start, the same for every kernel of one model.
func elsewhere(k *kernel) {
	random := rng.New(rng.SharedKey(9), "phi")
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

// The gradient of an iteration of several draws is the mean of those of as many single draws at the same
// place.
func TestSeveralDrawsAreAveraged(t *testing.T) {
	for _, form := range guideNames() {
		for _, several := range []int{2, 3, 8} {
			model := testmodel.Linear(2, 6, []int{2, 1, 3}, 0.7)
			model.Y, model.Sigma = []float64{1, 0, 1, 1, 0, 1}, 0
			one := kernelOver(t, model.Env(4), map[string]string{"guide": form})
			many := kernelOver(t, model.Env(4),
				map[string]string{"guide": form, "mc-samples": fmt.Sprint(several)})
			elsewhere(one)
			elsewhere(many)
			const iteration = 5
			many.iter = iteration
			if ok, err := many.takeDraws(context.Background()); err != nil || !ok {
				t.Fatal(ok, err)
			}
			for b, p := range one.parties {
				want := make([]float64, len(p.all(phiOf)))
				for d := range several {
					if _, ok, err := one.evaluate(context.Background(), fitting,
						uint64(iteration*several+d)); err != nil || !ok {
						t.Fatal(ok, err)
					}
					for i, g := range p.all(gradOf) {
						want[i] += g / float64(several)
					}
				}
				for i, got := range many.parties[b].all(slopeOf) {
					if math.Abs(got-want[i]) > 1e-12*(1+math.Abs(want[i])) {
						t.Errorf("%s, %d draws, party %d, parameter %d: %v, want %v", form, several, b, i,
							got, want[i])
					}
				}
			}
		}
	}
}

// For a Gaussian likelihood the gradient in the means is affine in the noise. Two draws of an iteration have
// opposite noise, so theirs does not depend on it at all; one draw's does.
func TestTwoDrawsGiveExactGradientsOfMeans(t *testing.T) {
	for _, form := range []string{"structured", "noncentered", "meanfield"} {
		for _, several := range []int{1, 2} {
			k := kernelOver(t, testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1),
				map[string]string{"guide": form, "mc-samples": fmt.Sprint(several)})
			means := func(iteration int) (out []float64) {
				k.iter, k.planned = iteration, iteration+1 // no other draw is begun
				elsewhere(k)
				if ok, err := k.takeDraws(context.Background()); err != nil || !ok {
					t.Fatal(ok, err)
				}
				for _, p := range k.parties {
					out = append(out, p.own.slope[:p.theta.dim]...)
					if p.guide != nil {
						out = append(out, p.vars.slope[:p.block.AuxLen()]...)
					}
				}
				return out
			}
			first, second := means(0), means(2)
			apart := 0.0
			for i := range first {
				apart = max(apart, math.Abs(first[i]-second[i])/(1+math.Abs(first[i])))
			}
			if several == 2 && apart > 1e-10 || several == 1 && apart < 0.1 {
				t.Errorf("%s, %d draws: gradients of the means are %g apart", form, several, apart)
			}
		}
	}
}

// A draw that is not finite spoils its iteration, which then changes nothing, and every one of them is
// counted.
func TestOneSpoiltDrawOfSeveral(t *testing.T) {
	env := &faulty{Env: testmodel.Linear(3, 20, []int{2, 2}, 0.8).Env(1), with: math.NaN(),
		spoil: func(call int, _ [][]float64) bool {
			return call == 4
		}}
	k := kernelOver(t, env, map[string]string{"mc-samples": "3"})
	if err := k.Init(context.Background()); err != nil { // one call
		t.Fatal(err)
	}
	before := k.parties[1].all(phiOf)
	for iteration, moves := range []bool{false, true} { // calls 2 to 4, then 5 to 7
		info, err := k.Step(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if info.NonFinite != 1 || slices.Equal(before, k.parties[1].all(phiOf)) == moves {
			t.Errorf("iteration %d: %d counted, moved %t", iteration, info.NonFinite,
				!slices.Equal(before, k.parties[1].all(phiOf)))
		}
	}
}

func TestDrawsOfAnIterationArePositive(t *testing.T) {
	for _, text := range []string{"0", "-1", "1.5", "many"} {
		if _, err := Algorithm().Resolve(transforms.Augmented,
			map[string]string{"mc-samples": text}); err == nil {
			t.Errorf("%s draws are accepted", text)
		}
	}
}
