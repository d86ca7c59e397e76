package main

import "testing"

// The heap may grow by 64 MB, by as much less as more than that is in use, but by a tenth, and never by more
// than the slack of an empty heap.
func TestGarbageByLiveHeap(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 1600}, {1 << 20, 1600}, {64 << 20, 100}, {128 << 20, 25}, {160 << 20, 16},
		{256 << 20, 10}, {640 << 20, 10}, {2 << 30, 10}} {
		if got := garbage(c.live); got != c.want {
			t.Errorf("%d bytes in use: %d %%, want %d", c.live, got, c.want)
		}
	}
}
