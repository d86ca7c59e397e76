package kernel

// Gather sets y[i] = table[index[i]].
func Gather(n int, y, table []float64, index []int32) {
	y, index = y[:n], index[:n]
	for i, j := range index {
		y[i] = table[j]
	}
}

// ScatterAdd adds a[i] to table[index[i]], in index order.
func ScatterAdd(n int, table []float64, index []int32, a []float64) {
	a, index = a[:n], index[:n]
	for i, j := range index {
		table[j] += a[i]
	}
}
