package graph

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/bijector"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
)

// gradientOf compares the gradient of a graph with differences.
func gradientOf(t *testing.T, name string, b *Builder, x []float64) {
	t.Helper()
	g, err := b.Build()
	must(t, err)
	e := g.NewExec()
	at := func(x []float64) float64 { e.Forward(x); return e.Target() }
	at(x)
	grad := append([]float64(nil), e.Grad()...)
	const h = 1e-4
	for i := range x {
		value := func(d float64) float64 {
			z := append([]float64(nil), x...)
			z[i] += d
			return at(z)
		}
		want := (value(-2*h) - 8*value(-h) + 8*value(h) - value(2*h)) / (12 * h)
		if math.Abs(grad[i]-want) > 1e-6*max(1, math.Abs(want)) || math.IsNaN(want) {
			t.Errorf("%s: gradient %d is %v, from differences %v", name, i, grad[i], want)
		}
	}
	if n := testing.AllocsPerRun(5, func() { at(x) }); n != 0 {
		t.Errorf("%s: %v allocations", name, n)
	}
}

func random1(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 0.6 * r.NormFloat64()
	}
	return v
}

// Matrix operations of a positive definite matrix have exact gradients: each is weighted and summed, as a
// term and through an output.
func TestMatrixOperations(t *testing.T) {
	cov := pick(t, bijector.Structured(), "cov_matrix", func(s def.Structured) string { return s.Name })
	r := rand.New(rand.NewPCG(61, 62))
	const k = 3
	matrix := func(b *Builder) ID { return b.Structured(&cov, b.Param("S", Shape{6}), k) }
	for name, f := range map[string]func(b *Builder) ID{
		"cholesky":     func(b *Builder) ID { return b.must("cholesky", matrix(b)) },
		"solve vector": func(b *Builder) ID { return b.must("solve", matrix(b), b.Param("b", Shape{k})) },
		"solve matrix": func(b *Builder) ID { return b.must("solve", matrix(b), b.Param("b", Shape{k, 2})) },
		"rep": func(b *Builder) ID {
			return b.must("rep", b.Param("v", Shape{}), b.Scalar(3), b.Scalar(2))
		},
		"fill": func(b *Builder) ID {
			base := b.Const("c", Shape{2, k}, []float64{1, 2, 3, 4, 5, 6})
			return b.must("fill", base, b.Const("at", Shape{3}, []float64{6, 1, 4}), b.Param("v", Shape{k}))
		},
		"diag": func(b *Builder) ID { return b.must("diag", b.Param("v", Shape{k})) },
		"quad_form vector": func(b *Builder) ID {
			return b.must("quad_form", matrix(b), b.Param("b", Shape{k}))
		},
		"quad_form matrix": func(b *Builder) ID {
			return b.must("quad_form", matrix(b), b.Param("b", Shape{k, 2}))
		},
	} {
		b := New(name)
		y := f(b)
		w := b.Const("w", b.Shape(y), random1(r, b.Shape(y).Len()))
		s := b.must("sum", b.must("mul", w, y))
		must(t, b.Add("t", b.must("mul", s, s), 1))
		gradientOf(t, name, b, random1(r, b.dim))
	}
	for _, name := range []string{"gp_exp_quad", "gp_matern32", "gp_matern52"} {
		for _, shape := range []Shape{{4}, {4, 2}} {
			b := New(name)
			y := b.must(name, b.Param("x", shape), b.Param("alpha", Shape{}),
				b.must("exp", b.Param("l", Shape{})))
			must(t, b.Add("t", b.must("mul", b.Const("w", Shape{4, 4}, random1(r, 16)), y), 1))
			gradientOf(t, name, b, random1(r, b.dim))
		}
	}
}

// A covariance is alpha² where points coincide, and its values at distance 1.5 are those of the formulas.
func TestCovarianceValues(t *testing.T) {
	const r, l = 1.5, 0.8
	a, c := math.Sqrt(3)*r/l, math.Sqrt(5)*r/l
	for name, want := range map[string]float64{
		"gp_exp_quad": math.Exp(-0.5 * r * r / l / l), "gp_matern32": (1 + a) * math.Exp(-a),
		"gp_matern52": (1 + c + c*c/3) * math.Exp(-c),
	} {
		b := New(name)
		v, _ := b.Value(b.must(name, b.Const("x", Shape{2}, []float64{0.2, 0.2 + r}), b.Scalar(3),
			b.Scalar(l)))
		if math.Abs(v[0]-9) > 1e-12 || math.Abs(v[1]-9*want) > 1e-12 || v[1] != v[2] {
			t.Errorf("%s: %v, want 9 and %v", name, v, 9*want)
		}
	}
}

// A matrix that is not positive definite, or singular, has no density: NaN is reported, and nothing panics.
func TestNoFactor(t *testing.T) {
	b := New("none")
	v, _ := b.Value(b.must("cholesky", b.Const("S", Shape{2, 2}, []float64{1, 2, 2, 1})))
	w, _ := b.Value(b.must("solve", b.Const("A", Shape{2, 2}, []float64{1, 2, 2, 4}),
		b.Const("b", Shape{2}, []float64{1, 1})))
	if !math.IsNaN(v[0]) || !math.IsNaN(w[0]+w[1]) && !math.IsInf(w[0]+w[1], 0) {
		t.Errorf("%v and %v", v, w)
	}
}

// Densities of vectors and matrices, with parameters of their own or shared, with weights and a power, have
// exact gradients through arrays of structured parameters.
func TestEventDensities(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	structured := func(name string) *def.Structured {
		s := pick(t, bijector.Structured(), name, func(s def.Structured) string { return s.Name })
		return &s
	}
	of := func(name string) *def.Dist {
		d := pick(t, dist.Events(), name, func(d def.Dist) string { return d.Name })
		return &d
	}
	const n, k = 4, 3
	codes := []float64{1, 3, 2, 3}
	for name, f := range map[string]func(b *Builder) error{
		"ordered_logistic": func(b *Builder) error {
			c := b.Structured(structured("ordered"), b.Param("c", Shape{2}), 2)
			return b.Likelihood("y", of("ordered_logistic"), b.Const("y", Shape{n}, codes),
				[]ID{b.Param("eta", Shape{n}), c}, b.Const("w", Shape{n}, []float64{1, 0, 2, 0.5}), 0.5)
		},
		"an array of simplexes": func(b *Builder) error {
			p := b.Structured(structured("simplex"), b.Param("p", Shape{n, k - 1}), k)
			if err := b.Density("p", of("dirichlet"), p, []ID{b.must("exp", b.Param("a", Shape{}))}, NoID,
				1); err != nil {
				return err
			}
			return b.Likelihood("y", of("categorical"), b.Const("y", Shape{n}, codes), []ID{p}, NoID, 1)
		},
		"a matrix of simplexes": func(b *Builder) error {
			p := b.Structured(structured("simplex"), b.Param("p", Shape{2, 2, k - 1}), k)
			return b.Likelihood("y", of("categorical"), b.Const("y", Shape{2, 2}, codes), []ID{p}, NoID, 1)
		},
		"correlated effects": func(b *Builder) error {
			l := b.Structured(structured("corr_cholesky"), b.Param("L", Shape{3}), k)
			if err := b.Density("L", of("lkj_corr_cholesky"), l, []ID{b.Scalar(2)}, NoID, 1); err != nil {
				return err
			}
			tau := b.must("exp", b.Param("tau", Shape{k}))
			return b.Density("u", of("multi_normal_cholesky"), b.Param("u", Shape{n, k}),
				[]ID{b.Scalar(0), b.must("mul", b.must("col", tau), l)}, NoID, 1)
		},
		"arrays of matrices": func(b *Builder) error {
			s := b.Structured(structured("cov_matrix"), b.Param("S", Shape{n, 3}), 2)
			one := b.Const("I", Shape{2, 2}, []float64{1, 0, 0, 1})
			if err := b.Density("S", of("inv_wishart"), s, []ID{b.Scalar(5), one}, NoID, 1); err != nil {
				return err
			}
			return b.Density("u", of("multi_normal"), b.Param("u", Shape{n, 2}),
				[]ID{b.Param("mu", Shape{2}), s}, NoID, 1)
		},
	} {
		b := New(name)
		must(t, f(b))
		gradientOf(t, name, b, random1(r, b.dim))
	}
}

// Without log-Jacobians the target of a structured parameter is the density of its value, with the gradient
// of that; an output carries seeds back without them.
func TestStructuredJacobianOff(t *testing.T) {
	simplex := pick(t, bijector.Structured(), "simplex", func(s def.Structured) string { return s.Name })
	for _, output := range []bool{false, true} {
		b := New(fmt.Sprint(output))
		p := b.Structured(&simplex, b.Param("p", Shape{2, 2}), 3)
		w := b.Const("w", Shape{2, 3}, []float64{1, 2, 3, -1, 0.5, 0})
		must(t, b.Add("t", b.must("mul", w, p), 1))
		if output {
			b.Output("p", p)
		}
		g, err := b.Build()
		must(t, err)
		e := g.NewExec()
		evaluate := func(x []float64) float64 {
			e.Forward(x)
			lp := e.Target()
			if output {
				e.Pull([][]float64{e.Own(0)})
			}
			return lp
		}
		x := []float64{0.3, -0.2, 0.7, 0.1}
		with := evaluate(x)
		e.Jacobian(false)
		without := evaluate(x)
		grad := append([]float64(nil), e.Grad()...)
		want := 0.0
		for r := range 2 {
			y := make([]float64, 3)
			want += simplex.Forward(y, []float64{x[r], x[r+2]}, nil, 3)
		}
		if math.Abs(with-without-want) > 1e-12 {
			t.Errorf("log-Jacobians are %v, want %v", with-without, want)
		}
		for i := range x {
			const h = 1e-6
			z := append([]float64(nil), x...)
			z[i] += h
			up := evaluate(z)
			z[i] -= 2 * h
			if d := (up - evaluate(z)) / (2 * h); math.Abs(d-grad[i]) > 1e-8 {
				t.Errorf("gradient %d is %v, by differences %v", i, grad[i], d)
			}
		}
	}
}

// Many numbers with vectors for parameters, and vectors of counts, have the density and the gradient written
// as operations that the distribution's own loop gives.
func TestEventForms(t *testing.T) {
	ordered := pick(t, bijector.Structured(), "ordered", func(s def.Structured) string { return s.Name })
	const n, k = 700, 4
	forms := map[int]int{} // by the axes of the left side
	for _, d := range dist.Events() {
		if d.Event.Expand == nil {
			continue
		}
		for _, c := range []struct {
			shape   Shape
			eachRow bool
			groups  int // of rows with the same parameters
		}{{Shape{n}, false, 0}, {Shape{n}, true, 0}, {Shape{n}, false, 5}, {Shape{n}, true, 5},
			{Shape{n / 7, 7}, false, 0}, {Shape{n / 7, 7}, true, 0}} {
			if d.Event.Rank > 0 && len(c.shape) > 1 {
				continue
			}
			var got [2][]float64
			var written [2]string
			for i := range got {
				r := rand.New(rand.NewPCG(81, 82))
				b := New("forms")
				b.plain = i == 1
				theta := make([]ID, len(d.Params))
				over, group := c.shape, make([]float64, n)
				if c.groups > 0 {
					over = Shape{c.groups}
				}
				for row := range group {
					group[row] = float64(1 + row%max(c.groups, 1))
				}
				index := b.Const("g", Shape{n}, group)
				for j, p := range d.Params {
					switch {
					case p.Domain == def.Ordered:
						theta[j] = b.Structured(&ordered, b.Param(p.Name, Shape{k - d.Event.More}),
							k-d.Event.More)
					case p.Rank == 1 && c.eachRow:
						theta[j] = b.Param(p.Name, append(slices.Clone(over), k))
					case p.Rank == 1:
						theta[j] = b.Param(p.Name, Shape{k})
					default:
						theta[j] = b.Param(p.Name, over)
					}
					if c.groups > 0 && (p.Rank == 0 || c.eachRow) && p.Domain != def.Ordered {
						theta[j] = b.must("gather", theta[j], index)
					}
					if p.Domain == def.Positive {
						theta[j] = b.must("exp", theta[j])
					}
				}
				shape := c.shape
				if d.Event.Rank > 0 {
					shape = append(slices.Clone(shape), k)
				}
				y := make([]float64, shape.Len())
				for row := range y {
					if y[row] = float64(1 + r.IntN(k)); d.Support == def.Counts {
						y[row] = math.Floor(9 * math.Exp(r.NormFloat64()) * float64(r.IntN(3)))
					}
				}
				for row := 0; d.Support == def.Simplex && row < n; row++ {
					sum := 0.0
					for at := row; at < len(y); at += n {
						sum += y[at]
					}
					for at := row; at < len(y); at += n {
						y[at] /= sum
					}
				}
				must(t, b.Likelihood("y", &d, b.Const("y", shape, y), theta, NoID, 0.5))
				g, err := b.Build()
				must(t, err)
				e := g.NewExec()
				e.Forward(random1(r, g.Dim()))
				got[i] = append([]float64{e.Target()}, e.Grad()...)
				written[i] = g.String()
			}
			for j, want := range got[1] {
				if math.Abs(got[0][j]-want) > 1e-11*max(1, math.Abs(want)) {
					t.Errorf("%s of shape %v, a vector for each %v, %d groups: number %d is %v, want %v",
						d.Name, c.shape, c.eachRow, c.groups, j, got[0][j], want)
				}
			}
			if written[0] != written[1] {
				forms[len(c.shape)]++
			}
		}
	}
	if forms[1] < 13 || forms[2] < 2 {
		t.Errorf("forms were used so often: %v", forms)
	}
}

// log Σ exp of many rows keeps its limits: rows of -∞, and with ∞ or NaN among them.
func TestLogSumExpLimits(t *testing.T) {
	inf := math.Inf(1)
	kinds := [][2]float64{{-inf, -inf}, {-inf, 3}, {inf, 1}, {-inf, inf}, {math.NaN(), 1}, {800, 800},
		{-900, -1000}}
	want := []float64{-inf, 3, inf, inf, math.NaN(), 800 + math.Ln2, -900}
	const rows = 600
	values := make([]float64, 2*rows)
	for i := range rows {
		values[i], values[rows+i] = kinds[i%len(kinds)][0], kinds[i%len(kinds)][1]
	}
	b := New("limits")
	m := b.must("add", b.Const("m", Shape{rows, 2}, values),
		b.must("mul", b.Param("p", Shape{}), b.Scalar(0)))
	b.Report("y", b.must("log_sum_exp", m))
	must(t, b.Add("t", b.Param("q", Shape{}), 1))
	g, err := b.Build()
	must(t, err)
	e := g.NewExec()
	e.Forward([]float64{1, 0})
	for i, got := range e.Report(0) {
		if w := want[i%len(want)]; got != w && !(math.IsNaN(got) && math.IsNaN(w)) {
			t.Fatalf("row %d, of %v: %v, want %v", i, kinds[i%len(kinds)], got, w)
		}
	}
}
