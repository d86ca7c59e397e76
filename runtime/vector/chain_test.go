package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

func chainCalls() []call {
	return []call{
		{"noise", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(noise(on, n, m.floats(n), m.floats(n), m.floats(n), 0.7))
		}},
		{"noiseBack", func(on InstructionSet, n, _, _ int, m *room) {
			noiseBack(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), 0.7)
		}},
		{"noiseStart", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(noiseStart(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				m.floats(n), m.floats(n), m.floats(n), 0.7, 0.1, -0.2, 0.8, 0.6))
		}},
		{"noiseEnd", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(noiseEnd(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), 0.1))
		}},
		{"welford", func(on InstructionSet, n, _, _ int, m *room) {
			welford(on, n, m.floats(n), m.floats(n), m.floats(n), 0.2)
		}},
		{"balance", func(on InstructionSet, n, _, _ int, m *room) {
			balance(on, n, m.floats(n), m.floats(n), m.counts(n), m.counts(n), 0.5, 2)
		}},
		{"raise", func(on InstructionSet, n, _, _ int, m *room) {
			raise(on, n, m.floats(n), m.floats(n), m.counts(n), 0.5, 2)
		}},
		{"denseStart", func(on InstructionSet, n, _, _ int, m *room) {
			n = min(n, 40)
			denseStart(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n*n),
				0.1, 0.2)
		}},
		{"denseEnd", func(on InstructionSet, n, _, _ int, m *room) {
			n = min(n, 40)
			m.result(denseEnd(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n*n), 0.1))
		}},
		{"givenTurns", func(on InstructionSet, n, _, _ int, m *room) {
			out := [6]float64{1, 2, 3, 4, 5, 6}
			givenTurns(on, n, &out, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				m.floats(n), m.floats(n), m.floats(n), m.floats(n))
			m.result(out[:]...)
		}},
		{"pairTurns", func(on InstructionSet, n, _, _ int, m *room) {
			var out [2]float64
			pairTurns(on, n, &out, m.floats(n), m.floats(n), m.floats(n), m.floats(n))
			m.result(out[:]...)
		}},
		{"unitTurns", func(on InstructionSet, n, _, _ int, m *room) {
			out := [6]float64{1, 2, 3, 4, 5, 6}
			unitTurns(on, n, &out, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				m.floats(n), m.floats(n))
			m.result(out[:]...)
		}},
		{"unitPairTurns", func(on InstructionSet, n, _, _ int, m *room) {
			var out [2]float64
			unitPairTurns(on, n, &out, m.floats(n), m.floats(n), m.floats(n))
			m.result(out[:]...)
		}},
	}
}

func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// With a diagonal matrix the dense half steps equal those of the diagonal metric.
func TestDenseLeapfrogOfADiagonalMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for n := range 40 {
		p, x, d, mass, matrix := numbers(r, n), numbers(r, n), numbers(r, n), numbers(r, n),
			make([]float64, n*n)
		for i, v := range mass {
			matrix[i*n+i] = v
		}
		p1, x1, p2, x2, v := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n),
			make([]float64, n)
		LeapfrogStart(n, p1, x1, p, x, d, mass, 0.1, 0.2)
		DenseStart(n, p2, x2, p, x, d, matrix, 0.1, 0.2)
		twice := LeapfrogEnd(n, p1, p1, d, mass, 0.1)
		closeTo(t, "twice the kinetic energy", DenseEnd(n, p2, v, d, matrix, 0.1), twice)
		for i := range n {
			closeTo(t, "a momentum", p2[i], p1[i])
			closeTo(t, "a position", x2[i], x1[i])
			closeTo(t, "a velocity", v[i], mass[i]*p1[i])
		}
	}
}

// With velocities mass·p the products are those of Turns, and are added to out.
func TestGivenTurnsAreTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for n := range 40 {
		var p, v [4][]float64
		left, right, mass := numbers(r, n), numbers(r, n), numbers(r, n)
		for k := range p {
			p[k], v[k] = numbers(r, n), make([]float64, n)
			Mul(n, v[k], p[k], mass)
		}
		var want [6]float64
		got, rho, sum := [6]float64{1, 2, 3, 4, 5, 6}, make([]float64, n), make([]float64, n)
		Turns(n, &want, rho, left, right, p[0], p[1], p[2], p[3], mass)
		GivenTurns(n, &got, sum, left, right, p[1], p[2], v[0], v[1], v[2], v[3])
		for k := range want {
			closeTo(t, "a product", got[k], want[k]+float64(k+1))
		}
		for i := range n {
			closeTo(t, "a sum", sum[i], rho[i])
		}
		Turns(n, &want, rho, p[0], p[3], p[0], p[0], p[3], p[3], mass)
		PairTurns(n, &got, sum, p[0], p[3], mass)
		for k := range want {
			closeTo(t, "a product of two states", got[k], want[k])
		}
		for i := range n {
			closeTo(t, "a sum of two states", sum[i], rho[i])
		}
	}
}

// NoiseBack returns the derivatives of own·g + adj·z - ½Σe², with z and Σ e² of Noise.
func TestNoiseBackIsTheDerivativeOfNoise(t *testing.T) {
	const n, scale, step = 21, 0.6, 1e-6
	r := rand.New(rand.NewPCG(35, 36))
	g, e, adj, own, z := numbers(r, n), numbers(r, n), numbers(r, n), numbers(r, n), make([]float64, n)
	value := func() float64 {
		squares := Noise(n, z, g, e, scale)
		return Dot(n, adj, z) + Dot(n, own, g) - 0.5*squares
	}
	w, grad := make([]float64, n), make([]float64, n)
	NoiseBack(n, w, grad, adj, own, e, scale)
	slope := func(x *float64) float64 {
		kept := *x
		*x = kept + step
		up := value()
		*x = kept - step
		down := value()
		*x = kept
		return (up - down) / (2 * step)
	}
	for i := range n {
		if s := slope(&g[i]); math.Abs(s-w[i]) > 1e-7*(1+math.Abs(s)) {
			t.Errorf("slope in g is %v, not %v", s, w[i])
		}
		if s := slope(&e[i]); math.Abs(s-grad[i]) > 1e-7*(1+math.Abs(s)) {
			t.Errorf("slope in e is %v, not %v", s, grad[i])
		}
	}
}

// With unit masses, mean ρ·mean and gradient ρ·adj − x the steps of noise are those around any normal
// distribution.
func TestStepsOfNoiseAreThoseAroundANormal(t *testing.T) {
	const scale, half, angle = 0.6, 0.2, 0.4
	r := rand.New(rand.NewPCG(41, 42))
	less, cos, sin := math.Cos(angle)-1, math.Cos(angle), math.Sin(angle)
	for n := range 40 {
		p, x, adj, by, g, one := numbers(r, n), numbers(r, n), numbers(r, n), numbers(r, n), numbers(r, n),
			make([]float64, n)
		mean, v, d := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range one {
			one[i], mean[i] = 1, scale*by[i]
			v[i], d[i] = x[i]-mean[i], scale*adj[i]-x[i]
		}
		p1, x1, v1, p2, x2, z := make([]float64, n), make([]float64, n), make([]float64, n),
			make([]float64, n), make([]float64, n), make([]float64, n)
		RotateStart(n, p1, x1, v1, p, x, v, d, mean, one, half, less, cos, sin)
		squares := NoiseStart(n, p2, x2, z, p, x, adj, by, g, scale, half*scale, less, cos, sin)
		closeTo(t, "Σ x²", squares, Dot(n, x1, x1))
		for i := range n {
			closeTo(t, "half a momentum", p2[i], p1[i])
			closeTo(t, "a position", x2[i], x1[i])
			closeTo(t, "z", z[i], g[i]+scale*x2[i])
			d[i] = scale*adj[i] - x1[i]
		}
		twice := RotateEnd(n, p1, p1, v1, d, one, half)
		closeTo(t, "twice the kinetic energy", NoiseEnd(n, p2, p2, adj, by, half*scale), twice)
		for i := range n {
			closeTo(t, "a momentum", p2[i], p1[i])
		}
	}
}

// With unit masses the products are those of Turns and PairTurns, and are added to out.
func TestUnitTurnsAreTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	for n := range 40 {
		left, right, one := numbers(r, n), numbers(r, n), make([]float64, n)
		p := [4][]float64{numbers(r, n), numbers(r, n), numbers(r, n), numbers(r, n)}
		for i := range one {
			one[i] = 1
		}
		same := func(what string, unit func(out *[6]float64, rho []float64),
			masses func(out *[6]float64, rho []float64)) {
			got, want, sum, rho := [6]float64{1, 2, 3, 4, 5, 6}, [6]float64{}, make([]float64, n),
				make([]float64, n)
			unit(&got, sum)
			masses(&want, rho)
			for k := range want {
				closeTo(t, what, got[k], want[k]+float64(k+1))
			}
			for i := range n {
				closeTo(t, what+": a sum", sum[i], rho[i])
			}
		}
		same("a product", func(out *[6]float64, rho []float64) {
			UnitTurns(n, out, rho, left, right, p[0], p[1], p[2], p[3])
		},
			func(out *[6]float64, rho []float64) {
				Turns(n, out, rho, left, right, p[0], p[1], p[2], p[3], one)
			})
		same("a product of two states", func(out *[6]float64, rho []float64) {
			UnitPairTurns(n, out, rho, left, right)
		},
			func(out *[6]float64, rho []float64) { PairTurns(n, out, rho, left, right, one) })
	}
}

// The running moments of Welford are the mean and the sum of squared deviations.
func TestWelford(t *testing.T) {
	const n, vectors = 19, 50
	r := rand.New(rand.NewPCG(37, 38))
	mean, squares := make([]float64, n), make([]float64, n)
	var all [][]float64
	for k := range vectors {
		all = append(all, numbers(r, n))
		Welford(n, mean, squares, all[k], 1/float64(k+1))
	}
	for i := range n {
		m, s := 0.0, 0.0
		for _, x := range all {
			m += x[i] / vectors
		}
		for _, x := range all {
			s += (x[i] - m) * (x[i] - m)
		}
		closeTo(t, "the mean", mean[i], m)
		closeTo(t, "the sum of squares", squares[i], s)
	}
}

// Balance sets √(a/b) within bounds, and changes nothing where that is not a scale.
func TestBalanceByHand(t *testing.T) {
	a := []float64{4, 9, 1e-30, 1e30, 0, 1, math.NaN(), math.Inf(1), 16}
	b := []float64{1, 4, 1, 1, 1, 0, 1, 1, 1}
	inverse, root := make([]float64, len(a)), make([]float64, len(a))
	for i := range inverse {
		inverse[i], root[i] = 7, 8
	}
	Balance(len(a), inverse, root, a, b, 1e-4, 1e4)
	for i, want := range []float64{2, 1.5, 1e-4, 1e4, 7, 7, 7, 7, 4} {
		from := 1 / math.Sqrt(want)
		if want == 7 {
			from = 8
		}
		closeTo(t, "the inverse mass", inverse[i], want)
		closeTo(t, "its root", root[i], from)
	}
}

func TestRaiseByHand(t *testing.T) {
	a := []float64{4, 1, 1e30, math.NaN(), math.Inf(1), 0, 16, 2, 100}
	inverse, root := make([]float64, len(a)), make([]float64, len(a))
	for i := range inverse {
		inverse[i], root[i] = 1, 8
	}
	Raise(len(a), inverse, root, a, 0.5, 1e4)
	for i, want := range []float64{2, 1, 1e4, 1, 1, 1, 8, 1, 50} {
		from := 1 / math.Sqrt(want)
		if want == 1 {
			from = 8
		}
		closeTo(t, "the inverse mass", inverse[i], want)
		closeTo(t, "its root", root[i], from)
	}
}
