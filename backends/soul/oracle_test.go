package soul

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// fit runs a kernel to its end and hands each of its draws to take.
func fit(t *testing.T, env density.Env, transform def.Transform, given map[string]string,
	take func(theta [][]float64)) (*kernel, backends.StepInfo) {
	t.Helper()
	s, err := Algorithm().Resolve(transform, given)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	k, err := newKernel(env, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(ctx); err != nil {
		t.Fatal(err)
	}
	theta := make([][]float64, len(k.parties))
	for b, p := range k.parties {
		theta[b] = make([]float64, p.block.Dim())
	}
	for taken := 0; ; {
		info, err := k.Step(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for ; taken < info.Draws; taken++ {
			k.Draw(taken, theta)
			take(theta)
		}
		if info.Done {
			return k, info
		}
	}
}

// moments accumulates mean and covariance of a vector.
type moments struct {
	n    int
	mean []float64
	cov  []float64
}

func (m *moments) add(x []float64) {
	if m.n == 0 {
		m.mean, m.cov = make([]float64, len(x)), make([]float64, len(x)*len(x))
	}
	m.n++
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = v - m.mean[i]
		m.mean[i] += d[i] / float64(m.n)
	}
	for i := range x {
		for j := range x {
			m.cov[i*len(x)+j] += d[i] * (x[j] - m.mean[j])
		}
	}
}

func (m *moments) at(i, j int) float64 { return m.cov[i*len(m.mean)+j] / float64(m.n-1) }

func away(a, b []float64) float64 {
	s, n := 0.0, 0.0
	for i, v := range a {
		s += (v - b[i]) * (v - b[i])
		n += b[i] * b[i]
	}
	return math.Sqrt(s / n)
}

// ULA with precision P and step h has the covariance (P − (h/2)P²)⁻¹ where it is stationary; h = 0 is the
// exact one.
func stationary(p *mat.SymDense, h float64) *mat.Dense {
	n := p.SymmetricDim()
	var q, out mat.Dense
	q.Mul(p, p)
	q.Scale(-h/2, &q)
	q.Add(&q, p)
	out.Inverse(&q)
	if n == 0 {
		panic("empty")
	}
	return &out
}

// Gaussian likelihood, σ known: mode, conditional means and covariances in closed form. A pair of chains with
// opposite noise gives the mean of θ given z without any; one chain alone does not and takes many more
// iterations. What a client does with its chains does not depend on how many clients there are, so one chain
// and Metropolis' rule are tried with two clients. A covariance is off by at most 0.05 of the sds: four Monte
// Carlo standard errors of 12000 draws, √(2/12000) where successive draws are nearly independent.
func TestGaussian(t *testing.T) {
	for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Power} {
		for _, columns := range [][]int{{3}, {2, 3}, {2, 1, 2, 1, 2}} {
			for _, run := range []struct {
				metropolis bool
				chains     int
				within     float64 // relative error of z and b
			}{{false, 2, 1e-4}, {true, 2, 1e-4}, {false, 1, 0.01}} {
				if (run.chains == 1 || run.metropolis) && len(columns) != 2 {
					continue
				}
				metropolis := run.metropolis
				m := testmodel.Linear(3, 40, columns, 0.8)
				m.Transform, m.Rho = transform, 0.7
				name := fmt.Sprintf("%s J=%d mala=%v chains=%d", transform, len(columns), metropolis,
					run.chains)
				found := make([]moments, len(columns))
				k, info := fit(t, m.Env(1), transform, map[string]string{"mala": fmt.Sprint(metropolis),
					"draws": fmt.Sprint(12000 / run.chains), "inner-chains": fmt.Sprint(run.chains),
					"tolerance": "0.002"},
					func(theta [][]float64) {
						for j := range found {
							found[j].add(theta[j+1])
						}
					})
				want := m.Peak()
				var z, zw []float64
				for j := range columns {
					z, zw = append(z, k.parties[j+1].x...), append(zw, want.Z[j]...)
				}
				t.Logf("%s: %d iterations, climbed %d, gradient %.4f ± %.4f", name, k.iter, k.climbed,
					info.Mode.Gradient.Value, info.Mode.Gradient.SE)
				if d := away([]float64{k.parties[0].x[0]}, []float64{want.B}); d > run.within {
					t.Errorf("%s: b is %v, want %v", name, k.parties[0].x[0], want.B)
				}
				if len(zw) > 0 {
					if d := away(z, zw); d > run.within {
						t.Errorf("%s: z is %.3g away", name, d)
					} else {
						t.Logf("%s: z is %.3g away", name, d)
					}
				}
				if !info.Mode.Converged {
					t.Errorf("%s: not converged", name)
				}
				for j := range columns {
					h := k.parties[j+1].h
					if metropolis {
						h = 0
					}
					cov := stationary(want.Precision[j], h)
					for a := range columns[j] {
						for b := range columns[j] {
							if d := math.Abs(found[j].at(a, b)-cov.At(a, b)) / math.Sqrt(cov.At(a,
								a)*cov.At(b, b)); d > 0.05 {
								t.Errorf("%s client %d: covariance %d,%d is %v, want %v", name, j+1, a, b,
									found[j].at(a, b), cov.At(a, b))
							}
						}
					}
				}
			}
		}
	}
}

// The chains follow z: with little noise a chain that lags behind its law would count for more in the
// gradient than the likelihood does.
func TestLittleNoise(t *testing.T) {
	for _, transform := range []def.Transform{stdlib.Augmented, stdlib.Power} {
		for _, rho := range []float64{0.3, 0.1, 0.03} {
			m := testmodel.Linear(3, 200, []int{4, 5}, 0.8)
			m.Transform, m.Rho = transform, rho
			k, info := fit(t, m.Env(1), transform, map[string]string{"draws": "20"}, func([][]float64) {})
			want := m.Peak()
			for j, w := range want.Z {
				if d := away(k.parties[j+1].x, w); d > 1e-3 {
					t.Errorf("%s, rho %v: z of client %d is %.3g away", transform, rho, j+1, d)
				}
			}
			if !info.Mode.Converged {
				t.Errorf("%s, rho %v: not converged after %d iterations", transform, rho, k.iter)
			}
		}
	}
}
