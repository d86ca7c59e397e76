package sfvi

import (
	"context"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// BenchmarkStep times one iteration for two clients with ten covariates each and 500 rows, and the same
// without the kernel: one density evaluation with fixed auxiliary variables.
func BenchmarkStep(b *testing.B) {
	m := testmodel.Linear(3, 500, []int{10, 10}, 0.8)
	for i := range m.Y {
		m.Y[i] = float64(i % 2)
	}
	m.Sigma = 0
	for _, form := range guideNames() {
		b.Run(form, func(b *testing.B) {
			s, err := Algorithm().Resolve(m.Transform,
				map[string]string{"guide": form, "elbo-every": "1000000", "iterations": "10000000"})
			if err != nil {
				b.Fatal(err)
			}
			k, err := newKernel(m.Env(1), s)
			if err != nil {
				b.Fatal(err)
			}
			if err := k.Init(context.Background()); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := k.Step(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("density", func(b *testing.B) {
		env := m.Env(1)
		k, err := newKernel(env, backendsDefaults(b, m.Transform))
		if err != nil {
			b.Fatal(err)
		}
		for p, q := range k.parties {
			q.draw(fitting, 0, k.theta[p])
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := env.Density(context.Background(), k.theta, still{}, k.grad, k.lp); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func backendsDefaults(b *testing.B, transform def.Transform) backends.Settings {
	b.Helper()
	s, err := Algorithm().Resolve(transform, nil)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// still is z = g.
type still struct{}

func (still) Value(_ int, g, z []float64)           { copy(z, g) }
func (still) Adjoint(_ int, adj, _, w, _ []float64) { copy(w, adj) }
