package nuts

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/tests/testmodel"
)

// ridge adds a ridge to a metric, along a unit vector of scaled coordinates.
func ridge(m *metric, value float64, along []float64) {
	r := m.ridges
	copy(r.u[r.rank*r.dim:], along)
	r.mass[r.rank] = value - 1
	r.rank++
	r.scale(m.root)
}

// inverseTimes is column j of M⁻¹, by what a leapfrog does: the drift of a unit momentum.
func inverseTimes(m *metric, j int) []float64 {
	at, next, p, half := pointOf(m), pointOf(m), vectorOf(m), vectorOf(m)
	p.at[0][j] = 1
	if m.rank() > 0 {
		m.ridges.project(p.at[0], p.extra[0])
	}
	m.drift(0, next, at, half, p, newStride(1))
	return slices.Clone(next.q.at[0])
}

// A metric with ridges does the same as the dense metric of the same matrix, with a reference and without:
// drifts, kicks, energies and the criterion of single states and of subtrees.
func TestRidgesAreTheDenseMetricOfTheSameMatrix(t *testing.T) {
	const dim, theta = 13, 9
	r := rand.New(rand.NewPCG(1, 2))
	low, full := newMetric(dim, shape{ridged: theta}), newMetric(dim, shape{dense: theta})
	for i := range dim {
		x := math.Exp(2 * r.NormFloat64())
		low.set(i, x)
		full.set(i, x)
	}
	first, second := make([]float64, theta), make([]float64, theta)
	for i := range theta {
		first[i] = 1.0 / 3
	}
	second[0], second[1] = math.Sqrt(0.5), -math.Sqrt(0.5)
	ridge(&low, 30, first)
	ridge(&low, 0.1, second)
	matrix, told := make([]float64, theta*theta), make([]float64, theta*theta)
	for j := range theta {
		for i, v := range inverseTimes(&low, j)[:theta] {
			matrix[i*theta+j] = v
			told[i*theta+j] = low.element(i, j)
		}
	}
	if off := distance(told, matrix); !(off < 1e-9) {
		t.Errorf("what is told of the inverse mass is off by %g", off)
	}
	want := make([]float64, theta*theta)
	for i := range theta {
		for j := range theta {
			if i == j {
				want[i*theta+j] = low.inverse[i]
			}
			want[i*theta+j] += math.Sqrt(low.inverse[i]*low.inverse[j]) * (29*first[i]*first[j] -
				0.9*second[i]*second[j])
		}
	}
	if off := distance(matrix, want); !(off < 1e-9) {
		t.Fatalf("the inverse mass is off by %g", off)
	}
	full.full.set(slices.Clone(want))

	type state struct {
		at    *point
		p     *jointVector
		twice float64
	}
	run := func(m *metric, referred bool) (states []state, criteria [][perCriterion]float64) {
		normals := rand.New(rand.NewPCG(3, 4))
		s := state{at: pointOf(m), p: vectorOf(m)}
		m.ref.on = referred
		for i := range dim {
			s.at.q.at[0][i], s.at.g.at[0][i], m.ref.mean[i] = normals.NormFloat64(), normals.NormFloat64(),
				normals.NormFloat64()
		}
		m.refer(0, s.at)
		// The same momentum for both: its products with the ridges, or its velocities, as a draw leaves them.
		for i := range dim {
			s.p.at[0][i] = normals.NormFloat64()
		}
		if m.ridges != nil {
			m.ridges.project(s.p.at[0], s.p.extra[0])
			m.ridges.project(s.at.g.at[0], s.at.g.extra[0])
		} else {
			product(s.p.extra[0], m.full.inverse, s.p.at[0][:theta])
		}
		states = append(states, s)
		for range 4 {
			next := state{at: pointOf(m), p: vectorOf(m)}
			m.drift(0, next.at, s.at, next.p, s.p, newStride(0.1))
			for i := range dim {
				next.at.g.at[0][i] = -next.at.q.at[0][i]
			}
			next.twice = m.kick(0, next.p, next.at, newStride(0.1))
			states, s = append(states, next), next
		}
		pair := func(l, r subtree) subtree {
			sum := vectorOf(m)
			var out [perCriterion]float64
			m.criterion(0, &out, sum, l, r)
			criteria = append(criteria, out)
			return subtree{l.first, r.last, sum}
		}
		one := func(k int) subtree { return subtree{states[k].p, states[k].p, states[k].p} }
		pair(pair(one(1), one(2)), pair(one(3), one(4)))
		return states, criteria
	}
	for _, referred := range []bool{false, true} {
		a, ca := run(&low, referred)
		b, cb := run(&full, referred)
		for k := range a {
			for what, off := range map[string]float64{
				"position": distance(a[k].at.q.at[0], b[k].at.q.at[0]),
				"momentum": distance(a[k].p.at[0], b[k].p.at[0]),
				"energy":   math.Abs(a[k].twice-b[k].twice) / (1 + b[k].twice),
			} {
				if !(off < 1e-9*(1+math.Abs(b[k].twice))) {
					t.Errorf("reference %t, state %d: the %s is off by %g", referred, k, what, off)
				}
			}
		}
		for k := range ca {
			if off := distance(ca[k][:], cb[k][:]); !(off < 1e-8*(1+math.Abs(cb[k][0]))) {
				t.Errorf("reference %t: criterion %d is %v, want %v", referred, k, ca[k], cb[k])
			}
		}
	}
}

// Of a normal target with two ridges among many more coordinates than draws, the metric is the covariance, up
// to what the shares that were not seen add.
func TestRidgesOfANormal(t *testing.T) {
	const dim, draws = 200, 60
	r := rand.New(rand.NewPCG(5, 6))
	m := newMetric(dim, shape{ridged: dim})
	scale := make([]float64, dim)
	for i := range scale {
		scale[i] = math.Exp(r.NormFloat64())
		m.set(i, scale[i]*scale[i])
	}
	values := []float64{400, 0.01}
	along := [2][]float64{make([]float64, dim), make([]float64, dim)}
	for i := range dim {
		along[0][i] = 1 / math.Sqrt(dim)
		along[1][i] = (1 - 2*float64(i%2)) / math.Sqrt(dim)
	}
	qs, gs := make([][]float64, draws), make([][]float64, draws)
	for k := range draws {
		q, g := make([]float64, dim), make([]float64, dim)
		for i := range q {
			q[i] = r.NormFloat64()
			g[i] = -q[i]
		}
		for j, v := range values {
			z := 0.0
			for i, u := range along[j] {
				z += u * q[i]
			}
			for i, u := range along[j] {
				q[i] += (math.Sqrt(v) - 1) * z * u
				g[i] -= (1/math.Sqrt(v) - 1) * z * u
			}
		}
		for i, s := range scale {
			q[i], g[i] = q[i]*s, g[i]/s
		}
		qs[k], gs[k] = q, g
	}
	m.ridges.recall = func(k int, q, g []float64) { copy(q, qs[draws-k]); copy(g, gs[draws-k]) }
	m.ridges.fromFisher(draws, m.root, 0)
	m.ridges.scale(m.root)
	if m.rank() != len(values) {
		t.Fatalf("%d ridges, want %d: masses less one are %v", m.rank(), len(values),
			m.ridges.mass[:m.rank()])
	}
	for j, v := range values {
		k := slices.IndexFunc(m.ridges.mass[:m.rank()], func(less float64) bool {
			return less > 0 == (v > 1)
		})
		if k < 0 {
			t.Fatalf("no ridge is like that of %v", v)
		}
		if got := m.ridges.mass[k] + 1; math.Abs(got/v-1) > 0.02 {
			t.Errorf("the inverse mass is %v, want %v", got, v)
		}
		same := 0.0
		for i, u := range along[j] {
			same += u * m.ridges.u[k*dim+i]
		}
		if math.Abs(same) < 0.999 {
			t.Errorf("the direction of %v has the cosine %v with what was found", v, same)
		}
	}
}

// Where nothing is correlated there are no ridges, however many the coordinates and few the draws; nor are
// there where inverse masses differ by less than pays, and too few draws show none. A direction that is far
// longer than all others is one, and so is one that is much further shorter, unless only long ones may be.
// Where draws are few, one may be as long by chance.
func TestWhenThereAreRidges(t *testing.T) {
	for _, c := range []struct {
		draws int
		long  bool
		ridge float64
		want  int
	}{
		{20, false, 1, 0}, {100, false, 1, 0}, {100, false, ridgeAlone * 0.8, 0},
		{100, false, ridgeAlone * 1.3, 1}, {100, true, ridgeAlone * 1.3, 1},
		{20, false, ridgeAlone * 1.3, 0}, {100, false, 1 / (ridgeAlone * 1.3), 0},
		{100, false, 1 / (ridgesPay * 0.8), 0}, {leastDraws - 1, false, 100, 0},
		{100, false, ridgesPay * 1.3, 1}, {100, false, 1 / (ridgesPay * 1.3), 1},
		{100, true, ridgesPay * 1.3, 1}, {100, true, 1 / (ridgesPay * 1.3), 0},
	} {
		const dim = 150
		m := newMetric(dim, shape{ridged: dim, long: c.long})
		s := vector.NewGenerator(vector.SharedKey(7), "draws")
		all := make([]float64, c.draws*dim)
		s.FillNormals(all)
		m.ridges.recall = func(k int, q, g []float64) {
			copy(q, all[(k-1)*dim:][:dim])
			for i := range g {
				g[i] = -q[i]
			}
			q[3], g[3] = q[3]*math.Sqrt(c.ridge), g[3]/math.Sqrt(c.ridge)
		}
		m.ridges.fromFisher(c.draws, m.root, 0)
		if m.rank() != c.want {
			t.Errorf("%d draws, a direction of %v: %d ridges, want %d; masses less one are %v", c.draws,
				c.ridge, m.rank(), c.want, m.ridges.mass[:m.rank()])
		}
	}
}

// Independent coordinates whose gradients are no multiples of their draws have no direction that is a ridge
// alone, though among many coordinates few draws show long ones.
func TestNoiseIsNoRidge(t *testing.T) {
	for _, dim := range []int{20, 66, 150, 300} {
		for _, draws := range []int{20, 50, 100} {
			for seed := range uint64(4) {
				r := rand.New(rand.NewPCG(seed, uint64(dim*draws)))
				m := newMetric(dim, shape{ridged: dim})
				qs, gs := make([]float64, draws*dim), make([]float64, draws*dim)
				e := newEstimate(dim, 0)
				for k := range draws {
					q, g := qs[k*dim:][:dim], gs[k*dim:][:dim]
					for i := range q {
						q[i], g[i] = student(r, 5)
					}
					e.add(q, g)
				}
				m.fromFisher(&e, false, leastShare)
				m.ridges.recall = func(k int, q, g []float64) {
					copy(q, qs[(k-1)*dim:][:dim])
					copy(g, gs[(k-1)*dim:][:dim])
				}
				m.ridges.fromFisher(draws, m.root, leastShare)
				longest := slices.Max(m.ridges.search.work.values[:min(ridgesFor(dim), draws/drawsARidge)])
				if longest >= m.ridges.alone(draws) {
					t.Errorf("%d draws of %d coordinates show a direction of %v, a ridge from %v on", draws,
						dim, longest, m.ridges.alone(draws))
				}
			}
		}
	}
}

// blockShifts is a basis of the common shifts of blocks of so many coordinates, and of the other coordinates
// one by one.
func blockShifts(dim int, blocks ...int) func(basis, root []float64) int {
	return func(basis, _ []float64) int {
		clear(basis)
		rows, at := 0, 0
		for _, n := range blocks {
			for i := range n {
				basis[rows*dim+at+i] = 1 / math.Sqrt(float64(n))
			}
			rows, at = rows+1, at+n
		}
		for ; at < dim; at++ {
			basis[rows*dim+at] = 1
			rows++
		}
		return rows
	}
}

// A common shift of many coordinates with four and a half times the inverse mass of others is a ridge where
// shifts are known, and not found without. Of independent coordinates, with gradients that are no multiples
// of draws, no shift is one, nor is any looked for in fewer draws than two for each.
func TestShiftsAreRidges(t *testing.T) {
	const dim, effects, long = 300, 290, 4.5
	for _, draws := range []int{8, 30, 60, 100} {
		for seed := range uint64(4) {
			for _, c := range []struct{ known, is bool }{{false, true}, {true, true}, {true, false}} {
				r := rand.New(rand.NewPCG(seed, uint64(draws)))
				m := newMetric(dim, shape{ridged: dim})
				qs, gs := make([]float64, draws*dim), make([]float64, draws*dim)
				e := newEstimate(dim, 0)
				for k := range draws {
					q, g := qs[k*dim:][:dim], gs[k*dim:][:dim]
					along := 0.0
					for i := range q {
						if q[i], g[i] = student(r, 5); c.is {
							q[i] = r.NormFloat64()
							g[i] = -q[i]
						}
						if i < effects {
							along += q[i] / effects
						}
					}
					for i := range effects {
						if c.is {
							q[i] += (math.Sqrt(long) - 1) * along
							g[i] += (1 - 1/math.Sqrt(long)) * along
						}
					}
					e.add(q, g)
				}
				m.fromFisher(&e, false, leastShare)
				m.ridges.recall = func(k int, q, g []float64) {
					copy(q, qs[(k-1)*dim:][:dim])
					copy(g, gs[(k-1)*dim:][:dim])
				}
				if c.known {
					m.ridges.shifts = blockShifts(dim, effects)
				}
				m.ridges.fromFisher(draws, m.root, leastShare)
				want := 0
				if c.known && c.is && draws > 2*(dim-effects+1) {
					want = 1
				}
				if m.ridges.rank != want {
					t.Errorf("%d draws, seed %d, %+v: %d ridges, want %d", draws, seed, c, m.ridges.rank, want)
				}
			}
		}
	}
}

// student is a draw of Student's t with whole degrees of freedom, and the slope of its log density.
func student(r *rand.Rand, nu int) (x, slope float64) {
	squares := 0.0
	for range nu {
		z := r.NormFloat64()
		squares += z * z
	}
	n := float64(nu)
	x = r.NormFloat64() / math.Sqrt(squares/n)
	return x, -(n + 1) * x / (n + x*x)
}

// variance is that of a leaning density along its ridge.
const variance = 400

// leaning is a normal density over two parties: in the many coordinates of the first every direction has the
// variance 1 but that of all coordinates together; the second's are standard normals.
func leaning(many, others int) testmodel.Density {
	return testmodel.Density{Dims: []int{many, others}, Log: func(x, grad []float64) float64 {
		sum, lp := 0.0, 0.0
		for _, v := range x[:many] {
			sum += v
		}
		c := (1 - 1.0/variance) / float64(many)
		for i, v := range x {
			lp -= 0.5 * v * v
			grad[i] = -v
			if i < many {
				grad[i] += c * sum
			}
		}
		return lp + 0.5*c*sum*sum
	}}
}

// Chains find the ridge, need few leapfrogs along it, and have the target's variance there, within four Monte
// Carlo standard errors. A chain that is restored, in the warm-up or after, goes on bit for bit.
func TestChainsAlongARidge(t *testing.T) {
	const many, warmup, draws = 60, 300, 1000
	ctx := context.Background()
	given := map[string]string{"warmup": "300", "draws": "1000", "metric": lowRank}
	d := leaning(many, 3)
	k := begun(t, d, 5, given)
	saved := map[int][]byte{}
	next := map[int][]float64{} // the draw ten transitions after
	var squares []float64
	leapfrogs := 0
	for n := 1; n <= warmup+draws; n++ {
		if _, err := k.Step(ctx); err != nil {
			t.Fatal(err)
		}
		if n == 170 || n == warmup+20 {
			var b bytes.Buffer
			if err := k.Save(&b); err != nil {
				t.Fatal(err)
			}
			saved[n] = b.Bytes()
			if k.parties[0].metric.rank() == 0 {
				t.Errorf("no ridge after %d transitions", n)
			}
		}
		if n == 180 || n == warmup+30 {
			next[n-10] = slices.Concat(k.now.q.at...)
		}
		if n <= warmup {
			continue
		}
		leapfrogs += k.last.Leapfrogs
		sum := 0.0
		for _, v := range k.now.q.at[0] {
			sum += v
		}
		squares = append(squares, sum*sum/many)
	}
	if len(saved) != 2 || len(next) != 2 {
		t.Fatal("not all was saved")
	}
	for n, b := range saved {
		again := begun(t, d, 5, given)
		if err := again.Load(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if _, err := again.Step(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(slices.Concat(again.now.q.at...), next[n]) {
			t.Errorf("restored after %d transitions, a chain makes other draws", n)
		}
	}
	if a := float64(leapfrogs) / draws; a > 16 {
		t.Errorf("%.1f leapfrogs a draw", a)
	}
	mean := 0.0
	for _, v := range squares {
		mean += v / draws
	}
	if e := posterior.MCSEMean([][]float64{squares}); !(math.Abs(mean-variance) < 4*e) || !(e < variance/5) {
		t.Errorf("the variance along the ridge is %.4g ± %.2g, want %d", mean, e, variance)
	}
}
