package polynomial

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/dist"
)

var quantities = []Approximated{Value, Slope, Curvature}

// The errors at random points, by the rules of Approximate with means and variances that are known, are
// within what is stated, which is within the limits.
func TestErrors(t *testing.T) {
	const rows = 10_000
	for _, c := range families() {
		t.Run(c.Dist.Name, func(t *testing.T) {
			f, r := must(t, c.LikelihoodTerm), rand.New(rand.NewPCG(seed, 4))
			on := Interval{-1, 2.5}
			least := c.information(on.Centre) / 100
			exact := map[Approximated]func(eta float64) parts{Value: f.relative(on.Centre), Slope: f.slope,
				Curvature: func(eta float64) parts { return parts{b: c.information(eta)} }}
			for _, q := range quantities {
				p, err := f.Approximate(q, on, Goal{Rows: rows})
				if err != nil {
					t.Fatal(err)
				}
				most := 0.0
				for range 500 {
					eta := on.Centre + on.K*(2*r.Float64()-1)
					at := exact[q](eta)
					eA, eB := p.A.At(eta)-at.a, p.B.At(eta)-at.b
					e := math.Hypot(math.Sqrt(c.variance(eta))*eA, c.mean(eta)*eA+eB)
					u := max(c.information(eta), least)
					by := map[Approximated]float64{Value: rows, Slope: math.Sqrt(2 * rows / u),
						Curvature: 2 / u}
					most = max(most, by[q]*e)
				}
				if q == Curvature {
					most -= 1e-7 // the derivative of a mean by differences
				}
				if most > p.Error || p.Error > q.limit() || p.Error > 1e-6 && most < p.Error/20 {
					t.Errorf("%s of degree %d: error %v at random points, %v stated", q, p.Degree(), most,
						p.Error)
				}
			}
		})
	}
}

// The same of residuals, whose errors are weighed equally.
func TestErrorsOfResiduals(t *testing.T) {
	const rows = 10_000
	for _, c := range residuals() {
		t.Run(c.Dist.Name, func(t *testing.T) {
			f, r := must(t, c), rand.New(rand.NewPCG(seed, 5))
			on := Interval{0, 4}
			exact := map[Approximated]func(eta float64) float64{
				Value: func(u float64) float64 { return f.relative(0)(u).b },
				Slope: func(u float64) float64 { return f.slope(u).b },
				Curvature: func(u float64) float64 {
					const h = 1e-3
					return (f.slope(u-h).b - f.slope(u+h).b) / (2 * h)
				},
			}
			info := f.information(on)
			for _, q := range quantities {
				p, err := f.Approximate(q, on, Goal{Rows: rows})
				if err != nil {
					t.Fatal(err)
				}
				most := 0.0
				for range 300 {
					u := on.K * (2*r.Float64() - 1)
					most = max(most, math.Abs(p.B.At(u)-exact[q](u)))
				}
				by := map[Approximated]float64{Value: rows, Slope: math.Sqrt(2 * rows / info),
					Curvature: 2 / info}
				most *= by[q]
				if most > p.Error+1e-5 || most < p.Error/10 || p.Error > q.limit() || p.A.Degree() >= 0 {
					t.Errorf("%s of degree %d: error %v at random points, %v stated", q, p.Degree(), most,
						p.Error)
				}
			}
		})
	}
}

// The expected curvature of Student's t is (nu+1)/(nu+3)/sigma².
func TestInformationOfResiduals(t *testing.T) {
	f := must(t, over(dist.StudentT(), 4, 0, 0.8))
	if got, want := f.information(Interval{0, 60}), 5.0/7/0.64; !near(got, want, 1e-6) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The mode of a logistic regression moves by no more than the error of its slope, of polynomials that are
// good enough and of coarse ones.
func TestModeMovesAsStated(t *testing.T) {
	const rows, columns, k = 4000, 4, 6.0
	r := rand.New(rand.NewPCG(seed, 6))
	x, y, beta := make([][columns]float64, rows), make([]float64, rows), [columns]float64{-1, 0.8, -0.5, 0.3}
	for i := range x {
		x[i] = [columns]float64{1, r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		if r.Float64() < portable.Sigmoid(dot(x[i], beta)) {
			y[i] = 1
		}
	}
	f := must(t, over(dist.BernoulliLogit(), 0))
	on := Interval{0, k}
	c, _ := f.curve(on)
	exact, ok := refer(on, f.slope)
	if !ok {
		t.Fatal("it is smooth")
	}
	m := c.measure(Slope, exact, rows)
	mode := func(slope func(eta float64) float64) (at [columns]float64,
		covariance [columns][columns]float64) {
		for range 30 {
			var g [columns]float64
			var h [columns][columns]float64
			for i := range x {
				eta := dot(x[i], at)
				p := portable.Sigmoid(eta)
				for a, v := range x[i] {
					g[a] += v * (y[i] + slope(eta))
					for b, u := range x[i] {
						h[a][b] += v * u * p * (1 - p)
					}
				}
			}
			covariance = inverse(h)
			for a := range at {
				at[a] += dot(covariance[a], g)
			}
		}
		return at, covariance
	}
	want, covariance := mode(func(eta float64) float64 { return f.slope(eta).b })
	for _, degree := range []int{7, 11, 15, 23} {
		var p Pair
		p.A, p.B = interpolate(on, degree, f.slope)
		bound := m.error(p, math.Inf(1))
		got, _ := mode(p.B.At)
		most := 0.0
		for a := range got {
			most = max(most, math.Abs(got[a]-want[a])/math.Sqrt(covariance[a][a]))
		}
		if most > bound || most < bound/1000 {
			t.Errorf("degree %d: the mode moves by %v standard deviations, and the bound is %v", degree, most,
				bound)
		}
	}
}

func dot[T ~[4]float64](a, b T) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] }

// inverse is that of a positive definite matrix, by elimination.
func inverse(m [4][4]float64) (inv [4][4]float64) {
	for i := range inv {
		inv[i][i] = 1
	}
	for i := range m {
		for j := range m {
			if j == i {
				continue
			}
			by := m[j][i] / m[i][i]
			for k := range m {
				m[j][k] -= by * m[i][k]
				inv[j][k] -= by * inv[i][k]
			}
		}
	}
	for i := range inv {
		for k := range inv {
			inv[i][k] /= m[i][i]
		}
	}
	return inv
}

// Degrees that an evaluation has levels for, at 10,000 rows.
func TestDegrees(t *testing.T) {
	for _, c := range []struct {
		term   LikelihoodTerm
		q      Approximated
		k      float64
		degree int
	}{
		{over(dist.BernoulliLogit(), 0), Value, 10, 47},
		{over(dist.BernoulliLogit(), 0), Value, 15, 63},
		{over(dist.BernoulliLogit(), 0), Slope, 15, 63},
		{over(dist.BernoulliLogit(), 0), Curvature, 15, 63},
		{over(dist.BernoulliProbit(), 0), Slope, 8, 31},
		{over(dist.PoissonLog(), 0), Value, 5, 15},
		{over(dist.PoissonLog(), 0), Slope, 10, 23},
		{over(dist.Normal(), 0, 2), Value, 100, 2},
		{over(dist.Normal(), 0, 2), Slope, 100, 1},
		{over(dist.Normal(), 0, 2), Curvature, 100, 0},
		{over(dist.StudentT(), 4, 0, 1), Slope, 10, 63},
	} {
		p, err := must(t, c.term).Approximate(c.q, Interval{0, c.k}, Goal{Rows: 10_000})
		if err != nil || p.Degree() > c.degree {
			t.Errorf("%s of %s on ±%v: degree %d (%v), want %d", c.q, c.term.Dist.Name, c.k, p.Degree(), err,
				c.degree)
		}
	}
}

// The predictor enters linearly where the link is canonical: the response is not multiplied by a polynomial.
func TestCanonical(t *testing.T) {
	for _, term := range []LikelihoodTerm{
		over(dist.BernoulliLogit(), 0), over(dist.PoissonLog(), 0),
		over(dist.BinomialLogit(), 0, 0), over(dist.Normal(), 0, 0.5),
	} {
		value, err1 := must(t, term).Approximate(Value, Interval{0, 4}, Goal{Rows: 1000})
		slope, err2 := must(t, term).Approximate(Slope, Interval{0, 4}, Goal{Rows: 1000})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if value.A.Degree() != 1 || slope.A.Degree() != 0 || value.A.Coefficients[0] != 0 {
			t.Errorf("%s: the response is multiplied by %v and %v", term.Dist.Name, value.A, slope.A)
		}
	}
}

// The bytes of coefficients are those of the file on every machine, and read back as the same numbers.
func TestBytes(t *testing.T) {
	var got []byte
	for _, term := range []LikelihoodTerm{over(dist.BernoulliLogit(), 0),
		over(dist.NegBinomial2Log(), 0, 2)} {
		for _, q := range quantities {
			p, err := must(t, term).Approximate(q, Interval{-0.5, 2}, Goal{Rows: 1000})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, term.Dist.Name+" "+q.String()+"\n"+p.A.String()+"\n"+p.B.String()+"\n"...)
		}
	}
	golden(t, "testdata/coefficients.txtar", string(got))
}

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares a text with the file "want" of an archive.
func golden(t *testing.T, path, got string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for i, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			archive.Files[i].Data = []byte(got)
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A factor of the response is constant on an interval, however narrow, only where it is so on all.
func TestConstantFactors(t *testing.T) {
	constant, others := 0, 0
	for _, c := range families() {
		f := must(t, c.LikelihoodTerm)
		for _, centre := range []float64{-1.5, 0} {
			wide, err := f.Approximate(Slope, Interval{centre, 2}, Goal{Rows: 100})
			if err != nil {
				continue
			}
			for _, k := range []float64{1.0 / 64, 0.25} {
				p, err := f.Approximate(Slope, Interval{centre, k}, Goal{Rows: 100})
				if err != nil || (p.A.Degree() == 0) != (wide.A.Degree() == 0) {
					t.Errorf("%s: %v and on ±%v %v, %v", c.Dist.Name, wide.A, k, p.A, err)
				}
			}
			if others++; wide.A.Degree() == 0 {
				constant++
			}
		}
	}
	if constant == 0 || constant == others {
		t.Errorf("%d of %d factors are constant", constant, others)
	}
}
