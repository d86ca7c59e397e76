package plot

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/vflc/vflc/posterior"
)

// quantilesOf is n values that lie as those of a distribution do.
func quantilesOf(n int, quantile func(p float64) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = quantile((float64(i) + 0.5) / float64(n))
	}
	return out
}

// An estimated density integrates to 1 and is near that of the distribution. At an end where the density is
// not 0, half of it is not lost.
func TestKernelDensity(t *testing.T) {
	for name, d := range map[string]struct {
		prob, quantile func(float64) float64
		// of the largest density; the bias of smoothing is h²/2 times the second derivative
		within float64
	}{
		"normal":      {distuv.UnitNormal.Prob, distuv.UnitNormal.Quantile, 0.03},
		"uniform":     {distuv.Uniform{Min: 2, Max: 5}.Prob, distuv.Uniform{Min: 2, Max: 5}.Quantile, 0.03},
		"exponential": {distuv.Exponential{Rate: 2}.Prob, distuv.Exponential{Rate: 2}.Quantile, 0.15},
	} {
		xs, ys := kernelDensity(quantilesOf(4000, d.quantile))
		if total := integrate.Trapezoidal(xs, ys); math.Abs(total-1) > 1e-12 {
			t.Errorf("%s integrates to %g", name, total)
		}
		highest := slices.Max(ys)
		for i := 1; i < len(xs)-1; i++ {
			if math.Abs(ys[i]-d.prob(xs[i])) > d.within*highest {
				t.Errorf("%s at %g: %g, want %g", name, xs[i], ys[i], d.prob(xs[i]))
				break
			}
		}
	}
	if xs, _ := kernelDensity([]float64{3, 3, 3}); xs != nil {
		t.Error("a density of constant draws")
	}
}

// The smoothed counts of one value far from the ends are the kernel itself; the bandwidth is Silverman's.
func TestBandwidth(t *testing.T) {
	sorted := quantilesOf(1000, distuv.UnitNormal.Quantile)
	if got, want := bandwidth(sorted), 0.9*math.Pow(1000, -0.2); math.Abs(got/want-1) > 0.01 {
		t.Errorf("bandwidth %g, want %g", got, want)
	}
}

// Chains that share the values among them evenly have the same count in every bin. Of two chains of which one
// is larger throughout, each has half of the bins.
func TestRanks(t *testing.T) {
	even, apart := make([][]float64, 4), make([][]float64, 2)
	for i := range 400 {
		even[i%4] = append(even[i%4], float64(i))
		apart[i/200] = append(apart[i/200], float64(i))
	}
	for c, counts := range ranks(even, 20) {
		for k, n := range counts {
			if n != 5 {
				t.Errorf("chain %d has %g draws in bin %d", c, n, k)
			}
		}
	}
	for c, counts := range ranks(apart, 20) {
		for k, n := range counts {
			if want := 20 * float64(1-(c+k/10)%2); n != want {
				t.Errorf("chain %d has %g draws in bin %d, want %g", c, n, k, want)
			}
		}
	}
	for _, counts := range ranks([][]float64{{1, 1, 1}, {1, 1}}, 5) {
		if counts[2] == 0 || counts[0]+counts[1]+counts[3]+counts[4] != 0 {
			t.Errorf("equal draws rank as %v", counts)
		}
	}
}

// The band has the mean and variance of the hypergeometric distribution: of 4 ranks, of which 2 are in a bin,
// a chain of 2 has 0, 1 or 2 with probabilities 1/6, 4/6 and 1/6. Of exchangeable chains, one count in twenty
// lies outside: 4 standard errors of a share over 4000 correlated counts are below 0.02.
func TestRankBand(t *testing.T) {
	if mean, half := rankBand(2, 4, 2); mean != 1 || math.Abs(half-1.96/math.Sqrt(3)) > 1e-15 {
		t.Errorf("%g ± %g", mean, half)
	}
	r, outside, all := rand.New(rand.NewPCG(1, 1)), 0.0, 0.0
	for range 50 {
		chains := make([][]float64, 4)
		for c := range chains {
			for range 1000 {
				chains[c] = append(chains[c], r.NormFloat64())
			}
		}
		mean, half := rankBand(1000, 4000, rankBins)
		for _, counts := range ranks(chains, rankBins) {
			for _, n := range counts {
				if all++; math.Abs(n-mean) > half {
					outside++
				}
			}
		}
	}
	if share := outside / all; math.Abs(share-0.05) > 0.02 {
		t.Errorf("%g of the counts are outside", share)
	}
}

// A chain of ±1 in turn has the correlations (−1)^k (n−k)/n; those of an autoregressive chain are φ^k, within
// 4 of Bartlett's standard errors.
func TestAutocorrelation(t *testing.T) {
	turns := make([]float64, 100)
	for i := range turns {
		turns[i] = float64(1 - 2*(i%2))
	}
	for k, rho := range posterior.Autocorrelation(turns, 10) {
		if want := math.Pow(-1, float64(k)) * float64(100-k) / 100; math.Abs(rho-want) > 1e-12 {
			t.Errorf("lag %d: %g, want %g", k, rho, want)
		}
	}
	const phi, n = 0.8, 40000
	r, chain := rand.New(rand.NewPCG(3, 4)), make([]float64, n)
	for i := 1; i < n; i++ {
		chain[i] = phi*chain[i-1] + r.NormFloat64()
	}
	for k, rho := range posterior.Autocorrelation(chain, mostLags) {
		p := math.Pow(phi, 2*float64(k))
		se := math.Sqrt(((1+phi*phi)*(1-p)/(1-phi*phi) - 2*float64(k)*p) / n)
		if math.Abs(rho-math.Pow(phi, float64(k))) > 4*se+1e-12 {
			t.Errorf("lag %d: %g, want %g ± %g", k, rho, math.Pow(phi, float64(k)), se)
		}
	}
	if got := posterior.Autocorrelation([]float64{1, 2, 4, 3, 2, 2, 5, 3}, 100); len(got) != 8 {
		t.Errorf("%d lags of 8 draws", len(got))
	}
}

// Correlations are those of the finite pairs.
func TestCorrelation(t *testing.T) {
	x := [][]float64{{1, 2, math.NaN()}, {3, 4, 5}}
	y := [][]float64{{-2, -4, 0}, {-6, -8, math.Inf(1)}}
	if r := correlation(x, y); math.Abs(r+1) > 1e-15 {
		t.Errorf("%g, want −1", r)
	}
	if got := number(-0.004, 2, 1); got != "0.00" {
		t.Errorf("−0.004 is shown as %s", got)
	}
	if r := correlation([][]float64{{1, 2, 3, 4}}, [][]float64{{1, -1, -1, 1}}); math.Abs(r) > 1e-15 {
		t.Errorf("%g, want 0", r)
	}
	if r := correlation(x, [][]float64{{1, 1, 1}, {1, 1, 1}}); !math.IsNaN(r) {
		t.Errorf("%g with a constant", r)
	}
}

// The lines of a forest end at the quantiles, the first parameter is at the top, and runs stand below one
// another.
func TestForestMarks(t *testing.T) {
	f, err := Make("forest", []RunView{example("a", "b", 3, 2, 100), example("b", "b", 3, 2, 100)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := f.panels[0]
	if want := []string{"b[2]", "b[1]", "mu"}; !slices.Equal(p.y.names, want) {
		t.Errorf("names from below %v", p.y.names)
	}
	var lines []segment
	for _, m := range p.marks {
		if s, ok := m.(segment); ok && !s.guide {
			lines = append(lines, s)
		}
	}
	q := quantiles(example("a", "b", 3, 2, 100).Draws.Column(2), levels())
	if lines[0].x0 != q[0] || lines[0].x1 != q[4] || lines[1].x0 != q[1] || lines[1].x1 != q[3] {
		t.Errorf("%v, want lines at %v", lines[:2], q)
	}
	if lines[0].y0 <= lines[2].y0 {
		t.Error("the first run is not above the second")
	}
}

// Ticks are round numbers inside the axis, at least two of them.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		a    axis
		want []string
	}{
		{axis{lo: 0, hi: 1}, []string{"0", "0.5", "1.0"}},
		{axis{lo: -3.1, hi: 3.1}, []string{"−2", "0", "2"}},
		{axis{lo: 0, hi: 4e6}, []string{"0", "2e6", "4e6"}},
		{axis{lo: 0, hi: 2e-5}, []string{"0", "1e−5", "2e−5"}},
		{axis{lo: 1, hi: 3, whole: true}, []string{"1", "2", "3"}},
	} {
		var got []string
		for _, k := range c.a.ticks(3) {
			got = append(got, k.text)
			if k.at < c.a.lo-1e-9 || k.at > c.a.hi+1e-9 {
				t.Errorf("tick %v outside %v", k, c.a)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.a, got, c.want)
		}
	}
}

// A line of many points keeps the extremes of every unit of the canvas, and gaps.
func TestThinnedLinesKeepExtremes(t *testing.T) {
	m := curve{xs: counted(10000), ys: make([]float64, 10000)}
	m.ys[1234], m.ys[7777] = 9, -9
	f := frame{0, 0, 100, 100, axis{lo: 1, hi: 10000}, axis{lo: -10, hi: 10}}
	points := m.thinned(f)
	top, low := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		top, low = min(top, p.y), max(low, p.y)
	}
	if len(points) > 202 || math.Abs(top-f.atY(9)) > 1e-9 || math.Abs(low-f.atY(-9)) > 1e-9 {
		t.Errorf("%d points from %g to %g", len(points), top, low)
	}
}
