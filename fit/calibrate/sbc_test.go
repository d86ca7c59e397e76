package calibrate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mathext"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/tests/brief"
)

func TestRankAndThinning(t *testing.T) {
	if got := Rank(2.5, []float64{1, 2, 3, 4}, nil); got != 2 {
		t.Errorf("rank %d, want 2", got)
	}
	if diff := cmp.Diff([]float64{2, 4, 6}, Thinned([]float64{1, 2, 3, 4, 5, 6}, 3)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{1, 2, 3}, Thinned([]float64{1, 2, 3}, 3)); diff != "" {
		t.Error(diff)
	}
}

// By hand: 40 ranks of 0 to 3, ten expected each, counts 16, 8, 8, 8: χ² = (36 + 3·4)/10 = 4.8. The scores
// are ±Φ⁻¹(1/8) = ±1.15035 and ±Φ⁻¹(3/8) = ±0.31864, of variance 0.71241; their component is
// 9.2028²/10/2.84966 = 2.9720, that of the squares 4²/10 = 1.6. The rest, 0.2280 with one degree of freedom,
// has p = 0.633 (R: pchisq).
func TestShapeByHand(t *testing.T) {
	var ranks []int
	for rank, n := range []int{16, 8, 8, 8} {
		for range n {
			ranks = append(ranks, rank)
		}
	}
	r := Judge([]posterior.Scalar{{Name: "x"}}, [][]int{ranks}, 3)[0]
	if diff := cmp.Diff([]int{16, 8, 8, 8}, r.Counts); diff != "" {
		t.Error(diff)
	}
	if math.Abs(r.Chi2-0.2280) > 5e-5 || r.DF != 1 || math.Abs(r.Shape-0.6330) > 5e-5 {
		t.Errorf("%+v", r)
	}
	if want := 0.23007; math.Abs(r.Shift.Estimate-want) > 5e-6 { // 8·1.15035/40
		t.Errorf("shift %g, want %g", r.Shift.Estimate, want)
	}
	if square := (24*1.323305 + 16*0.101532 - 40*0.23007*0.23007) / 39 / 0.712418; math.Abs(r.Width.Estimate-
		1/math.Sqrt(square)) > 5e-5 {
		t.Errorf("width %g, want %g", r.Width.Estimate, 1/math.Sqrt(square))
	}
}

func TestHolm(t *testing.T) {
	results := []RankResult{{P: 0.04}, {P: 0.001}, {P: 0.03}, {P: 0.9}}
	Holm(results)
	var got []float64
	for _, r := range results {
		got = append(got, math.Round(1e6*r.Adjusted)/1e6)
	}
	if diff := cmp.Diff([]float64{0.09, 0.004, 0.09, 0.9}, got); diff != "" {
		t.Error(diff)
	}
}

// uniform are independent uniform ranks among draws.
func uniform(r *rand.Rand, n, draws int) []int {
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = r.IntN(draws + 1)
	}
	return ranks
}

// within is an error unless a count of n independent events of probability p is within four standard
// deviations of its expectation.
func within(t *testing.T, what string, count, n int, p float64) {
	t.Helper()
	if sd := math.Sqrt(float64(n) * p * (1 - p)); math.Abs(float64(count)-float64(n)*p) > 4*sd {
		t.Errorf("%s: %d of %d, want %.1f ± %.1f", what, count, n, float64(n)*p, 4*sd)
	}
}

// For uniform ranks each test, and all three together, give a p-value below a level with the probability of
// that level, for few and for many replicates.
func TestPValuesOfUniformRanksAreUniform(t *testing.T) {
	j, r := newJudge(99), rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct{ replicates, tables int }{{10, brief.Draws(20_000, 50_000)},
		{40, brief.Draws(20_000, 50_000)}, {200, brief.Draws(12_000, 50_000)},
		{1000, brief.Draws(4_000, 20_000)}} {
		levels := []float64{0.5, 0.1, 0.01, 0.001}
		var shift, width, shape, all [4]int
		for range c.tables {
			x := j.of(uniform(r, c.replicates, 99))
			for k, level := range levels {
				for _, one := range []struct {
					count *int
					p     float64
				}{{&shift[k], x.Shift.P}, {&width[k], x.Width.P}, {&shape[k], x.Shape}, {&all[k], x.P}} {
					if one.p < level {
						*one.count++
					}
				}
			}
		}
		for k, level := range levels {
			at := fmt.Sprintf("%d replicates, p < %g: ", c.replicates, level)
			within(t, at+"shift", shift[k], c.tables, level)
			within(t, at+"width", width[k], c.tables, level)
			if c.replicates >= 40 {
				within(t, at+"shape", shape[k], c.tables, level)
			}
			within(t, at+"all", all[k], c.tables, level)
		}
	}
}

// A study of independent quantities that are all right is not calibrated with the probability 1 - (1 -
// Level/k)^k that Holm's method has for k of them: 0.00996 for 8.
func TestFalseAlarms(t *testing.T) {
	const quantities, replicates = 8, 200
	r, alarms, studies := rand.New(rand.NewPCG(3, 4)), 0, brief.Draws(5_000, 20_000)
	columns, ranks := make([]posterior.Scalar, quantities), make([][]int, quantities)
	for range studies {
		for k := range ranks {
			ranks[k] = uniform(r, replicates, 99)
		}
		if !Uniform(Judge(columns, ranks, 99)) {
			alarms++
		}
	}
	within(t, "false alarms", alarms, studies, 1-math.Pow(1-Level/quantities, quantities))
}

// wrong are ranks of the standard normal among draws of N(mean, sd²), given which the rank is binomial.
func wrong(r *rand.Rand, n, draws int, mean, sd float64) []int {
	ranks := make([]int, n)
	for i := range ranks {
		p := portable.Phi((r.NormFloat64() - mean) / sd)
		for range draws {
			if r.Float64() < p {
				ranks[i]++
			}
		}
	}
	return ranks
}

// power is the share of studies that find a normal posterior of this mean and sd, in place of 0 and 1, in one
// of so many quantities, and that which χ² over ten bins has alone.
func power(studies, replicates, quantities int, mean, sd float64) (found, before float64) {
	j, r := newJudge(99), rand.New(rand.NewPCG(5, 6))
	for range studies {
		x := j.of(wrong(r, replicates, 99, mean, sd))
		if x.P*float64(quantities) < Level {
			found++
		}
		chi2, expected := 0.0, float64(replicates)/10
		for _, c := range x.Counts {
			chi2 += (float64(c) - expected) * (float64(c) - expected) / expected
		}
		if mathext.GammaIncRegComp(4.5, chi2/2)*float64(quantities) < Level {
			before++
		}
	}
	return found / float64(studies), before / float64(studies)
}

// What the documentation states of the power, beside that of χ² over ten bins alone, within four Monte Carlo
// errors of at most 0.025.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		replicates, quantities  int
		mean, sd, found, before float64
		more                    bool
	}{
		{1000, 1, 0.1, 1, 0.57, 0.29, false},
		{1000, 10, 0.1, 1, 0.32, 0.11, true},
		{2000, 10, 0.1, 1, 0.80, 0.45, true},
		{100, 10, 0, 1.3, 0.39, 0.06, false},
		{200, 10, 0, 1.3, 0.89, 0.37, false},
		{200, 10, 0, 1 / 1.3, 0.90, 0.44, false},
		{1000, 10, 0, 1.1, 0.62, 0.18, true},
	} {
		if c.more && !*brief.Every {
			continue
		}
		found, before := power(400, c.replicates, c.quantities, c.mean, c.sd)
		if math.Abs(found-c.found) > 0.1 || math.Abs(before-c.before) > 0.1 {
			t.Errorf("%+v: %.3f, before %.3f", c, found, before)
		}
	}
}

// An error that is said to be found with probability Power is, within 0.095, and one that makes the posterior
// so many times too narrow not less often: the Monte Carlo error is 0.02, and the formula takes two
// distributions as normal, which makes it 0.86 for 50 replicates.
func TestDetectable(t *testing.T) {
	for _, c := range []struct{ replicates, quantities int }{{50, 3}, {200, 10},
		{1000, 30}}[:brief.Draws(2, 3)] {
		shift, width := DetectableBias(c.replicates, c.quantities, 99)
		for _, e := range [][2]float64{{shift, 1}, {-shift, 1}, {0, width}, {0, 1 / width}} {
			found, _ := power(400, c.replicates, c.quantities, e[0], e[1])
			if found < Power-0.095 || found > Power+0.095 && e[1] >= 1 {
				t.Errorf("%+v, N(%.3f, %.3f²): found in %.3f of studies", c, e[0], e[1], found)
			}
		}
	}
	if shift, width := DetectableBias(1, 5, 99); !math.IsInf(shift, 1) || !math.IsInf(width, 1) {
		t.Errorf("one replicate detects a shift by %g and a width of %g", shift, width)
	}
}

// Normal posteriors that are too narrow, too wide, too low or too high are named with how much, and correct
// ones pass.
func TestErrorsAreNamed(t *testing.T) {
	for _, c := range []struct {
		mean, sd float64
		want     string
	}{{0, 1, ""}, {0, 0.8, "posterior 1.2. times too narrow"}, {0, 1.2, "posterior 1.[12]. times too wide"},
		{-0.3, 1, "posterior too low by 0.[23]. sd"}, {0.3, 1, "posterior too high by 0.[23]. sd"}} {
		r := rand.New(rand.NewPCG(7, 7))
		results := Judge([]posterior.Scalar{{Name: "x"}}, [][]int{wrong(r, 1000, 99, c.mean, c.sd)}, 99)
		if got := results[0].Reading(); !regexp.MustCompile("^"+c.want+"$").MatchString(got) ||
			Uniform(results) != (c.want == "") {
			t.Errorf("N(%g, %g): %q, calibrated %v (%+v)", c.mean, c.sd, got, Uniform(results), results[0])
		}
	}
	two := []int{}
	for i := range 1000 { // two modes, at the quartiles
		two = append(two, 25+50*(i%2)-i%7+3)
	}
	if got := Judge([]posterior.Scalar{{Name: "x"}}, [][]int{two}, 99)[0].Reading(); !strings.Contains(got,
		"of another shape") {
		t.Errorf("%q", got)
	}
}

func TestBars(t *testing.T) {
	if got := (RankResult{Counts: []int{10, 20, 0, 10}}).Bars(); got != "▄█ ▄" {
		t.Errorf("%q", got)
	}
}

func TestFewReplicatesGetFewBins(t *testing.T) {
	for n, want := range map[int]int{1: 2, 40: 4, 99: 5, 100: 10, 1000: 10} {
		if got := bins(n, 100); got != want {
			t.Errorf("%d replicates: %d bins, want %d", n, got, want)
		}
	}
}

// A value that equals some draws has each rank that it could have with the same probability.
func TestTiesAreBrokenAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 30_000
	var counts [3]int
	for range n {
		counts[Rank(2, []float64{1, 2, 2, 5}, r)-1]++
	}
	for k, c := range counts {
		within(t, fmt.Sprint("rank ", k+1), c, n, 1.0/3)
	}
}
