package fit

import (
	"context"
	"math"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/runtime/session"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

func bindExample(b *testing.B, transform def.Transform) *compile.BoundModel {
	b.Helper()
	return bindModel(b, "../examples/logistic.vfl", transform)
}

// BenchmarkExample times value and gradient of examples/logistic.vfl, compiled, over all parties; ByHand is
// the true model, written as a scalar loop over the same data.
func BenchmarkExample(b *testing.B) {
	for _, transform := range []def.Transform{stdlib.NoTransform, stdlib.Augmented, stdlib.Power} {
		b.Run(transform.Name, func(b *testing.B) {
			plan := bindExample(b, transform).Plan
			env, err := session.NewLocal(plan, session.SimulatedKeys(1, plan.Names))
			if err != nil {
				b.Fatal(err)
			}
			var theta, grad [][]float64
			for _, block := range env.Blocks() {
				theta, grad = append(theta, make([]float64, block.Dim())),
					append(grad, make([]float64, block.Dim()))
			}
			lp := make([]float64, len(theta))
			b.ReportAllocs()
			for b.Loop() {
				if err := env.Density(context.Background(), theta, noNoise{}, grad, lp); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("ByHand", func(b *testing.B) {
		v := bindExample(b, stdlib.NoTransform)
		y, xa, xb := v.Values["registry"]["y"].Values, v.Values["hospital_a"]["XA"].Values,
			v.Values["hospital_b"]["XB"].Values
		n := len(y)
		p := (len(xa) + len(xb)) / n
		rows := make([]float64, n*p)
		for i := range n {
			for j := range p {
				rows[i*p+j] = append(append([]float64(nil), xa...), xb...)[j*n+i]
			}
		}
		beta, grad := make([]float64, p), make([]float64, p+1)
		for b.Loop() {
			byHand(y, rows, 0, beta, grad)
		}
	})
}

// byHand is log density and gradient of a logistic regression with standard normal priors.
func byHand(y, rows []float64, b float64, beta, grad []float64) float64 {
	clear(grad)
	lp, slopes := -0.5*b*b, grad[1:][:len(beta)]
	for i, yi := range y {
		row := rows[i*len(beta):][:len(beta)]
		eta := b
		for j, v := range row {
			eta += v * beta[j]
		}
		e := math.Exp(-math.Abs(eta))
		lp += yi*eta - max(eta, 0) - math.Log1p(e)
		mean := 1 / (1 + e)
		if eta < 0 {
			mean = e / (1 + e)
		}
		r := yi - mean
		grad[0] += r
		for j, v := range row {
			slopes[j] += r * v
		}
	}
	grad[0] -= b
	for j, v := range beta {
		lp -= 0.5 * v * v
		slopes[j] -= v
	}
	return lp
}

// BenchmarkLeapfrog times a leapfrog step of NUTS, with its share of the tree, after warm-up on
// examples/logistic.vfl.
func BenchmarkLeapfrog(b *testing.B) {
	for _, transform := range []def.Transform{stdlib.NoTransform, stdlib.Augmented, stdlib.Power} {
		for _, metric := range []string{"diag", "dense"} {
			b.Run(transform.Name+"/"+metric, func(b *testing.B) {
				plan := bindExample(b, transform).Plan
				env, err := session.NewLocal(plan, session.SimulatedKeys(1, plan.Names))
				if err != nil {
					b.Fatal(err)
				}
				a := backend(b, "nuts")
				s, err := a.Resolve(transform, map[string]string{"warmup": "300", "draws": "1000000",
					"metric": metric})
				if err != nil {
					b.Fatal(err)
				}
				k, err := a.New(env, s)
				if err != nil {
					b.Fatal(err)
				}
				if err := k.Init(b.Context()); err != nil {
					b.Fatal(err)
				}
				step := func() int {
					info, err := k.Step(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					return info.Transition.Leapfrogs
				}
				for range 300 {
					step()
				}
				b.ReportAllocs()
				leapfrogs := 0
				for b.Loop() {
					leapfrogs += step()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(leapfrogs), "µs/leapfrog")
			})
		}
	}
}

// BenchmarkLangevin times an inner Langevin step of soul on examples/logistic.vfl, all clients together:
// normals, their own densities with the gradients, and the moves.
func BenchmarkLangevin(b *testing.B) {
	for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Power} {
		b.Run(transform.Name, func(b *testing.B) {
			plan := bindExample(b, transform).Plan
			env, err := session.NewLocal(plan, session.SimulatedKeys(1, plan.Names))
			if err != nil {
				b.Fatal(err)
			}
			a := backend(b, "soul")
			s, err := a.Resolve(transform, map[string]string{"iterations": "200", "draws": "1000000",
				"inner-chains": "1", "inner": "10"})
			if err != nil {
				b.Fatal(err)
			}
			k, err := a.New(env, s)
			if err != nil {
				b.Fatal(err)
			}
			if err := k.Init(b.Context()); err != nil {
				b.Fatal(err)
			}
			for draws := 0; draws == 0; {
				info, err := k.Step(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				draws = info.Draws
			}
			b.ReportAllocs()
			steps := 0
			for b.Loop() {
				if _, err := k.Step(b.Context()); err != nil {
					b.Fatal(err)
				}
				steps += 10
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(steps), "µs/step")
		})
	}
}
