package kernel

// Fill sets y = s.
func Fill(n int, y []float64, s float64) {
	y = y[:n]
	for i := range y {
		y[i] = s
	}
}

// Add sets y = a + b.
func Add(n int, y, a, b []float64) {
	y, a, b = y[:n], a[:n], b[:n]
	for i := range y {
		y[i] = a[i] + b[i]
	}
}

// AddScalar sets y = a + s.
func AddScalar(n int, y, a []float64, s float64) {
	y, a = y[:n], a[:n]
	for i := range y {
		y[i] = a[i] + s
	}
}

// Sub sets y = a - b.
func Sub(n int, y, a, b []float64) {
	y, a, b = y[:n], a[:n], b[:n]
	for i := range y {
		y[i] = a[i] - b[i]
	}
}

// SubFrom sets y = s - b.
func SubFrom(n int, y []float64, s float64, b []float64) {
	y, b = y[:n], b[:n]
	for i := range y {
		y[i] = s - b[i]
	}
}

// Mul sets y = a·b, elementwise.
func Mul(n int, y, a, b []float64) {
	y, a, b = y[:n], a[:n], b[:n]
	for i := range y {
		y[i] = a[i] * b[i]
	}
}

// Scale sets y = s·a.
func Scale(n int, y, a []float64, s float64) {
	y, a = y[:n], a[:n]
	for i := range y {
		y[i] = a[i] * s
	}
}

// Div sets y = a/b, elementwise.
func Div(n int, y, a, b []float64) {
	y, a, b = y[:n], a[:n], b[:n]
	for i := range y {
		y[i] = a[i] / b[i]
	}
}

// DivScalar sets y = a/s.
func DivScalar(n int, y, a []float64, s float64) {
	y, a = y[:n], a[:n]
	for i := range y {
		y[i] = a[i] / s
	}
}

// DivInto sets y = s/b.
func DivInto(n int, y []float64, s float64, b []float64) {
	y, b = y[:n], b[:n]
	for i := range y {
		y[i] = s / b[i]
	}
}

// Neg sets y = -a.
func Neg(n int, y, a []float64) {
	y, a = y[:n], a[:n]
	for i := range y {
		y[i] = -a[i]
	}
}

// Select sets y = a where c is not zero, else b.
func Select(n int, y, c, a, b []float64) {
	y, c, a, b = y[:n], c[:n], a[:n], b[:n]
	for i := range y {
		if c[i] != 0 {
			y[i] = a[i]
		} else {
			y[i] = b[i]
		}
	}
}

// Weight sets y = w·y, and 0 where w is 0 whatever y is, so that a weight of zero leaves out an element that is not finite.
func Weight(n int, y, w []float64) {
	y, w = y[:n], w[:n]
	for i := range y {
		if w[i] == 0 {
			y[i] = 0
		} else {
			y[i] *= w[i]
		}
	}
}
