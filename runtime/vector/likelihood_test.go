package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A likelihoodCase runs one function on a set: in holds eta (or x), y (or mu) and weights; a, b and d are
// results.
type likelihoodCase struct {
	name string
	run  func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64)
}

func likelihoodCases() []likelihoodCase {
	return []likelihoodCase{
		{"bernoulliLogit", func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64) {
			bernoulliLogit(on, n, a, b, in[0], in[1], d)
		}},
		{"binomialLogit", func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64) {
			binomialLogit(on, n, a, b, in[0], in[1], 7, d)
		}},
		{"binomialTrials", func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64) {
			binomialTrials(on, n, a, in[0], in[1], in[2], d)
		}},
		{"poissonLog", func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64) {
			poissonLog(on, n, a, in[0], in[1], d)
		}},
		{"negBinomial2Log", func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64) {
			negBinomial2Log(on, n, a, b, in[0], in[1], 2.5, math.Log(2.5), 1/2.5, d)
		}},
		{"bernoulliProbit", func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64) {
			y := make([]float64, n)
			for i := range y {
				y[i] = float64(int(in[1][i]) % 2)
			}
			bernoulliProbit(on, n, a, in[0], y, d)
		}},
		{"normal", func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64) {
			normal(on, n, a, in[0], in[1], 0.7, d)
		}},
		{"studentT", func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64) {
			var share [lanes]float64
			studentT(on, n, a, b, &share, in[0], in[1], 0.7, 3.1, d)
			for l := range a {
				a[l] += share[l]
			}
		}},
		{"risingFar", func(on InstructionSet, n int, in [3][]float64, a, b *[lanes]float64, d []float64) {
			risingFar(on, n, a, b, in[1], in[2], 25, 1/25.0, math.Log(25)-1, 0.01, 0.02)
		}},
	}
}

func TestLikelihoodsAgreeBetweenSets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range likelihoodCases() {
		for round := range 300 {
			n := r.IntN(70)
			in := [3][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
			for i := range n {
				in[0][i], in[1][i], in[2][i] = r.NormFloat64()*math.Exp(3*r.NormFloat64()),
					float64(r.IntN(2+5*(round%2))), float64(6+r.IntN(4))
			}
			start := make([]float64, 2*lanes+n)
			for i := range 2 * lanes {
				start[i] = 1 + r.Float64()
			}
			agree(t, c.name, start, func(on InstructionSet, out []float64) {
				a, b := (*[lanes]float64)(out), (*[lanes]float64)(out[lanes:])
				d := out[2*lanes:]
				if round%3 == 0 {
					d = nil
				}
				c.run(on, n, in, a, b, d)
			})
		}
	}
}

// near reports whether got is want to within some units in the last place of size.
func near(got, want, size float64) bool { return math.Abs(got-want) <= 4e-15*math.Abs(size) }

func TestBernoulliLogitIsItsFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{1, 7, 64, 1000, 20001} {
		eta, y, d := make([]float64, n), make([]float64, n), make([]float64, n)
		want := 0.0
		for i := range eta {
			eta[i], y[i] = 6*r.NormFloat64(), float64(r.IntN(2))
			want -= math.Log1p(math.Exp(-(2*y[i] - 1) * eta[i]))
		}
		var s LogProduct
		s.Reset()
		s.BernoulliLogit(n, eta, y, d)
		if got := s.Value(1); math.Abs(got-want) > 1e-13*math.Abs(want) {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
		for i := range d {
			sign := 2*y[i] - 1
			if w := sign / (1 + math.Exp(sign*eta[i])); !near(d[i], w, w) {
				t.Fatalf("derivative at %v, %v is %v, want %v", eta[i], y[i], d[i], w)
			}
		}
	}
}

func TestBinomialLogitIsItsFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 9))
	const n, trials = 3001, 12
	eta, y, d := make([]float64, n), make([]float64, n), make([]float64, n)
	want := 0.0
	for i := range eta {
		eta[i], y[i] = 4*r.NormFloat64(), float64(r.IntN(trials+1))
		want -= y[i]*math.Log1p(math.Exp(-eta[i])) + (trials-y[i])*math.Log1p(math.Exp(eta[i]))
	}
	var s LogProduct
	s.Reset()
	s.BinomialLogit(n, eta, y, trials, d)
	if got := s.Value(trials); math.Abs(got-want) > 1e-13*math.Abs(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i := range d {
		a, b := y[i]/(1+math.Exp(eta[i])), (trials-y[i])/(1+math.Exp(-eta[i]))
		if !near(d[i], a-b, a+b) {
			t.Fatalf("derivative at %v, %v is %v, want %v", eta[i], y[i], d[i], a-b)
		}
	}
}

func TestBinomialTrialsIsItsFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 9))
	const n = 301
	eta, y, trials, d := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	want := 0.0
	for i := range eta {
		trials[i] = float64(r.IntN(30))
		eta[i], y[i] = 4*r.NormFloat64(), float64(r.IntN(int(trials[i])+1))
		want -= y[i]*math.Log1p(math.Exp(-eta[i])) + (trials[i]-y[i])*math.Log1p(math.Exp(eta[i]))
	}
	var sum SplitSum
	BinomialTrials(n, &sum, eta, y, trials, d)
	if got := sum.Sum(); math.Abs(got-want) > 1e-13*math.Abs(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for i := range d {
		a, b := y[i]/(1+math.Exp(eta[i])), (trials[i]-y[i])/(1+math.Exp(-eta[i]))
		if !near(d[i], a-b, a+b) {
			t.Fatalf("derivative at %v, %v of %v is %v, want %v", eta[i], y[i], trials[i], d[i], a-b)
		}
	}
}

func TestCountsAreTheirFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 9))
	const n = 501
	eta, y, d, ones := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range eta {
		eta[i], y[i], ones[i] = 3*r.NormFloat64(), float64(r.IntN(40)), 1
	}
	var sum SplitSum
	PoissonLog(n, &sum, eta, y, d)
	total, sizes := 0.0, 0.0
	for i := range eta {
		var one SplitSum
		PoissonLog(1, &one, eta[i:], y[i:], nil)
		k, rate := y[i]*eta[i], math.Exp(eta[i])
		size := math.Abs(k) + rate
		if lp := one.Sum(); !near(lp, k-rate, size) || !near(d[i], y[i]-rate, y[i]+rate) {
			t.Fatalf("poisson at %v, %v: %v and %v", eta[i], y[i], lp, d[i])
		}
		total, sizes = total+k-rate, sizes+size
	}
	if got := sum.Sum(); math.Abs(got-total) > 1e-13*sizes {
		t.Errorf("poisson: %v, want %v", got, total)
	}
	for _, phi := range []float64{0.01, 0.7, 3, 15.9, 16, 900, 1e7} {
		value := func(phi float64) (v, dphi float64) {
			var sum, slope SplitSum
			NegBinomial2Log(n, &sum, &slope, eta, y, phi, d)
			Rising(n, &sum, &slope, y, ones, phi)
			return sum.Sum(), slope.Sum()
		}
		got, slope := value(phi)
		want := 0.0
		for i := range eta {
			for j := range int(y[i]) {
				want += math.Log(phi + float64(j))
			}
			mu := math.Exp(eta[i])
			want += phi*-math.Log1p(mu/phi) - y[i]*math.Log1p(phi/mu)
			if w := y[i]*phi/(phi+mu) - phi*mu/(phi+mu); !near(d[i], w, y[i]+phi*mu/(phi+mu)) {
				t.Fatalf("phi %v: derivative at %v, %v is %v, want %v", phi, eta[i], y[i], d[i], w)
			}
		}
		if math.Abs(got-want) > 1e-12*(math.Abs(want)+n) {
			t.Errorf("phi %v: %v, want %v", phi, got, want)
		}
		h := 1e-4 * phi
		up, _ := value(phi + h)
		down, _ := value(phi - h)
		if diff := (up - down) / (2 * h); math.Abs(slope-diff) > 1e-6*(math.Abs(slope)+1e-3)+
			1e-11*math.Abs(want)/h {
			t.Errorf("phi %v: derivative %v, by differences %v", phi, slope, diff)
		}
	}
}

// The terms of Student's t keep their digits where the degrees of freedom are many, so that 1+e² is nearly 1,
// and where an observation is far out.
func TestStudentTIsItsFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 9))
	const n = 9001
	x, mu, d := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], mu[i] = r.NormFloat64()*math.Exp(4*r.NormFloat64()), r.NormFloat64()
	}
	x[17] = 1e120
	for _, nu := range []float64{0.3, 1, 4.5, 1e4, 1e9, 1e15} {
		inverse := 1 / (1.7 * math.Sqrt(nu))
		slope := (nu + 1) * inverse
		want, shares := 0.0, 0.0
		for i := range x {
			e := (x[i] - mu[i]) * inverse
			want -= math.Log1p(e * e)
			shares += e * e / (1 + e*e)
		}
		var s LogProduct
		var share SplitSum
		s.Reset()
		s.StudentT(n, &share, x, mu, inverse, slope, d)
		if got := s.Value(1); math.Abs(got-want) > 1e-13*math.Abs(want) {
			t.Errorf("nu %v: %v, want %v", nu, got, want)
		}
		if got := share.Sum(); math.Abs(got-shares) > 1e-13*shares {
			t.Errorf("nu %v: share %v, want %v", nu, got, shares)
		}
		for i := range d {
			e := (x[i] - mu[i]) * inverse
			if w := slope * e / (1 + e*e); !near(d[i], w, w) {
				t.Fatalf("nu %v: derivative at %v is %v, want %v", nu, e, d[i], w)
			}
		}
	}
}

func TestNormalIsItsFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 9))
	const n, sigma = 203, 1.7
	x, mu, d := numbers(r, n), numbers(r, n), make([]float64, n)
	var squares SplitSum
	Normal(n, &squares, x, mu, 1/sigma, d)
	want := 0.0
	for i := range x {
		var one SplitSum
		Normal(1, &one, x[i:], mu[i:], 1/sigma, nil)
		z := (x[i] - mu[i]) / sigma
		if !near(one.Sum(), z*z, 1+z*z) || !near(d[i], z/sigma, z) {
			t.Fatalf("at %v, %v: %v and %v", x[i], mu[i], one.Sum(), d[i])
		}
		want += z * z
	}
	if got := squares.Sum(); math.Abs(got-want) > 1e-12*n {
		t.Errorf("sum of squares %v, want %v", got, want)
	}
}
