package vector

import "math"

// The products with a matrix of float32 widen its entries and are else those of MatVecAdd and MatTVecAdd, bit for bit what they give for the same
// numbers as float64. Every column must hold zeros up to the next multiple of eight rows.

// MatVecAddShort adds X·b to y for n rows and k columns: column j of X begins at x[j·stride].
func MatVecAddShort(n int, y []float64, x []float32, stride int, b []float64, k int) {
	if k > 0 {
		matVecAddShort(active, n, y, x, stride, b, k)
	}
}

// MatTVecAddShort adds Xᵀ·r to b.
func MatTVecAddShort(n int, b []float64, x []float32, stride int, r []float64, k int) {
	if k > 0 {
		matTVecAddShort(active, n, b, x, stride, r, k)
	}
}

func matVecAddShortGo(n int, y []float64, x []float32, stride int, b []float64, k int) {
	for j := range k {
		column := x[j*stride:][:n]
		for i, v := range column {
			y[i] = math.FMA(b[j], float64(v), y[i])
		}
	}
}

func matTVecAddShortGo(n int, b []float64, x []float32, stride int, r []float64, k int) {
	for j := range k {
		var s [lanes]float64
		for i, v := range x[j*stride:][:n] {
			l := &s[i%lanes]
			*l = math.FMA(float64(v), r[i], *l)
		}
		b[j] += fold(&s)
	}
}
