package vector

import "math"

// MatVec sets y = X·b for n rows and k columns: column j of X begins at x[j·stride], element j of b is
// b[j·step]. Columns are added in order, each with one rounding.
func MatVec(n int, y, x []float64, stride int, b []float64, step, k int) {
	if k <= 0 {
		clear(y[:n])
		return
	}
	matVec(active, n, y, x, stride, b, step, k)
}

// MatTVecAdd adds Xᵀ·r to b for n rows and k columns: b[j·step] += Σ_i x[j·stride+i]·r[i]. Each sum has eight
// lanes, row i belonging to lane i modulo 8, that are added up at the end.
func MatTVecAdd(n int, b []float64, step int, x []float64, stride int, r []float64, k int) {
	if k > 0 {
		matTVecAdd(active, n, b, step, x, stride, r, k)
	}
}

func matVecGo(n int, y, x []float64, stride int, b []float64, step, k int) {
	clear(y)
	matVecAddGo(n, y, x, stride, b, step, k)
}

// matVecAddGo adds X·b to y.
func matVecAddGo(n int, y, x []float64, stride int, b []float64, step, k int) {
	for j := range k {
		axpyGo(n, y, b[j*step], x[j*stride:][:n])
	}
}

func matTVecAddGo(n int, b []float64, step int, x []float64, stride int, r []float64, k int) {
	for j := range k {
		b[j*step] += lanesDot(x[j*stride:][:n], r)
	}
}

// lanesDot is Σ x·r in eight lanes.
func lanesDot(x, r []float64) float64 {
	var s [lanes]float64
	i := 0
	for ; i+lanes <= len(x); i += lanes {
		u, v := (*[lanes]float64)(x[i:]), (*[lanes]float64)(r[i:])
		for l := range s {
			s[l] = math.FMA(u[l], v[l], s[l])
		}
	}
	for l, u := range x[i:] {
		s[l] = math.FMA(u, r[i+l], s[l])
	}
	return fold(&s)
}
