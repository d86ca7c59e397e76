package vector

import (
	"fmt"
	"testing"
)

// BenchmarkKernels runs every kernel on every set, on a tile of rows, a block, and more than fits into the first cache; matrices have 16 columns. What
// hands out the slices is included, some nanoseconds; bench/kernels times more exactly.
func BenchmarkKernels(b *testing.B) {
	for _, c := range calls() {
		for _, n := range []int{32, 256, 2048} {
			for _, set := range Sets() {
				b.Run(fmt.Sprintf("%s/n=%d/%v", c.name, n, set), func(b *testing.B) {
					run := c.replay(set, n, 16, 16)
					b.ReportAllocs()
					for b.Loop() {
						run()
					}
				})
			}
		}
	}
}
