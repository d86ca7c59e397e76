package linear

// These overwrite the rows of a matrix, n of them in k columns, each with what one vector is made.

// SolveLowerRows is L⁻¹ b of each row b.
func SolveLowerRows(rows []float64, n int, l []float64, k int) {
	for j := range k {
		y := rows[n*j:][:n]
		combine(-1, y, rows, l[j:], n, k, j)
		divide(y, l[j+k*j])
	}
}

// SolveUpperRows is L⁻ᵀ b of each row b.
func SolveUpperRows(rows []float64, n int, l []float64, k int) {
	for j := k - 1; j >= 0; j-- {
		y := rows[n*j:][:n]
		combine(-1, y, rows[n*(j+1):], l[k*j+j+1:], n, 1, k-1-j)
		divide(y, l[j+k*j])
	}
}

// TimesLowerRows is L b of each row b.
func TimesLowerRows(rows []float64, n int, l []float64, k int) {
	for j := k - 1; j >= 0; j-- {
		y := rows[n*j:][:n]
		scale(y, l[j+k*j])
		combine(1, y, rows, l[j:], n, k, j)
	}
}

// TimesUpperRows is Lᵀ b of each row b.
func TimesUpperRows(rows []float64, n int, l []float64, k int) {
	for j := range k {
		y := rows[n*j:][:n]
		scale(y, l[j+k*j])
		combine(1, y, rows[n*(j+1):], l[k*j+j+1:], n, 1, k-1-j)
	}
}

// Cross adds Xᵀ·D to W, k by k, for X and D of n rows in k columns.
func (p Products) Cross(w, x, d []float64, n, k int) {
	if p.Gradient != nil {
		p.Gradient(n, w, 1, k, x, n, d, n, k, k)
		return
	}
	for j := range k {
		for i := range k {
			w[i+k*j] += dot(x[n*i:][:n], d[n*j:][:n])
		}
	}
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}
