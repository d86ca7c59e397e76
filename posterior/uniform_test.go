package posterior

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Of 4,000 sets of uniform values 5 % leave the band, within four standard errors of 0.34 %; the level is at
// least 95 %, and counts are whole. Values of another distribution leave it.
func TestUniformBand(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{20, 200} {
		b := NewUniformBand(n, 0.95)
		left, shifted, values := 0, 0, make([]float64, n)
		for range 4000 {
			for i := range values {
				values[i] = r.Float64()
			}
			if !math.IsNaN(b.Outside(values)) {
				left++
			}
			for i, u := range values {
				values[i] = math.Sqrt(math.Sqrt(u))
			}
			if !math.IsNaN(b.Outside(values)) {
				shifted++
			}
		}
		if share := float64(left) / 4000; share > 0.05+4*0.0034 || share < 0.03 {
			t.Errorf("of %d values, %.3f leave the band", n, share)
		}
		if share := float64(shifted) / 4000; share < 0.95 {
			t.Errorf("of %d values of another distribution, %.3f leave the band", n, share)
		}
	}
}
