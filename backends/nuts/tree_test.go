package nuts

import (
	"context"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/testmodel"
)

// begun is an initialised chain over a density.
func begun(t *testing.T, d testmodel.Density, seed uint64, given map[string]string) *chain {
	t.Helper()
	s, err := Algorithm().Resolve(stdlib.NoTransform, given)
	if err != nil {
		t.Fatal(err)
	}
	k, err := newChain(d.Env(seed), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	return k
}

// bent is a density of any dimension that is neither Gaussian nor independent.
func bent(dims []int, scale []float64) testmodel.Density {
	return testmodel.Density{Dims: dims, Log: func(x, grad []float64) float64 {
		lp := 0.0
		for i, v := range x {
			z := v / scale[i]
			lp -= 0.5*z*z + 0.1*z*z*z*z
			grad[i] = -(z + 0.4*z*z*z) / scale[i]
		}
		for i := 1; i < len(x); i++ {
			r := x[i] - x[i-1]
			lp -= 0.3 * r * r
			grad[i] -= 0.6 * r
			grad[i-1] += 0.6 * r
		}
		return lp
	}}
}

// A naive is the sampler as it is written down: recursion over lists of states, all of which are kept.
type naive struct {
	log       func(x, grad []float64) float64
	inverse   []float64
	mean      []float64 // of the reference; nil: none
	eps, h0   float64
	choices   density.Stream
	dirs      uint64
	leapfrogs int
	accept    float64
}

type naiveState struct {
	q, p, g []float64
	lp, h   float64
}

func (n *naive) state(q, p []float64) naiveState {
	s := naiveState{q: q, p: p, g: make([]float64, len(q))}
	s.lp = n.log(q, s.g)
	s.h = -s.lp
	for i, v := range p {
		s.h += 0.5 * v * v * n.inverse[i]
	}
	return s
}

func (n *naive) leapfrog(s naiveState, eps float64) naiveState {
	q, p := slices.Clone(s.q), slices.Clone(s.p)
	for i := range q {
		if p[i] += 0.5 * eps * s.g[i]; n.mean == nil {
			q[i] += eps * n.inverse[i] * p[i]
			continue
		}
		x, v := q[i]-n.mean[i], (q[i]-n.mean[i])/n.inverse[i]
		p[i] += 0.5 * eps * v
		q[i], p[i] = n.mean[i]+math.Cos(eps)*x+math.Sin(eps)*n.inverse[i]*p[i],
			math.Cos(eps)*p[i]-math.Sin(eps)*v
	}
	next := n.state(q, p)
	for i := range p {
		if p[i] += 0.5 * eps * next.g[i]; n.mean != nil {
			p[i] += 0.5 * eps * (q[i] - n.mean[i]) / n.inverse[i]
		}
	}
	return n.state(q, p)
}

// build makes 2^depth states from s, in the order of their making; false: it stopped at the last of them.
func (n *naive) build(s naiveState, depth int, eps float64) ([]naiveState, bool) {
	if depth == 0 {
		next := n.leapfrog(s, eps)
		n.leapfrogs++
		n.accept += math.Min(1, math.Exp(n.h0-next.h))
		return []naiveState{next}, n.h0-next.h >= -maxEnergyError
	}
	left, ok := n.build(s, depth-1, eps)
	if !ok {
		return left, false
	}
	right, ok := n.build(left[len(left)-1], depth-1, eps)
	return append(slices.Clone(left), right...), ok && n.noUTurn(left, right)
}

// straight is Stan's criterion: over both runs, and over each with the nearest state of the other.
func (n *naive) noUTurn(left, right []naiveState) bool {
	both := append(slices.Clone(left), right...)
	return n.over(both) && n.over(both[:len(left)+1]) && n.over(both[len(left)-1:])
}

func (n *naive) over(run []naiveState) bool {
	sum := make([]float64, len(n.inverse))
	for _, s := range run {
		for i, v := range s.p {
			sum[i] += v
		}
	}
	for _, end := range []naiveState{run[0], run[len(run)-1]} {
		d := 0.0
		for i, v := range sum {
			d += v * n.inverse[i] * end.p[i]
		}
		if !(d > 0) {
			return false
		}
	}
	return true
}

// transition returns the next draw from q with momentum p, and the depth of the tree.
func (n *naive) transition(q, p []float64, most int) (naiveState, int) {
	start := n.state(q, p)
	n.h0 = start.h
	all, sample, depth, total := []naiveState{start}, start, 0, 1.0 // in the order of time; Σ weights
	for depth < most {
		forward := n.dirs>>depth&1 == 1
		from, eps := all[len(all)-1], n.eps
		if !forward {
			from, eps = all[0], -n.eps
		}
		made, ok := n.build(from, depth, eps)
		if !ok {
			break
		}
		candidate, weights := made[0], 0.0
		for i, s := range made {
			w := math.Exp(n.h0 - s.h)
			if weights += w; i > 0 && n.choices.Float64() < w/weights {
				candidate = s
			}
		}
		depth++
		if weights > total || n.choices.Float64() < weights/total {
			sample = candidate
		}
		total += weights
		if !forward {
			slices.Reverse(all)
		}
		goes := n.noUTurn(all, made)
		if all = append(all, made...); !forward {
			slices.Reverse(all)
		}
		if !goes {
			break
		}
	}
	return sample, depth
}

// Given the same random numbers, the iterative tree with its O(depth) memory makes the draws of the naive
// recursion: for one party and several, with a reference and without, any step size, and trees that end by a
// U-turn, the greatest depth or a divergence.
func TestTreeIsTheNaiveRecursion(t *testing.T) {
	const most = 6
	depths := map[int]int{}
	rapid.Check(t, func(rt *rapid.T) {
		dims := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 3).Draw(rt, "dims")
		dims[0]++
		dim := 0
		for _, n := range dims {
			dim += n
		}
		scale := rapid.SliceOfN(rapid.Float64Range(0.2, 5), dim, dim).Draw(rt, "scale")
		d := bent(dims, scale)
		k := begun(t, d, rapid.Uint64().Draw(rt, "seed"), map[string]string{"warmup": "0", "max-depth": "6",
			"metric": "diag"})
		k.eps = math.Exp(rapid.Float64Range(-4, 1.5).Draw(rt, "log eps"))
		var mean []float64
		if rapid.Bool().Draw(rt, "reference") {
			mean = rapid.SliceOfN(rapid.Float64Range(-1, 1), dim, dim).Draw(rt, "mean")
			at := mean
			for _, s := range k.parties {
				s.metric.ref.on = true
				at = at[copy(s.metric.ref.mean, at):]
			}
			k.refer()
		}
		for range 5 {
			n := &naive{log: d.Log, mean: mean, eps: k.eps, choices: k.env.Shared("nuts tree")}
			n.choices.Round(uint64(k.done))
			n.dirs = n.choices.Rand().Uint64()
			var p []float64
			for b, s := range k.parties {
				n.inverse = append(n.inverse, s.metric.inverse...)
				from := k.env.Private(b, "nuts momentum")
				from.Round(uint64(k.done))
				v := make([]float64, s.dim())
				from.FillNormals(v)
				for i := range v {
					v[i] /= math.Sqrt(s.metric.inverse[i])
				}
				p = append(p, v...)
			}
			want, depth := n.transition(slices.Concat(k.now.q.at...), p, most)
			if _, err := k.Step(context.Background()); err != nil {
				rt.Fatal(err)
			}
			depths[depth]++
			if k.last.Depth != depth || k.last.Leapfrogs != n.leapfrogs {
				rt.Fatalf("depth %d with %d leapfrogs, naively %d with %d", k.last.Depth, k.last.Leapfrogs,
					depth, n.leapfrogs)
			}
			close := func(what string, got, want float64) {
				if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					rt.Fatalf("%s is %.15g, naively %.15g", what, got, want)
				}
			}
			for i, x := range slices.Concat(k.now.q.at...) {
				close("the draw", x, want.q[i])
			}
			close("the log density", k.last.LogDensity, want.lp)
			close("the energy", k.last.Energy, want.h)
			close("the acceptance statistic", k.last.Accept, n.accept/float64(n.leapfrogs))
		}
	})
	for depth := range most + 1 {
		if depths[depth] == 0 {
			t.Errorf("no tree of depth %d was tried: %v", depth, depths)
		}
	}
}

// Steps forward and as many back return to where they began, whatever the metric.
func TestLeapfrogIsReversible(t *testing.T) {
	for _, form := range []string{"diag", "dense"} {
		k := begun(t, bent([]int{2, 3}, []float64{1, 2, 0.5, 1, 3}), 3,
			map[string]string{"warmup": "200", "metric": form})
		for range 200 { // finds a metric
			if _, err := k.Step(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if !k.parties[0].metric.ref.on {
			t.Fatalf("%s: the warm-up has found no reference", form)
		}
		k.startTrajectory()
		at, p := k.tree.ends[1], k.tree.endMomenta[1]
		first := at.hold()
		for _, eps := range []float64{k.eps, -k.eps} {
			for range 10 {
				next, to, err := k.leapfrog(context.Background(), at, p, eps)
				if err != nil {
					t.Fatal(err)
				}
				k.pool.dropPoint(at)
				k.pool.drop(p)
				at, p = next, to
			}
		}
		for b := range at.q.at {
			for i, x := range at.q.at[b] {
				if want := first.q.at[b][i]; math.Abs(x-want) > 1e-10 {
					t.Errorf("%s: coordinate %d of party %d is %v, was %v", form, i, b, x, want)
				}
			}
		}
		if at.index != 0 {
			t.Errorf("the index is %d", at.index)
		}
	}
}

// A wall that the trajectory runs into, of infinite height or of not-a-numbers, is a divergence; draws stay
// where the density is, and are those of the truncated density: a half normal's mean is √(2/π).
func TestDivergence(t *testing.T) {
	for name, beyond := range map[string]float64{"zero": math.Inf(-1), "not a number": math.NaN(),
		"infinite": math.Inf(1)} {
		d := testmodel.Density{Dims: []int{1, 1}, Log: func(x, grad []float64) float64 {
			grad[0], grad[1] = -x[0], -x[1]
			if x[0] < 0 {
				grad[0] = math.NaN()
				return beyond
			}
			return -0.5*x[0]*x[0] - 0.5*x[1]*x[1]
		}}
		k := begun(t, d, 1, map[string]string{"warmup": "300"})
		divergent, sum, n := 0, 0.0, 0
		for range 4300 {
			info, err := k.Step(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			x := k.now.q.at[0][0]
			if x < 0 || !finite(k.last.LogDensity) || !finite(k.last.Energy) || !finite(k.eps) {
				t.Fatalf("%s: a draw at %v with log density %v, energy %v, step size %v", name, x,
					k.last.LogDensity, k.last.Energy, k.eps)
			}
			if info.Transition.Divergent {
				divergent++
			}
			if n++; n > 300 {
				sum += x
			}
		}
		if divergent == 0 || k.bad < divergent {
			t.Errorf("%s: %d divergences, %d evaluations that were not finite", name, divergent, k.bad)
		}
		// Effective draws are at least a tenth of 4000, the sd is 0.6: five standard errors are 0.15.
		if mean := sum / 4000; math.Abs(mean-math.Sqrt(2/math.Pi)) > 0.15 {
			t.Errorf("%s: mean %v, want %v", name, mean, math.Sqrt(2/math.Pi))
		}
	}
}

// Where no starting point has a finite density, the error names what was not finite; where no step size is
// small enough, it says that.
func TestHopelessStarts(t *testing.T) {
	nowhere := testmodel.Density{Dims: []int{2}, Log: func(_, grad []float64) float64 { return math.Inf(-1) }}
	lp := 0.0
	steep := testmodel.Density{Dims: []int{1}, Log: func(_, grad []float64) float64 {
		grad[0] = 1
		lp-- // however near the next point is
		return lp
	}}
	for want, d := range map[string]testmodel.Density{"100 starting points: party 0: the log " +
		"density of all parties is -Inf": nowhere, "no step size is small enough": steep} {
		s, err := Algorithm().Resolve(stdlib.NoTransform, nil)
		if err != nil {
			t.Fatal(err)
		}
		k, err := newChain(d.Env(1), s)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Init(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Neither phase allocates, whatever the depth of the tree: the contract tries the beginning alone.
func TestNoStepAllocates(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the collector allocates too
	scale := make([]float64, 30)
	for i := range scale {
		scale[i] = math.Exp(float64(i%5) - 2)
	}
	for _, given := range []map[string]string{{}, {"metric": "dense"}, {"metric": lowRank},
		{"metric": jointMetric}, {"target-accept": "0.7"}} {
		given["warmup"] = "150"
		d := bent([]int{10, 20}, scale)
		if given["metric"] == lowRank || given["metric"] == jointMetric {
			d = leaning(40, 2)
		}
		k := begun(t, d, 1, given)
		// the mean of two, rounded down: the runtime may allocate once beside them
		n := testing.AllocsPerRun(2, func() {
			for range 200 {
				if _, err := k.Step(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		})
		if n != 0 {
			t.Errorf("%v: %v allocations", given, n)
		}
	}
}
