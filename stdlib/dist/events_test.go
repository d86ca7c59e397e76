package dist

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib/bijector"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
	"github.com/vflc/vflc/tests/densities"
)

// Every listed distribution of vectors or matrices goes through every test of this file; the tests read what
// they need from the descriptor.

func eachOfEvents(t *testing.T, f func(t *testing.T, d def.Dist)) {
	for _, d := range Events() {
		t.Run(d.Name, func(t *testing.T) { f(t, d) })
	}
}

// sizeOf is the size of a value with these arguments.
func sizeOf(d def.Dist, x []float64, theta [][]float64) int {
	switch d.Event.Rank {
	case 1:
		return len(x)
	case 2:
		return side(len(x))
	}
	for k, p := range d.Params {
		if p.Rank == 1 {
			return len(theta[k])
		}
	}
	return 1
}

// eventsOf is a block of one event.
func eventsOf(d def.Dist, x []float64, theta [][]float64) *def.Events {
	b := &def.Events{N: 1, X: def.Whole(x), LP: make([]float64, 1), DTheta: make([][]float64, len(theta)),
		Work: make([]float64, d.Event.Room(sizeOf(d, x, theta)))}
	for _, v := range theta {
		b.Theta = append(b.Theta, def.Whole(v))
	}
	return b
}

func eventLogp(d def.Dist, x []float64, theta ...[]float64) float64 {
	b := eventsOf(d, x, theta)
	d.Event.Density(b)
	return b.LP[0]
}

func normals(r *rand.Rand, n int, scale float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = scale * r.NormFloat64()
	}
	return v
}

// mapped is a random value of a support.
func mapped(r *rand.Rand, of def.Support, k int) []float64 {
	if of == def.CholeskyFactor {
		l := mapped(r, def.CovMatrix, k)
		linear.Cholesky(l, l, k)
		return l
	}
	for _, s := range bijector.Structured() {
		if s.Support == of {
			y := make([]float64, s.Len(k))
			s.Forward(y, normals(r, s.Free(k), 0.35), make([]float64, s.Room(k)), k)
			return y
		}
	}
	panic("no map")
}

// drawEvent gives ordinary parameters for values of size k, and a draw of the value.
func drawEvent(d def.Dist, r *rand.Rand, k int) (x []float64, theta [][]float64) {
	for _, p := range d.Params {
		n := 1
		for range p.Rank {
			n *= k
		}
		switch {
		case p.Domain.OfWholes():
			theta = append(theta, mapped(r, p.Domain, k))
		case p.Domain == def.Positive:
			v := normals(r, n, 0.5)
			for i := range v {
				v[i] = math.Exp(v[i]) + 0.3
				if strings.HasSuffix(d.Name, "wishart") {
					v[i] += float64(k) + 4
				}
			}
			theta = append(theta, v)
		case p.Domain == def.Codes: // a path through the elements
			v := make([]float64, k-1)
			for i := range v {
				v[i] = float64(1 + i + len(theta))
			}
			theta = append(theta, v)
		case p.Domain == def.ZeroOne:
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(r.IntN(2))
			}
			theta = append(theta, v)
		default:
			theta = append(theta, normals(r, n, 0.5))
		}
	}
	n := 1
	for range d.Event.Rank {
		n *= k
	}
	x = make([]float64, n)
	if d.Support == def.Counts {
		x[0] = 12
	}
	if d.Event.Sample == nil && d.Support == def.RealLine {
		return normals(r, n, 1), theta
	}
	if d.Event.Sample == nil { // times, some of them equal
		for i := range x {
			x[i] = float64(1 + r.IntN(3))
		}
		return x, theta
	}
	d.Event.Sample(r, x, theta, k)
	return x, theta
}

func TestEventsComplete(t *testing.T) {
	scalar, values := map[string]bool{}, densities.Events()
	for _, d := range All() {
		scalar[d.Name] = true
	}
	eachOfEvents(t, func(t *testing.T, d def.Dist) {
		switch e := d.Event; {
		case scalar[d.Name]:
			t.Error("listed twice")
		case e == nil || e.Density == nil || (e.Sample == nil) != (e.NoSampler != "") ||
			len(values[d.Name]) < 5:
			t.Error("density, sampler or a reason for none, and at least 5 cases are needed")
		case !strings.Contains(d.Doc, "log p(x) =") || !strings.Contains(d.Doc, "Source: "):
			t.Error("the documentation needs a formula and a source")
		case !strings.Contains(strings.Join(d.Examples, "\n"), "~ "+d.Name+"("):
			t.Error("no example uses it")
		case d.LocationAt != -1 || d.ScaleAt != -1:
			t.Error("a location and scale are of numbers")
		case d.Discrete != (d.Support == def.Codes || d.Support == def.Counts):
			t.Error("discrete does not agree with the support")
		}
		for _, p := range d.Params {
			if p.Name == "" || p.Doc == "" || !strings.Contains(d.Doc, p.Name) {
				t.Errorf("parameter %+v needs a name and documentation", p)
			}
		}
	})
}

// Values from mpmath at 60 digits, rounded to double.
func TestEventCases(t *testing.T) {
	values := densities.Events()
	eachOfEvents(t, func(t *testing.T, d def.Dist) {
		for _, c := range values[d.Name] {
			if got := eventLogp(d, c.X, c.Theta...); math.Abs(got-c.LogP) > 1e-12*max(1, math.Abs(c.LogP)) {
				t.Errorf("log p(%v | %v) = %v, want %v", c.X, c.Theta, got, c.LogP)
			}
		}
	})
}

// tangents are directions in which an argument may move: for a symmetric matrix both mirror images together,
// for a simplex between two elements.
func tangents(of def.Support, n int) (out [][]float64) {
	k := side(n)
	for j := range n {
		d := make([]float64, n)
		d[j] = 1
		row, col := j%k, j/k
		switch of {
		case def.Simplex, def.ZeroSum:
			if j == 0 {
				continue
			}
			d[0] = -1
		case def.CovMatrix, def.CorrMatrix:
			if row < col || of == def.CorrMatrix && row == col {
				continue
			}
			d[col+k*row] = 1
		case def.CholeskyFactor, def.CorrCholesky:
			if row < col {
				continue
			}
		}
		out = append(out, d)
	}
	return out
}

// Partials agree with differences, are weighted, and are added.
func TestEventPartials(t *testing.T) {
	const h = 2e-5
	eachOfEvents(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(41, 42))
		for range 20 {
			k := 2 + r.IntN(3)
			x, theta := drawEvent(d, r, k)
			b := eventsOf(d, x, theta)
			b.W, b.DX = []float64{1.5}, make([]float64, len(x))
			b.DX[0] = 7
			for i, v := range theta {
				b.DTheta[i] = make([]float64, len(v))
			}
			d.Event.Density(b)
			b.DX[0] -= 7
			try := func(name string, v []float64, of def.Support, got []float64) {
				for _, dir := range tangents(of, len(v)) {
					at := func(s float64) float64 {
						moved := slices.Clone(v)
						for j := range v {
							v[j] += s * dir[j]
						}
						lp := eventLogp(d, x, theta...)
						copy(v, moved)
						return lp
					}
					want, sum := 1.5*(at(-2*h)-8*at(-h)+8*at(h)-at(2*h))/(12*h), 0.0
					for j := range v {
						sum += got[j] * dir[j]
					}
					if math.Abs(sum-want) > 1e-6*max(1, math.Abs(want)) {
						t.Errorf("by %s along %v at x = %v, theta = %v: %v, from differences %v", name, dir,
							x, theta, sum, want)
					}
				}
			}
			for i, p := range d.Params {
				if p.Data {
					continue
				}
				try(p.Name, theta[i], p.Domain, b.DTheta[i])
			}
			if !d.Discrete && d.Joint() == "" { // its x is data
				try("x", x, d.Support, b.DX)
			}
		}
	})
}

// Several events, each with parameters of its own or shared, in any layout, are what they are one by one.
func TestEventBlocks(t *testing.T) {
	eachOfEvents(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(43, 44))
		const n, k = 67, 3 // more than are taken together
		var weights [n]float64
		for i := range weights {
			weights[i] = r.NormFloat64()
		}
		for own := range 1 << len(d.Params) {
			var xs [n][]float64
			var thetas [n][][]float64
			for i := range n {
				xs[i], thetas[i] = drawEvent(d, r, k)
				for j := range thetas[i] {
					if own>>j&1 == 0 {
						thetas[i][j] = thetas[0][j]
					}
				}
			}
			spread := func(of func(i int) []float64) def.EventArg {
				v := make([]float64, n*len(of(0)))
				for i := range n {
					for j, e := range of(i) {
						v[i+n*j] = e
					}
				}
				return def.EventArg{V: v, Step: 1, Stride: n, Len: len(of(0))}
			}
			b := &def.Events{N: n, X: spread(func(i int) []float64 {
				return xs[i]
			}), LP: make([]float64, n), W: weights[:], Work: make([]float64, d.Event.Room(k))}
			b.DX = make([]float64, len(b.X.V))
			for j := range d.Params {
				if own>>j&1 == 1 {
					b.Theta = append(b.Theta, spread(func(i int) []float64 { return thetas[i][j] }))
				} else {
					b.Theta = append(b.Theta, def.Whole(thetas[0][j]))
				}
				b.DTheta = append(b.DTheta, make([]float64, len(b.Theta[j].V)))
			}
			d.Event.Density(b)
			want := make([][]float64, len(d.Params))
			for j := range want {
				want[j] = make([]float64, len(b.DTheta[j]))
			}
			for i := range n {
				one := eventsOf(d, xs[i], thetas[i])
				one.W, one.DX = b.W[i:i+1], make([]float64, len(xs[i]))
				for j := range d.Params {
					one.DTheta[j] = make([]float64, len(thetas[i][j]))
				}
				d.Event.Density(one)
				if one.LP[0] != b.LP[i] {
					t.Errorf("event %d: %v in a block, %v alone", i, b.LP[i], one.LP[0])
				}
				for e, v := range one.DX {
					if got := b.DX[b.X.Index(i, e)]; !near(got, v, 1e-12) {
						t.Errorf("∂x of event %d: %v in a block, %v alone", i, got, v)
					}
				}
				for j := range d.Params {
					for e, v := range one.DTheta[j] {
						want[j][b.Theta[j].Index(i, e)] += v
					}
				}
			}
			for j := range want {
				for e := range want[j] {
					if got := b.DTheta[j][e]; math.Abs(got-want[j][e]) > 1e-10*max(1, math.Abs(want[j][e])) {
						t.Errorf("∂%s: %v in a block, %v alone", d.Params[j].Name, got, want[j][e])
					}
				}
			}
			if m := testing.AllocsPerRun(5, func() { d.Event.Density(b) }); m != 0 {
				t.Errorf("%v allocations", m)
			}
		}
	})
}

// The probabilities of all categories, or counts, add up to 1; densities integrate to 1 over unconstrained
// coordinates, by the trapezoidal rule, which converges exponentially for them.
func TestEventsIntegrateToOne(t *testing.T) {
	eachOfEvents(t, func(t *testing.T, d def.Dist) {
		if !d.Proper() {
			return
		}
		r := rand.New(rand.NewPCG(45, 46))
		x, theta := drawEvent(d, r, 2)
		sum := 0.0
		switch {
		case d.Support == def.Codes:
			for c := 1; c <= 2+d.Event.More; c++ {
				sum += math.Exp(eventLogp(d, []float64{float64(c)}, theta...))
			}
		case d.Support == def.Counts:
			for c := 0.0; c <= 12; c++ {
				sum += math.Exp(eventLogp(d, []float64{c, 12 - c}, theta...))
			}
		default:
			sum = integral(d, x, theta)
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Errorf("theta = %v: the density integrates to %v", theta, sum)
		}
	})
}

func integral(d def.Dist, x []float64, theta [][]float64) float64 {
	free, forward := len(x), func(y, u []float64) float64 { copy(y, u); return 0 }
	for _, s := range bijector.Structured() {
		if s.Support == d.Support {
			work := make([]float64, s.Room(2))
			free, forward = s.Free(2), func(y, u []float64) float64 { return s.Forward(y, u, work, 2) }
		}
	}
	reach, step := []float64{30, 30}, []float64{0.2, 0.2} // that resolve the density, along each coordinate
	switch d.Name {
	case "multi_student_t":
		theta[0][0] = 30
	case "wishart":
		reach, step = []float64{5, 6, 5}, []float64{0.15, 0.2, 0.15}
	case "inv_wishart":
		theta[1] = []float64{25, 6, 6, 20}
		reach, step = []float64{4, 30, 4}, []float64{0.125, 0.25, 0.125}
	}
	b := eventsOf(d, x, theta)
	points, volume := 1, 1.0
	for j := range free {
		points *= int(2*reach[j]/step[j]) + 1
		volume *= step[j]
	}
	total, u := 0.0, make([]float64, free)
	for at := range points {
		for j := range u {
			n := int(2*reach[j]/step[j]) + 1
			u[j] = -reach[j] + step[j]*float64(at%n)
			at /= n
		}
		jacobian := forward(x, u)
		d.Event.Density(b)
		total += math.Exp(b.LP[0] + jacobian)
	}
	return total * volume
}

// Draws have the distribution: the expected slope of log p by a parameter is 0, within five standard errors
// of 20,000 draws.
func TestEventDraws(t *testing.T) {
	const draws = 20000
	eachOfEvents(t, func(t *testing.T, d def.Dist) {
		if !d.Proper() {
			return
		}
		r := rand.New(rand.NewPCG(47, 48))
		x, theta := drawEvent(d, r, 3)
		b := eventsOf(d, x, theta)
		b.W = []float64{1}
		for i, v := range theta {
			b.DTheta[i] = make([]float64, len(v))
		}
		var sums, squares []float64
		for range draws {
			d.Event.Sample(r, x, theta, 3)
			for _, v := range b.DTheta {
				clear(v)
			}
			d.Event.Density(b)
			if math.IsInf(b.LP[0], 0) {
				t.Fatalf("%v was drawn and has no density", x)
			}
			at := 0
			for i, p := range d.Params {
				for _, dir := range tangents(p.Domain, len(theta[i])) {
					s := 0.0
					for j, v := range dir {
						s += v * b.DTheta[i][j]
					}
					if sums = append(sums, 0)[:max(len(sums), at+1)]; len(squares) < len(sums) {
						squares = append(squares, 0)
					}
					sums[at] += s
					squares[at] += s * s
					at++
				}
			}
		}
		for i, s := range sums {
			mean := s / draws
			if se := math.Sqrt((squares[i]/draws - mean*mean) / draws); math.Abs(mean) > 5*se {
				t.Errorf("theta = %v: slope %d has the mean %v, with standard error %v", theta, i, mean, se)
			}
		}
	})
}

// Values and parameters outside their sets have no density, and nothing panics.
func TestEventsOutside(t *testing.T) {
	eachOfEvents(t, func(t *testing.T, d def.Dist) {
		r := rand.New(rand.NewPCG(49, 50))
		x, theta := drawEvent(d, r, 2)
		none := func(what string, v []float64, bad ...float64) {
			old := slices.Clone(v)
			copy(v, bad)
			b := eventsOf(d, x, theta)
			b.W, b.DX = []float64{1}, make([]float64, len(x))
			for i := range theta {
				b.DTheta[i] = make([]float64, len(theta[i]))
			}
			if d.Event.Density(b); !math.IsInf(b.LP[0], -1) {
				t.Errorf("%s = %v has the density %v", what, v, b.LP[0])
			}
			copy(v, old)
		}
		nan := math.NaN()
		for i, p := range d.Params {
			none(p.Name, theta[i], nan)
			switch p.Domain {
			case def.Positive:
				none(p.Name, theta[i], 0)
				none(p.Name, theta[i], -1)
			case def.Simplex:
				none(p.Name, theta[i], 0.5, 0.7)
				none(p.Name, theta[i], -0.5, 1.5)
			case def.Ordered:
				none(p.Name, theta[i], 1, 1)
			case def.CovMatrix:
				none(p.Name, theta[i], 1, 2, 2, 1)
				none(p.Name, theta[i], 1, 0.2, 0.4, 1)
			case def.CholeskyFactor:
				none(p.Name, theta[i], -1)
			}
		}
		switch d.Support {
		case def.Codes:
			for _, v := range []float64{0, 1.5, 4, nan, math.Inf(1)} {
				none("x", x, v)
			}
		case def.Counts:
			none("x", x, 1.5)
			none("x", x, -1)
		case def.Simplex, def.ZeroSum:
			none("x", x, 0.5, 0.7)
		case def.CovMatrix, def.CorrMatrix:
			none("x", x, 1, 2, 2, 1)
		case def.CorrCholesky:
			none("x", x, 1, 0.5, 0, -0.1)
		}
	})
}
