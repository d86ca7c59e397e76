package nuts

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func closely(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

// By hand, from ε = 1 and target 0.8: statistics 1 and 0.5 give bias −0.2/11 and then 11/12·(−0.2/11) +
// 0.3/12 = 0.1/12.
func TestStepSizeByHand(t *testing.T) {
	s := stepSize{Target: 0.8}
	s.Restart(1)
	closely(t, "the first step size", s.Current(), 1)
	s.Learn(1)
	first := math.Log(10) + 0.2/11/0.05
	closely(t, "log ε after one statistic", math.Log(s.Current()), first)
	closely(t, "its average", math.Log(s.Final()), first)
	s.Learn(0.5)
	second := math.Log(10) - 0.1/12*math.Sqrt2/0.05
	closely(t, "log ε after two statistics", math.Log(s.Current()), second)
	w := math.Pow(2, -0.75)
	closely(t, "its average", math.Log(s.Final()), w*second+(1-w)*first)
}

func TestStepSizeStaysBelowItsLimit(t *testing.T) {
	s := stepSize{Target: 0.8, Limit: 2}
	s.Restart(1)
	for range 50 {
		s.Learn(1)
	}
	closely(t, "the step size", s.Current(), 2)
}

// Where the statistic falls with the step size, dual averaging finds where it is the target.
func TestStepSizeFindsTheTarget(t *testing.T) {
	for _, start := range []float64{1e-3, 1, 50} {
		s := stepSize{Target: 0.7}
		s.Restart(start)
		for range 2000 {
			s.Learn(math.Exp(-s.Current() / 3))
		}
		if got, want := s.Final(), -3*math.Log(0.7); math.Abs(got/want-1) > 0.03 {
			t.Errorf("from %g: %g, want %g", start, got, want)
		}
	}
}

func TestMomentsByHand(t *testing.T) {
	m, c := newMoments(2), newCovariance(2)
	for _, x := range [][]float64{{9, 9}, {1, 2}} {
		m.Add(x)
		c.Add(x)
	}
	m.Reset()
	c.Reset()
	for _, x := range [][]float64{{1, 2}, {3, -1}, {5, 5}} {
		m.Add(x)
		c.Add(x)
	}
	if diff := cmp.Diff([]float64{8, 18}, m.Squares); diff != "" || m.N != 3 || m.Mean[0] != 3 ||
		m.Mean[1] != 2 {
		t.Errorf("squares %v, mean %v of %d", m.Squares, m.Mean, m.N)
	}
	closely(t, "the product of deviations", c.Products[2], 6)
	closely(t, "the squares", c.Products[3], 18)
}

// Running moments are those of two passes.
func TestMomentsAreThoseOfTwoPasses(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(rt, "n")
		rows := make([][]float64, n)
		m, c := newMoments(3), newCovariance(3)
		for i := range rows {
			rows[i] = rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 3, 3).Draw(rt, "x")
			m.Add(rows[i])
			c.Add(rows[i])
		}
		for a := range 3 {
			for b := range a + 1 {
				var ma, mb, s float64
				for _, x := range rows {
					ma += x[a] / float64(n)
					mb += x[b] / float64(n)
				}
				for _, x := range rows {
					s += (x[a] - ma) * (x[b] - mb)
				}
				if math.Abs(c.Products[3*a+b]-s) > 1e-6 || a == b && math.Abs(m.Squares[a]-s) > 1e-6 {
					rt.Fatalf("products %v, squares %v, want %v", c.Products, m.Squares, s)
				}
			}
		}
	})
}

// Moments of two parts together are those of the whole, whatever the parts.
func TestJoinedMomentsAreThoseOfTheWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		whole, parts := newMoments(2), [2]*moments{newMoments(2), newMoments(2)}
		wholeC, partsC := newCovariance(2), [2]*covariance{newCovariance(2),
			newCovariance(2)}
		for range rapid.IntRange(0, 20).Draw(rt, "n") {
			x, k := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 2, 2).Draw(rt, "x"),
				rapid.IntRange(0, 1).Draw(rt, "part")
			whole.Add(x)
			parts[k].Add(x)
			wholeC.Add(x)
			partsC[k].Add(x)
		}
		parts[0].Join(parts[1])
		partsC[0].Join(partsC[1])
		if parts[0].N != whole.N || partsC[0].N != wholeC.N {
			rt.Fatalf("%d and %d vectors, want %d", parts[0].N, partsC[0].N, whole.N)
		}
		close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6 }
		for i := range 2 {
			if !close(parts[0].Mean[i], whole.Mean[i]) || !close(parts[0].Squares[i], whole.Squares[i]) ||
				!close(partsC[0].Mean[i], wholeC.Mean[i]) {
				rt.Fatalf("%+v, want %+v", parts[0], whole)
			}
		}
		for _, at := range []int{0, 2, 3} {
			if !close(partsC[0].Products[at], wholeC.Products[at]) {
				rt.Fatalf("products %v, want %v", partsC[0].Products, wholeC.Products)
			}
		}
	})
}

// turnsOf returns the transitions after which the background replaced the foreground, of a chain all of
// whose draws count.
func turnsOf(warmup int) (at []int, late, frozen int) {
	u := newSwitches(warmup)
	late, frozen = -1, -1
	for t, background := 0, 1; t < warmup; t++ { // the starting point is in both estimates
		if u.Frozen(t) {
			if frozen < 0 {
				frozen = t
			}
			continue
		}
		background++
		replace, isLate := u.Next(t, background)
		if isLate && late < 0 {
			late = t
		}
		if replace {
			at, background = append(at, t), 0
		}
	}
	return at, late, frozen
}

// By hand for 1000: the first estimate has 10 with the starting point after transition 8, then every tenth up
// to 38; 12, a quarter of 50, after transition 50, 16 after 66, and so on; transition 300 begins the main
// phase with 80, so 350, then 120 more. With 180 more the one after, 270, would end beyond the final phase at
// 850 from 581 on.
func TestTurnsByHand(t *testing.T) {
	at, late, frozen := turnsOf(1000)
	want := []int{8, 18, 28, 38, 50, 66, 87, 115, 153, 203, 270, 350, 470}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Error(diff)
	}
	if frozen != 850 || late != 581 {
		t.Errorf("late from %d, frozen from %d", late, frozen)
	}
}

func TestTurnsOfAnyWarmup(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		warmup := rapid.IntRange(0, 5000).Draw(rt, "warmup")
		at, _, frozen := turnsOf(warmup)
		for k, v := range at {
			if v >= frozen || k > 0 && v-at[k-1] < 10 {
				rt.Fatalf("switches %v of %d, frozen from %d", at, warmup, frozen)
			}
		}
	})
}

func TestNothingAllocates(t *testing.T) {
	s, m, c, u := stepSize{Target: 0.8}, newMoments(50), newCovariance(50),
		newSwitches(1000)
	s.Restart(1)
	x, i := make([]float64, 50), 0
	if n := testing.AllocsPerRun(50, func() {
		s.Learn(0.5)
		m.Add(x)
		c.Add(x)
		u.Next(i, i)
		i++
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
