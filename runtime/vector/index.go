package vector

import "unsafe"

// Gather sets y[i] = table[index[i]].
func Gather(n int, y, table []float64, index []int32) { gatherOn(active, n, y, table, index) }

// gatherOn runs the Go loop for the elements that the assembly leaves: the last ones, and those from an index
// out of range on, which panics.
func gatherOn(on InstructionSet, n int, y, table []float64, index []int32) {
	done := gather(on, n, y, table, len(table), index)
	for i, j := range index[done:n] {
		y[done+i] = table[j]
	}
}

// gatherGo returns 0 elements done: the loop of gatherOn does all.
func gatherGo(int, []float64, []float64, int, []int32) int { return 0 }

// ScatterAdd adds a[i] to table[index[i]], in index order. Four at a time take half as long: the processor
// has the next elements under way while one waits for an earlier sum of the same place.
func ScatterAdd(n int, table []float64, index []int32, a []float64) {
	a, index = a[:n], index[:n]
	for len(index) >= 4 && len(a) >= 4 {
		table[index[0]] += a[0]
		table[index[1]] += a[1]
		table[index[2]] += a[2]
		table[index[3]] += a[3]
		index, a = index[4:], a[4:]
	}
	for i, j := range index {
		table[j] += a[i]
	}
}

// A Segment is rows Lo ≤ i < Hi that belong to element Of of a table.
type Segment struct{ Lo, Hi, Of int32 }

// SegmentSumsAdd adds to each segment's element of the table the sum of its rows of y, in the order of Sum:
// ScatterAdd where rows are sorted by index. Segments must lie within y and the table; this is not checked
// here.
func SegmentSumsAdd(segments []Segment, table, y []float64) {
	segmentSumsAdd(active, len(segments), integers(segments), y, len(y), table, len(table))
}

// SegmentFill sets the rows of y of each segment to its element of the table: Gather where rows are sorted by
// index. Segments must lie within y and the table.
func SegmentFill(segments []Segment, y, table []float64) {
	segmentFill(active, len(segments), integers(segments), y, len(y), table, len(table))
}

// integers returns the memory of segments as integers, three for each.
func integers(segments []Segment) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(segments))), 3*len(segments))
}

func segmentSumsAddGo(n int, segments []int32, y []float64, _ int, table []float64, _ int) {
	for s := segments; n > 0; n, s = n-1, s[3:] {
		table[s[2]] += sumGo(int(s[1]-s[0]), y[s[0]:])
	}
}

func segmentFillGo(n int, segments []int32, y []float64, _ int, table []float64, _ int) {
	for s := segments; n > 0; n, s = n-1, s[3:] {
		fillGo(int(s[1]-s[0]), y[s[0]:], table[s[2]])
	}
}
