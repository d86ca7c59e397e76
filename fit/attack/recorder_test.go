package attack

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// A stream shows recorders evaluations whose z and adjoints are random.
type stream struct {
	plan   *model.Plan
	random *rand.Rand
	z      [][]float64
	total  []float64
	part   [][]float64
}

func newStream(plan *model.Plan) *stream {
	return &stream{plan: plan, random: rand.New(rand.NewPCG(3, 4))}
}

func (s *stream) vector(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = s.random.NormFloat64()
	}
	return v
}

// next makes another evaluation of n elements and shows it.
func (s *stream) next(r *Recorder, window, n int) {
	s.z, s.part, s.total = nil, nil, make([]float64, n)
	for range s.plan.Groups[0].Members {
		s.z = append(s.z, s.vector(n))
	}
	for range s.plan.Groups[0].Receivers {
		p := s.vector(n)
		s.part = append(s.part, p)
		for i, v := range p {
			s.total[i] += v
		}
	}
	s.show(r, window)
}

func (s *stream) show(r *Recorder, window int) {
	r.Sent(window, [][][]float64{s.z}, nil)
	r.Answered([][]float64{s.total}, [][][]float64{s.part})
}

// evidenceOf is that of one view of one chain, with a truth of zeros.
func evidenceOf(r *Recorder, k int) *evidence {
	return &evidence{views: []*view{r.views[k]}, rounds: []int{r.rounds},
		center: make([]float64, len(r.views[k].picks))}
}

// The reconstruction is the mean of z − ρ²·adjoint over the evaluations after a power of two; where the
// sender evaluates too, its own adjoint is left out.
func TestMeansOfLateEvaluations(t *testing.T) {
	for _, power := range []bool{false, true} {
		const n, rounds, from = 7, 45, 16 // 2·16 ≤ 45
		plan := planOf(n, 0.5, 2)
		if power {
			plan.Groups[0].Receivers = []model.Port{{Party: 1}, {Party: 2}}
		}
		r, s := NewRecorder(plan), newStream(plan)
		want := [2][n]float64{}
		for k := range rounds {
			s.next(r, session.AllRows, n)
			for m, rho := range []float64{0.5, 2} {
				for i := range n {
					adjoint := s.total[i]
					if power {
						adjoint -= s.part[m][i]
					}
					if k >= from {
						want[m][i] += (s.z[m][i] - rho*rho*adjoint) / (rounds - from)
					}
				}
			}
		}
		for m := range 2 {
			for i, got := range evidenceOf(r, m).late() {
				if !scalar.EqualWithinAbs(got, want[m][i], 1e-12) {
					t.Errorf("power %t, client %d, element %d: %v, want %v", power, m+1, i, got, want[m][i])
				}
			}
		}
		for i, got := range evidenceOf(r, 2).late() {
			if w := want[0][i] + want[1][i]; !scalar.EqualWithinAbs(got, w, 1e-12) {
				t.Errorf("power %t, the sum, element %d: %v, want %v", power, i, got, w)
			}
		}
	}
}

// Of a long cut evenly spaced elements are followed.
func TestLongCutsAreThinned(t *testing.T) {
	const n = 2*mostElements + 5
	plan := planOf(n, 1)
	r, s := NewRecorder(plan), newStream(plan)
	s.next(r, session.AllRows, n)
	picks := Followed(n)
	if len(picks) != mostElements || picks[0] != 0 || picks[1] != 2 || !slices.IsSorted(picks) ||
		picks[len(picks)-1] >= n {
		t.Errorf("%d elements: %v … %v", len(picks), picks[:3], picks[len(picks)-1])
	}
	for k, e := range picks {
		if got, want := r.views[0].sum[k], s.z[0][e]-s.total[e]; got != want {
			t.Fatalf("element %d: %v, want %v", e, got, want)
		}
	}
}

// Where rows are divided, every element has the mean over the visits of its window, whose adjoints are scaled
// by their number.
func TestWindowsOfRows(t *testing.T) {
	plan := planOf(5, 1)
	plan.Windows = []model.Window{{Rows: []int{0, 3}}, {Rows: []int{1, 2, 4}}}
	r, s := NewRecorder(plan), newStream(plan)
	sums, counts := make([]float64, 5), make([]float64, 5)
	for k := range 12 {
		w := k % 3 % 2
		s.next(r, w, len(plan.Windows[w].Rows))
		for at, row := range plan.Windows[w].Rows {
			sums[row] += s.z[0][at] - s.total[at]/2
			counts[row]++
		}
	}
	for i := range sums {
		v := r.views[0]
		got := v.sum[i] / float64(v.counts[v.windowOf(i)])
		if !scalar.EqualWithinAbs(got, sums[i]/counts[i], 1e-12) {
			t.Errorf("row %d: %v, want %v", i, got, sums[i]/counts[i])
		}
	}
}

// Evaluations that are not finite, or of a trajectory that has diverged, change nothing.
func TestWildEvaluationsAreLeftOut(t *testing.T) {
	plan := planOf(30, 1)
	r, s := NewRecorder(plan), newStream(plan)
	for range 200 {
		s.next(r, session.AllRows, 30)
	}
	before := slices.Clone(r.views[0].sum)
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e200, 1e6} {
		s.z[0][3] = bad
		s.show(r, session.AllRows)
	}
	if !slices.Equal(before, r.views[0].sum) || r.views[0].counts[0] != 200 || r.rounds != 204 {
		t.Errorf("%d of %d evaluations are in the sums", r.views[0].counts[0], r.rounds)
	}
}

// A recorder that was saved and loaded continues to the same bits.
func TestStatesContinue(t *testing.T) {
	plan := planOf(40, 1, 0.3)
	for _, at := range []int{1, 63, 64, 700} {
		whole, s := NewRecorder(plan), newStream(plan)
		for range at {
			s.next(whole, session.AllRows, 40)
		}
		var state bytes.Buffer
		if err := whole.Save(&state); err != nil {
			t.Fatal(err)
		}
		part := NewRecorder(plan)
		if err := part.Load(&state); err != nil {
			t.Fatal(err)
		}
		for range 400 {
			s.next(whole, session.AllRows, 40)
			s.show(part, session.AllRows)
		}
		if !bytes.Equal(written(t, whole), written(t, part)) {
			t.Errorf("saved after %d evaluations: it continues otherwise", at)
		}
	}
}

func written(t *testing.T, r *Recorder) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, []*Recorder{r}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is not a file of this plan is an error that says so.
func TestForeignFiles(t *testing.T) {
	r := NewRecorder(planOf(40, 1, 0.3))
	text := written(t, r)
	for name, c := range map[string]struct {
		text []byte
		plan *model.Plan
		want string
	}{
		"of other cuts": {text, planOf(41, 1, 0.3), "of another run"},
		"cut short":     {text[:len(text)/2], planOf(40, 1, 0.3), "cannot be read"},
		"empty":         {nil, planOf(40, 1), "of another run"},
		"no chains":     {append([]byte(fileHeading+"\n"), make([]byte, 8)...), planOf(40, 1), "0 chains"},
	} {
		if _, err := Read(bufio.NewReader(bytes.NewReader(c.text)), c.plan); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want …%s…", name, err, c.want)
		}
	}
}

// An evaluation allocates nothing.
func TestRecordingAllocatesNothing(t *testing.T) {
	plan := planOf(100, 1, 1)
	r, s := NewRecorder(plan), newStream(plan)
	for range always + 2 {
		s.next(r, session.AllRows, 100)
	}
	z, total, part := [][][]float64{s.z}, [][]float64{s.total}, [][][]float64{s.part}
	if n := testing.AllocsPerRun(16*period, func() {
		r.Sent(session.AllRows, z, nil)
		r.Answered(total, part)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// What nobody can read is not written: no chains, or a sum with a member that is none.
func TestNothingIsRecordedThatNobodyReads(t *testing.T) {
	if err := Write(io.Discard, nil); err == nil {
		t.Error("a view of no chains is written")
	}
	plan := planOf(3, 1)
	r := NewRecording(plan)
	var b bytes.Buffer
	if err := WriteRecording(&b, []*Recorder{r}); err != nil || b.Len() == 0 {
		t.Error(err)
	}
	b.Reset()
	plan.Groups[0].Members[0].Index = 1
	if err := WriteRecording(&b, []*Recorder{r}); err == nil || b.Len() > 0 {
		t.Error("a recording of a sum whose member is none is written:", err)
	}
}
