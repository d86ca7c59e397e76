package attack

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The index of equal partitions is 1 whatever their numbers, and values of Hubert and Arabie's formula worked
// out by hand: two partitions of six with the table (2 1; 0 3) have index (1+3 − 6·7/15) / ((6+7)/2 −
// 6·7/15).
func TestAdjustedRandIndex(t *testing.T) {
	for _, c := range []struct {
		a, b []int
		want float64
	}{
		{[]int{0, 0, 1, 1, 2}, []int{2, 2, 0, 0, 1}, 1},
		{[]int{0, 0, 0, 1, 1, 1}, []int{0, 0, 1, 1, 1, 1}, (4 - 42.0/15) / (6.5 - 42.0/15)},
		{[]int{0, 0, 1, 1}, []int{0, 1, 0, 1}, -0.5},
		{[]int{0, 0, 0}, []int{0, 0, 0}, 1},
	} {
		if got := adjustedRand(c.a, c.b); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// The tree of points on a line joins neighbours.
func TestSpanningTree(t *testing.T) {
	_, length := spanningTree([][]float64{{0}, {5}, {1}, {2.5}})
	total := 0.0
	for _, d := range length {
		total += d
	}
	if total != 5 {
		t.Errorf("the edges have length %v, want 5", total)
	}
}

// Groups separate where they are far apart in relation to the noise within, and not where there is one cloud.
func TestSeparation(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	cloud := func(groups int, apart float64) (points [][]float64, truth []int) {
		centres := make([][3]float64, groups)
		for g := range centres {
			centres[g] = [3]float64{apart * float64(g), apart * random.NormFloat64(),
				apart * random.NormFloat64()}
		}
		for i := range 300 {
			g := i % groups
			p := make([]float64, 3)
			for k := range p {
				p[k] = centres[g][k] + random.NormFloat64()
			}
			points, truth = append(points, p), append(truth, g)
		}
		return points, truth
	}
	points, truth := cloud(6, 30)
	if got := adjustedRand(truth, separate(points)); got != 1 {
		t.Errorf("six groups far apart: index %v", got)
	}
	points, _ = cloud(1, 0)
	sizes := map[int]int{}
	for _, g := range separate(points) {
		sizes[g]++
	}
	if got := slices.Max(slices.Collect(maps.Values(sizes))); got < 285 { // outliers may stand alone
		t.Errorf("one cloud of 300 falls into %d groups, of at most %d", len(sizes), got)
	}
	if got := groupsOf(separate([][]float64{{0}, {0}, {1}, {1}, {0}})); got != 2 {
		t.Errorf("points without noise fall into %d groups, want 2", got)
	}
}

// Rows share their cut where it is the same in every draw, up to rounding.
func TestEqualRows(t *testing.T) {
	draws := [][]float64{{1, 2, 1 + 1e-15, 2}, {3, 0, 3, 0.5}}
	mean := []float64{2, 1, 2, 1.25}
	got := equalRows(draws, mean)
	if got[0] != got[2] || got[1] == got[3] || groupsOf(got) != 3 {
		t.Errorf("%v", got)
	}
}
