package dist

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Draws sum to 0, and the variance of a difference is the effective resistance between two regions: on a
// cycle of K edges with d edges on the one way, d (K - d) / K, and each bridge on a path adds 1.
func TestICARDraws(t *testing.T) {
	const n, k = 20000, 6 // 1-2-3-4-1, and 4-5-6
	theta := [][]float64{{1, 2, 3, 1, 4, 5}, {2, 3, 4, 4, 5, 6}}
	want := map[[2]int]float64{{0, 1}: 0.75, {0, 2}: 1, {1, 3}: 1, {3, 5}: 2, {0, 5}: 2.75, {1, 4}: 2}
	got, r, x := map[[2]int]float64{}, rand.New(rand.NewPCG(81, 82)), make([]float64, k)
	for range n {
		ICAR().Event.Centred(r, x, theta, k)
		sum := 0.0
		for _, v := range x {
			sum += v
		}
		if math.Abs(sum) > 1e-12 {
			t.Fatalf("a draw sums to %v", sum)
		}
		for p := range want {
			got[p] += (x[p[0]] - x[p[1]]) * (x[p[0]] - x[p[1]]) / n
		}
	}
	for p, w := range want {
		if math.Abs(got[p]-w) > 4*w*math.Sqrt(2.0/n) {
			t.Errorf("variance of x%d - x%d is %v, want %v within four standard errors", p[0], p[1], got[p], w)
		}
	}
}
