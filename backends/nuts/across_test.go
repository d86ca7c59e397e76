package nuts

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/testmodel"
)

// leaningAcross is a leaning density whose coordinates several parties have, one of them none.
func leaningAcross() testmodel.Density {
	d := leaning(6, 0)
	d.Dims = []int{2, 0, 3, 1}
	return d
}

func step(t *testing.T, k *chain) {
	t.Helper()
	if _, err := k.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Chains find a ridge that no party has alone, M⁻¹ is the target's covariance 1 + (v − 1)/n·11ᵀ there, and
// draws have the variance v along it, within four Monte Carlo standard errors. A chain that is restored, in
// the warm-up or after, goes on bit for bit.
func TestARidgeAcrossParties(t *testing.T) {
	const warmup, draws = 300, 1000
	given := map[string]string{"warmup": "300", "draws": "1000", metricForm: jointMetric}
	k := begun(t, leaningAcross(), 5, given)
	saved, next := map[int][]byte{}, map[int][]float64{}
	var squares []float64
	leapfrogs := 0
	for n := 1; n <= warmup+draws; n++ {
		step(t, k)
		if n == 170 || n == warmup+20 {
			var b bytes.Buffer
			if err := k.Save(&b); err != nil {
				t.Fatal(err)
			}
			saved[n] = b.Bytes()
			if k.rank() == 0 {
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
		for _, v := range slices.Concat(k.now.q.at...) {
			sum += v
		}
		squares = append(squares, sum*sum/6)
	}
	for n, b := range saved {
		again := begun(t, leaningAcross(), 5, given)
		if err := again.Load(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			step(t, again)
		}
		if !slices.Equal(slices.Concat(again.now.q.at...), next[n]) {
			t.Errorf("restored after %d transitions, a chain makes other draws", n)
		}
	}
	// W(Λ−1)Wᵀ between coordinates of different parties, all of which are equal in the covariance
	between, want := 0.0, (variance-1)/6.0
	a, b := k.parties[0].metric.ridges, k.parties[3].metric.ridges
	for j, less := range a.mass[:k.rank()] {
		between += less * a.w[j*a.dim] * b.w[j*b.dim]
	}
	if math.Abs(between/want-1) > 0.5 {
		t.Errorf("M⁻¹ between parties is %.3g, the covariance %.3g", between, want)
	}
	if per := float64(leapfrogs) / draws; per > 16 {
		t.Errorf("%.1f leapfrogs a draw", per)
	}
	mean := stat.Mean(squares, nil)
	if e := posterior.MCSEMean([][]float64{squares}); !(math.Abs(mean-variance) < 4*e) || !(e < variance/5) {
		t.Errorf("the variance along the ridge is %.4g ± %.2g, want %d", mean, e, variance)
	}
}

// Parties of unlike size have the same ridges at every transition, also where one is between what is a ridge
// alone in few coordinates and in many.
func TestRidgesAcrossAreTheSame(t *testing.T) {
	d := leaning(203, 0)
	d.Dims = []int{200, 2, 1}
	plain := d.Log
	d.Log = func(x, grad []float64) float64 { // the ridge's variance is 10
		lp, sum := plain(x, grad), 0.0
		for _, v := range x {
			sum += v
		}
		c := (0.1 - 1.0/variance) / float64(len(x))
		for i := range grad {
			grad[i] -= c * sum
		}
		return lp - 0.5*c*sum*sum
	}
	k := begun(t, d, 3, map[string]string{"warmup": "200", metricForm: jointMetric})
	for n := range 200 {
		step(t, k)
		for b, s := range k.parties {
			if got := s.metric.rank(); got != k.parties[0].metric.rank() {
				t.Fatalf("party %d has %d ridges after %d transitions, the first %d", b, got, n+1,
					k.parties[0].metric.rank())
			}
		}
	}
}

// What a party sees of ridges to others is by its own draws and gradients the largest eigenvalue of its part
// of the covariance 1 + (v − 1)/6·11ᵀ times its part of the precision, (1 + d(v − 1)/6)(1 − d(1 − 1/v)/6) of
// d parameters, within a factor of two, which is
// more than the largest of six of a few hundred draws is off. It is 1 where the whole ridge is one party's.
func TestPartiesSeeRidgesToOthers(t *testing.T) {
	given := map[string]string{"warmup": "1000"}
	for _, dims := range [][]int{{2, 0, 3, 1}, {6, 0, 0, 1}} {
		d := leaning(6, dims[0]-5)
		if dims[0] < 6 {
			d = leaningAcross()
		}
		d.Dims = dims
		k := begun(t, d, 5, given)
		for range 1000 {
			step(t, k)
		}
		var seen []float64
		for b, s := range k.parties {
			n, want := float64(dims[b]), 0.0
			if n > 0 {
				want = (1 + n*(variance-1)/6) * (1 - n*(1-1.0/variance)/6)
			}
			if dims[0] == 6 {
				want = min(n, 1)
			}
			got := s.outside()
			if seen = append(seen, got); got < want/2 || got > 2*want {
				t.Errorf("of %v, party %d sees %.4g, want %.4g", dims, b, got, want)
			}
		}
		slices.Sort(seen)
		if i := k.info(); i.Across != seen[2] {
			t.Errorf("of %v, %.4g is told, and the second of %.4g", dims, i.Across, seen)
		}
	}
}

// Steps forward and as many back return to where they began, and a step conserves the energy up to the third
// power of its size.
func TestStepsAcrossParties(t *testing.T) {
	ctx := context.Background()
	k := begun(t, leaningAcross(), 5, map[string]string{"warmup": "300", metricForm: jointMetric})
	for range 310 {
		step(t, k)
	}
	k.startTrajectory()
	at, p := k.tree.ends[1], k.tree.endMomenta[1]
	if err := k.spreadAcross(ctx, p); err != nil || k.rank() == 0 {
		t.Fatal(err, k.rank())
	}
	first, energy := slices.Concat(at.q.at...), at.lp
	move := func(eps float64) float64 {
		next, to, err := k.leapfrog(ctx, at, p, eps)
		if err == nil {
			err = k.sumState(ctx, criteria)
		}
		if err != nil {
			t.Fatal(err)
		}
		at, p = next, to
		return k.total[kinetic] - k.total[logDensity] - (k.total[kineticStart] - energy)
	}
	var errs [2]float64
	for i, eps := range []float64{0.04, 0.02} {
		a, b := at, p
		errs[i] = move(eps)
		k.pool.dropPoint(at)
		k.pool.drop(p)
		at, p = a, b
	}
	if ratio := errs[0] / errs[1]; !(6 < ratio && ratio < 10) {
		t.Errorf("energy errors %v of a step and of half of it, ratio %v", errs, ratio)
	}
	for _, eps := range []float64{k.eps, -k.eps} {
		for range 4 {
			a, b := at, p
			move(eps)
			k.pool.dropPoint(a)
			k.pool.drop(b)
		}
	}
	for i, x := range slices.Concat(at.q.at...) {
		if math.Abs(x-first[i]) > 1e-9*(1+math.Abs(first[i])) {
			t.Errorf("coordinate %d is %v, was %v", i, x, first[i])
		}
	}
}

// An overheard Env keeps the totals that every party receives.
type overheard struct {
	density.Env
	totals [][]float64
}

func (o *overheard) Sum(ctx context.Context, part [][]float64, total []float64) error {
	err := o.Env.Sum(ctx, part, total)
	o.totals = append(o.totals, slices.Clone(total))
	return err
}

// A client reads another's column up to its scale from what it receives in a run with --metric joint: at
// every state the totals Wᵀ∇log π, in which its own part is known to it, and under exact the adjoints of all
// rows. A regression of what is left on the adjoints is X·W of the others, here of one covariate.
func TestAClientReadsAColumnAcross(t *testing.T) {
	const rows, prior = 30, 0.01
	r := rand.New(rand.NewPCG(8, 9))
	var x [2][rows]float64
	var y [rows]float64
	for i := range rows {
		x[0][i] = r.NormFloat64()
		x[1][i] = x[0][i] + 0.2*r.NormFloat64()
		y[i] = x[0][i] - x[1][i] + r.NormFloat64()
	}
	var adjoints, own [][]float64
	d := testmodel.Density{Dims: []int{1, 1}, Log: func(q, grad []float64) float64 {
		e, lp := make([]float64, rows), 0.0
		for j, v := range q {
			grad[j], lp = -prior*v, lp-0.5*prior*v*v
		}
		for i := range e {
			e[i] = y[i] - x[0][i]*q[0] - x[1][i]*q[1]
			grad[0], grad[1], lp = grad[0]+x[0][i]*e[i], grad[1]+x[1][i]*e[i], lp-0.5*e[i]*e[i]
		}
		adjoints, own = append(adjoints, e), append(own, []float64{grad[0]})
		return lp
	}}
	s, err := Algorithm().Resolve(Algorithm().Transforms[0], map[string]string{"warmup": "200",
		metricForm: jointMetric})
	if err != nil {
		t.Fatal(err)
	}
	env := &overheard{Env: d.Env(3)}
	k, err := newChain(env, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		step(t, k)
	}
	ridges := k.rank()
	if ridges == 0 {
		t.Fatal("no ridges")
	}
	adjoints, own, env.totals = nil, nil, nil
	for range 20 {
		step(t, k)
	}
	var rest []float64
	for _, total := range env.totals {
		if len(total) > 2*ridges { // not that before a trajectory
			at := len(total) - ridges // by the first ridge
			rest = append(rest, total[at]-k.parties[0].metric.ridges.w[0]*own[len(rest)][0])
		}
	}
	if len(rest) != len(adjoints) {
		t.Fatalf("%d totals of %d evaluations", len(rest), len(adjoints))
	}
	if c := stat.Correlation(regressed(adjoints, rest), x[1][:], nil); math.Abs(c) < 0.99 {
		t.Errorf("the correlation of what is found with the other's column is %.4f", c)
	}
}

// regressed is the shortest b for which the products of rows with it are nearest to y: by conjugate
// gradients from 0.
func regressed(rows [][]float64, y []float64) []float64 {
	dot := func(a, b []float64) (s float64) {
		for i, v := range a {
			s += v * b[i]
		}
		return s
	}
	back := func(res []float64) []float64 {
		out := make([]float64, len(rows[0]))
		for k, row := range rows {
			for i, v := range row {
				out[i] += v * res[k]
			}
		}
		return out
	}
	b, res := make([]float64, len(rows[0])), slices.Clone(y)
	g := back(res)
	p, squares := slices.Clone(g), dot(g, g)
	for range 6 {
		if squares < 1e-20 {
			break
		}
		along := make([]float64, len(rows))
		for k, row := range rows {
			along[k] = dot(row, p)
		}
		by := squares / dot(along, along)
		for i, v := range p {
			b[i] += by * v
		}
		for k, v := range along {
			res[k] -= by * v
		}
		g = back(res)
		now := dot(g, g)
		for i, v := range g {
			p[i] = v + now/squares*p[i]
		}
		squares = now
	}
	return b
}
