package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// same reports whether two numbers have the same bits; every NaN is as good as another.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// A function is one of one argument, on every set, and the interval to test it on.
type function struct {
	name   string
	on     func(on InstructionSet, n int, y, a []float64)
	lo, hi float64 // interval of interest
}

func functions() []function {
	return []function{
		{"exp", exp, -750, 715}, {"expm1", expm1, -45, 715}, {"log", log, 0, 1e6}, {"log1p", log1p, -1, 1e6},
		{"sigmoid", sigmoid, -750, 50}, {"tanh", tanh, -25, 25}, {"log1pExp", log1pExp, -750, 750},
		{"log1mExp", log1mExpOnly, -750, 1}, {"oddsOfExp", oddsOfExp, -750, 0},
		{"lgamma", lgamma, 0, 40}, {"digamma", digamma, 0, 40}, {"logPhi", logPhi, -45, 10},
		{"logPhiSlope", logPhiSlopeOnly, -45, 40}, {"phi", phiOnly, -45, 10},
		{"sine", sine, -40, 40}, {"cosine", cosine, -40, 40},
		{"sqrt", sqrt, 0, 1e6}, {"neg", neg, -1, 1}, {"relu", relu, -1, 1},
	}
}

func log1mExpOnly(on InstructionSet, n int, y, a []float64) { log1mExp(on, n, y, nil, a) }

func logPhiSlopeOnly(on InstructionSet, n int, y, a []float64) { logPhiSlope(on, n, y, nil, a) }

func phiOnly(on InstructionSet, n int, y, a []float64) { logPhiSlope(on, n, nil, y, a) }

func oddsOfExp(on InstructionSet, n int, y, a []float64) {
	var values [64]float64
	for lo := 0; lo < n; lo += len(values) {
		log1mExp(on, min(n-lo, len(values)), values[:], y[lo:], a[lo:])
	}
}

// arguments mixes the interval, all magnitudes, neighbours of small integers, and special values.
func arguments(r *rand.Rand, f function, n int) []float64 {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5, 2,
		5e-324, 0x1p-1022, math.MaxFloat64, -5e-324, -744.5, -745.1, -745.2, -746}
	a := make([]float64, n)
	for i := range a {
		switch r.IntN(5) {
		case 0, 1:
			a[i] = f.lo + (f.hi-f.lo)*r.Float64()
		case 2:
			a[i] = math.Float64frombits(r.Uint64())
		case 3:
			a[i] = math.Nextafter(float64(r.IntN(40))/4, float64(r.IntN(3)-1)*100) * float64(1-2*r.IntN(2))
		default:
			a[i] = special[r.IntN(len(special))]
		}
	}
	return a
}

func TestFunctionsAgreeBetweenSets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, f := range functions() {
		for range 2000 {
			n := r.IntN(40)
			a := arguments(r, f, n)
			want := make([]float64, n)
			f.on(Portable, n, want, a)
			for _, set := range Sets()[1:] {
				got := make([]float64, n+1)
				got[n] = guard
				f.on(set, n, got, a)
				for i := range n {
					if !same(got[i], want[i]) {
						t.Fatalf("%s(%v) on %v: %x, portable %x", f.name, a[i], set, got[i], want[i])
					}
				}
				if got[n] != guard {
					t.Fatalf("%s of %d on %v writes beyond its end", f.name, n, set)
				}
			}
		}
	}
}

// The quotient in tanh is of rounded numbers, but never beyond 1.
func TestTanhIsAtMostOne(t *testing.T) {
	const n = 100_000
	a, y := make([]float64, n), make([]float64, n)
	for i := range a {
		a[i] = 5 + 20*float64(i)/n
	}
	for _, set := range Sets() {
		tanh(set, n, y, a)
		for i, v := range y {
			if !(v <= 1) || a[i] > 19.1 && v != 1 {
				t.Fatalf("%v: tanh(%v) = 1%+g", set, a[i], v-1)
			}
		}
	}
}
