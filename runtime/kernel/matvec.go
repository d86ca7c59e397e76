package kernel

// MatVec sets y = X·b for n rows and k columns: column j of X begins at x[j·stride], element j of b is b[j·step].
// Columns are taken four at a time, y = ((x0·b0 + x1·b1) + (x2·b2 + x3·b3)) first, then added group by group.
func MatVec(n int, y, x []float64, stride int, b []float64, step, k int) {
	y = y[:n]
	if k < 4 {
		clear(y)
		matVecTail(y, x, stride, b, step, k)
		return
	}
	b0, b1, b2, b3 := b[0], b[step], b[2*step], b[3*step]
	x0, x1, x2, x3 := four(x, stride, n)
	for i := range y {
		y[i] = (float64(x0[i]*b0) + float64(x1[i]*b1)) + (float64(x2[i]*b2) + float64(x3[i]*b3))
	}
	if k > 4 {
		MatVecAdd(n, y, x[4*stride:], stride, b[4*step:], step, k-4)
	}
}

// MatVecAdd adds X·b to y; arguments and order as in MatVec.
func MatVecAdd(n int, y, x []float64, stride int, b []float64, step, k int) {
	y = y[:n]
	for ; k >= 4; k -= 4 {
		b0, b1, b2, b3 := b[0], b[step], b[2*step], b[3*step]
		x0, x1, x2, x3 := four(x, stride, n)
		for i := range y {
			y[i] += (float64(x0[i]*b0) + float64(x1[i]*b1)) + (float64(x2[i]*b2) + float64(x3[i]*b3))
		}
		if k == 4 {
			return
		}
		x, b = x[4*stride:], b[4*step:]
	}
	matVecTail(y, x, stride, b, step, k)
}

// matVecTail adds the last k < 4 columns to y, one by one.
func matVecTail(y, x []float64, stride int, b []float64, step, k int) {
	for j := range k {
		Axpy(len(y), y, b[j*step], x[j*stride:])
	}
}

// four returns the first n rows of the first four columns of x.
func four(x []float64, stride, n int) (x0, x1, x2, x3 []float64) {
	return x[:n], x[stride:][:n], x[2*stride:][:n], x[3*stride:][:n]
}

// MatTVecAdd adds Xᵀ·r to b for n rows and k columns: b[j·step] += Σ_i x[j·stride+i]·r[i].
// Columns are taken four at a time, rows in order; the last k mod 4 columns in the order of Dot.
func MatTVecAdd(n int, b []float64, step int, x []float64, stride int, r []float64, k int) {
	r = r[:n]
	for ; k >= 4; k -= 4 {
		s0, s1, s2, s3 := dot4(x, stride, r)
		b[0] += s0
		b[step] += s1
		b[2*step] += s2
		b[3*step] += s3
		if k == 4 {
			return
		}
		x, b = x[4*stride:], b[4*step:]
	}
	for j := range k {
		b[j*step] += Dot(n, x[j*stride:], r)
	}
}

// dot4 returns the products of r with the first four columns of x, each summed in row order. Four sums at a time hide the latency of an addition.
func dot4(x []float64, stride int, r []float64) (s0, s1, s2, s3 float64) {
	x0, x1, x2, x3 := four(x, stride, len(r))
	for i, u := range r {
		s0 += float64(x0[i] * u)
		s1 += float64(x1[i] * u)
		s2 += float64(x2[i] * u)
		s3 += float64(x3[i] * u)
	}
	return s0, s1, s2, s3
}
