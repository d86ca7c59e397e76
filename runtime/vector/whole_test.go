package vector

import (
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// A room hands out the slices that a function works on, filled with numbers. It keeps them for comparison,
// and can hand out the same slices again.
type room struct {
	r     *rand.Rand
	make  func(n int) []float64
	gap   int // between columns
	given [][]float64
	more  []float64 // results that are numbers
	again bool
	next  int
}

// fill hands out n numbers from a source.
func (m *room) fill(n int, number func() float64) []float64 {
	if m.again {
		m.next++
		return m.given[m.next-1]
	}
	a := m.make(n)
	for i := range a {
		a[i] = number()
	}
	m.given = append(m.given, a)
	return a
}

func (m *room) floats(n int) []float64 { return m.fill(n, m.r.NormFloat64) }

// counts are whole numbers from 0 to 9.
func (m *room) counts(n int) []float64 {
	return m.fill(n, func() float64 { return float64(m.r.IntN(10)) })
}

func (m *room) words(n int) []uint64 {
	a := m.fill(n, func() float64 { return math.Float64frombits(m.r.Uint64()) })
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(a))), n)
}

// signs are those of n observations.
func (m *room) signs(n int) []int8 {
	a := m.fill(signs(n)/8, func() float64 {
		return math.Float64frombits(m.r.Uint64() >> 7 & 0x0101010101010101 * 0xff)
	})
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(a))), signs(n))
}

// index returns n indices below k.
func (m *room) index(n, k int) []int32 {
	a := m.fill((n+1)/2, func() float64 {
		return math.Float64frombits(uint64(m.r.IntN(k)) | uint64(m.r.IntN(k))<<32)
	})
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(a))), n)
}

// segments divide n rows among k elements, at random.
func (m *room) segments(n, k int) []int32 {
	v := m.index(3*k, 1)
	if m.again {
		return v
	}
	cuts := make([]int, k+1)
	for i := 1; i < k; i++ {
		cuts[i] = m.r.IntN(n + 1)
	}
	cuts[k] = n
	slices.Sort(cuts)
	for l := range k {
		v[3*l], v[3*l+1], v[3*l+2] = int32(cuts[l]), int32(cuts[l+1]), int32(k-1-l)
	}
	return v
}

func (m *room) lanes() *[lanes]float64 {
	return (*[lanes]float64)(m.fill(lanes, func() float64 { return 1 + m.r.Float64() }))
}

func (m *room) result(v ...float64) { m.more = append(m.more, v...) }

// A call runs one function on a set, for n rows and matrices of k by c columns; every slice has just the
// length that the function may touch.
type call struct {
	name string
	run  func(on InstructionSet, n, k, c int, m *room)
}

func mapOf(name string, f func(on InstructionSet, n int, y, a []float64)) call {
	return call{name, func(on InstructionSet, n, _, _ int, m *room) { f(on, n, m.floats(n), m.floats(n)) }}
}

func mapOf2(name string, f func(on InstructionSet, n int, y, a, b []float64)) call {
	return call{name, func(on InstructionSet, n, _, _ int, m *room) {
		f(on, n, m.floats(n), m.floats(n), m.floats(n))
	}}
}

// calls lists every function that has assembly.
func calls() []call {
	all := []call{
		mapOf("accumulate", accumulate), mapOf2("weight", weight), mapOf("neg", neg), mapOf("sqrt", sqrt),
		mapOf("relu", relu),
		mapOf2("mulAdd", mulAdd), mapOf2("add", add), mapOf2("sub", sub), mapOf2("mul", mul),
		mapOf2("div", div),
		mapOf2("tanhBack", tanhBack), mapOf2("sigmoidBack", sigmoidBack), mapOf2("reluBack", reluBack),
		mapOf2("risingValue", risingValue), mapOf2("risingSlope", risingSlope),
		{"shift", func(on InstructionSet, n, _, _ int, m *room) { shift(on, n, m.floats(n), 1.3) }},
		{"fill", func(on InstructionSet, n, _, _ int, m *room) { fill(on, n, m.floats(n), 1.3) }},
		{"axpy", func(on InstructionSet, n, _, _ int, m *room) {
			axpy(on, n, m.floats(n), 1.3, m.floats(n))
		}},
		{"approach", func(on InstructionSet, n, _, _ int, m *room) {
			approach(on, n, m.floats(n), 0.3, m.floats(n))
		}},
		{"addScalar", func(on InstructionSet, n, _, _ int, m *room) {
			addScalar(on, n, m.floats(n), m.floats(n), 1.3)
		}},
		{"subFrom", func(on InstructionSet, n, _, _ int, m *room) {
			subFrom(on, n, m.floats(n), 1.3, m.floats(n))
		}},
		{"scale", func(on InstructionSet, n, _, _ int, m *room) {
			scale(on, n, m.floats(n), m.floats(n), 1.3)
		}},
		{"divScalar", func(on InstructionSet, n, _, _ int, m *room) {
			divScalar(on, n, m.floats(n), m.floats(n), 1.3)
		}},
		{"divInto", func(on InstructionSet, n, _, _ int, m *room) {
			divInto(on, n, m.floats(n), 1.3, m.floats(n))
		}},
		{"fma", func(on InstructionSet, n, _, _ int, m *room) {
			fma(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n))
		}},
		{"mix", func(on InstructionSet, n, _, _ int, m *room) {
			mix(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n))
		}},
		{"mixBack", func(on InstructionSet, n, _, _ int, m *room) {
			mixBack(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				m.floats(n))
		}},
		{"scaleAdd", func(on InstructionSet, n, _, _ int, m *room) {
			scaleAdd(on, n, m.floats(n), 1.3, m.floats(n), m.floats(n))
		}},
		{"choose", func(on InstructionSet, n, _, _ int, m *room) {
			choose(on, n, m.floats(n), m.counts(n), m.floats(n), m.floats(n))
		}},
		{"sum", func(on InstructionSet, n, _, _ int, m *room) { m.result(sum(on, n, m.floats(n))) }},
		{"dot", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(dot(on, n, m.floats(n), m.floats(n)))
		}},
		{"gather", func(on InstructionSet, n, k, _ int, m *room) {
			gatherOn(on, n, m.floats(n), m.floats(k), m.index(n, k))
		}},
		{"segmentFill", func(on InstructionSet, n, k, _ int, m *room) {
			segmentFill(on, k, m.segments(n, k), m.floats(n), n, m.floats(k), k)
		}},
		{"segmentSumsAdd", func(on InstructionSet, n, k, _ int, m *room) {
			segmentSumsAdd(on, k, m.segments(n, k), m.floats(n), n, m.floats(k), k)
		}},
	}
	for _, f := range functions()[:13] {
		all = append(all, mapOf(f.name, f.on))
	}
	return slices.Concat(all, matrixCalls(), likelihoodCalls(), linearCalls(), samplerCalls(), chainCalls())
}

func matrixCalls() []call {
	return []call{
		{"matVec", func(on InstructionSet, n, k, c int, m *room) {
			s := n + m.gap
			matVec(on, n, m.floats(n), m.floats((k-1)*s+n), s, m.floats((k-1)*c+1), c, k)
		}},
		{"matTVecAdd", func(on InstructionSet, n, k, c int, m *room) {
			s := n + m.gap
			step := 1 + c%2
			matTVecAdd(on, n, m.floats((k-1)*step+1), step, m.floats((k-1)*s+n), s, m.floats(n), k)
		}},
		{"dense", func(on InstructionSet, n, k, c int, m *room) {
			xs, ys := n+m.gap, n+m.gap
			dense(on, n, m.floats((c-1)*ys+n), ys, m.floats((k-1)*xs+n), xs, m.floats(k*c), c, 1, k, c,
				m.floats(c))
		}},
		{"denseRelu", func(on InstructionSet, n, k, c int, m *room) {
			xs, ys := n+m.gap, n+m.gap
			denseRelu(on, n, m.floats((c-1)*ys+n), ys, m.floats((k-1)*xs+n), xs, m.floats(k*c), c, 1, k, c,
				m.floats(c))
		}},
		{"denseAdd", func(on InstructionSet, n, k, c int, m *room) {
			xs, ys := n+m.gap, n+m.gap
			denseAdd(on, n, m.floats((c-1)*ys+n), ys, m.floats((k-1)*xs+n), xs, m.floats(k*c), 1, k, k, c)
		}},
		{"denseTanhBack", func(on InstructionSet, n, k, c int, m *room) {
			ys, xs := n+m.gap, n+m.gap
			denseTanhBack(on, n, m.floats((c-1)*ys+n), ys, m.floats((k-1)*xs+n), xs, m.floats(k*c), c, 1, k,
				c, m.floats((c-1)*ys+n))
		}},
		{"denseGradient", func(on InstructionSet, n, k, c int, m *room) {
			xs, ds := n+m.gap, n+m.gap
			denseGradient(on, n, m.floats(k*c), c, 1, m.floats((k-1)*xs+n), xs, m.floats((c-1)*ds+n), ds, k,
				c)
		}},
	}
}

func likelihoodCalls() []call {
	return []call{
		{"bernoulliLogitSigns", func(on InstructionSet, n, _, _ int, m *room) {
			bernoulliLogitSigns(on, n, m.lanes(), m.lanes(), m.floats(n), m.signs(n), m.floats(n))
		}},
		{"bernoulliLogit", func(on InstructionSet, n, _, _ int, m *room) {
			bernoulliLogit(on, n, m.lanes(), m.lanes(), m.floats(n), m.counts(n), m.floats(n))
		}},
		{"binomialLogit", func(on InstructionSet, n, _, _ int, m *room) {
			binomialLogit(on, n, m.lanes(), m.lanes(), m.floats(n), m.counts(n), 9, m.floats(n))
		}},
		{"binomialTrials", func(on InstructionSet, n, _, _ int, m *room) {
			binomialTrials(on, n, m.lanes(), m.floats(n), m.counts(n), m.counts(n), m.floats(n))
		}},
		{"poissonLog", func(on InstructionSet, n, _, _ int, m *room) {
			poissonLog(on, n, m.lanes(), m.floats(n), m.counts(n), m.floats(n))
		}},
		{"negBinomial2Log", func(on InstructionSet, n, _, _ int, m *room) {
			negBinomial2Log(on, n, m.lanes(), m.lanes(), m.floats(n), m.counts(n), 2.5, 0.9, 0.4, m.floats(n))
		}},
		{"normal", func(on InstructionSet, n, _, _ int, m *room) {
			normal(on, n, m.lanes(), m.floats(n), m.floats(n), 0.7, m.floats(n))
		}},
		{"studentT", func(on InstructionSet, n, _, _ int, m *room) {
			studentT(on, n, m.lanes(), m.lanes(), m.lanes(), m.floats(n), m.floats(n), 0.7, 3.1, m.floats(n))
		}},
		{"bernoulliProbit", func(on InstructionSet, n, _, _ int, m *room) {
			bernoulliProbit(on, n, m.lanes(), m.floats(n), m.counts(n), m.floats(n))
		}},
		{"risingFar", func(on InstructionSet, n, _, _ int, m *room) {
			risingFar(on, n, m.lanes(), m.lanes(), m.counts(n), m.counts(n), 25, 0.04, 2.2, 0.01, 0.02)
		}},
	}
}

func samplerCalls() []call {
	return []call{
		{"boxMuller", func(on InstructionSet, n, _, _ int, m *room) {
			boxMuller(on, n, m.floats(n), m.floats(n), m.words(n), m.words(n))
		}},
		{"chaCha8", func(on InstructionSet, n, _, _ int, m *room) {
			n = n%3 + 1
			chaCha8(on, n, m.words(Batch*n), (*[16]uint32)(unsafe.Pointer(unsafe.SliceData(m.words(8)))))
		}},
		{"guideDraw", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(guideDraw(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				m.floats(n), m.floats(n), 0.7, -1))
		}},
		{"guideDrawSloped", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(guideDrawSloped(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), 0.7, -1))
		}},
		{"guideDrawApart", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(guideDrawApart(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				m.floats(n), m.floats(n), m.floats(n), 0.7, -1, 1.3))
		}},
		{"guideBack", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(guideBack(on, n, m.floats(n), m.floats(n), m.floats(n), 0.7, 1.2, m.floats(n),
				m.floats(n), m.floats(n), m.floats(n), m.floats(n)))
		}},
		{"guideBackSloped", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(guideBackSloped(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				0.7, 1.2,
				m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n)))
		}},
		{"guideBackApart", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(guideBackApart(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), 0.7, 1.2, 1.3,
				m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n)))
		}},
		{"guideBackNet", func(on InstructionSet, n, _, _ int, m *room) {
			guideBackNet(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), 0.7, 1.2,
				m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n))
		}},
		{"adam", func(on InstructionSet, n, _, _ int, m *room) {
			adam(on, n, m.floats(n), m.floats(n), m.counts(n), m.floats(n), 3e4, 1e-9, 0.9, 0.999)
		}},
		{"leapfrogStart", func(on InstructionSet, n, _, _ int, m *room) {
			leapfrogStart(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				0.1, 0.2)
		}},
		{"leapfrogEnd", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(leapfrogEnd(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), 0.1))
		}},
		{"rotateStart", func(on InstructionSet, n, _, _ int, m *room) {
			rotateStart(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				m.floats(n), m.floats(n), m.floats(n), 0.1, -0.2, 0.8, 0.6)
		}},
		{"rotateEnd", func(on InstructionSet, n, _, _ int, m *room) {
			m.result(rotateEnd(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), 0.1))
		}},
		{"turn", func(on InstructionSet, n, _, _ int, m *room) {
			turn(on, n, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), -0.2,
				0.8, 0.6)
		}},
		{"turns", func(on InstructionSet, n, _, _ int, m *room) {
			var out [6]float64
			turns(on, n, &out, m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n), m.floats(n),
				m.floats(n), m.floats(n))
			m.result(out[:]...)
		}},
	}
}

// everything returns the contents of all slices after a call, and the results that are numbers.
func (c call) everything(on InstructionSet, n, k, cols int, seed uint64,
	alloc func(n int) []float64) []float64 {
	m := &room{r: rand.New(rand.NewPCG(seed, 1)), make: alloc}
	m.gap = m.r.IntN(3)
	c.run(on, n, k, cols, m)
	return append(slices.Concat(m.given...), m.more...)
}

// compareSets compares every function on every set with the portable one, bit for bit.
func compareSets(t *testing.T, n, k, cols int, seed uint64, alloc func(n int) []float64) {
	t.Helper()
	for _, c := range calls() {
		c.compare(t, n, k, cols, seed, alloc)
	}
}

func (c call) compare(t *testing.T, n, k, cols int, seed uint64, alloc func(n int) []float64) {
	t.Helper()
	want := slices.Clone(c.everything(Portable, n, k, cols, seed, alloc))
	for _, set := range Sets()[1:] {
		got := c.everything(set, n, k, cols, seed, alloc)
		for i := range want {
			if !same(got[i], want[i]) {
				t.Fatalf("%s of %d×%d×%d on %v: number %d is %x, portable %x", c.name, n, k, cols, set, i,
					got[i], want[i])
			}
		}
	}
}

func plain(n int) []float64 { return make([]float64, n) }

// Every function with assembly is in calls: only those are compared, fenced and timed.
func TestAllFunctionsAreListed(t *testing.T) {
	text, err := os.ReadFile("tiers_other.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^func (\w+)\(_ Set`).FindAllStringSubmatch(string(text), -1) {
		if !slices.ContainsFunc(calls(), func(c call) bool {
			name, _, _ := strings.Cut(c.name, " ")
			return name == m[1]
		}) {
			t.Errorf("%s is not in calls", m[1])
		}
	}
}

func TestAllFunctionsAgreeBetweenSets(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for n := range 41 {
		compareSets(t, n, 1+r.IntN(19), 1+r.IntN(19), r.Uint64(), plain)
	}
	for range 20 {
		compareSets(t, r.IntN(300), 1+r.IntN(19), 1+r.IntN(19), r.Uint64(), plain)
	}
}

// FuzzSets compares one function at a time.
func FuzzSets(f *testing.F) {
	all := calls()
	for i := range all {
		f.Add(uint8(i), uint16(33+i), uint8(i), uint8(5), uint64(i))
	}
	f.Fuzz(func(t *testing.T, which uint8, n uint16, k, cols uint8, seed uint64) {
		all[int(which)%len(all)].compare(t, int(n%600), 1+int(k%24), 1+int(cols%24), seed, plain)
	})
}

// replay returns a function that runs a function again and again on the same slices.
func (c call) replay(on InstructionSet, n, k, cols int) func() {
	m := &room{r: rand.New(rand.NewPCG(1, 1)), make: plain, more: make([]float64, 0, 8)}
	c.run(on, n, k, cols, m)
	m.again = true
	return func() {
		m.next, m.more = 0, m.more[:0]
		c.run(on, n, k, cols, m)
	}
}

// No function allocates.
func TestFunctionsAllocateNothing(t *testing.T) {
	for _, c := range calls() {
		for _, set := range Sets() {
			if n := testing.AllocsPerRun(10, c.replay(set, 77, 9, 5)); n != 0 {
				t.Errorf("%s on %v allocates %v times", c.name, set, n)
			}
		}
	}
}
