package graph_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/runtime/vector"
)

// passing has some goroutines on so many cores evaluate graphs of theirs at the same time, each as often as
// it wants.
func passing(execs []*graph.Exec, cores int, evaluate func(k int, e *graph.Exec)) {
	c := vector.NewConvoy(len(execs), cores)
	for k, e := range execs {
		e.Use(c.Group(k))
		c.Begin(k)
	}
	var wait sync.WaitGroup
	for k, e := range execs {
		wait.Go(func() {
			defer c.End(k)
			evaluate(k, e)
		})
	}
	wait.Wait()
}

// passingModel is a likelihood over so many data that chains on one core pass over them together.
type passingModel struct {
	name          string
	rows, columns int
	family        string
	cut           bool // the predictor crosses: it is computed in one loop, and differentiated in another
	decimals      bool
	standardised  bool // and an offset for each row
}

var passingModels = []passingModel{
	{"long", 30_000, 12, "bernoulli_logit", false, false, false},
	{"long, Student t", 30_001, 12, "student_t", false, false, false},
	{"wide", 1_111, 600, "bernoulli_logit", false, false, false},
	{"wide, normal", 1_025, 600, "normal", false, false, false},
	{"very wide", 700, 4_100, "bernoulli_logit", false, false, false},
	{"cut", 30_000, 12, "", true, false, false},
	{"wide cut", 2_000, 300, "", true, false, false},
	{"long, decimals", 60_000, 12, "bernoulli_logit", false, true, false},
	{"wide, decimals", 1_800, 300, "student_t", false, true, false},
	{"very wide, decimals", 700, 4_100, "normal", false, true, false},
	{"long, standardised", 60_000, 12, "bernoulli_logit", false, true, true},
	{"wide, standardised", 1_800, 300, "bernoulli_logit", false, true, true},
}

func (m *passingModel) graph(tb testing.TB) *graph.Graph {
	d := newLogisticData(m.rows, m.columns)
	b := graph.New(m.name)
	b.EachRow()
	x := b.Const("X", shape{m.rows, m.columns}, d.columns)
	added := b.Param("b", shape{})
	switch {
	case m.standardised:
		b.Made(x, standardise(d.columns, m.rows, 3))
		added = b.Const("offset", shape{m.rows}, d.rows[:m.rows])
	case m.decimals:
		roundTo(d.columns, 6)
	}
	eta := apply(tb, b, "add", added, apply(tb, b, "matmul", x, b.Param("beta", shape{m.columns})))
	y := b.Const("y", shape{m.rows}, d.y)
	switch {
	case m.cut:
		b.Output("eta", eta)
	case m.family == "bernoulli_logit":
		density(tb, b, "y", m.family, y, eta)
	case m.family == "student_t":
		density(tb, b, "y", m.family, y, b.Scalar(5), eta, apply(tb, b, "exp", b.Param("s", shape{})))
	default:
		density(tb, b, "y", m.family, y, eta, apply(tb, b, "exp", b.Param("s", shape{})))
	}
	return build(tb, b)
}

// visit evaluates a graph at a point of its own for every chain and round, and returns all that comes out.
func visit(g *graph.Graph, e *graph.Exec, chain, round int) (out []float64) {
	r := rand.New(rand.NewPCG(uint64(chain), uint64(round)))
	x := make([]float64, g.Dim())
	for i := range x {
		x[i] = 0.1 * r.NormFloat64()
	}
	e.Forward(x)
	out = append(out, e.Target())
	for k := range g.Outputs() {
		out = append(out, e.Output(k)...)
	}
	if len(g.Outputs()) > 0 {
		seed := make([]float64, g.Outputs()[0].Len)
		for i := range seed {
			seed[i] = r.NormFloat64()
		}
		e.Pull([][]float64{seed})
	}
	return append(out, e.Grad()...)
}

// TestPassesSameBits checks that other chains on the same cores change no bit, whether they make as many
// evaluations or fewer.
func TestPassesSameBits(t *testing.T) {
	for _, m := range passingModels {
		t.Run(m.name, func(t *testing.T) {
			g := m.graph(t)
			const chains = 5
			rounds := func(k int) int { return 1 + k%3 }
			var want [chains][][]float64
			var execs []*graph.Exec
			for k := range chains {
				alone := g.NewExec()
				if !alone.Passes() {
					t.Fatal("no loop is a pass that chains make together")
				}
				for round := range rounds(k) {
					want[k] = append(want[k], visit(g, alone, k, round))
				}
				execs = append(execs, g.NewExec())
			}
			for cores := 1; cores < 4; cores++ {
				passing(execs, cores, func(k int, e *graph.Exec) {
					for round := range rounds(k) {
						if !slices.Equal(visit(g, e, k, round), want[k][round]) {
							t.Errorf("%d cores: chain %d, evaluation %d is not what it is alone", cores, k,
								round)
						}
					}
				})
			}
		})
	}
}

// TestFewDataAreNoPass checks that chains of models whose data are in the second cache do not wait for each
// other.
func TestFewDataAreNoPass(t *testing.T) {
	for _, size := range [][2]int{{500, 20}, {10_000, 10}, {2_000, 100}} {
		if newLogisticData(size[0], size[1]).graph(t).NewExec().Passes() {
			t.Errorf("%d × %d: chains would pass together", size[0], size[1])
		}
	}
	for _, decimals := range []bool{true, false} {
		m := passingModel{"", 10_000, 50, "normal", false, decimals, false}
		if passes := m.graph(t).NewExec().Passes(); passes == decimals {
			t.Errorf("10000 × 50, decimals %v: passes %v", decimals, passes)
		}
	}
}

func TestPassesAllocateNothing(t *testing.T) {
	d := newLogisticData(30_000, 12)
	g := d.graph(t)
	passing([]*graph.Exec{g.NewExec(), g.NewExec()}, 1, func(k int, e *graph.Exec) {
		const runs = 20
		evaluate := func() { e.Forward(d.theta); e.Target() }
		if k > 0 {
			for range runs + 1 { // AllocsPerRun makes one more
				evaluate()
			}
			return
		}
		if n := testing.AllocsPerRun(runs, evaluate); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}
