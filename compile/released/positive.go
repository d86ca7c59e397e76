package released

import "gonum.org/v1/gonum/mat"

// positive is the symmetric matrix with eigenvalues of at least a floor that is nearest.
func positive(a [][]float64, floor float64) [][]float64 {
	n := len(a)
	s := mat.NewSymDense(n, nil)
	for i := range a {
		for j := i; j < n; j++ {
			s.SetSym(i, j, a[i][j])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		panic("released: moments without eigenvalues")
	}
	values := e.Values(nil)
	if values[0] >= floor {
		return a
	}
	var v mat.Dense
	e.VectorsTo(&v)
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
		for j := range out[i] {
			for k, l := range values {
				out[i][j] += v.At(i, k) * max(l, floor) * v.At(j, k)
			}
		}
	}
	return out
}
