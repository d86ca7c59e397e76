package nuts

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/tests/brief"
)

// references are metrics of every shape over 7 coordinates, with means, and the matrices M⁻¹; some
// coordinates of two have no reference.
func references(r *rand.Rand) map[string]*metric {
	out := map[string]*metric{}
	shapes := map[string]shape{"diagonal": {}, "dense": {dense: 4}, "all dense": {dense: 7},
		"ridged": {ridged: 5}, "part": {hierarchy: 3}, "ridged part": {ridged: 3, hierarchy: 3}}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		of := shapes[name]
		m := newMetric(7, of)
		for i := range 7 {
			m.set(i, math.Exp(r.NormFloat64()))
			m.ref.mean[i] = 3 * r.NormFloat64()
		}
		if n := of.dense; n > 0 {
			a := make([]float64, n*n)
			for i := range n {
				x := make([]float64, n)
				for j := range x {
					x[j] = r.NormFloat64()
				}
				for j := range n * n {
					a[j] += x[j/n] * x[j%n]
				}
				a[i*n+i] += 0.1
			}
			m.full.set(a)
		}
		if of.ridged > 0 {
			m.ridges.scale(m.root)
			ridge(&m, 20, []float64{0.6, 0.8})
			ridge(&m, 0.2, []float64{0.8, -0.6})
		}
		m.ref.on = true
		out[name] = &m
	}
	return out
}

// path makes steps of a metric from q with momentum p, for a density with a gradient, and calls see after
// each with twice the kinetic energy.
func path(m *metric, gradient func(q, g []float64), q, p []float64, s stride, steps int,
	see func(at *point, p *jointVector, twice float64)) {
	at, momentum := pointOf(m), vectorOf(m)
	copy(at.q.at[0], q)
	copy(momentum.at[0], p)
	gradient(q, at.g.at[0])
	m.refer(0, at)
	if m.rank() > 0 {
		m.ridges.project(p, momentum.extra[0])
		m.ridges.project(at.g.at[0], at.g.extra[0])
	}
	for range steps {
		next, to := pointOf(m), vectorOf(m)
		m.drift(0, next, at, to, momentum, s)
		gradient(next.q.at[0], next.g.at[0])
		twice := m.kick(0, to, next, s)
		at, momentum = next, to
		see(at, momentum, twice)
	}
}

func someOf(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// normal returns the gradient of the log density of N(mean, M⁻¹), of the coordinates with a reference; that
// of the others is 0.
func (m *metric) normal() func(q, g []float64) {
	return func(q, g []float64) {
		at := &point{q: vectorOf(m), v: vectorOf(m)}
		copy(at.q.at[0], q)
		m.refer(0, at)
		for i := range g {
			if g[i] = 0; i >= m.ref.from {
				g[i] = -at.v.at[0][i]
			}
		}
	}
}

// inverseOf is M⁻¹ times a vector.
func inverseOf(m *metric, p []float64) []float64 {
	out := make([]float64, len(p))
	for i := range out {
		for j, x := range p {
			out[i] += m.element(i, j) * x
		}
	}
	return out
}

// Where the target is the reference, steps of any size go along the exact orbit: q = mean + cos t·(q₀ − mean)
// + sin t·M⁻¹p₀. Coordinates without a reference and without a force move along a line. v stays M(q − mean).
func TestStepsAroundANormalAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 1))
	metrics := references(r)
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		m := metrics[name]
		for _, eps := range []float64{0.01, 0.7, longestStep, -longestStep, 2.5} {
			q, p := someOf(r, 7), someOf(r, 7)
			velocity, n := inverseOf(m, p), 0
			path(m, m.normal(), q, p, newStride(eps), 200, func(at *point, _ *jointVector, twice float64) {
				n++
				sin, cos := math.Sincos(float64(n) * eps)
				for i, x := range at.q.at[0] {
					want := m.ref.mean[i] + cos*(q[i]-m.ref.mean[i]) + sin*velocity[i]
					if i < m.ref.from {
						want = q[i] + float64(n)*eps*velocity[i]
					}
					if math.Abs(x-want) > 1e-11*(1+math.Abs(want)) {
						t.Fatalf("%s, step %d of %v: coordinate %d is %v, want %v", name, n, eps, i, x, want)
					}
				}
				again := &point{q: at.q, v: vectorOf(m)}
				m.refer(0, again)
				if off := distance(at.v.at[0][m.ref.from:], again.v.at[0][m.ref.from:]); off > 1e-11 {
					t.Fatalf("%s, step %d of %v: v is off by %v", name, n, eps, off)
				}
			})
		}
	}
}

// skew is the gradient and the log density of a target that is not normal, nor independent.
func skew(q, g []float64) (lp float64) {
	for i, x := range q {
		g[i] = -x - 0.3*math.Cos(x)
		lp -= 0.5*x*x + 0.3*math.Sin(x)
	}
	for i := 1; i < len(q); i++ {
		z := q[i] - 0.5*q[i-1]
		lp -= math.Log(1 + z*z)
		slope := 2 * z / (1 + z*z)
		g[i] -= slope
		g[i-1] += 0.5 * slope
	}
	return lp
}

// On other targets the error of the energy is of the second order in the step size: a quarter with half of
// it.
func TestStepsAreOfSecondOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	metrics := references(r)
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		m := metrics[name]
		q, p := someOf(r, 7), someOf(r, 7)
		energies := func(eps float64) []float64 {
			var out []float64
			path(m, func(q, g []float64) {
				skew(q, g)
			}, q, p, newStride(eps), int(math.Round(0.8/eps)),
				func(at *point, _ *jointVector, twice float64) {
					out = append(out, 0.5*twice-skew(at.q.at[0], make([]float64, 7)))
				})
			return out
		}
		start := -skew(q, make([]float64, 7))
		for i, v := range inverseOf(m, p) {
			start += 0.5 * v * p[i]
		}
		long, short := energies(0.002), energies(0.001)
		if ratio := (long[len(long)-1] - start) / (short[len(short)-1] - start); math.Abs(ratio-4) > 0.1 {
			t.Errorf("%s: halving the step divides the error of the energy by %v, want 4", name, ratio)
		}
	}
}

// A step keeps the volume: the determinant of its derivative, by differences of fourth order, is 1.
func TestStepsKeepTheVolume(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 1))
	const dim, h = 7, 5e-5
	metrics := references(r)
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		m := metrics[name]
		z := someOf(r, 2*dim)
		step := func(z []float64) (out []float64) {
			path(m, func(q, g []float64) {
				skew(q, g)
			}, z[:dim], z[dim:], newStride(0.9), 1, func(at *point, p *jointVector, _ float64) {
				out = slices.Concat(at.q.at[0], p.at[0])
			})
			return out
		}
		jacobian := make([][]float64, 2*dim)
		for j := range z {
			at := func(by float64) []float64 {
				moved := slices.Clone(z)
				moved[j] += by
				return step(moved)
			}
			up, down, up2, down2 := at(h), at(-h), at(2*h), at(-2*h)
			for i := range up {
				jacobian[j] = append(jacobian[j], (8*(up[i]-down[i])-(up2[i]-down2[i]))/(12*h))
			}
		}
		if det := determinant(jacobian); math.Abs(det-1) > 1e-6 {
			t.Errorf("%s: the determinant is %v", name, det)
		}
	}
}

// determinant is that of a, by elimination with pivots; a is overwritten.
func determinant(a [][]float64) float64 {
	det := 1.0
	for j := range a {
		pivot := j
		for i := j; i < len(a); i++ {
			if math.Abs(a[i][j]) > math.Abs(a[pivot][j]) {
				pivot = i
			}
		}
		if pivot != j {
			a[j], a[pivot], det = a[pivot], a[j], -det
		}
		det *= a[j][j]
		for i := j + 1; i < len(a); i++ {
			by := a[i][j] / a[j][j]
			for k := j; k < len(a); k++ {
				a[i][k] -= by * a[j][k]
			}
		}
	}
	return det
}

// A step around a reference is stable wherever a leapfrog is, whatever the target's curvature in units of the
// reference's: |cos h − ½h(λ − 1) sin h| ≤ 1 where λh² ≤ 4.
func TestStepsAreStableWhereLeapfrogsAre(t *testing.T) {
	m := newMetric(1, shape{})
	m.ref.on = true
	for h := 0.05; h <= longestStep; h += 0.05 {
		for share := 0.0; share < 0.99; share += 0.1 / float64(brief.Draws(1, 5)) {
			curvature := share * 4 / (h * h)
			far := 0.0
			path(&m, func(q, g []float64) {
				g[0] = -curvature * q[0]
			}, []float64{1}, []float64{0}, newStride(h), 1000, func(at *point, _ *jointVector, _ float64) {
				far = max(far, math.Abs(at.q.at[0][0]))
			})
			if far > 1+1e-9 {
				t.Fatalf("curvature %v: a state with steps of %v goes to %v", curvature, h, far)
			}
		}
	}
}

// A step that goes around in 8 or 16 states, or somewhat further in 8, becomes shorter, others stay.
func TestDetuned(t *testing.T) {
	for eps, want := range map[float64]float64{
		1.3: 1.3, 1.11: 1.11, 1.09: 0.9 * math.Pi / 4, 0.87: 0.9 * math.Pi / 4, 0.83: 0.9 * math.Pi / 4,
		math.Pi / 4: 0.9 * math.Pi / 4, 0.7: 0.7, 0.44: 0.44, 0.4: 0.9 * math.Pi / 8,
		0.383: 0.9 * math.Pi / 8, 0.3: 0.3,
	} {
		if got := detuned(eps); math.Abs(got-want) > 1e-15 {
			t.Errorf("%v becomes %v, want %v", eps, got, want)
		}
	}
}

// The mean of the reference is that of a normal target, whatever the draws, if the metric is its covariance.
func TestReferenceOfANormal(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 1))
	metrics := references(r)
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		m := metrics[name]
		gradient := m.normal()
		if m.ref.hierarchy > 0 {
			continue
		}
		want := slices.Clone(m.ref.mean)
		e := newEstimate(7, 0)
		for range 3 {
			q, g := someOf(r, 7), make([]float64, 7)
			gradient(q, g)
			e.add(q, g)
		}
		m.recentre(&e, false)
		if off := distance(m.ref.mean, want); !m.ref.on || off > 1e-10 {
			t.Errorf("%s: the mean is %v, want %v", name, m.ref.mean, want)
		}
	}
}

// Coordinates of a hierarchy have a reference if their gradients are nearly straight lines in the mean and no
// transition has diverged; those that are not the hierarchy's always. A checkpoint keeps which.
func TestReferencesInHierarchies(t *testing.T) {
	const dim, hierarchy = 6, 4
	moments := func(bent ...int) *estimate {
		r := rand.New(rand.NewPCG(44, 1))
		e := newEstimate(dim, hierarchy)
		for range 200 {
			q, g := someOf(r, dim), make([]float64, dim)
			for i, x := range q {
				if g[i] = -x; slices.Contains(bent, i) {
					q[i], g[i] = x-math.Exp(-2*x), -x/(1+2*math.Exp(-2*x))
				}
			}
			e.add(q, g)
		}
		return &e
	}
	for name, c := range map[string]struct {
		of   shape
		bent []int
		calm bool
		from int
	}{
		"straight":            {shape{hierarchy: hierarchy}, nil, true, 0},
		"two bent":            {shape{hierarchy: hierarchy}, []int{1, 3}, true, hierarchy},
		"not calm":            {shape{hierarchy: hierarchy}, nil, false, hierarchy},
		"dense, straight":     {shape{dense: hierarchy, hierarchy: hierarchy}, nil, true, 0},
		"dense, two bent":     {shape{dense: hierarchy, hierarchy: hierarchy}, []int{1, 3}, true, hierarchy},
		"bent, not hierarchy": {shape{hierarchy: hierarchy}, []int{4, 5}, true, 0},
		"no hierarchy":        {shape{}, []int{1, 3}, false, 0},
	} {
		m, e := newMetric(dim, c.of), moments(c.bent...)
		if m.recentre(e, c.calm); m.isDense() && m.ref.from == 0 {
			t.Errorf("%s: a reference before the dense part is estimated", name)
		}
		m.fromFisher(e, true, 0)
		m.recentre(e, c.calm)
		if !m.ref.on || m.ref.from != c.from {
			t.Errorf("%s: reference %t from %d, want from %d", name, m.ref.on, m.ref.from, c.from)
		}
		var saved bytes.Buffer
		if err := backends.SaveState(&saved, "reference", m.ref.state); err != nil {
			t.Fatal(err)
		}
		again := newMetric(dim, c.of)
		if err := backends.LoadState(&saved, "reference", again.ref.state); err != nil ||
			again.ref.from != c.from {
			t.Errorf("%s: restored from %d, %v", name, again.ref.from, err)
		}
	}
	bad := newReference(hierarchy, make([]float64, dim))
	bad.from = 3
	var saved bytes.Buffer
	if err := backends.SaveState(&saved, "reference", bad.state); err == nil {
		t.Error("a reference from the third of four coordinates is saved")
	}
}

// A normal target is linear however its coordinates are correlated, if the metric knows that: coordinates of
// a hierarchy then have a reference, around the mean of the target. When transitions have diverged there is
// none, and later its mean is that of the newest draws.
func TestReferencesOfCorrelatedCoordinates(t *testing.T) {
	const dim, ratio = 6, 40.0
	r := rand.New(rand.NewPCG(45, 1))
	along, mean := make([]float64, dim), someOf(r, dim)
	for i := range along {
		along[i] = 1 / math.Sqrt(dim)
	}
	stretched := func(v []float64, by float64) []float64 {
		share, out := (by-1)*vector.Dot(dim, along, v), slices.Clone(v)
		vector.Axpy(dim, out, share, along)
		return out
	}
	e := newEstimate(dim, dim)
	for range keptDraws {
		z := someOf(r, dim)
		q, g := stretched(z, math.Sqrt(ratio)), stretched(z, 1/math.Sqrt(ratio))
		vector.Axpy(dim, q, 1, mean)
		vector.Scale(dim, g, g, -1)
		e.add(q, g)
	}
	for name, c := range map[string]struct {
		of   shape
		from int
	}{
		"diagonal": {shape{hierarchy: dim}, dim},
		"dense":    {shape{dense: dim, hierarchy: dim}, 0},
	} {
		m := newMetric(dim, c.of)
		m.fromFisher(&e, true, 0)
		for _, calm := range []bool{true, false, false, true} {
			want := dim
			if calm {
				want = c.from
			}
			m.recentre(&e, calm)
			if !m.ref.on || m.ref.from != want {
				t.Errorf("%s, calm %t: reference %t from %d, want from %d", name, calm, m.ref.on, m.ref.from, want)
			}
			if off := distance(m.ref.mean, mean); m.ref.from == 0 && !(off < 1e-6) {
				t.Errorf("%s: the mean is %v, want %v", name, m.ref.mean, mean)
			}
		}
		if got := m.nonlinear(&e) / dim; c.from == 0 && math.Abs(got-1) > 0.1 {
			t.Errorf("%s: a normal target is linear to %v, want 1", name, got)
		}
	}
}
