package soul

import (
	"context"
	"github.com/vflc/vflc/backends/algebra"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/testmodel"
)

// begun is a kernel after Init.
func begun(t *testing.T, m testmodel.GLM, given map[string]string) *kernel {
	t.Helper()
	s, err := Algorithm().Resolve(m.Transform, given)
	if err != nil {
		t.Fatal(err)
	}
	k, err := newKernel(m.Env(2), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	return k
}

// scatter moves every z and γ to a random place.
func scatter(k *kernel) {
	s := vector.NewGenerator(vector.SharedKey(8), "scatter")
	for _, p := range k.parties {
		s.Normals(p.x)
		copy(p.followed, p.x)
		for _, c := range p.chains {
			s.Normals(c.at.theta)
			copy(c.spare.theta, c.at.theta)
		}
		if len(p.chains) > 0 {
			copy(p.theta, p.chains[0].at.theta)
		}
	}
}

// With one chain that makes one step, the gradient is that of the joint density at the chain's θ: of z in
// closed form, of the server's parameters as the plain evaluation has it, whatever class they are of.
func TestOneStepIsOneEvaluation(t *testing.T) {
	curved := testmodel.Linear(5, 20, []int{2, 3}, 0.9)
	curved.Scale, curved.Curve = true, true
	for _, m := range []testmodel.GLM{testmodel.Linear(4, 20, []int{2, 1, 3}, 0.9), curved,
		testmodel.Linear(4, 20, []int{3}, 0.9)} {
		for _, m.Transform = range []def.Transform{stdlib.Augmented, stdlib.Power} {
			k := begun(t, m, map[string]string{"inner": "1", "inner-chains": "1"})
			scatter(k)
			ctx := context.Background()
			k.plain = plain{kernel: k}
			if err := k.evaluate(ctx); err != nil {
				t.Fatal(err)
			}
			want := append([]float64(nil), k.grad[0]...)
			var z [][]float64
			for _, p := range k.parties[1:] {
				v := append([]float64(nil), p.adjoint...)
				for i := range v {
					v[i] += (p.meanG[i] - p.x[i]) / (m.Rho * m.Rho)
				}
				z = append(z, v)
			}
			if err := k.gradient(ctx); err != nil {
				t.Fatal(err)
			}
			for i, v := range want {
				if math.Abs(k.parties[0].grad[i]-v) > 1e-12*(1+math.Abs(v)) {
					t.Errorf("%s: server's gradient %d is %v, by the plain evaluation %v", m.Transform, i,
						k.parties[0].grad[i], v)
				}
			}
			for j, p := range k.parties[1:] {
				for i := range p.x {
					if math.Abs(p.grad[i]-z[j][i]) > 1e-12*(1+math.Abs(z[j][i])) {
						t.Fatalf("%s: client %d: gradient %d of z is %v, want %v", m.Transform, j+1, i,
							p.grad[i], z[j][i])
					}
				}
			}
		}
	}
}

// Fisher's identity: the mean gradient is that of L, which for a normal likelihood is −(Hessian)(x − peak).
// Two points are enough: at the peak it vanishes, and elsewhere it is what differences of the marginal
// density in closed form give.
func TestGradientIsThatOfTheMarginalDensity(t *testing.T) {
	m := testmodel.Linear(6, 15, []int{2, 2}, 0.9)
	m.Rho = 0.8
	for _, m.Transform = range []def.Transform{stdlib.Augmented, stdlib.Power} {
		k := begun(t, m, map[string]string{"inner": "20", "inner-chains": "4"})
		for _, at := range []string{"peak", "elsewhere"} {
			peak := m.Peak()
			scatter(k)
			if at == "peak" {
				k.parties[0].x[0] = peak.B
				for j := range peak.Z {
					copy(k.parties[j+1].x, peak.Z[j])
				}
			}
			for range 30 { // until chains have forgotten where they began
				if err := k.gradient(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			const n = 600
			sums := make([][]moments, len(k.parties))
			for b, p := range k.parties {
				sums[b] = make([]moments, len(p.x))
			}
			for range n {
				if err := k.gradient(context.Background()); err != nil {
					t.Fatal(err)
				}
				for b, p := range k.parties {
					for i, g := range p.grad {
						sums[b][i].add([]float64{g})
					}
				}
			}
			want := marginalGradient(m, k)
			for b := range k.parties {
				for i := range sums[b] {
					s := &sums[b][i]
					// Means of successive iterations are nearly uncorrelated after 20 steps of a chain; 5
					// standard errors, doubled for what is left.
					if se := math.Sqrt(s.at(0, 0) / n); math.Abs(s.mean[0]-want[b][i]) > 10*se+1e-6 {
						t.Errorf("%s at %s: gradient %d of party %d is %v ± %v, want %v", m.Transform, at, i,
							b, s.mean[0], se, want[b][i])
					}
				}
			}
		}
	}
}

// marginalGradient integrates θ out in closed form at the kernel's z and b.
func marginalGradient(m testmodel.GLM, k *kernel) [][]float64 {
	n, j := len(m.Y), m.Clients()
	sum := make([]float64, n)
	for _, p := range k.parties[1:] {
		add(sum, p.x)
	}
	b, r, s := k.parties[0].x[0], 1/(m.Rho*m.Rho), 1/(m.Sigma*m.Sigma)
	out := [][]float64{{-b}}
	total := make([]float64, n) // of the adjoints
	own := make([][]float64, j)
	for c, p := range k.parties[1:] {
		// θ | z ~ N(P⁻¹q, P⁻¹)
		x, cols := m.X[c], len(m.X[c])/n
		q := mat.NewVecDense(cols, nil)
		for a := range cols {
			for i := range n {
				v := r * p.x[i]
				if m.Transform == stdlib.Power {
					v += s / float64(j) * (m.Y[i] - b - sum[i] + p.x[i])
				}
				q.SetVec(a, q.AtVec(a)+x[a*n+i]*v)
			}
		}
		var theta mat.VecDense
		if err := theta.SolveVec(m.Peak().Precision[c], q); err != nil {
			panic(err)
		}
		g := make([]float64, n)
		for i := range n {
			for a := range cols {
				g[i] += x[a*n+i] * theta.AtVec(a)
			}
		}
		grad := make([]float64, n)
		own[c] = make([]float64, n)
		for i := range n {
			grad[i] = r * (g[i] - p.x[i])
			if m.Transform == stdlib.Power {
				own[c][i] = s / float64(j) * (m.Y[i] - b - sum[i] + p.x[i] - g[i])
			}
		}
		add(total, own[c])
		out = append(out, grad)
	}
	for i, y := range m.Y {
		if m.Transform == stdlib.Augmented {
			total[i] = s * (y - b - sum[i])
		}
		out[0][0] += total[i]
		for c := range own {
			out[c+1][i] += total[i] - own[c][i]
		}
	}
	return out
}

// The metric of a client is (M⁻¹ + C)⁻¹ with M = ρ²1 + XΛ⁻¹Xᵀ, and the step of its chains 1/λmax of the
// precision of θ given z.
func TestTuning(t *testing.T) {
	m := testmodel.Linear(7, 18, []int{3, 2}, 0.6)
	m.Rho = 0.7
	for _, m.Transform = range []def.Transform{stdlib.Augmented, stdlib.Power} {
		k := begun(t, m, nil)
		peak := m.Peak()
		n, j := len(m.Y), float64(m.Clients())
		bound := j / (m.Sigma * m.Sigma)
		if m.Transform == stdlib.Power {
			bound = (j - 1) * (j - 1) / j / (m.Sigma * m.Sigma)
		}
		for c, p := range k.parties[1:] {
			for i, got := range p.bound {
				if math.Abs(got-bound) > 1e-6*bound {
					t.Fatalf("%s: curvature of row %d is %v, want %v", m.Transform, i, got, bound)
				}
			}
			var eigen mat.EigenSym
			eigen.Factorize(peak.Precision[c], false)
			values := eigen.Values(nil)
			if largest := values[len(values)-1]; math.Abs(p.h*largest-1) > 0.01 {
				t.Errorf("%s: h·λmax is %v", m.Transform, p.h*largest)
			}
			// Λ = P − XᵀX/ρ²
			cols := len(m.X[c]) / n
			lambda := mat.NewDense(cols, cols, nil)
			x := mat.NewDense(n, cols, nil)
			for a := range cols {
				for i := range n {
					x.Set(i, a, m.X[c][a*n+i])
				}
			}
			lambda.Mul(x.T(), x)
			lambda.Scale(-1/(m.Rho*m.Rho), lambda)
			lambda.Add(lambda, peak.Precision[c])
			var inv, spread, marginal mat.Dense
			inv.Inverse(lambda)
			spread.Mul(x, &inv)
			marginal.Mul(&spread, x.T())
			for i := range n {
				marginal.Set(i, i, marginal.At(i, i)+m.Rho*m.Rho)
			}
			var whole mat.Dense
			whole.Inverse(&marginal)
			for i := range n {
				whole.Set(i, i, whole.At(i, i)+bound)
			}
			v, got := make([]float64, n), make([]float64, n)
			vector.NewGenerator(vector.SharedKey(3), "v").Normals(v)
			var want mat.VecDense
			if err := want.SolveVec(&whole, mat.NewVecDense(n, v)); err != nil {
				t.Fatal(err)
			}
			if p.apply(got, v); away(got, want.RawVector().Data) > 1e-6 {
				t.Errorf("%s: metric of client %d: %v, want %v", m.Transform, c+1, got, want.RawVector().Data)
			}
		}
		// the intercept: rows of curvature 1/σ², and a prior
		v, got := []float64{1}, []float64{0}
		if k.parties[0].apply(got, v); math.Abs(got[0]*(float64(n)/(m.Sigma*m.Sigma)+1)-1) > 1e-6 {
			t.Errorf("%s: metric of the server %v", m.Transform, got)
		}
	}
}

// A matrix that is not positive definite gives a metric that is, and that follows the matrix where it is
// definite.
func TestCholeskyOfAnythingSymmetric(t *testing.T) {
	for _, matrix := range [][]float64{{2, 0.5, 0.5, 1}, {-2, 0, 0, 1}, {1, 2, 2, 1}, {0, 0, 0, 3}} {
		c := algebra.NewFactor(2)
		copy(c.Matrix, matrix)
		if !c.Decompose() {
			t.Errorf("%v has no factor", matrix)
			continue
		}
		for _, v := range [][]float64{{1, 0}, {0, 1}, {1, -1}} {
			u := append([]float64(nil), v...)
			c.Solve(u)
			if !(dot(u, v) > 0) {
				t.Errorf("%v: %v solves to %v", matrix, v, u)
			}
		}
	}
	c := algebra.NewFactor(1)
	c.Matrix[0] = math.NaN()
	if c.Decompose() {
		t.Error("NaN has a factor")
	}
}

// A metric that is 50 times too long is found out: steps shorten until the iterates come to rest.
func TestOvershootingIsTakenBack(t *testing.T) {
	it := newIterate(3)
	copy(it.x, []float64{1, -2, 5})
	copy(it.old, it.x)
	for range 200 {
		for i := range it.x {
			it.grad[i] = -float64(i+1) * it.x[i]
			it.dir[i] = 50 * it.grad[i]
		}
		if it.checkStep(); it.kept {
			it.step(1)
		}
	}
	if square(it.x) > 1e-2 || it.damping > 0.1 {
		t.Errorf("at %v with damping %v", it.x, it.damping)
	}
}

// No phase allocates.
func TestNoAllocations(t *testing.T) {
	m := testmodel.Linear(3, 30, []int{2, 2}, 1)
	for _, m.Transform = range []def.Transform{stdlib.Augmented, stdlib.Power} {
		k := begun(t, m, map[string]string{"iterations": "600", "inner": "2", "inner-chains": "2",
			"draws": "1000"})
		seen := map[int]bool{}
		for !seen[sampling] {
			seen[k.phase] = true
			if a := testing.AllocsPerRun(20, func() {
				if _, err := k.Step(context.Background()); err != nil {
					t.Fatal(err)
				}
			}); a != 0 {
				t.Errorf("%s: a step of phase %d allocates %v times", m.Transform, k.phase, a)
			}
		}
		for _, phase := range []int{climbing, settling, evaluating, sampling} {
			if !seen[phase] {
				t.Errorf("%s: phase %d was not seen", m.Transform, phase)
			}
		}
	}
}

// A shared parameter inside the cuts changes the precision of θ given z while it moves, and cuts that are not
// affine change it with θ: the chains' steps follow, and the gradient vanishes at the result.
func TestScaleInsideTheCuts(t *testing.T) {
	for _, curved := range []bool{false, true} {
		m := testmodel.Linear(14, 30, []int{3, 2}, 0.8)
		m.Scale, m.Curve, m.Rho = true, curved, 0.7
		for _, m.Transform = range []def.Transform{stdlib.Augmented, stdlib.Power} {
			k, info := fit(t, m.Env(1), m.Transform, map[string]string{"draws": "5"}, func([][]float64) {})
			if !info.Mode.Converged || info.Mode.Gradient.Value > 0.02 || info.NonFinite > 0 {
				t.Errorf("%s curved=%v: %+v, %d not finite", m.Transform, curved, info.Mode, info.NonFinite)
			}
			for b, p := range k.parties {
				if !finite(square(p.x)) {
					t.Errorf("%s curved=%v: party %d is at %v", m.Transform, curved, b, p.x)
				}
			}
		}
	}
}
