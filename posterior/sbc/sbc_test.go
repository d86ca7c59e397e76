package sbc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vflc/vflc/posterior"
)

func TestRankAndThinning(t *testing.T) {
	if got := Rank(2.5, []float64{1, 2, 3, 4}); got != 2 {
		t.Errorf("rank %d, want 2", got)
	}
	if diff := cmp.Diff([]float64{2, 4, 6}, Thinned([]float64{1, 2, 3, 4, 5, 6}, 3)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{1, 2, 3}, Thinned([]float64{1, 2, 3}, 3)); diff != "" {
		t.Error(diff)
	}
}

// By hand: 40 ranks of 0 to 3, ten expected each, counts 16, 8, 8, 8: χ² = (36 + 3·4)/10 = 4.8 with 3 degrees of freedom; p = 0.187 (R: pchisq).
func TestChiSquareByHand(t *testing.T) {
	var ranks []int
	for rank, n := range []int{16, 8, 8, 8} {
		for range n {
			ranks = append(ranks, rank)
		}
	}
	r := Judge([]posterior.Column{{Name: "x"}}, [][]int{ranks}, 3)[0]
	if diff := cmp.Diff([]int{16, 8, 8, 8}, r.Counts); diff != "" {
		t.Error(diff)
	}
	if math.Abs(r.Chi2-4.8) > 1e-12 || r.DF != 3 || math.Abs(r.P-0.1870) > 5e-5 {
		t.Errorf("%+v", r)
	}
}

func TestHolm(t *testing.T) {
	results := []Result{{P: 0.04}, {P: 0.001}, {P: 0.03}, {P: 0.9}}
	Holm(results)
	var got []float64
	for _, r := range results {
		got = append(got, math.Round(1e6*r.Adjusted)/1e6)
	}
	if diff := cmp.Diff([]float64{0.09, 0.004, 0.09, 0.9}, got); diff != "" {
		t.Error(diff)
	}
}

// p-values of uniform ranks are uniform: of 400 of 500 replicates each, the share below ½ and 0.1 within four standard errors.
func TestPValuesOfUniformRanksAreUniform(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	half, tenth := 0.0, 0.0
	for range 400 {
		ranks := make([]int, 500)
		for i := range ranks {
			ranks[i] = r.IntN(100)
		}
		if p := judge(ranks, 99).P; p < 0.5 {
			half++
			if p < 0.1 {
				tenth++
			}
		}
	}
	if math.Abs(half-200) > 4*10 || math.Abs(tenth-40) > 4*6 {
		t.Errorf("%g below 0.5 and %g below 0.1, of 400", half, tenth)
	}
}

// Normal posteriors that are too narrow, too wide, too low or too high are detected from the ranks of 1,000 replicates, and correct ones pass.
func TestShapesAreRead(t *testing.T) {
	for _, c := range []struct {
		mean, sd float64
		want     string
	}{{0, 1, ""}, {0, 0.8, "posterior too narrow"}, {0, 1.2, "posterior too wide"}, {-0.3, 1, "posterior too low"}, {0.3, 1, "posterior too high"}} {
		r := rand.New(rand.NewPCG(7, 7))
		ranks := make([]int, 1000)
		draws := make([]float64, 99)
		for i := range ranks {
			for k := range draws {
				draws[k] = c.mean + c.sd*r.NormFloat64()
			}
			ranks[i] = Rank(r.NormFloat64(), draws)
		}
		results := Judge([]posterior.Column{{Name: "x"}}, [][]int{ranks}, 99)
		if got := results[0].Reading(); got != c.want || Calibrated(results) != (c.want == "") {
			t.Errorf("N(%g, %g): %q, calibrated %v (%+v)", c.mean, c.sd, got, Calibrated(results), results[0])
		}
	}
}

func TestBars(t *testing.T) {
	if got := (Result{Counts: []int{10, 20, 0, 10}}).Bars(); got != "▄█ ▄" {
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
