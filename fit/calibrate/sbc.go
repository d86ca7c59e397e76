package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/posterior"
)

// Level is the level at which Holm-adjusted p-values are judged: the probability that a study of a correct
// posterior finds an error in any of its quantities is at most this, and little less where the quantities are
// independent.
const Level = 0.01

// LogLikelihood is the name of the log likelihood of all responses among the quantities that are ranked. No
// parameter has a name with a blank.
const LogLikelihood = "log likelihood"

// Rank returns the number of draws below the value that the data were simulated with, 0 to len(draws). Draws
// that equal it count as below or above at random, each number of them with the same probability, so that the
// rank is uniform also where values coincide; ties is used for nothing else.
func Rank(value float64, draws []float64, ties *rand.Rand) int {
	below, equal := 0, 0
	for _, d := range draws {
		switch {
		case d < value:
			below++
		case d == value:
			equal++
		}
	}
	if equal > 0 {
		below += ties.IntN(equal + 1)
	}
	return below
}

// Thinned keeps n of the draws of a chain, evenly spaced, including the last.
func Thinned(draws []float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = draws[(i+1)*len(draws)/n-1]
	}
	return out
}

// A Test is one of the tests of the ranks of a quantity. Estimate is what is wrong by how much.
type RankTest struct {
	Estimate float64 `json:"estimate"`
	Z        float64 `json:"z"` // what P is the two-sided tail probability of, with the sign of the error
	P        float64 `json:"p"`
}

// A Result is the verdict on one quantity: a parameter, or the log likelihood. Three tests are made of its
// ranks, which are independent for uniform ranks of many replicates.
type RankResult struct {
	Name   string `json:"name"`
	Label  string `json:"label,omitempty"` // as in a summary; "" where it is the name
	Counts []int  `json:"counts"`          // number of ranks in bins of equal width
	// Shift tests the mean of the normal scores of the ranks. Its estimate is how far the posterior lies
	// above the right one, in standard deviations.
	Shift RankTest `json:"shift"`
	// Width tests the variance of the normal scores about their mean. Its estimate is how many times as wide
	// as the right one the posterior is. For one replicate there is no such test, and P is 1.
	Width RankTest `json:"width"`
	// Chi2 tests the shape that the counts have apart from what shift and width explain, with DF degrees of
	// freedom. DF is 0, and Shape 1, where there are too few bins.
	Chi2     float64 `json:"chi2"`
	DF       int     `json:"df"`
	Shape    float64 `json:"p_shape"`
	P        float64 `json:"p"`      // of all three: that of the smallest of so many
	Adjusted float64 `json:"p_holm"` // over all quantities judged together
}

// Judge tests the ranks of every quantity, ranks[k][r] being that of quantity k in replicate r, 0 to draws,
// for uniformity, and adjusts the p-values for their number by Holm's method (1979). There must be at least
// one replicate.
func Judge(quantities []posterior.Scalar, ranks [][]int, draws int) []RankResult {
	judge := newJudge(draws)
	out := make([]RankResult, len(quantities))
	for k, q := range quantities {
		out[k] = judge.of(ranks[k])
		out[k].Name, out[k].Label = q.Name, q.Label
	}
	Holm(out)
	return out
}

// bins is the largest number of bins of equal width that divides the possible ranks, up to 10, and expects
// ten replicates or more in each. More bins would lose power against the usual errors, whose ranks have a
// smooth density.
func bins(replicates, possible int) int {
	for n := min(10, possible); n > 2; n-- {
		if possible%n == 0 && replicates >= 10*n {
			return n
		}
	}
	return min(2, possible)
}

// A judge has what depends on the number of draws alone. Where a right posterior is normal, and the one at
// hand is too, with a mean and width of its own, the logarithm of the probability of a rank changes with the
// mean like its normal score, and with the width like the square of that: the tests of these are the most
// powerful ones against small errors of that kind.
type judge struct {
	scores        []float64 // of the ranks
	variance      float64   // of the scores
	shift, spread law
}

func newJudge(draws int) *judge {
	j := &judge{scores: normals(draws + 1)}
	for _, a := range j.scores {
		j.variance += float64(a*a) / float64(len(j.scores))
	}
	j.shift = standardised(j.scores, func(a float64) float64 { return a })
	j.spread = standardised(j.scores, func(a float64) float64 { return a * a })
	return j
}

func (j *judge) of(ranks []int) RankResult {
	n, possible := len(ranks), len(j.scores)
	r := RankResult{Counts: make([]int, bins(n, possible)), Width: RankTest{Estimate: 1, P: 1}}
	mean := 0.0
	for _, v := range ranks {
		r.Counts[v*len(r.Counts)/possible]++
		mean += j.shift[v] / float64(n)
	}
	// A score above 0 is that of a value above most draws: the posterior is too low.
	r.Shift.Estimate, r.Shift.Z = -mean*math.Sqrt(j.variance), -j.shift.deviate(mean, n)
	r.Shift.P = twoSided(r.Shift.Z)
	least := 1.0
	tests := 0
	count := func(p float64) { least, tests = min(least, p), tests+1 }
	count(r.Shift.P)
	if n > 1 && possible > 2 {
		r.Width = j.width(ranks, mean)
		count(r.Width.P)
	}
	r.Chi2, r.DF = j.rest(r.Counts, n)
	r.Shape = 1
	if r.DF > 0 {
		r.Shape = mathext.GammaIncRegComp(float64(r.DF)/2, r.Chi2/2)
		count(r.Shape)
	}
	r.P = ofSmallest(least, tests)
	return r
}

// ofSmallest is the probability that the smallest of some independent p-values is at most p (Šidák 1967).
func ofSmallest(p float64, tests int) float64 {
	if p >= 1 {
		return 1
	}
	return -portable.Expm1(float64(tests) * portable.Log1p(-p))
}

// width tests the sum of squares of the standardised scores about their mean, which has the distribution of a
// sum over one replicate less about 0: exactly for normal scores, and in mean and variance, up to terms of
// the order of 1/n², for these.
func (j *judge) width(ranks []int, mean float64) RankTest {
	n, square := len(ranks), 0.0
	for _, v := range ranks {
		d := j.shift[v] - mean
		square += d * d / float64(n-1)
	}
	z := -j.spread.deviate((square-1)/math.Sqrt(j.kurtosis()-1), n-1)
	// The least score that is not 0 is as near as ranks can tell from the middle.
	nearest := math.Inf(1)
	for _, x := range j.shift {
		if x != 0 {
			nearest = min(nearest, math.Abs(x))
		}
	}
	return RankTest{Estimate: 1 / math.Sqrt(max(square, float64(nearest*nearest))), Z: z, P: twoSided(z)}
}

// kurtosis is the mean of the fourth powers of the standardised scores.
func (j *judge) kurtosis() (sum float64) {
	for _, x := range j.shift {
		sum += float64(x*x) * float64(x*x) / float64(len(j.shift))
	}
	return sum
}

// rest is χ² over bins without its components along the mean scores of the bins and along the mean squares,
// and what is left of its degrees of freedom. As these components are left out, it is not correlated with the
// tests of shift and width.
func (j *judge) rest(counts []int, n int) (chi2 float64, df int) {
	k := len(counts)
	expected := float64(n) / float64(k)
	deviations := make([]float64, k)
	for b, c := range counts {
		deviations[b] = (float64(c) - expected) / math.Sqrt(expected)
		chi2 += float64(deviations[b] * deviations[b])
	}
	df = k - 1
	for _, l := range []law{j.shift, j.spread} {
		along, size, means := 0.0, 0.0, make([]float64, k)
		for v, x := range l {
			means[v*k/len(l)] += x
		}
		for b, m := range means {
			along += float64(m * deviations[b])
			size += float64(m * m)
		}
		if df > 0 && size > 1e-9 {
			chi2 -= along * along / size
			df--
		}
	}
	return max(chi2, 0), df
}

// Holm computes adjusted p-values: the smallest times their number, the next times one less, and so on, made
// monotone.
func Holm(results []RankResult) {
	order := make([]int, len(results))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(results[a].P, results[b].P) })
	last := 0.0
	for i, k := range order {
		last = max(last, min(1, results[k].P*float64(len(results)-i)))
		results[k].Adjusted = last
	}
}

// Shown is what a person reads: the label if there is one.
func (r RankResult) Shown() string { return posterior.Scalar{Name: r.Name, Label: r.Label}.Shown() }

// Uniform reports whether no adjusted p-value is below Level.
func Uniform(results []RankResult) bool {
	return !slices.ContainsFunc(results, func(r RankResult) bool { return r.Adjusted < Level })
}

// Reading is what is wrong with the posterior, in words; "" where the adjusted p-value is not below Level.
// Where it is, the test with the smallest p-value is named, and each other one whose own is below Level when
// adjusted for their number.
func (r RankResult) Reading() string {
	if r.Adjusted >= Level {
		return ""
	}
	var out []string
	least := min(r.Shift.P, r.Width.P, r.Shape)
	found := func(p float64) bool { return p == least || ofSmallest(p, 3) < Level }
	if found(r.Width.P) {
		if r.Width.Estimate > 1 {
			out = append(out, fmt.Sprintf("%.2f times too wide", r.Width.Estimate))
		} else {
			out = append(out, fmt.Sprintf("%.2f times too narrow", 1/r.Width.Estimate))
		}
	}
	if found(r.Shift.P) {
		way := "high"
		if r.Shift.Estimate < 0 {
			way = "low"
		}
		out = append(out, fmt.Sprintf("too %s by %.2f sd", way, math.Abs(r.Shift.Estimate)))
	}
	if found(r.Shape) {
		out = append(out, "of another shape")
	}
	return "posterior " + strings.Join(out, ", ")
}

// Bars draws the counts as a line of blocks; half height is the expected count.
func (r RankResult) Bars() string {
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	total := 0
	for _, c := range r.Counts {
		total += c
	}
	out := make([]rune, len(r.Counts))
	for i, c := range r.Counts {
		level := int(math.Round(4 * float64(c*len(r.Counts)) / float64(max(1, total))))
		out[i] = blocks[min(8, level)]
	}
	return string(out)
}
