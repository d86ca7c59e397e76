package kernel

// Accumulate adds a to y.
func Accumulate(n int, y, a []float64) {
	y, a = y[:n], a[:n]
	for i := range y {
		y[i] += a[i]
	}
}

// Shift adds s to y.
func Shift(n int, y []float64, s float64) {
	y = y[:n]
	for i := range y {
		y[i] += s
	}
}

// Axpy adds s·a to y.
func Axpy(n int, y []float64, s float64, a []float64) {
	y, a = y[:n], a[:n]
	for i := range y {
		y[i] += float64(s * a[i])
	}
}

// MulAdd adds a·b, elementwise, to y.
func MulAdd(n int, y, a, b []float64) {
	y, a, b = y[:n], a[:n], b[:n]
	for i := range y {
		y[i] += float64(a[i] * b[i])
	}
}
