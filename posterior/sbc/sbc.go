// Package sbc tests simulation-based calibration: if parameters are drawn from the prior and data from the likelihood, the rank of the
// parameter among draws of its posterior is uniform, for every model and every data set (Cook, Gelman and Rubin 2006; Talts, Betancourt,
// Simpson, Vehtari and Gelman 2018, "Validating Bayesian inference algorithms with simulation-based calibration").
package sbc

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/vflc/vflc/posterior"
)

// Level is the level at which Holm-adjusted p-values are judged.
const Level = 0.01

// Rank returns the number of draws below the value that the data were simulated with: 0 to len(draws).
func Rank(value float64, draws []float64) int {
	n := 0
	for _, d := range draws {
		if d < value {
			n++
		}
	}
	return n
}

// Thinned keeps n of the draws of a chain, evenly spaced, including the last.
func Thinned(draws []float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = draws[(i+1)*len(draws)/n-1]
	}
	return out
}

// A Result is the verdict on one parameter.
type Result struct {
	Name     string  `json:"name"`
	Label    string  `json:"label,omitempty"` // as in a summary; "" where it is the name
	Counts   []int   `json:"counts"`          // number of ranks in bins of equal width
	Chi2     float64 `json:"chi2"`
	DF       int     `json:"df"`
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_holm"` // over all parameters judged together
	Shift    float64 `json:"shift"`  // mean of rank/draws − ½, in standard errors: > 0 where draws are too small
	Spread   float64 `json:"spread"` // variance of rank/draws over that of a uniform, in standard errors from 1: > 0 where draws are too narrow
}

// Judge tests the ranks of every parameter, ranks[k][r] being that of parameter k in replicate r, 0 to draws, for uniformity by χ² over bins, and
// adjusts the p-values for their number by Holm's method (1979). There must be at least one replicate.
func Judge(parameters []posterior.Column, ranks [][]int, draws int) []Result {
	out := make([]Result, len(parameters))
	for k, p := range parameters {
		out[k] = judge(ranks[k], draws)
		out[k].Name, out[k].Label = p.Name, p.Label
	}
	Holm(out)
	return out
}

// bins is the largest number of bins of equal width that divides the possible ranks, up to 10, and expects ten replicates or more in each. More bins
// would lose power against the usual errors, whose ranks have a smooth density: with 1,000 replicates and 20 parameters a posterior that is
// 1.2 times too wide is detected with probability 0.97 by 10 bins, 0.93 by 20 and 0.43 by 100.
func bins(replicates, possible int) int {
	for n := min(10, possible); n > 2; n-- {
		if possible%n == 0 && replicates >= 10*n {
			return n
		}
	}
	return min(2, possible)
}

func judge(ranks []int, draws int) Result {
	n, possible := float64(len(ranks)), draws+1
	r := Result{Counts: make([]int, bins(len(ranks), possible))}
	sum, squares := 0.0, 0.0
	for _, v := range ranks {
		r.Counts[v*len(r.Counts)/possible]++
		u := float64(v)/float64(draws) - 0.5
		sum += u
		squares += float64(u * u)
	}
	expected := n / float64(len(r.Counts))
	for _, c := range r.Counts {
		d := float64(c) - expected
		r.Chi2 += d * d / expected
	}
	r.DF = len(r.Counts) - 1
	r.P = mathext.GammaIncRegComp(float64(r.DF)/2, r.Chi2/2)
	// moments of a uniform over 0, 1/L, …, 1 about ½: variance (L+2)/12L; the fourth is near 1/80
	variance := float64(draws+2) / (12 * float64(draws))
	r.Shift = sum / math.Sqrt(n*variance)
	r.Spread = (squares/n - variance) / math.Sqrt((1.0/80-1.0/144)/n)
	return r
}

// Holm computes adjusted p-values: the smallest times their number, the next times one less, and so on, made monotone.
func Holm(results []Result) {
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
func (r Result) Shown() string { return posterior.Column{Name: r.Name, Label: r.Label}.Shown() }

// Calibrated reports whether no adjusted p-value is below Level.
func Calibrated(results []Result) bool {
	return !slices.ContainsFunc(results, func(r Result) bool { return r.Adjusted < Level })
}

// Reading interprets the shape of the ranks; "" if no moment differs from that of a uniform by three standard errors.
func (r Result) Reading() string {
	switch {
	case r.Spread > 3 && r.Spread >= math.Abs(r.Shift):
		return "posterior too narrow"
	case r.Spread < -3 && -r.Spread >= math.Abs(r.Shift):
		return "posterior too wide"
	case r.Shift > 3:
		return "posterior too low"
	case r.Shift < -3:
		return "posterior too high"
	}
	return ""
}

// Bars draws the counts as a line of blocks; half height is the expected count.
func (r Result) Bars() string {
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
