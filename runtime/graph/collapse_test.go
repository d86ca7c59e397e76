package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/runtime/graph"
	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
)

// rowsOfGroups is a density of n rows of five groups under two treatments: every parameter differs by group,
// a real one by treatment and by a design of few rows too.
type rowsOfGroups struct {
	d       *def.Dist
	y       []float64
	group   []float64
	treated []float64
	tables  [][]float64
}

const inGroups, inRows = 5, 240

func newRowsOfGroups(d *def.Dist, seed uint64) *rowsOfGroups {
	r := rand.New(rand.NewPCG(seed, 9))
	out := &rowsOfGroups{d: d}
	for k, p := range d.Params {
		var table []float64
		for g := range inGroups {
			v := domainDraw(r, p)
			if d.Support == def.Interval || d.Support == def.WholeInterval {
				v = float64(9*k) + 0.1*float64(g)
			}
			table = append(table, v)
		}
		out.tables = append(out.tables, table)
	}
	for range inRows {
		g := r.IntN(inGroups)
		theta := make([]float64, len(d.Params))
		for k := range theta {
			theta[k] = out.tables[k][g]
		}
		out.y = append(out.y, d.Sample(r, theta))
		out.group, out.treated = append(out.group, float64(g+1)), append(out.treated, float64(r.IntN(2)))
	}
	return out
}

// graph has a value of its own in each row of the treatment where it is asked for.
func (s *rowsOfGroups) graph(t *testing.T, plain, apart bool) (*graph.Graph, []float64) {
	b, at := graph.New(s.d.Name), []float64(nil)
	if plain {
		b.Plain()
	}
	param := func(name string, values ...float64) graph.ID {
		at = append(at, values...)
		if len(values) == 1 {
			return b.Param(name, shape{})
		}
		return b.Param(name, shape{len(values)})
	}
	group, design := b.Const("group", shape{inRows}, s.group), make([]float64, 2*inRows)
	for i, v := range s.treated {
		if apart {
			v += 0.001 * float64(i)
		}
		design[i], design[inRows+i] = v, v*s.group[i]
	}
	treated := b.Const("treated", shape{inRows}, design[:inRows])
	var theta []graph.ID
	for k, p := range s.d.Params {
		if p.Integral {
			rows := make([]float64, inRows)
			for i, g := range s.group {
				rows[i] = s.tables[k][int(g)-1]
			}
			theta = append(theta, b.Const(p.Name, shape{inRows}, rows))
			continue
		}
		id := apply(t, b, "gather", param(p.Name, s.tables[k]...), group)
		if p.Domain == def.RealLine && s.d.Support != def.Interval && s.d.Support != def.WholeInterval {
			x := b.Const("design", shape{inRows, 2}, design)
			id = apply(t, b, "add", id, apply(t, b, "mul", param("b", 0.02), treated))
			id = apply(t, b, "add", id, apply(t, b, "matmul", x, param("c", 0.01, 0.003)))
		}
		theta = append(theta, id)
	}
	if err := b.Likelihood("y", s.d, b.Const("y", shape{inRows}, s.y), theta, graph.NoID, 0.5); err != nil {
		t.Fatal(err)
	}
	return build(t, b), at
}

// Rows with the same parameters are computed together, with the value and the gradient of the rows one by
// one: a density whose gradient is a few sums of data by their sums, counts by how often each occurs.
func TestRowsTogether(t *testing.T) {
	u := stdlib.New()
	for i, name := range u.Dists() {
		d, _ := u.Dist(name)
		if d.Event != nil || d.Sample == nil {
			continue
		}
		s := newRowsOfGroups(d, uint64(i))
		g, at := s.graph(t, false, false)
		plain, _ := s.graph(t, true, false)
		got, want := evaluated(g, at), evaluated(plain, at)
		scale := 0.0
		for _, v := range want {
			scale = max(scale, math.Abs(v))
		}
		for k := range want {
			if got[k] != want[k] && !(math.Abs(got[k]-want[k]) <= 1e-11*(1+scale)) {
				t.Errorf("%s: number %d is %v, want %v", name, k, got[k], want[k])
			}
		}
		few := d.Sums || d.Discrete && len(distinctOf(s.y)) < 12
		if each := strings.Contains(g.String(), "[240"); each && few {
			t.Errorf("%s: every row is computed:\n%v", name, g)
		}
		if d.Grouped != nil && !d.Sums {
			t.Errorf("%s has groups, and more than a few sums", name)
		}
		apart, at := s.graph(t, false, true)
		squares := slices.Contains([]string{"normal", "lognormal", "logit_normal"}, name)
		if !squares && !strings.Contains(apart.String(), "[240") && len(at) > inGroups*len(d.Params) {
			t.Errorf("%s: rows that differ are computed together:\n%v", name, apart)
		}
	}
}

func distinctOf(x []float64) map[float64]bool {
	out := map[float64]bool{}
	for _, v := range x {
		out[v] = true
	}
	return out
}

// Values outside the support are computed row by row, and so are those of a graph whose rows change; at an
// end of the support a sum that is not finite is none of the density's.
func TestRowsThatStayApart(t *testing.T) {
	n := 40
	y, group := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], group[i] = float64(i%3)/3, float64(i%2+1)
	}
	for _, c := range []struct {
		name     string
		each     bool
		y        []float64
		oneByOne bool
	}{{"beta", false, y, true}, {"beta", false, group[1:], true}, {"exponential", false, y, false},
		{"exponential", true, y, true}, {"poisson", true, group, true}, {"poisson", false, group, false}} {
		b := graph.New("rows")
		if c.each {
			b.EachRow()
		}
		n := len(c.y)
		theta := []graph.ID{apply(t, b, "gather", b.Param("a", shape{2}), b.Const("g", shape{n}, group[:n]))}
		if c.name == "beta" { // with a density above 0 at 0
			theta = []graph.ID{b.Scalar(1), theta[0]}
		}
		y := b.Const("y", shape{n}, c.y)
		if err := b.Likelihood("y", dist(t, c.name), y, theta, graph.NoID, 1); err != nil {
			t.Fatal(err)
		}
		g := build(t, b)
		if got := strings.Contains(g.String(), fmt.Sprintf("[%d]", n)); got != c.oneByOne {
			t.Errorf("%s, each row %v: rows are computed one by one: %v\n%v", c.name, c.each, got, g)
		}
		if v := evaluated(g, []float64{1.5, 0.7}); math.IsNaN(v[0]) || c.y[0] == 0 && math.IsInf(v[0], 0) {
			t.Errorf("%s: %v", c.name, v)
		}
	}
}

// What the target adds up over rows that have the same data is computed once for each set of these: a mixture
// of counts once for each count.
func TestMixturesOfCounts(t *testing.T) {
	const n = 400
	r := rand.New(rand.NewPCG(3, 3))
	y, g := make([]float64, n), make([]float64, n)
	for i := range y {
		y[i], g[i] = float64(r.IntN(5)), float64(1+r.IntN(3))
	}
	for _, rows := range []int{n, n / 16} { // of as few rows, most are alone
		var got [2][]float64
		for plain := range got {
			b := graph.New("mixture")
			if plain == 1 {
				b.Plain()
			}
			data, rates := b.Const("y", shape{rows}, y[:rows]), b.Param("rates", shape{3})
			var parts []graph.ID
			for k := range 2 {
				rate := apply(t, b, "gather", rates, b.Const("g", shape{rows}, g[:rows]))
				rate = apply(t, b, "mul", rate, apply(t, b, "exp", b.Param(fmt.Sprint("a", k), nil)))
				id, err := b.LogDensityByVectors(dist(t, "poisson"), data, []graph.ID{rate}, graph.NoID)
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, apply(t, b, "add", id, b.Scalar(-0.3-float64(k))))
			}
			weights := b.Const("w", shape{rows}, g[:rows])
			sum := apply(t, b, "mul", weights, apply(t, b, "log_sum_exp", parts...))
			if err := b.Add("y", sum, 0.5); err != nil {
				t.Fatal(err)
			}
			built := build(t, b)
			got[plain] = evaluated(built, []float64{0.7, 1.5, 3, 0.2, 0.9})
			if few := mostRows(built) < rows; plain == 0 && few != (rows == n) {
				t.Errorf("%d rows: fewer are computed: %v\n%v", rows, few, built)
			}
		}
		asWritten(t, rows, got)
	}
}

// A part of a density is put in groups where its own parameters allow that, whatever other parts do: of rows
// above 0, or between 0 and 1, nothing is computed one by one.
func TestPartsTogether(t *testing.T) {
	const n = 240
	counts, shares := make([]float64, n), make([]float64, n)
	inside := 0
	for i := range counts {
		v := float64(max(0, i%9-4))
		if counts[i], shares[i] = v, v/5; v > 0 {
			inside++
		}
	}
	for name, own := range map[string]int{ // the parameter with a value of its own in each row
		"hurdle_poisson_log": 0, "hurdle_neg_binomial_2_log": 0, "zero_inflated_poisson_log": 0,
		"zero_inflated_neg_binomial_2_log": 0, "zero_one_inflated_beta": 3,
	} {
		d, y := dist(t, name), counts
		if !d.Discrete {
			y = shares
		}
		var got [2][]float64
		for plain := range got {
			b, r, at := graph.New(name), rand.New(rand.NewPCG(6, 6)), []float64(nil)
			if plain == 1 {
				b.Plain()
			}
			var theta []graph.ID
			for k, p := range d.Params {
				of := shape{}
				if k == own {
					of = shape{n}
				}
				for range of.Len() {
					at = append(at, domainDraw(r, p))
				}
				id := b.Param(p.Name, of)
				if k == own {
					id = apply(t, b, "inv_logit", id)
				}
				theta = append(theta, id)
			}
			if err := b.Likelihood("y", d, b.Const("y", shape{n}, y), theta, graph.NoID, 0.5); err != nil {
				t.Fatal(err)
			}
			g := build(t, b)
			got[plain] = evaluated(g, at)
			if plain == 0 && strings.Contains(g.String(), fmt.Sprintf("[%d]", inside)) {
				t.Errorf("%s: rows are computed one by one:\n%v", name, g)
			}
		}
		asWritten(t, n, got)
	}
}
