package kernel

// Gather sets y[i] = table[index[i]].
func Gather(n int, y, table []float64, index []int32) { gatherOn(active, n, y, table, index) }

// gatherOn leaves to Go what the assembly does not take: the last elements, and an index that is out of range, which panics.
func gatherOn(on Set, n int, y, table []float64, index []int32) {
	done := gather(on, n, y, table, len(table), index)
	for i, j := range index[done:n] {
		y[done+i] = table[j]
	}
}

// gatherGo takes nothing: Go's loop does all.
func gatherGo(int, []float64, []float64, int, []int32) int { return 0 }

// ScatterAdd adds a[i] to table[index[i]], in index order.
func ScatterAdd(n int, table []float64, index []int32, a []float64) {
	a, index = a[:n], index[:n]
	for i, j := range index {
		table[j] += a[i]
	}
}

// SegmentSumsAdd adds to y[l] the sum of a[starts[l]] up to a[starts[l+1]], in the order of Sum: ScatterAdd where rows are sorted by index.
func SegmentSumsAdd(y, a []float64, starts []int32) {
	for l := range len(starts) - 1 {
		from, to := starts[l], starts[l+1]
		y[l] += Sum(int(to-from), a[from:to])
	}
}

// SegmentFill sets a[starts[l]] up to a[starts[l+1]] to y[l]: Gather where rows are sorted by index.
func SegmentFill(a, y []float64, starts []int32) {
	for l := range len(starts) - 1 {
		from, to := starts[l], starts[l+1]
		Fill(int(to-from), a[from:to], y[l])
	}
}
