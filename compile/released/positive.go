package released

import vec "github.com/vflc/vflc/runtime/vector"

// positive is the symmetric matrix with eigenvalues of at least a floor that is nearest.
func positive(a [][]float64, floor float64) [][]float64 {
	return spectral(a, func(l float64) float64 { return max(l, floor) })
}

// spectral is the symmetric matrix with the same eigenvectors and the function of the eigenvalues; where no
// eigenvalue changes, the matrix itself.
func spectral(a [][]float64, of func(float64) float64) [][]float64 {
	n := len(a)
	v, values := make([]float64, 0, n*n), make([]float64, n)
	same := true
	for _, row := range a {
		v = append(v, row...)
	}
	if !vec.Eigen(n, v, values, make([]float64, n*n), make([]float64, vec.EigenRoom*n)) {
		panic("released: moments without eigenvalues")
	}
	for i, l := range values {
		values[i] = of(l)
		same = same && values[i] == l
	}
	if same {
		return a
	}
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
		for j := range out[i] {
			for k, l := range values {
				out[i][j] += float64(v[i*n+k] * l * v[j*n+k])
			}
		}
	}
	return out
}

func times(a [][]float64, x []float64) []float64 {
	out := make([]float64, len(a))
	for i, row := range a {
		for j, v := range row {
			out[i] += float64(v * x[j])
		}
	}
	return out
}
