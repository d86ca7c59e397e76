package nested

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
)

// A varied is a normal model of one party: y = b + effect of a group + noise with b ~ N(0, 9), effects ~ N(0,
// τ²), and θ = (b, effects, log τ, log σ), τ and σ half normal.
type varied struct {
	density.Block
	density.Env
	y      []float64
	group  []int
	groups int
	heavy  bool // of a t with two degrees of freedom, not of a normal model
	rare   bool // whether y is above 1, of a logistic model with few ones, and not y of a normal one
}

func newVaried() *varied { return variedOf(4, 20) }

func variedOf(groups, rows int) *varied {
	v := &varied{groups: groups}
	r := vector.NewGenerator(vector.SharedKey(7), "data")
	effects, noise := make([]float64, v.groups), make([]float64, rows)
	r.Normals(effects)
	r.Normals(noise)
	for i, e := range noise {
		v.group = append(v.group, i%v.groups)
		v.y = append(v.y, 0.5+effects[i%v.groups]+0.6*e)
	}
	return v
}

func (v *varied) Blocks() []density.Block { return []density.Block{v} }
func (v *varied) Private(_ int, name string) density.Stream {
	return vector.NewGenerator(vector.SharedKey(1), name)
}
func (v *varied) Shared(name string) density.Stream {
	return vector.NewGenerator(vector.SharedKey(2), name)
}
func (v *varied) Party() string  { return "server" }
func (v *varied) Index() int     { return 0 }
func (v *varied) Dim() int       { return v.groups + 3 }
func (v *varied) Weights() []int { return nil }

const half = 0.9189385332046727 // ½ log 2π

// scalePrior is the log density of the logarithm of a half normal scale.
func scalePrior(t float64) float64 { return math.Ln2 - half - 0.5*math.Exp(2*t) + t }

func (v *varied) Conditional() (*density.Conditional, error) {
	d, n := v.groups+1, len(v.y)
	c := &density.Conditional{Hyper: []int{d, d + 1}}
	for i := range d {
		c.Index = append(c.Index, i)
	}
	c.Rows = []density.RowLikelihood{{Group: -1, Own: -1,
		Evaluate: func(phi, eta, lp, slope, _, _ []float64) {
			for i, m := range eta {
				if v.rare {
					sign := -1.0
					if v.y[i] > 1 {
						sign = 1
					}
					u := sign * (m - 3)
					lp[i], slope[i] = min(u, 0)-math.Log1p(math.Exp(-math.Abs(u))), sign/(1+math.Exp(u))
					continue
				}
				sd := math.Exp(phi[1])
				z := (v.y[i] - m) / sd
				if v.heavy { // but for a constant
					lp[i], slope[i] = -phi[1]-1.5*math.Log1p(0.5*z*z), 1.5*z/(1+0.5*z*z)/sd
					continue
				}
				lp[i], slope[i] = -half-phi[1]-0.5*z*z, z/sd
			}
		}}}
	c.At = func(hyper, _ []float64, form *density.ConditionalForm) {
		tau := math.Exp(hyper[0])
		rows := density.Affine{Offset: make([]float64, n), Matrix: make([]float64, n*d)}
		for i, g := range v.group {
			rows.Matrix[i], rows.Matrix[(1+g)*n+i] = 1, 1
		}
		form.Rows = []density.Affine{rows}
		form.Prior = density.Quadratic{Gradient: make([]float64, d), Precision: make([]float64, d*d)}
		form.Prior.Value = scalePrior(hyper[0]) + scalePrior(hyper[1]) - half*float64(d) - math.Log(3) -
			float64(v.groups)*hyper[0]
		form.Prior.Precision[0] = 1.0 / 9
		for i := 1; i < d; i++ {
			form.Prior.Precision[i*d+i] = 1 / (tau * tau)
		}
	}
	return c, nil
}

// evidence is log p(y, φ) from the normal density of y.
func (v *varied) evidence(phi []float64) float64 {
	n := len(v.y)
	f := algebra.NewFactor(n)
	for i := range n {
		for j := range n {
			c := 9.0
			if v.group[i] == v.group[j] {
				c += math.Exp(2 * phi[0])
			}
			if i == j {
				c += math.Exp(2 * phi[1])
			}
			f.Matrix[i*n+j] = c
		}
	}
	if !f.Definite() {
		return math.NaN()
	}
	u := slices.Clone(v.y)
	f.Solve(u)
	out := scalePrior(phi[0]) + scalePrior(phi[1]) - half*float64(n) - 0.5*f.LogDet()
	for i, y := range v.y {
		out -= 0.5 * y * u[i]
	}
	return out
}

// ran runs a kernel to its end.
func ran(t *testing.T, v *varied, draws int) *Kernel {
	t.Helper()
	return ranAt(t, v, draws, 0)
}

// ranAt runs a kernel whose draws take paths of a level, and no others.
func ranAt(t *testing.T, v *varied, draws, level int) *Kernel {
	t.Helper()
	k, err := New(v, Options{Draws: draws, Correct: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Init(context.Background()); err != nil {
		t.Fatal(err)
	}
	for k.phase != done {
		k.server.level = level
		if _, err := k.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
		if k.server.sets == 1 {
			k.server.sets = 2 // a longer path follows a first set alone
		}
	}
	return k
}

// At every point of the lattice the marginal density of the hyperparameters is that of the normal model,
// constants included: what a determinant of one cell leaves out no weight corrects.
func TestMarginalDensitiesAreThoseOfTheNormalModel(t *testing.T) {
	v := newVaried()
	k := ran(t, v, 8)
	s := &k.server.search
	if len(s.nodes) < 30 {
		t.Fatalf("%d points", len(s.nodes))
	}
	for _, n := range s.nodes {
		if want := v.evidence(s.on(n.cell)); math.Abs(n.f-want) > 1e-6 {
			t.Errorf("cell %v: log density %.9f, want %.9f", n.cell, n.f, want)
		}
	}
}

// The Gaussian at a value of the hyperparameters is the posterior there: weights of draws that share one
// differ by rounding, and are the marginal density over that of the draws.
func TestWeightsWithinAPointAreEqual(t *testing.T) {
	v := newVaried()
	k := ran(t, v, 400)
	for i := 0; i < k.drawn; i += k.each() {
		group := k.ratios[i : i+k.each()]
		if spread := slices.Max(group) - slices.Min(group); !(spread < 1e-10) {
			t.Fatalf("log weights at one point differ by %.3g", spread)
		}
		n := v.Dim()
		phi := k.parties[0].sample[i*n+n-2:][:2]
		if want := v.evidence(phi) - k.server.search.density(phi); math.Abs(group[0]-want) > 1e-6 {
			t.Fatalf("log weight %.9f, want %.9f", group[0], want)
		}
	}
}

// Draws given hyperparameters have the mean and the covariance of the posterior there: each, less the mean
// and divided by the factor of the covariance, is standard normal.
func TestDrawsGivenHyperparametersAreThePosteriors(t *testing.T) {
	v := newVaried()
	k := ran(t, v, 4000)
	d, n := v.groups+1, v.Dim()
	form := &density.ConditionalForm{}
	sum, squares, products := make([]float64, d), make([]float64, d), 0.0
	c, _ := v.Conditional()
	for id := range k.drawn {
		theta := k.parties[0].sample[id*n:][:n]
		c.At(theta[d:], nil, form)
		p, mean, precision := algebra.NewFactor(d), make([]float64, d), math.Exp(-2*theta[d+1])
		copy(p.Matrix, form.Prior.Precision)
		for i, g := range v.group {
			for _, a := range []int{0, 1 + g} {
				mean[a] += precision * v.y[i]
				for _, b := range []int{0, 1 + g} {
					p.Matrix[a*d+b] += precision
				}
			}
		}
		if !p.Definite() {
			t.Fatal("no posterior")
		}
		p.Solve(mean)
		z := make([]float64, d)
		for j := range d { // Lᵀ(x − mean)
			for i := j; i < d; i++ {
				z[j] += p.Lower[i*d+j] * (theta[i] - mean[i])
			}
			sum[j] += z[j]
			squares[j] += z[j] * z[j]
		}
		products += z[0] * z[1]
	}
	m := float64(k.drawn)
	for j := range d {
		if math.Abs(sum[j]) > 4*math.Sqrt(m) || math.Abs(squares[j]-m) > 4*math.Sqrt(2*m) {
			t.Errorf("coordinate %d: mean %.3f, variance %.3f of %g draws", j, sum[j]/m, squares[j]/m, m)
		}
	}
	if math.Abs(products) > 4*math.Sqrt(m) {
		t.Errorf("correlation %.3f", products/m)
	}
}

// The draws of hyperparameters have the density that their weights take them to have: its integral is 1, and
// means of a function over draws and by integration agree.
func TestDrawsOfHyperparametersHaveTheirDensity(t *testing.T) {
	k := ran(t, newVaried(), 8)
	s := &k.server.search
	const reach, step = 12, 0.05
	whole, want := 0.0, 0.0
	for x := -reach; x <= reach; x++ {
		for y := -reach; y <= reach; y++ {
			for i := range int(1 / step) {
				for j := range int(1 / step) {
					phi := s.place([]float64{float64(x) + (float64(i)+0.5)*step,
						float64(y) + (float64(j)+0.5)*step})
					by := math.Exp(s.density(phi)+s.logDet) * step * step
					whole += by
					want += by * math.Cos(phi[0]-2*phi[1])
				}
			}
		}
	}
	if math.Abs(whole-1) > 2e-3 {
		t.Errorf("the density's integral is %.4f", whole)
	}
	const n = 4000
	mean, square := 0.0, 0.0
	for _, phi := range s.draw(n, vector.NewGenerator(vector.SharedKey(3), "points")) {
		v := math.Cos(phi[0] - 2*phi[1])
		mean, square = mean+v/n, square+v*v/n
	}
	if se := math.Sqrt((square - mean*mean) / n); math.Abs(mean-want) > 4*se+2e-3 {
		t.Errorf("mean %.4f of the draws, %.4f of the density", mean, want)
	}
}

// unevenness is the mean square difference of log weights of draws that walk from the same Gaussian.
func unevenness(k *Kernel) float64 {
	picks, sum, whole := k.server.search.picked(500), 0.0, 0.0
	logs := k.server.trials(picks)
	for i, l := range logs {
		share := k.server.search.share[picks[i/pilotDraws]]
		d := l - logs[i/pilotDraws*pilotDraws]
		sum, whole = sum+share*d*d, whole+share
	}
	return sum / whole
}

// A draw that walks from the Gaussian to a skewed posterior has a more even weight, and the longer its path
// the more so: its variance is about inverse to the number of steps (Neal 2001, 4). Evidence and means are
// those of importance sampling.
func TestPathsEvenWeights(t *testing.T) {
	v := newVaried()
	v.rare = true
	var first backends.MonteCarloMean
	var firstMean, firstVar, spread float64
	for level := range path {
		k := ranAt(t, v, 8000, level)
		ratios := k.ratios
		log := evidence(ratios)
		n, mean, square, total := v.Dim(), 0.0, 0.0, 0.0
		for id, r := range ratios {
			w, x := math.Exp(r-log.Value), k.parties[0].sample[id*n+1]
			mean, total = mean+w*x, total+w
			square += w * w * (x - firstMean) * (x - firstMean)
		}
		mean /= total
		variance := square / (total * total)
		within := unevenness(k)
		if level == 0 {
			first, firstMean, firstVar, spread = log, mean, variance, within
			continue
		}
		if most := spread * float64(path[level-1]) / float64(path[level]) / 0.5; !(within < most) {
			t.Errorf("level %d: log weights at one point have mean square differences of %.2g, %.2g before",
				level, within, spread)
		}
		spread = within
		if d := log.Value - first.Value; !(math.Abs(d) < 8*math.Hypot(log.SE, first.SE)) {
			t.Errorf("level %d: the evidence is %.3f off", level, d)
		}
		if d := mean - firstMean; !(math.Abs(d) < 4*math.Sqrt(4*(firstVar+variance))) {
			t.Errorf("level %d: the mean is %.3f off", level, d)
		}
	}
}

// Where the posterior is the Gaussian itself, a walk stays in it: weights of draws that share a point differ
// by rounding.
func TestPathsOfANormalModelHaveEqualWeights(t *testing.T) {
	k := ranAt(t, newVaried(), 400, 1)
	for i := 0; i < k.drawn; i += k.each() {
		group := k.ratios[i : i+k.each()]
		if spread := slices.Max(group) - slices.Min(group); !(spread < 1e-10) {
			t.Fatalf("log weights at one point differ by %.3g", spread)
		}
	}
}

// Effective draws of quantities are what their definition gives with all draws at hand, whatever the order of
// these and however large their weights.
func TestEffectiveDrawsOfQuantities(t *testing.T) {
	r := vector.NewGenerator(vector.SharedKey(9), "draws")
	const n = 300
	x := make([][]float64, n)
	l := make([]float64, n)
	for i := range x {
		x[i] = make([]float64, 4)
		r.Normals(x[i][:3])
		x[i][1], x[i][3] = 1e6+x[i][1], 5 // far from 0, and one that does not vary
		l[i] = 700 + 3*x[i][2]            // weights that follow a quantity
	}
	l[7] = math.Inf(-1)
	want := math.Inf(1)
	for c := range 3 {
		sum, mean, spread, noise := 0.0, 0.0, 0.0, 0.0
		for i := range x {
			sum, mean = sum+math.Exp(l[i]-700), mean+math.Exp(l[i]-700)*x[i][c]
		}
		for i := range x {
			w, d := math.Exp(l[i]-700)/sum, x[i][c]-mean/sum
			spread, noise = spread+w*d*d, noise+w*w*d*d
		}
		want = min(want, spread/noise)
	}
	for _, order := range []int{1, -1} {
		var e evenness
		for i := range x {
			at := i
			if order < 0 {
				at = n - 1 - i
			}
			e.add(l[at], x[at])
		}
		if got := e.least(); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%g effective draws, want %g", got, want)
		}
	}
	var even evenness
	for i := range x {
		even.add(-5, x[i][:3])
	}
	if got := even.least(); math.Abs(got-n) > 1e-6*n {
		t.Errorf("%g effective draws of equal weights", got)
	}
}

// A lattice over a Gaussian has all points above its depth in few messages, as over a density with a tail
// that falls slowly on one side.
func TestLatticesAreWholeInFewMessages(t *testing.T) {
	for name, f := range map[string]func(z []float64) float64{
		"Gaussian": func(z []float64) float64 { return -0.5 * (z[0]*z[0] + z[1]*z[1]) },
		"tail":     func(z []float64) float64 { return -0.5*z[1]*z[1] - math.Exp(z[0]) + 0.5*z[0] + 1 },
	} {
		s := newSearch(make([]float64, 2))
		s.best = []float64{0, 0}
		s.turn([]float64{1, 0, 0, 1}, []float64{-1, -1})
		messages := 0
		for ; ; messages++ {
			asked := s.wanted(mostPoints)
			if len(asked) == 0 {
				break
			}
			for _, c := range asked {
				v := f(s.on(c))
				s.at[c] = len(s.nodes)
				s.nodes = append(s.nodes, node{cell: c, f: v})
				s.top = max(s.top, v)
			}
		}
		if messages > 6 {
			t.Errorf("%s: %d messages", name, messages)
		}
		for i := -60; i <= 60; i++ {
			for j := -60; j <= 60; j++ {
				c := cell{i, j}
				if _, known := s.at[c]; !known && f(s.on(c)) > s.top-depth[2]+1 {
					t.Fatalf("%s: cell %v is left out", name, c)
				}
			}
		}
	}
}

// Pilot draws lean the density of the hyperparameters towards the true marginal one: over a lattice where
// Laplace's method is off by more at one end than at the other, what is left hardly varies.
func TestPilotDrawsLeanTheDensity(t *testing.T) {
	v := variedOf(40, 80)
	v.rare = true
	s := ranAt(t, v, 8, 0).server
	r := &s.search
	before := make([]float64, len(r.nodes))
	picks := r.picked(100)
	for i, n := range r.nodes {
		if before[i] = math.Inf(-1); n.x != nil { // Laplace's, which the pilot has leant
			s.goTo(&n)
			if e, ok := s.approximate(n.x, closely); ok {
				before[i] = n.prior + e.evidence
			}
		}
	}
	s.level = 1
	logs := s.trials(picks)
	spread := func(density func(at int) float64) float64 { // of what is left, by the shares of the points
		off := map[int]float64{}
		for i, l := range logs {
			off[picks[i/pilotDraws]] += math.Exp(l - density(picks[i/pilotDraws]))
		}
		count := map[int]float64{}
		for _, at := range picks {
			count[at] += pilotDraws
		}
		whole, mean, square := 0.0, 0.0, 0.0
		for _, at := range slices.Sorted(maps.Keys(off)) {
			d := math.Log(off[at] / count[at])
			whole, mean, square = whole+r.share[at], mean+r.share[at]*d, square+r.share[at]*d*d
		}
		return square/whole - mean*mean/(whole*whole)
	}
	laplace, leant := spread(func(at int) float64 { return before[at] }),
		spread(func(at int) float64 { return r.nodes[at].f })
	if !(leant < laplace/3) {
		t.Errorf("variance of what is left of the density: %.4f of Laplace's, %.4f after pilot draws", laplace,
			leant)
	}
}

// Weights whose mean is the exponential of a linear function have its coefficients, up to Monte Carlo error.
func TestMeansOfWeightsAreLoglinear(t *testing.T) {
	r := vector.NewGenerator(vector.SharedKey(11), "weights")
	const n = 4000
	want := []float64{-700, 1.5, -0.4, 0.3, 0, 0.2} // of 1, a, b, a², ab, b²
	z, x, logs := make([]float64, 3*n), make([][]float64, n), make([]float64, n)
	r.Normals(z)
	for i := range x {
		x[i] = quadratic(z[3*i:][:2])
		logs[i] = 0.5*z[3*i+2] - 0.125 // a log-normal factor with mean 1
		for k, b := range want {
			logs[i] += b * x[i][k]
		}
	}
	logs[3] = math.Inf(-1)
	for k, b := range loglinear(x, logs) {
		if math.Abs(b-want[k]) > 0.05 { // six standard errors
			t.Errorf("coefficient %d is %.3f, want %.3f", k, b, want[k])
		}
	}
}

// A posterior that has one mode at the best hyperparameters and two where the scale of a t is small is no
// answer of a grid: rows at ±a have two modes of their location where a² > νσ².
func TestOtherModesAreLookedForAtTheEndsOfTheLattice(t *testing.T) {
	v := variedOf(1, 4)
	v.heavy, v.y = true, []float64{-1, 1, -1.01, 1.01}
	k, err := New(v, Options{Draws: 8, Correct: true})
	if err == nil {
		err = k.Init(context.Background())
	}
	for err == nil && k.phase != done {
		_, err = k.Step(context.Background())
	}
	if err == nil || !strings.Contains(err.Error(), "several") {
		t.Errorf("the fit ends with %v", err)
	}
	s := k.server
	best := slices.MaxFunc(s.search.nodes, func(a, b node) int { return cmp.Compare(a.f, b.f) })
	s.goTo(&best)
	if e, ok := s.approximate(best.x, closely); !ok || s.manyModes(e, 0) {
		t.Error("there are several modes at the best point already")
	}
}
