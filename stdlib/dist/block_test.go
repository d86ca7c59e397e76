package dist

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
)

// A sample is a block of points with parameters: some the same for all elements (Step 0), some one for each.
type sample struct {
	d     def.Dist
	n     int
	x     def.BlockArg
	theta []def.BlockArg
}

// newSample draws n elements; bit 0 of vectors says whether x has one value per element, bit k+1 whether
// parameter k has.
func newSample(d def.Dist, n, vectors int, r *rand.Rand) sample {
	s := sample{d: d, n: n, theta: make([]def.BlockArg, len(d.Params))}
	values := make([][]float64, len(d.Params))
	common := drawTheta(d, r)
	var xs []float64
	for range n {
		theta := drawTheta(d, r)
		if moving(d) { // one x lies above every location, and inside every end
			theta[0], common[0] = 0.01*theta[0], 0.01
		}
		if d.Support == def.Interval { // any lower bound must be below any upper bound
			theta[0], theta[1] = -1-math.Abs(theta[0]), 1+math.Abs(theta[1])
			common[0], common[1] = -1.5, 1.25
		}
		if d.Support == def.WholeInterval {
			theta[0], theta[1] = -theta[0], theta[1]+40
			common[0], common[1] = 0, 40
		}
		if d.Support == def.UpToN && d.Narrow != nil { // any number drawn is there
			theta[0], common[0] = float64(1+r.IntN(2)), 2
		}
		for k := range theta {
			if vectors>>(k+1)&1 == 0 {
				theta[k] = common[k]
			}
			values[k] = append(values[k], theta[k])
		}
		xs = append(xs, drawX(d, r, theta))
	}
	s.x = def.Vector(xs)
	if vectors&1 == 0 {
		s.x = def.Scalar(inEvery(d, xs))
	}
	for k, v := range values {
		s.theta[k] = def.Vector(v)
		if vectors>>(k+1)&1 == 0 {
			s.theta[k] = def.Scalar(common[k])
		}
	}
	return s
}

// inEvery is a point that lies in the support for all parameters drawn above.
func inEvery(d def.Dist, xs []float64) float64 {
	switch {
	case moving(d):
		return 0.05
	case d.Support == def.Interval:
		return 0.5
	case d.Support == def.UpToN || d.Support == def.WholeInterval:
		return 1
	case d.Support == def.FromFirst:
		return slices.Max(xs)
	}
	return xs[0]
}

// block returns the block of s with all outputs, or with the gradient alone.
func (s sample) block(lp bool) *def.Batch {
	b := &def.Batch{N: s.n, X: s.x, Theta: s.theta, DX: make([]float64, s.n)}
	for range s.theta {
		b.DTheta = append(b.DTheta, make([]float64, s.n))
	}
	if lp {
		b.LP = make([]float64, s.n)
	}
	return b
}

// one returns element i as a block of its own, with all outputs.
func (s sample) one(i int) *def.Batch {
	e := sample{d: s.d, n: 1, x: def.Vector([]float64{s.x.At(i)})}
	for _, a := range s.theta {
		e.theta = append(e.theta, def.Vector([]float64{a.At(i)}))
	}
	return e.block(true)
}

// within compares to the rounding error of a sum whose terms have the given total size.
func within(got, want, size float64) bool { return math.Abs(got-want) <= 1e-13*math.Max(1, size) }

// eachSample runs f for every distribution, every choice of which arguments are vectors, and lengths around
// the block sizes in the loops.
func eachSample(t *testing.T, f func(t *testing.T, s sample)) {
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(11, 12))
		for vectors := range 1 << (len(d.Params) + 1) {
			for _, n := range []int{1, 2, 63, 64, 65, 150} {
				f(t, newSample(d, n, vectors, r))
			}
		}
	})
}

// A block gives what its elements give one by one, whichever arguments are broadcast and whichever outputs
// are wanted.
func TestBlocks(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		all, gradient := s.block(true), s.block(false)
		value := &def.Batch{N: s.n, X: s.x, Theta: s.theta}
		total, size := s.d.LogDensity(all), 0.0
		sum := 0.0
		for i := range s.n {
			e := s.one(i)
			want := s.d.LogDensity(e)
			sum += want
			size += math.Abs(want)
			if all.LP[i] != want || e.LP[0] != want {
				t.Fatalf("element %d of %d: LP %v, alone %v", i, s.n, all.LP[i], want)
			}
		}
		if !within(total, sum, size) || math.IsInf(total, 0) {
			t.Fatalf("sum %v, of the elements %v", total, sum)
		}
		if got := s.d.LogDensity(gradient); !within(got, total, size) {
			t.Fatalf("with gradient alone %v, with all outputs %v", got, total)
		}
		if got := s.d.LogDensity(value); !within(got, total, size) {
			t.Fatalf("without outputs %v, with all %v", got, total)
		}
		for i := range s.n {
			e := s.one(i)
			s.d.LogDensity(e)
			compare(t, s, i, "x", e.DX[0], all.DX[i], gradient.DX[i])
			for k, p := range s.d.Params {
				compare(t, s, i, p.Name, e.DTheta[k][0], all.DTheta[k][i], gradient.DTheta[k][i])
			}
		}
	})
}

func compare(t *testing.T, s sample, i int, name string, want float64, got ...float64) {
	t.Helper()
	for _, g := range got {
		if !within(g, want, math.Abs(want)) {
			t.Fatalf("element %d of %d: partial in %s is %v, alone %v", i, s.n, name, g, want)
		}
	}
}

// Each output may be the only one wanted.
func TestSingleOutputs(t *testing.T) {
	eachSample(t, func(t *testing.T, s sample) {
		all := s.block(true)
		s.d.LogDensity(all)
		b := &def.Batch{N: s.n, X: s.x, Theta: s.theta, DX: make([]float64, s.n)}
		s.d.LogDensity(b)
		compareAll(t, s, "x", all.DX, b.DX)
		for k, p := range s.d.Params {
			b := &def.Batch{N: s.n, X: s.x, Theta: s.theta, DTheta: make([][]float64, len(s.theta))}
			b.DTheta[k] = make([]float64, s.n)
			s.d.LogDensity(b)
			compareAll(t, s, p.Name, all.DTheta[k], b.DTheta[k])
		}
	})
}

func compareAll(t *testing.T, s sample, name string, want, got []float64) {
	t.Helper()
	for i := range want {
		compare(t, s, i, name, want[i], got[i])
	}
}

func TestEmptyBlock(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		empty := sample{d: d, x: def.Vector(nil), theta: args(drawTheta(d, rand.New(rand.NewPCG(1, 1))))}
		if got := d.LogDensity(empty.block(true)); got != 0 {
			t.Errorf("%v for no elements", got)
		}
	})
}

func TestNoAllocations(t *testing.T) {
	each(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(13, 14))
		for vectors := range 1 << (len(d.Params) + 1) {
			for _, lp := range []bool{false, true} {
				b := newSample(d, 70, vectors, r).block(lp)
				if n := testing.AllocsPerRun(5, func() { d.LogDensity(b) }); n != 0 {
					t.Errorf("%v allocations", n)
				}
			}
		}
	})
}
