package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/portable"
)

func randomWords(r *rand.Rand, n int) []uint64 {
	w := make([]uint64, n)
	for i := range w {
		w[i] = r.Uint64()
	}
	return w
}

func TestSamplersAgreeBetweenSets(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 300 {
		n := r.IntN(80)
		v := numbers(r, 10*n)
		part := func(out []float64, i int) []float64 { return out[i*n:][:n] }
		u, w := randomWords(r, n), randomWords(r, n)
		agree(t, "boxMuller", v, func(on InstructionSet, o []float64) { boxMuller(on, n, part(o, 0), part(o, 1), u, w) })
		agree(t, "adam", v, func(on InstructionSet, o []float64) {
			mulGo(n, part(o, 2), part(o, 2), part(o, 2)) // second moments are not negative
			adam(on, n, part(o, 0), part(o, 1), part(o, 2), part(o, 3), 3e4, 1e-9, 0.9, 0.999)
		})
		agree(t, "leapfrogStart", v, func(on InstructionSet, o []float64) {
			leapfrogStart(on, n, part(o, 0), part(o, 1), part(o, 2), part(o, 3), part(o, 4), part(o, 5), 0.1,
				0.2)
		})
		agree(t, "leapfrogEnd", append(v, 0), func(on InstructionSet, o []float64) {
			o[10*n] = leapfrogEnd(on, n, part(o, 0), part(o, 2), part(o, 4), part(o, 5), 0.1)
		})
		agree(t, "rotateStart", v, func(on InstructionSet, o []float64) {
			rotateStart(on, n, part(o, 0), part(o, 1), part(o, 2), part(o, 3), part(o, 4), part(o, 5),
				part(o, 6), part(o, 7), part(o, 8), 0.1, -0.2, 0.8, 0.6)
		})
		agree(t, "rotateEnd", append(v, 0), func(on InstructionSet, o []float64) {
			o[10*n] = rotateEnd(on, n, part(o, 0), part(o, 2), part(o, 4), part(o, 5), part(o, 6), 0.1)
		})
		agree(t, "turn", v, func(on InstructionSet, o []float64) {
			turn(on, n, part(o, 0), part(o, 1), part(o, 2), part(o, 3), part(o, 4), part(o, 5), -0.2, 0.8,
				0.6)
		})
		agree(t, "turns", append(v, 0, 0, 0, 0, 0, 0), func(on InstructionSet, o []float64) {
			turns(on, n, (*[6]float64)(o[10*n:]), part(o, 0), part(o, 1), part(o, 2), part(o, 3), part(o, 4),
				part(o, 5), part(o, 6), part(o, 7))
		})
	}
}

// TestNormals compares moments and quantiles with those of the standard normal, within five standard errors.
func TestNormals(t *testing.T) {
	const n = 400_001
	r := rand.New(rand.NewPCG(15, 16))
	y := make([]float64, n)
	Normals(n, y, randomWords(r, n+1))
	moment := func(k float64) float64 {
		s := 0.0
		for _, v := range y {
			s += math.Pow(v, k)
		}
		return s / n
	}
	for _, c := range []struct{ k, want, variance float64 }{{1, 0, 1}, {2, 1, 2}, {3, 0, 15}, {4, 3, 96}} {
		if got := moment(c.k); math.Abs(got-c.want) > 5*math.Sqrt(c.variance/n) {
			t.Errorf("moment %v is %v, want %v", c.k, got, c.want)
		}
	}
	for _, x := range []float64{-3, -2, -1, -0.3, 0, 0.7, 1.5, 2.5, 3.5} {
		below := 0.0
		for _, v := range y {
			if v < x {
				below++
			}
		}
		p := 0.5 * math.Erfc(-x/math.Sqrt2)
		if math.Abs(below/n-p) > 5*math.Sqrt(p*(1-p)/n) {
			t.Errorf("%v lie below %v, want %v", below/n, x, p)
		}
	}
	both := 0.0 // the two of a pair are independent
	for i := range n / 2 {
		both += y[i] * y[n/2+1+i]
	}
	if math.Abs(both) > 5*math.Sqrt(n/2) {
		t.Errorf("the members of pairs have the covariance %v", both/(n/2))
	}
}

// Every pair has the radius and the angle that follow from its two words.
func TestNormalPairs(t *testing.T) {
	unit := func(word uint64) float64 { return 1 + float64(word>>12)*0x1p-52 }
	r := rand.New(rand.NewPCG(17, 16))
	for range 20000 {
		u, v := r.Uint64(), r.Uint64()
		c, s := portable.NormalPair(u, v)
		radius := math.Sqrt(-2 * math.Log(2-unit(u)))
		sin, cos := math.Sincos(2 * math.Pi * (unit(v) - 1.5))
		if math.Abs(c-radius*cos) > 4e-16*radius+1e-15 || math.Abs(s-radius*sin) > 4e-16*radius+1e-15 {
			t.Fatalf("words %x, %x: %v, %v, want %v, %v", u, v, c, s, radius*cos, radius*sin)
		}
	}
}

// A leapfrog step of a harmonic oscillator is reversible, and conserves the energy to second order in the
// step size.
func TestLeapfrog(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 16))
	const n, eps = 37, 0.01
	x, p, mass := numbers(r, n), numbers(r, n), make([]float64, n)
	for i := range mass {
		mass[i] = 0.5 + r.Float64()
	}
	d, x1, p1 := make([]float64, n), make([]float64, n), make([]float64, n)
	energy := func(x []float64, twice float64) float64 { return (Dot(n, x, x) + twice) / 2 }
	step := func(x1, p1, x, p []float64, eps float64) float64 {
		Neg(n, d, x)
		LeapfrogStart(n, p1, x1, p, x, d, mass, eps/2, eps)
		Neg(n, d, x1)
		return LeapfrogEnd(n, p1, p1, d, mass, eps/2)
	}
	Neg(n, d, x)
	twice := LeapfrogEnd(n, p1, p, d, mass, 0)
	before := energy(x, twice)
	after := energy(x1, step(x1, p1, x, p, eps))
	if math.Abs(after-before) > 1e-4*before {
		t.Errorf("energy %v, before %v", after, before)
	}
	step(x1, p1, x1, p1, -eps)
	for i := range x {
		if math.Abs(x1[i]-x[i])+math.Abs(p1[i]-p[i]) > 1e-14 {
			t.Fatalf("coordinate %d comes back to %v, %v from %v, %v", i, x1[i], p1[i], x[i], p[i])
		}
	}
}

func TestTurns(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 16))
	const n = 29
	var v [8][]float64
	for i := range v {
		v[i] = numbers(r, n)
	}
	left, right, p, mass, rho := v[0], v[1], v[2:6], v[6], v[7]
	var out [6]float64
	Turns(n, &out, rho, left, right, p[0], p[1], p[2], p[3], mass)
	product := func(i int, rest ...[]float64) float64 {
		s := 0.0
		for j := range n {
			w := 0.0
			for _, a := range rest {
				w += a[j]
			}
			s += mass[j] * p[i][j] * w
		}
		return s
	}
	want := [6]float64{
		product(0, left, right), product(3, left, right), product(0, left, p[2]), product(2, left, p[2]),
		product(1, right, p[1]), product(3, right, p[1]),
	}
	for i := range out {
		if math.Abs(out[i]-want[i]) > 1e-13 {
			t.Errorf("product %d is %v, want %v", i, out[i], want[i])
		}
	}
}

// TestAdam follows the published recursion, with the floor inside the root: also where derivatives are as
// small as it, or 0.
func TestAdam(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 16))
	const n, rate, b1, b2, floor = 13, 0.05, 0.9, 0.999, 1e-8
	x, m, v := numbers(r, n), make([]float64, n), make([]float64, n)
	want, first, second := slices.Clone(x), make([]float64, n), make([]float64, n)
	for step := 1.0; step < 20; step++ {
		d := numbers(r, n)
		Scale(4, d, d, floor)
		d[0] = 0
		k := rate * (1 - b1) / (1 - math.Pow(b1, step))
		Adam(n, x, m, v, d, (1-b2)/(1-math.Pow(b2, step))/(k*k), floor*floor/(k*k), b1, b2)
		for i := range want {
			first[i] = b1*first[i] + (1-b1)*d[i]
			second[i] = b2*second[i] + (1-b2)*d[i]*d[i]
			want[i] += rate * first[i] / (1 - math.Pow(b1, step)) / math.Sqrt(second[i]/(1-math.Pow(b2,
				step))+floor*floor)
			if math.Abs(x[i]-want[i]) > 1e-6*rate*step {
				t.Fatalf("step %v: x[%d] is %v, want %v", step, i, x[i], want[i])
			}
		}
	}
}
