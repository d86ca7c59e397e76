package vector

import (
	"fmt"
	"testing"
)

// BenchmarkFunctions runs every function on every set, on a tile of rows, a block, and more than fits into
// the L1 cache; matrices have 16 columns. The times include handing out the slices, some nanoseconds;
// bench/vector times more exactly.
func BenchmarkFunctions(b *testing.B) {
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
