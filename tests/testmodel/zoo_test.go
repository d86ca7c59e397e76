package testmodel

import (
	"context"
	"math"
	"testing"

	"github.com/vflc/vflc/runtime/vector"
)

// The gradients of the densities without cuts are derivatives; those of regressions have a test of their own.
func TestZooGradients(t *testing.T) {
	for _, k := range Zoo() {
		env, ok := k.Env(1).(*densityEnv)
		if !ok {
			continue
		}
		var theta, grad [][]float64
		for _, b := range env.Blocks() {
			theta, grad = append(theta, make([]float64, b.Dim())), append(grad, make([]float64, b.Dim()))
		}
		s := vector.NewGenerator(vector.SharedKey(2), k.Name)
		for _, v := range theta {
			s.Normals(v)
		}
		lp := make([]float64, len(theta))
		at := func() float64 {
			if err := env.Density(context.Background(), theta, nil, grad, lp); err != nil {
				t.Fatal(err)
			}
			return lp[0]
		}
		for p := range theta {
			for i, x := range theta[p] {
				const h = 1e-5
				theta[p][i] = x + h
				up := at()
				theta[p][i] = x - h
				down := at()
				theta[p][i] = x
				at()
				if fd := (up - down) / (2 * h); math.Abs(fd-grad[p][i]) > 1e-5*(1+math.Abs(fd)) {
					t.Errorf("%s: ∂/∂x[%d][%d] = %g, finite difference %g", k.Name, p, i, grad[p][i], fd)
				}
			}
		}
	}
}
