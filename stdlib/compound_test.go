package stdlib

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/dist"
)

var (
	gauss, poisson, weibull, negBinomial = dist.Normal(), dist.Poisson(), dist.Weibull(), dist.NegBinomial()
	leftTruncated                        = Truncated(&weibull, true, false)
	shares                               = dist.ZeroOneInflatedBeta()
	mixed, mixedCounts                   = Mixture([]*def.Dist{&gauss, &gauss}, 1),
		Mixture([]*def.Dist{&poisson, &poisson}, 2)
)

type testCase struct {
	of    def.Dist
	x     float64
	theta []float64
	logP  float64
}

// cases are values from mpmath at 50 digits, rounded to double.
func cases() []testCase {
	return []testCase{
		{Mixture([]*def.Dist{&gauss, &gauss}, 1), 0.5, []float64{-1.0, 0.5, 2.0, 1.5, 0.25},
			-2.093935785846808},
		{Mixture([]*def.Dist{&gauss, &gauss}, 1), 40.0, []float64{-1.0, 0.5, 2.0, 1.5, 0.25},
			-322.5009746026535},
		{Mixture([]*def.Dist{&gauss, &gauss}, 1), -3.0, []float64{-1.0, 0.5, 2.0, 1.5, 0.875},
			-7.921862430514091},
		{Mixture([]*def.Dist{&poisson, &negBinomial, &poisson}, 3), 0.0,
			[]float64{2.0, 3.0, 0.5, 10.0, 0.25, 0.5, 0.25}, -2.9495418799545106},
		{Mixture([]*def.Dist{&poisson, &negBinomial, &poisson}, 3), 7.0,
			[]float64{2.0, 3.0, 0.5, 10.0, 0.25, 0.5, 0.25}, -2.774229741895911},
		{Mixture([]*def.Dist{&poisson, &poisson}, 1), 3.0, []float64{1.0, 6.0, 0.5}, -2.586618373356688},
		{Truncated(&gauss, true, true), 0.5, []float64{0.25, 1.5, 0.0, 1.0}, 0.017875058410363423},
		{Truncated(&gauss, true, true), 9.25, []float64{0.25, 1.5, 9.0, 10.0}, 0.4143956663200814},
		{Truncated(&gauss, true, true), -8.5, []float64{0.25, 1.5, -9.0, -8.0}, -0.5403815468252299},
		{Truncated(&gauss, true, false), 30.5, []float64{0.0, 1.0, 30.0}, -11.722694576861475},
		{Truncated(&gauss, false, true), -1.0, []float64{0.0, 1.0, 0.5}, -1.0499921179160163},
		{Truncated(&poisson, true, false), 1.0, []float64{0.25, 1.0}, -0.12760281167385848},
		{Truncated(&poisson, true, true), 4.0, []float64{3.0, 2.0, 5.0}, -1.4508328822574619},
		{Censored(&weibull, []Censoring{RightFlag}), 2.0, []float64{1.5, 3.0, 1.0}, -0.5443310539518174},
		{Censored(&weibull, []Censoring{RightFlag}), 2.0, []float64{1.5, 3.0, 0.0}, -1.4402107885658448},
		{Censored(&weibull, []Censoring{RightBound}), 5.0, []float64{1.5, 3.0, 5.0}, -2.151657414559676},
		{Censored(&weibull, []Censoring{RightBound, LeftBound}), 0.5, []float64{1.5, 3.0, 5.0, 0.5},
			-2.7214670009211335},
		{Censored(&weibull, []Censoring{LeftFlag}), 2.0, []float64{1.5, 3.0, 1.0}, -0.8680478507097809},
		{Censored(&weibull, []Censoring{Interval}), 2.0, []float64{1.5, 3.0, 4.0}, -1.0057694805770812},
		{Censored(&weibull, []Censoring{Interval}), 2.0, []float64{1.5, 3.0, 2.0}, -1.4402107885658448},
		{Censored(&poisson, []Censoring{RightFlag}), 3.0, []float64{2.0, 1.0}, -1.1291016497509287},
		{Censored(&poisson, []Censoring{LeftFlag}), 3.0, []float64{2.0, 1.0}, -0.15417330950166924},
		{Censored(&poisson, []Censoring{Interval}), 1.0, []float64{2.0, 3.0}, -0.32602356642832847},
		// atoms: 0 has the probability 0.15, 1 has 0.05, and what lies between is symmetric about 0.5
		{Truncated(&shares, true, true), 0.0, []float64{0.5, 3.0, 0.2, 0.25, 0.0, 0.5},
			-1.2992829841302609},
		{Truncated(&shares, true, true), 1.0, []float64{0.5, 3.0, 0.2, 0.25, 1.0, 1.0}, 0},
		{Truncated(&shares, true, false), 1.0, []float64{0.5, 3.0, 0.2, 0.25, 0.5},
			-2.197224577336219},
		{Censored(&shares, []Censoring{RightFlag}), 1.0, []float64{0.5, 3.0, 0.2, 0.25, 1.0},
			-2.995732273553991},
		{Censored(&shares, []Censoring{LeftFlag}), 0.0, []float64{0.5, 3.0, 0.2, 0.25, 1.0},
			-1.8971199848858813},
		{Censored(&shares, []Censoring{RightBound}), 0.0, []float64{0.5, 3.0, 0.2, 0.25, 0.0}, 0},
		{Censored(&shares, []Censoring{Interval}), 0.5, []float64{0.5, 3.0, 0.2, 0.25, 1.0},
			-0.7985076962177716},
		{Censored(&leftTruncated, []Censoring{RightFlag}), 2.0, []float64{1.5, 3.0, 1.0, 1.0},
			-0.3518809642219421},
		{Censored(&leftTruncated, []Censoring{Interval}), 2.0, []float64{1.5, 3.0, 1.0, 4.0},
			-0.813319390847206},
		{Truncated(&mixed, true, true), 0.5, []float64{-1.0, 0.5, 2.0, 1.5, 0.25, 0.0, 1.0},
			-0.027533688237646098},
		{Truncated(&mixed, true, false), 9.5, []float64{-1.0, 0.5, 2.0, 1.5, 0.25, 9.0},
			-0.43457036659639037},
		{Truncated(&mixedCounts, true, false), 3.0, []float64{1.0, 6.0, 0.5, 0.5, 1.0}, -2.381831432946418},
		{Censored(&mixed, []Censoring{RightFlag}), 3.0, []float64{-1.0, 0.5, 2.0, 1.5, 0.25, 1.0},
			-1.6640556574248508},
		{Censored(&mixed, []Censoring{Interval}), -1.0, []float64{-1.0, 0.5, 2.0, 1.5, 0.25, 0.5},
			-1.484607029174215},
		{Censored(&mixedCounts, []Censoring{LeftFlag}), 3.0, []float64{1.0, 6.0, 0.5, 0.5, 1.0},
			-0.5689706483517458},
	}
}

func (c testCase) String() string { return fmt.Sprintf("%s at %v given %v", c.of.Name, c.x, c.theta) }

func block(x []float64, theta [][]float64) *def.Batch {
	b := &def.Batch{N: len(x), X: def.Vector(x), DX: make([]float64, len(x)), LP: make([]float64, len(x))}
	for _, v := range theta {
		a := def.Vector(v)
		if len(v) == 1 {
			a = def.Scalar(v[0])
		}
		b.Theta, b.DTheta = append(b.Theta, a), append(b.DTheta, make([]float64, len(x)))
	}
	return b
}

func columns(theta []float64, n int) [][]float64 {
	out := make([][]float64, len(theta))
	for k, v := range theta {
		for range n {
			out[k] = append(out[k], v)
		}
	}
	return out
}

func logp(d *def.Dist, x float64, theta []float64) float64 {
	v := d.LogDensity(&def.Batch{N: 1, X: def.Scalar(x), Theta: block([]float64{x}, columns(theta, 1)).Theta})
	if d.Carrier != nil {
		v += d.Carrier(x, theta)
	}
	return v
}

func TestCases(t *testing.T) {
	for _, c := range cases() {
		if got := logp(&c.of, c.x, c.theta); !(math.Abs(got-c.logP) <= 2e-13*math.Max(1, math.Abs(c.logP))) {
			t.Errorf("%s: %v, want %v", c, got, c.logP)
		}
	}
}

// Partials against finite differences, in x and in every parameter that is no data.
func TestPartials(t *testing.T) {
	for _, c := range cases() {
		b := block([]float64{c.x}, columns(c.theta, 1))
		c.of.LogDensity(b)
		check := func(name string, got float64, f func(v float64) float64, v float64) {
			const h = 1e-4
			want := (f(v-2*h) - 8*f(v-h) + 8*f(v+h) - f(v+2*h)) / (12 * h)
			if !(math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))) {
				t.Errorf("%s: partial in %s is %v, from differences %v", c, name, got, want)
			}
		}
		exact, atom := c.of.Form.Kind != def.CensoredForm, slices.Contains(c.of.Atoms, c.x)
		if !c.of.Discrete && exact && !atom {
			check("x", b.DX[0], func(v float64) float64 { return logp(&c.of, v, c.theta) }, c.x)
		}
		for k, p := range c.of.Params {
			if p.Integral || p.Data {
				if b.DTheta[k][0] != 0 {
					t.Errorf("%s: the partial in the data %s is %v", c, p.Name, b.DTheta[k][0])
				}
				continue
			}
			if atom && (p.Name == def.LowerEnd || p.Name == def.UpperEnd) { // where the density steps
				continue
			}
			check(p.Name, b.DTheta[k][0], func(v float64) float64 {
				moved := append([]float64(nil), c.theta...)
				moved[k] = v
				return logp(&c.of, c.x, moved)
			}, c.theta[k])
		}
	}
}

// A block of rows has the values and partials of its rows, whether a parameter has one value or one for each
// row.
func TestBlocks(t *testing.T) {
	for _, c := range cases() {
		one := block([]float64{c.x}, columns(c.theta, 1))
		want := c.of.LogDensity(one)
		x := []float64{c.x, c.x, c.x}
		mixed := columns(c.theta, 3)
		mixed[0] = mixed[0][:1]
		for _, theta := range [][][]float64{columns(c.theta, 3), columns(c.theta, 1), mixed} {
			b := block(x, theta)
			if got := c.of.LogDensity(b); math.Abs(got-3*want) > 1e-13*math.Abs(3*want) ||
				b.LP[2] != one.LP[0] || b.DX[1] != one.DX[0] {
				t.Errorf("%s: three rows have %v with %v and %v, one has %v with %v", c, got, b.LP, b.DX,
					want, one.DX)
			}
			for k := range theta {
				if b.DTheta[k][2] != one.DTheta[k][0] {
					t.Errorf("%s: partial %d of a row is %v, alone %v", c, k, b.DTheta[k][2],
						one.DTheta[k][0])
				}
			}
		}
		if n := testing.AllocsPerRun(20, func() { c.of.LogDensity(one) }); n > 0 {
			t.Errorf("%s: %v allocations", c, n)
		}
	}
}

// Outside the ends, and where weights or ends are none, there is no density.
func TestNoDensity(t *testing.T) {
	two := Mixture([]*def.Dist{&gauss, &gauss}, 1)
	both := Truncated(&gauss, true, true)
	for _, c := range []testCase{
		{both, -0.5, []float64{0, 1, 0, 1}, 0}, {both, 1.5, []float64{0, 1, 0, 1}, 0},
		{both, 1.5, []float64{0, 1, 2, 1}, 0}, {both, 0.5, []float64{0, -1, 0, 1}, 0},
		{two, 0, []float64{0, 1, 0, 1, 1.5}, 0}, {two, 0, []float64{0, 1, 0, 1, -0.5}, 0},
	} {
		if got := logp(&c.of, c.x, c.theta); !math.IsInf(got, -1) {
			t.Errorf("%s: %v, want -Inf", c, got)
		}
	}
	if got := logp(&two, 0, []float64{0, 1, 0, -1, 1}); math.IsInf(got, 1) || math.IsNaN(got) {
		t.Errorf("a component with the share 0 and without a density gives %v", got)
	}
}

// Draws follow the distribution function: the share below a point differs by no more than 4 standard errors.
func TestSamples(t *testing.T) {
	const n = 400
	gamma := dist.Gamma()
	for _, c := range []testCase{
		{of: Truncated(&gauss, true, true), x: 0.4, theta: []float64{0, 1, 0, 1}},
		{of: Truncated(&gauss, true, false), x: 8.1, theta: []float64{0, 1, 8}},
		{of: Truncated(&gauss, false, true), x: -8.1, theta: []float64{0, 1, -8}},
		{of: Truncated(&gamma, true, false), x: 31, theta: []float64{2, 1, 30}},
		{of: Truncated(&poisson, true, false), x: 1, theta: []float64{0.5, 1}},
		{of: Truncated(&poisson, true, true), x: 12, theta: []float64{0.5, 12, 14}},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		p := math.Exp(c.of.LogCDF(block([]float64{c.x}, columns(c.theta, 1))))
		count := 0
		lower, upper := c.of.Bounds(c.theta)
		for range n {
			v := c.of.Sample(r, c.theta)
			if !(v >= lower && v <= upper) {
				t.Fatalf("%s: a draw is %v", c, v)
			}
			if v <= c.x {
				count++
			}
		}
		if got := float64(count) / n; math.Abs(got-p) > 4*math.Sqrt(p*(1-p)/n) {
			t.Errorf("%s: %v of the draws are no greater, want %v", c, got, p)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	two := Mixture([]*def.Dist{&gauss, &gauss}, 1)
	below := 0
	for range n {
		if two.Sample(r, []float64{-5, 1, 5, 1, 0.25}) < 0 {
			below++
		}
	}
	if got := float64(below) / n; math.Abs(got-0.25) > 4*math.Sqrt(0.25*0.75/n) {
		t.Errorf("the first component has %v of the draws, want 0.25", got)
	}
	stopped := Censored(&weibull, []Censoring{RightBound})
	for range 100 {
		if v := stopped.Sample(r, []float64{1.5, 3, 2}); v > 2 {
			t.Fatalf("measuring stops at 2, but a draw is %v", v)
		}
	}
}

// The distribution functions of a truncated distribution: the two sum to 1, and the slope of the first is the
// density.
func TestTruncatedTails(t *testing.T) {
	d := Truncated(&weibull, true, true)
	theta := []float64{1.5, 3, 1, 6}
	for _, x := range []float64{1.25, 2, 5.5} {
		b := block([]float64{x}, columns(theta, 1))
		lp := d.LogCDF(b)
		slope := b.DX[0] * math.Exp(lp)
		if density := math.Exp(logp(&d, x, theta)); math.Abs(slope-density) > 1e-12*density {
			t.Errorf("at %v: slope %v, density %v", x, slope, density)
		}
		for k := range theta {
			f := func(v float64) float64 {
				moved := append([]float64(nil), theta...)
				moved[k] = v
				return d.LogCDF(block([]float64{x}, columns(moved, 1)))
			}
			const h = 1e-4
			v := theta[k]
			if want := (f(v-2*h) - 8*f(v-h) + 8*f(v+h) - f(v+2*h)) / (12 * h); math.Abs(b.DTheta[k][0]-
				want) > 1e-8*math.Max(1, math.Abs(want)) {
				t.Errorf("at %v: partial %d is %v, from differences %v", x, k, b.DTheta[k][0], want)
			}
		}
		if sum := math.Exp(lp) + math.Exp(d.LogCCDF(b)); math.Abs(sum-1) > 1e-14 {
			t.Errorf("at %v: the tails sum to %v", x, sum)
		}
	}
	for x, want := range map[float64]float64{0.5: 0, 7: 1} {
		if got := math.Exp(d.LogCDF(block([]float64{x}, columns(theta, 1)))); got != want {
			t.Errorf("P(X ≤ %v) = %v, want %v", x, got, want)
		}
	}
}
