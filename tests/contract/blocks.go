package contract

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

// CheckBlocks runs the contract of Block.Cut over an Env whose parties are all in this process: an evaluation
// whose coordinates meanwhile call Cut of every block without cuts, in both slots and elsewhere in θ, gives
// the same bits as one without.
func CheckBlocks(t *testing.T, env density.Env) {
	t.Helper()
	cutless := 0
	for _, b := range env.Blocks() {
		if b.AuxLen() == 0 {
			cutless++
		}
	}
	if cutless == 0 {
		t.Fatal("every block has cuts")
	}
	grad, lp := evaluateOnce(t, env, &fixedNoise{env: env})
	again, lpAgain := evaluateOnce(t, env, &fixedNoise{env: env, meddle: true})
	for b := range grad {
		if !sameBits(grad[b], again[b]) || !sameBits(lp[b:b+1], lpAgain[b:b+1]) {
			t.Errorf("block %d: calls of Cut where there are no cuts change the density from %v to %v, "+
				"the gradient from %v to %v", b, lp[b], lpAgain[b], grad[b], again[b])
		}
	}
}

func evaluateOnce(t *testing.T, env density.Env, coords density.Coordinates) (grad [][]float64,
	lp []float64) {
	t.Helper()
	var theta [][]float64
	s := vector.NewGenerator(vector.SharedKey(3), "contract blocks")
	for _, b := range env.Blocks() {
		at := make([]float64, b.Dim())
		s.Normals(at)
		for i := range at {
			at[i] *= 0.5
		}
		theta, grad = append(theta, at), append(grad, make([]float64, b.Dim()))
	}
	lp = make([]float64, len(theta))
	if err := env.Density(context.Background(), theta, coords, grad, lp); err != nil {
		t.Fatal(err)
	}
	return grad, lp
}

// fixedNoise is z = g + 0.3. With meddle it calls Cut of the blocks without cuts.
type fixedNoise struct {
	env    density.Env
	meddle bool
}

func (c *fixedNoise) Value(_ int, g, z []float64) {
	c.cut()
	for i, v := range g {
		z[i] = v + 0.3
	}
}

func (c *fixedNoise) Adjoint(_ int, adj, own, w, _ []float64) {
	c.cut()
	for i := range w {
		w[i] = adj[i] + own[i]
	}
}

func (c *fixedNoise) cut() {
	for _, b := range c.env.Blocks() {
		if !c.meddle || b.AuxLen() > 0 {
			continue
		}
		elsewhere := slices.Repeat([]float64{1.5}, b.Dim())
		b.Cut(density.Here, elsewhere, nil)
		b.Cut(density.Centre, elsewhere, nil)
	}
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}
