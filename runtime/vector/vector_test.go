package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// lengths has the lengths below, at and above every unrolling.
var lengths = []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 127, 128, 129}

func numbers(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// guard is written behind the n elements of a destination and must survive.
const guard = 12345

// TestElementwise compares every function without sums with its formula, bit for bit, with a separate
// destination and with y = a.
func TestElementwise(t *testing.T) {
	const s = 1.7
	for name, c := range map[string]struct {
		run  func(n int, y, a, b []float64)
		want func(y, a, b float64) float64
	}{
		"Fill": {func(n int, y, _, _ []float64) {
			Fill(n, y, s)
		}, func(_, _, _ float64) float64 { return s }},
		"Add": {Add, func(_, a, b float64) float64 { return a + b }},
		"AddScalar": {func(n int, y, a, _ []float64) {
			AddScalar(n, y, a, s)
		}, func(_, a, _ float64) float64 { return a + s }},
		"Sub": {Sub, func(_, a, b float64) float64 { return a - b }},
		"SubFrom": {func(n int, y, _, b []float64) {
			SubFrom(n, y, s, b)
		}, func(_, _, b float64) float64 { return s - b }},
		"Mul": {Mul, func(_, a, b float64) float64 { return a * b }},
		"Scale": {func(n int, y, a, _ []float64) {
			Scale(n, y, a, s)
		}, func(_, a, _ float64) float64 { return a * s }},
		"Div": {Div, func(_, a, b float64) float64 { return a / b }},
		"DivScalar": {func(n int, y, a, _ []float64) {
			DivScalar(n, y, a, s)
		}, func(_, a, _ float64) float64 { return a / s }},
		"DivInto": {func(n int, y, _, b []float64) {
			DivInto(n, y, s, b)
		}, func(_, _, b float64) float64 { return s / b }},
		"Neg": {func(n int, y, a, _ []float64) {
			Neg(n, y, a)
		}, func(_, a, _ float64) float64 { return -a }},
		"Accumulate": {func(n int, y, a, _ []float64) {
			Accumulate(n, y, a)
		}, func(y, a, _ float64) float64 { return y + a }},
		"Shift": {func(n int, y, _, _ []float64) {
			Shift(n, y, s)
		}, func(y, _, _ float64) float64 { return y + s }},
		"Axpy": {func(n int, y, a, _ []float64) {
			Axpy(n, y, s, a)
		}, func(y, a, _ float64) float64 { return math.FMA(s, a, y) }},
		"Approach": {func(n int, y, a, _ []float64) {
			Approach(n, y, s, a)
		}, func(y, a, _ float64) float64 { return math.FMA(s, a-y, y) }},
		"MulAdd": {MulAdd, func(y, a, b float64) float64 { return math.FMA(a, b, y) }},
		"Select": {func(n int, y, a, b []float64) {
			Select(n, y, a, b, a)
		}, func(_, a, b float64) float64 { return pick(a != 0, b, a) }},
		"Weight": {func(n int, y, a, _ []float64) {
			Weight(n, y, slices.Clone(y), a)
		}, func(y, a, _ float64) float64 { return pick(a == 0, 0, y*a) }},
		"Weight in place": {func(n int, y, a, _ []float64) {
			Weight(n, y, y, a)
		}, func(y, a, _ float64) float64 { return pick(a == 0, 0, y*a) }},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		for _, n := range lengths {
			y, a, b := append(numbers(r, n), guard), numbers(r, n), numbers(r, n)
			if n > 2 {
				a[1], y[1] = 0, math.Inf(1)
			}
			before := append([]float64(nil), y...)
			c.run(n, y, a, b)
			for i := range n {
				if want := c.want(before[i], a[i], b[i]); !same(y[i], want) {
					t.Fatalf("%s of %d: element %d is %v, want %v", name, n, i, y[i], want)
				}
			}
			if y[n] != guard {
				t.Fatalf("%s of %d writes beyond its end", name, n)
			}
			inPlace := append([]float64(nil), a...)
			c.run(n, inPlace, inPlace, b)
			for i := range n {
				if want := c.want(a[i], a[i], b[i]); inPlace[i] != want {
					t.Fatalf("%s of %d in place: element %d is %v, want %v", name, n, i, inPlace[i], want)
				}
			}
		}
	}
}

func pick(c bool, a, b float64) float64 {
	if c {
		return a
	}
	return b
}

// TestSums compares the sums with sums in index order, to a few units in the last place of the sum of
// absolute values.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range lengths {
		a, b := numbers(r, n), numbers(r, n)
		sum, dot, weighted, scale := 0.0, 0.0, 0.0, 1.0
		for i := range n {
			sum += a[i]
			dot += a[i] * b[i]
			if i%3 != 1 {
				weighted += a[i] * b[i]
			}
			scale += math.Abs(a[i]) + math.Abs(a[i]*b[i])
		}
		w := append([]float64(nil), a...)
		bad := append([]float64(nil), b...)
		for i := 1; i < n; i += 3 {
			w[i], bad[i] = 0, math.NaN()
		}
		for name, got := range map[string][2]float64{"Sum": {Sum(n, a), sum}, "Dot": {Dot(n, a, b), dot},
			"WeightedSum": {WeightedSum(n, w, bad), weighted}} {
			if !(math.Abs(got[0]-got[1]) <= 1e-15*scale) {
				t.Errorf("%s of %d is %v, want %v", name, n, got[0], got[1])
			}
		}
	}
}

// TestSumOrder checks the documented order, which other implementations must keep: adding 1 to 2^53 loses it
// only if both are in one partial sum.
func TestSumOrder(t *testing.T) {
	const big = 1 << 53
	at := func(one, second int) []float64 {
		a := make([]float64, 70)
		a[0], a[one], a[second] = big, 1, -big
		return a
	}
	for _, c := range []struct {
		a    []float64
		want float64
	}{
		{at(32, 64), 0}, // all in one partial sum
		{at(8, 32), 1},  // big and -big in the first, 1 in that of the next eight elements
		{at(33, 64), 1}, // 1 in the next lane
	} {
		ones := make([]float64, len(c.a))
		Fill(len(ones), ones, 1)
		if got := Sum(len(c.a), c.a); got != c.want {
			t.Errorf("Sum(%v) is %v, want %v", c.a, got, c.want)
		}
		if got := Dot(len(c.a), c.a, ones); got != c.want {
			t.Errorf("Dot(%v, 1) is %v, want %v", c.a, got, c.want)
		}
	}
}

// TestMatrix compares the products with triple loops, with strides longer than the rows and steps other than
// one.
func TestMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range lengths {
		for k := range 14 {
			for _, step := range []int{1, 3} {
				stride := n + r.IntN(3)
				x, b, y := numbers(r, stride*k+n), numbers(r, step*k+1), append(numbers(r, n), guard)
				set, back := append([]float64(nil), y...), append([]float64(nil), b...)
				MatVec(n, set, x, stride, b, step, k)
				MatTVecAdd(n, back, step, x, stride, y, k)
				for i := range n {
					want := 0.0
					for j := range k {
						want += x[j*stride+i] * b[j*step]
					}
					if math.Abs(set[i]-want) > 1e-13 {
						t.Fatalf("%d×%d: row %d is %v, want %v", n, k, i, set[i], want)
					}
				}
				if set[n] != guard {
					t.Fatalf("%d×%d: written beyond the end", n, k)
				}
				for j := range b {
					want := b[j]
					if j%step == 0 && j/step < k {
						for i := range n {
							want += x[j/step*stride+i] * y[i]
						}
					}
					if math.Abs(back[j]-want) > 1e-12 {
						t.Fatalf("%d×%d: transposed column %d is %v, want %v", n, k, j, back[j], want)
					}
				}
			}
		}
	}
}

// TestIndex checks gather, and that scatter is its adjoint: Σ a·gather(t) = Σ t·scatter(a).
func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, n := range lengths {
		table, a, y, back := numbers(r, 5), numbers(r, n), make([]float64, n), make([]float64, 5)
		index := make([]int32, n)
		for i := range index {
			index[i] = int32(r.IntN(5))
		}
		Gather(n, y, table, index)
		ScatterAdd(n, back, index, a)
		for i, j := range index {
			if y[i] != table[j] {
				t.Fatalf("element %d is %v, want %v", i, y[i], table[j])
			}
		}
		if left, right := Dot(n, a, y), Dot(5, table, back); math.Abs(left-right) > 1e-12 {
			t.Errorf("of %d: %v and %v", n, left, right)
		}
	}
}

// An index out of range panics as in Go, at any position, and memory behind the table is not read.
func TestGatherOutOfRange(t *testing.T) {
	table := []float64{1, 2, 3}
	for _, set := range Sets() {
		for _, bad := range []int32{-1, 3, math.MaxInt32, math.MinInt32} {
			for at := range 19 {
				index := make([]int32, 19)
				index[at] = bad
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("index %d at %d on %v: no panic", bad, at, set)
						}
					}()
					gatherOn(set, 19, make([]float64, 19), table, index)
				}()
			}
		}
	}
}

// The functions of segments equal gather and scatter over sorted rows.
func TestSegments(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	segments := []Segment{{0, 3, 0}, {3, 40, 2}, {40, 41, 3}, {41, 41, 1}, {41, 77, 4}}
	index := make([]int32, 77)
	for _, s := range segments {
		for i := s.Lo; i < s.Hi; i++ {
			index[i] = s.Of
		}
	}
	y, a := numbers(r, 5), numbers(r, 77)
	sums, want := append([]float64(nil), y...), append([]float64(nil), y...)
	SegmentSumsAdd(segments, sums, a)
	ScatterAdd(77, want, index, a)
	for l := range sums {
		if math.Abs(sums[l]-want[l]) > 1e-14 {
			t.Errorf("segment %d sums to %v, want %v", l, sums[l], want[l])
		}
	}
	spread, gathered := make([]float64, 77), make([]float64, 77)
	SegmentFill(segments, spread, y)
	Gather(77, gathered, y, index)
	for i := range spread {
		if spread[i] != gathered[i] {
			t.Errorf("row %d is %v, want %v", i, spread[i], gathered[i])
		}
	}
}
