package nuts

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/stdlib/transforms"
	"github.com/vflc/vflc/tests/testmodel"
)

// neighbours is a normal density over two parties: the many coordinates of the first are an autoregression of
// variance 1, the second's are standard normals.
func neighbours(many, others int, rho float64) testmodel.Density {
	return testmodel.Density{Dims: []int{many, others}, Log: func(x, grad []float64) float64 {
		lp := 0.0
		for i, v := range x {
			lp -= 0.5 * v * v
			grad[i] = -v
			if i == 0 || i >= many {
				continue
			}
			// v given the one before is N(rho·x, 1 − rho²); the first is N(0, 1), as counted above.
			e := v - rho*x[i-1]
			lp += 0.5*v*v - 0.5*e*e/(1-rho*rho)
			grad[i] = -e / (1 - rho*rho)
			grad[i-1] += rho * e / (1 - rho*rho)
		}
		return lp
	}}
}

func chainOver(t *testing.T, env density.Env, given map[string]string) *chain {
	t.Helper()
	s, err := Algorithm().Resolve(transforms.None, given)
	if err != nil {
		t.Fatal(err)
	}
	k, err := newChain(env, s)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func advance(t *testing.T, k *chain, transitions int) {
	t.Helper()
	for range transitions {
		if _, err := k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// In an autoregression of 100 coordinates a diagonal metric has a condition number of 4(1+rho)/(1−rho) times
// 10⁻¹ and more, and 32 ridges do not take it away. The warm-up makes the metric dense: then a draw takes a
// few leapfrogs, and draws are nearly independent. One process per party makes the same draws as one loop,
// and a chain that is restored, before the metric is dense, while it is, and after the warm-up, goes on bit
// for bit.
func TestADenseMetricWakes(t *testing.T) {
	const many, warmup, draws = 100, 500, 300
	given := map[string]string{"warmup": "500", "draws": "300"}
	d := neighbours(many, 3, 0.95)
	k := begun(t, d, 5, given)
	awake := 0
	saved, next := map[int][]byte{}, map[int][]float64{} // a state, and the draw five transitions after
	save := func() {
		var b bytes.Buffer
		if err := k.Save(&b); err != nil {
			t.Fatal(err)
		}
		saved[k.done] = b.Bytes()
	}
	ends := make([][]float64, many)
	leapfrogs := 0
	for n := 1; n <= warmup+draws; n++ {
		h := k.parties[0].metric.full.held
		before := h.awake
		if n == 8 || awake == 0 && h.fitted && saved[k.done] == nil && len(saved) < 2 || n == warmup+20 {
			save()
		}
		advance(t, k, 1)
		if h.awake && !before && awake == 0 {
			awake = n
			save()
		}
		if saved[k.done-5] != nil {
			next[k.done-5] = slices.Concat(k.now.q.at...)
		}
		if n <= warmup {
			continue
		}
		leapfrogs += k.last.Leapfrogs
		for i := range many {
			ends[i] = append(ends[i], k.now.q.at[0][i])
		}
	}
	if awake == 0 || awake > 400 || !k.parties[0].metric.isDense() || k.parties[0].metric.rank() > 0 {
		t.Fatalf("dense since transition %d; at the end: %t", awake, k.parties[0].metric.isDense())
	}
	if k.parties[1].metric.isDense() != true { // three independent parameters: dense by their number
		t.Error("the other party's metric is diagonal")
	}
	if a := float64(leapfrogs) / draws; a > 8 {
		t.Errorf("%.1f leapfrogs a draw", a)
	}
	for i, x := range ends {
		if ess := posterior.ESSMean([][]float64{x}); ess < 0.6*draws {
			t.Errorf("coordinate %d has %.0f effective draws of %d", i, ess, draws)
		}
	}
	for n, b := range saved {
		again := begun(t, d, 5, given)
		if err := again.Load(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		advance(t, again, 5)
		if !slices.Equal(slices.Concat(again.now.q.at...), next[n]) {
			t.Errorf("restored after %d transitions, a chain makes other draws", n)
		}
	}
	if len(saved) < 4 {
		t.Errorf("%d states were saved", len(saved))
	}

	parts := testmodel.Split(d.Env(5))
	apart := make([]*chain, len(parts))
	var all sync.WaitGroup
	for p, env := range parts {
		apart[p] = chainOver(t, env, given)
		all.Go(func() {
			if err := apart[p].Init(context.Background()); err != nil {
				t.Error(err)
			}
			for range warmup + draws {
				if _, err := apart[p].Step(context.Background()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	for p, k2 := range apart {
		if !slices.Equal(k2.now.q.at[0], k.now.q.at[p]) {
			t.Errorf("party %d alone makes other draws", p)
		}
	}
}

// Where coordinates are independent nothing is estimated, however many there are: the metric stays the
// diagonal one.
func TestADenseMetricSleepsWhereNothingIsCorrelated(t *testing.T) {
	k := begun(t, neighbours(100, 1, 0), 3, map[string]string{"warmup": "200", "draws": "10"})
	for range 200 {
		advance(t, k, 1)
		if h := k.parties[0].metric.full.held; h.awake || k.done > 60 && h.fitted {
			t.Fatalf("after %d transitions: estimated %t, in use %t", k.done, h.fitted, h.awake)
		}
	}
}

// Chains that begin where others ended look for ridges and a dense metric again.
func TestChainsFromARunLookAgain(t *testing.T) {
	for name, c := range map[string]struct {
		d     testmodel.Density
		given map[string]string
		found func(m *metric) bool
	}{
		"dense": {neighbours(70, 1, 0.95), map[string]string{}, (*metric).isDense},
		"ridges": {leaning(60, 1), map[string]string{"metric": lowRank}, func(m *metric) bool {
			return m.rank() > 0
		}},
	} {
		c.given["warmup"], c.given["draws"] = "400", "10"
		k := begun(t, c.d, 2, c.given)
		advance(t, k, 405)
		var b bytes.Buffer
		if err := k.Save(&b); err != nil {
			t.Fatal(err)
		}
		again := chainOver(t, c.d.Env(3), c.given)
		if err := again.WarmStart(context.Background(), &b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		advance(t, again, 405)
		if !c.found(&again.parties[0].metric) {
			t.Errorf("%s: not found", name)
		}
	}
}

// The misfit of the covariance of a normal target is 1, that of another inverse mass S is tr(S⁻¹C + SC⁻¹)/2n,
// whether S is dense, diagonal or with ridges; and it is that of draws alone.
func TestMisfits(t *testing.T) {
	const n, draws = 6, 40000
	r := rand.New(rand.NewPCG(1, 2))
	target := newMetric(n, shape{dense: n})
	covariance := make([]float64, n*n)
	for i := range n {
		for j := range n {
			covariance[i*n+j] = math.Pow(0.9, math.Abs(float64(i-j)))
		}
	}
	target.full.set(slices.Clone(covariance))
	low := newMetric(n, shape{ridged: n})
	for i := range n {
		low.set(i, 0.3+0.1*float64(i))
	}
	along := []float64{0.5, 0.5, 0.5, 0.5, 0, 0}
	ridge(&low, 6, along)
	other := newMetric(n, shape{dense: n})
	matrix := make([]float64, n*n)
	for i := range n {
		for j := range n {
			matrix[i*n+j] = low.element(i, j)
		}
	}
	other.full.set(matrix)
	e := newEstimate(n, 0)
	var lengths [4][]float64
	room := make([]float64, n)
	all := make([][2][]float64, draws)
	for k := range all {
		// A draw of N(0, C) is C times one of N(0, C⁻¹), which is the root times normals.
		z, p, q := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range z {
			z[i] = r.NormFloat64()
		}
		product(p, target.full.root, z)
		product(q, target.full.inverse, p)
		for i := range p {
			p[i] = -p[i]
		}
		all[k] = [2][]float64{q, p}
		e.add(q, p)
	}
	for _, x := range all {
		lengths[0] = append(lengths[0], target.full.length(x[0], x[1], room))
		lengths[1] = append(lengths[1], other.full.length(x[0], x[1], room))
		lengths[2] = append(lengths[2], low.ridgedLength(slices.Clone(x[0]), x[1]))
		lengths[3] = append(lengths[3], e.balancedLength(x[0], x[1]))
	}
	precision := make([]float64, n*n)
	for j := range n {
		unit := make([]float64, n)
		unit[j] = 1
		half, column := make([]float64, n), make([]float64, n)
		for i := range n { // Rᵀ times the unit vector is row j of R
			half[i] = target.full.root[j*n+i]
		}
		product(column, target.full.root, half)
		for i, v := range column {
			precision[i*n+j] = v
		}
	}
	trace := func(m *metric) float64 {
		sum := 0.0
		mass := make([]float64, n*n) // RRᵀ
		for i := range n {
			for j := range n {
				for k := range n {
					mass[i*n+j] += m.full.root[i*n+k] * m.full.root[j*n+k]
				}
			}
		}
		for i := range n {
			for j := range n {
				sum += mass[i*n+j]*covariance[j*n+i] + m.full.inverse[i*n+j]*precision[j*n+i]
			}
		}
		return sum
	}
	balanced := 0.0
	for i := range n {
		balanced += 2 * math.Sqrt(covariance[i*n+i]*precision[i*n+i])
	}
	for k, want := range []float64{2 * n, trace(&other), trace(&other), balanced} {
		mean := 0.0
		for _, x := range lengths[k] {
			mean += x / draws
		}
		if se := posterior.MCSEMean([][]float64{lengths[k]}); !(math.Abs(mean-want) < 5*se) ||
			se > 0.02*want {
			t.Errorf("%d: %.4f ± %.4f, want %.4f", k, mean, se, want)
		}
	}
	for k := range lengths[1] {
		if math.Abs(lengths[1][k]-lengths[2][k]) > 1e-9*lengths[1][k] {
			t.Fatalf("with ridges %v, as a matrix %v", lengths[2][k], lengths[1][k])
		}
	}
}

// A dense metric that was asked for is in use where it is better, another where it takes half away of what
// pays; neither where it misses by far, or with few draws, or where a misfit is no number.
func TestVerdicts(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		asked, awake  bool
		draws         int
		dense, beside float64
		want          bool
	}{
		{true, false, 10, 1.10, 1.11, true}, {true, true, 10, 1.12, 1.11, false},
		{true, false, 4, 1, 9, false}, {true, true, 4, 9, 1, true}, {true, true, 10, 2.1, 90, false},
		{false, false, 10, 1.1, 1.9, false}, {false, false, 10, 1.45, 2, true},
		{false, false, 10, 1.55, 2, false}, {false, true, 10, 1.3, 1.4, true},
		{false, true, 10, 1.5, 1.4, false},
		{false, false, 10, 2.1, 90, false}, {false, true, 10, nan, 1, false},
		{true, true, 10, nan, nan, false}, {true, true, 10, 1, nan, false}, {false, false, 10, 1, nan, false},
	} {
		h := heldOut{asked: c.asked, pays: inScales, awake: c.awake, draws: c.draws,
			dense: float64(c.draws) * c.dense, beside: float64(c.draws) * c.beside}
		h.judge()
		if h.awake != c.want {
			t.Errorf("%+v: %t", c, h.awake)
		}
	}
}

// Draws on the way to the posterior, whose gradients fall by orders of magnitude, have a dense metric that
// newer draws do not bear out: it is not in use even where it was asked for. Draws of a correlated normal
// distribution bring it into use.
func TestADenseMetricSleepsOnTheWay(t *testing.T) {
	const n = 8
	r := rand.New(rand.NewPCG(3, 4))
	m, e := newMetric(n, shape{dense: n, held: true, hierarchy: n}), newEstimate(n, n)
	learn := func(q, g []float64) {
		m.see(&e, q, g)
		e.add(q, g)
		if e.draws.N >= fisherDraws && e.draws.N%5 == 0 {
			m.fromFisher(&e, true, 0)
		}
	}
	for k := range 7 * n {
		q, g := make([]float64, n), make([]float64, n)
		for i := range q {
			// One coordinate after another goes from 0 to 50, while its gradient falls.
			way := min(1, max(0, float64(k-7*i)/7))
			q[i] = 50*way + r.NormFloat64()*(0.01+way)
			g[i] = 1e4*(1-way) + r.NormFloat64()
		}
		learn(q, g)
		if m.isDense() {
			t.Fatalf("in use after %d draws", k+1)
		}
	}
	e.reset()
	m.full.held.reset()
	for range 60 {
		q, g := make([]float64, n), make([]float64, n)
		common, mean := 10*r.NormFloat64(), 0.0
		for i := range q {
			q[i] = common + r.NormFloat64()
			mean += q[i] / n
		}
		for i, v := range q { // the inverse of 1 + 100·11ᵀ
			g[i] = -v + 100*n*mean/(1+100*n)
		}
		learn(q, g)
	}
	if !m.isDense() {
		t.Error("not in use for a correlated normal distribution")
	}
}
