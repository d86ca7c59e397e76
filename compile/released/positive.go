package released

import "github.com/vflc/vflc/backends/eigen"

// positive is the symmetric matrix with eigenvalues of at least a floor that is nearest.
func positive(a [][]float64, floor float64) [][]float64 {
	n := len(a)
	v, values := make([]float64, 0, n*n), make([]float64, n)
	low := true
	for _, row := range a {
		v = append(v, row...)
	}
	if !eigen.Symmetric(n, v, values, make([]float64, n*n), make([]float64, eigen.Room*n)) {
		panic("released: moments without eigenvalues")
	}
	for _, l := range values {
		low = low && l >= floor
	}
	if low {
		return a
	}
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
		for j := range out[i] {
			for k, l := range values {
				out[i][j] += float64(v[i*n+k] * max(l, floor) * v[j*n+k])
			}
		}
	}
	return out
}
