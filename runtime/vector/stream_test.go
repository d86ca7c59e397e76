package vector_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/runtime/vector"
)

// take returns the first n normals of a stream's round, generated one by one.
func take(s *vector.Generator, round uint64, n int) []float64 {
	s.Round(round)
	out := make([]float64, n)
	s.Normals(out)
	return out
}

// fill returns the first n normals of a stream's round, generated in bulk.
func fill(s *vector.Generator, round uint64, n int) []float64 {
	s.Round(round)
	out := make([]float64, n)
	s.FillNormals(out)
	return out
}

func TestRoundsDoNotDependOnTheOrderOfVisits(t *testing.T) {
	key := vector.SharedKey(1)
	rapid.Check(t, func(t *rapid.T) {
		s := vector.NewGenerator(key, "eps")
		for _, r := range rapid.SliceOfN(rapid.Uint64(), 1, 8).Draw(t, "rounds") {
			got := take(s, r, rapid.IntRange(1, 20).Draw(t, "n"))
			if want := take(vector.NewGenerator(key, "eps"), r, len(got)); !slices.Equal(got, want) {
				t.Fatalf("round %d: %v after other rounds, %v at once", r, got, want)
			}
			if want := fill(vector.NewGenerator(key, "eps"), r, len(got)); !slices.Equal(fill(s, r, len(got)),
				want) {
				t.Fatalf("round %d in bulk is not %v after other rounds", r, want)
			}
			if s.Position() != r {
				t.Fatalf("at round %d, not %d", s.Position(), r)
			}
		}
	})
}

func TestNextIsTheFollowingRound(t *testing.T) {
	s := vector.NewGenerator(vector.SharedKey(1), "eps")
	if s.Position() != 0 {
		t.Fatalf("a new stream is at round %d", s.Position())
	}
	first := s.Float64() // part of a round used up
	s.Next()
	got := make([]float64, 5)
	s.Normals(got)
	if want := take(vector.NewGenerator(vector.SharedKey(1), "eps"), 1, 5); !slices.Equal(got, want) ||
		s.Position() != 1 {
		t.Errorf("after Next %v at %d, round 1 is %v", got, s.Position(), want)
	}
	s.Round(0)
	if again := s.Float64(); again != first {
		t.Errorf("round 0 starts with %v, then with %v", first, again)
	}
}

// All streams that differ in seed, kind of key, party, name or round are different, and so are names and
// parties that run together.
func TestStreamsDiffer(t *testing.T) {
	seen := map[float64]string{}
	add := func(what string, s *vector.Generator) {
		for r := range uint64(3) {
			for _, v := range []float64{take(s, r, 1)[0], fill(s, r, 1)[0]} {
				if other, ok := seen[v]; ok {
					t.Errorf("%s round %d starts as %s", what, r, other)
				}
				seen[v] = what
			}
		}
	}
	for _, seed := range []uint64{0, 1, 1 << 32, math.MaxUint64} {
		for _, name := range []string{"", "a", "ab", "eps", "eps "} {
			add("shared "+name, vector.NewGenerator(vector.SharedKey(seed), name))
			for _, party := range []string{"", "a", "lab[1]", "lab[11]"} {
				add(party+" "+name, vector.NewGenerator(vector.SimulatedKey(seed, party), name))
			}
		}
	}
	if want := 4 * 5 * 5 * 3 * 2; len(seen) != want {
		t.Errorf("%d first numbers, want %d", len(seen), want)
	}
}

// The numbers are part of every recorded run and of the examples' data, so they must not change.
func TestNumbersAreStable(t *testing.T) {
	got := take(vector.NewGenerator(vector.SharedKey(1), "eps"), 7, 3)
	if want := []float64{0.8792719422667221, -1.7114607756760425, -1.6760332301335734}; !slices.Equal(got,
		want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Normals in bulk are part of every recorded run. They continue from call to call, at the next batch of
// words, and do not depend on numbers taken one by one.
func TestNumbersInBulkAreStable(t *testing.T) {
	s := vector.NewGenerator(vector.SharedKey(1), "eps")
	got := fill(s, 7, 3)
	s.Normals(make([]float64, 5))
	next := make([]float64, 2)
	s.FillNormals(next)
	got = append(got, next...)
	if want := []float64{-0.45126800502096653, -0.6646059876992815, -0.6327404904450359, -1.0565972790247522,
		0.6813802712181708}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// 1000 normals fill the buffer twice; the second time uses new words.
	long := fill(s, 7, 1000)
	if slices.Equal(long[:488], long[512:]) || !slices.Equal(long[:500], fill(s, 7, 1000)[:500]) {
		t.Error("the second half of a long filling repeats the first, or the first changes")
	}
}

func TestNormalsHaveTheMomentsOfNormals(t *testing.T) {
	t.Run("one by one", func(t *testing.T) { checkMoments(t, (*vector.Generator).Normals) })
	t.Run("in bulk", func(t *testing.T) { checkMoments(t, (*vector.Generator).FillNormals) })
}

// checkMoments compares moments over rounds of different lengths, each within 4.5 Monte Carlo standard errors
// (two-sided 7e-6 each), with N(0, 1)'s.
func checkMoments(t *testing.T, normals func(*vector.Generator, []float64)) {
	t.Helper()
	const n = 400_000
	v := make([]float64, 0, n)
	s := vector.NewGenerator(vector.SharedKey(20240501), "moments")
	for k := 1; len(v) < n; k = k%50 + 1 {
		more := make([]float64, min(k, n-len(v)))
		normals(s, more)
		v = append(v, more...)
		s.Next()
	}
	moment := func(f func(i int) float64) float64 {
		sum := 0.0
		for i := range v {
			sum += f(i)
		}
		return sum / n
	}
	for _, x := range []struct {
		name     string
		f        func(i int) float64
		want, sd float64 // of one term, for a standard normal
	}{
		{"x", func(i int) float64 { return v[i] }, 0, 1},
		{"x²", func(i int) float64 { return v[i] * v[i] }, 1, math.Sqrt2},
		{"x³", func(i int) float64 { return v[i] * v[i] * v[i] }, 0, math.Sqrt(15)},
		{"x⁴", func(i int) float64 { return math.Pow(v[i], 4) }, 3, math.Sqrt(96)},
		{"x > 2", func(i int) float64 { return indicator(v[i] > 2) }, 0.0227501319, 0.1491},
		{"x · next", func(i int) float64 { return v[i] * v[(i+1)%n] }, 0, 1},
		{"x · next but 49", func(i int) float64 { return v[i] * v[(i+50)%n] }, 0, 1},
	} {
		if got, se := moment(x.f), x.sd/math.Sqrt(n); math.Abs(got-x.want) > 4.5*se {
			t.Errorf("mean of %s: %v, want %v ± %v", x.name, got, x.want, se)
		}
	}
}

// The first numbers of successive rounds, and of streams with successive names, are as independent as those
// within a round.
func TestFirstNumbersAreIndependent(t *testing.T) {
	const n = 20_000
	s, key := vector.NewGenerator(vector.SharedKey(3), "first"), vector.SimulatedKey(3, "a")
	rounds, names := make([]float64, n), make([]float64, n)
	for i := range n {
		s.Round(uint64(i))
		rounds[i] = s.Float64()
		names[i] = vector.NewGenerator(key, string([]byte{byte(i), byte(i >> 8)})).Float64()
	}
	for name, u := range map[string][]float64{"rounds": rounds, "names": names} {
		var mean, lag float64
		for i := range u {
			mean += (u[i] - 0.5) / n
			lag += (u[i] - 0.5) * (u[(i+1)%n] - 0.5) / n
		}
		// One uniform has variance 1/12, so a product of two has standard deviation 1/12.
		if se := math.Sqrt(1.0 / 12 / n); math.Abs(mean) > 4.5*se {
			t.Errorf("%s: mean off by %v ± %v", name, mean, se)
		}
		if se := 1.0 / 12 / math.Sqrt(n); math.Abs(lag) > 4.5*se {
			t.Errorf("%s: covariance of neighbours %v ± %v", name, lag, se)
		}
	}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestDrawingAllocatesNothing(t *testing.T) {
	s := vector.NewGenerator(vector.SharedKey(1), "eps")
	buffer := make([]float64, 1000)
	n := testing.AllocsPerRun(20, func() {
		s.Next()
		s.Normals(buffer)
		s.FillNormals(buffer)
		buffer[0] = s.Float64() + s.Rand().ExpFloat64()
	})
	if n != 0 {
		t.Errorf("%v allocations per round", n)
	}
}

func BenchmarkNormals(b *testing.B)     { benchmark(b, (*vector.Generator).Normals) }
func BenchmarkFillNormals(b *testing.B) { benchmark(b, (*vector.Generator).FillNormals) }

func benchmark(b *testing.B, normals func(*vector.Generator, []float64)) {
	s := vector.NewGenerator(vector.SharedKey(1), "eps")
	buffer := make([]float64, 1000)
	b.SetBytes(8 * int64(len(buffer)))
	b.ReportAllocs()
	for b.Loop() {
		s.Next()
		normals(s, buffer)
	}
}
