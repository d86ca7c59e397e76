package vector

import "math"

// Noise sets z = g + scale·e, auxiliary variables with standard normal noise e, and returns Σ e² in the order
// of Sum.
func Noise(n int, z, g, e []float64, scale float64) float64 { return noise(active, n, z, g, e, scale) }

func noiseGo(n int, z, g, e []float64, scale float64) float64 {
	var sums partial
	for i, v := range e[:n] {
		z[i] = math.FMA(scale, v, g[i])
		s := &sums[i/lanes%4][i%lanes]
		*s = math.FMA(v, v, *s)
	}
	return sums.sum()
}

// NoiseBack is the reverse of Noise, given adj, the adjoint of z, and own, the adjoint of g from elsewhere:
// it sets w = adj + own, the adjoint of g, and grad = scale·adj - e, the derivative in e, that of its
// standard normal log density included.
func NoiseBack(n int, w, grad, adj, own, e []float64, scale float64) {
	noiseBack(active, n, w, grad, adj, own, e, scale)
}

func noiseBackGo(n int, w, grad, adj, own, e []float64, scale float64) {
	for i, a := range adj[:n] {
		x := e[i]
		w[i] = a + own[i]
		grad[i] = float64(a*scale) - x
	}
}

// NoiseStart is the first half of a step of standard normal noise x that turns around scale·mean exactly,
// with Noise after it: p' = p + half·(adj - mean), d = x - scale·mean, x1 = x + less·d + sin·p', p1 = cos·p'
// - sin·d and z = g + scale·x1, less being cos - 1 and adj the adjoint of z before. It returns Σ x1².
func NoiseStart(n int, p1, x1, z, p, x, adj, mean, g []float64, scale, half, less, cos, sin float64) float64 {
	return noiseStart(active, n, p1, x1, z, p, x, adj, mean, g, scale, half, less, cos, sin)
}

func noiseStartGo(n int, p1, x1, z, p, x, adj, mean, g []float64, scale, half, less, cos,
	sin float64) float64 {
	var sums [2][lanes]float64
	for i := range n {
		m := mean[i]
		q := math.FMA(half, adj[i]-m, p[i])
		d := x[i] - float64(scale*m)
		y := math.FMA(sin, q, math.FMA(less, d, x[i]))
		x1[i], p1[i] = y, float64(cos*q)-float64(sin*d)
		z[i] = math.FMA(scale, y, g[i])
		s := &sums[i/lanes%2][i%lanes]
		*s = math.FMA(y, y, *s)
	}
	for l, v := range sums[1] {
		sums[0][l] += v
	}
	return fold(&sums[0])
}

// NoiseEnd sets p1 = p + half·(adj - mean), the second half of the step, and returns Σ p1², twice the kinetic
// energy, in the order of Sum.
func NoiseEnd(n int, p1, p, adj, mean []float64, half float64) float64 {
	return noiseEnd(active, n, p1, p, adj, mean, half)
}

func noiseEndGo(n int, p1, p, adj, mean []float64, half float64) float64 {
	var sums partial
	for i := range n {
		q := math.FMA(half, adj[i]-mean[i], p[i])
		p1[i] = q
		s := &sums[i/lanes%4][i%lanes]
		*s = math.FMA(q, q, *s)
	}
	return sums.sum()
}

// Welford updates running means, and sums of squared deviations from them, by a vector x; share is one over
// the number of vectors, x included (Welford 1962).
func Welford(n int, mean, squares, x []float64, share float64) {
	welford(active, n, mean, squares, x, share)
}

func welfordGo(n int, mean, squares, x []float64, share float64) {
	for i, v := range x[:n] {
		d := v - mean[i]
		m := math.FMA(d, share, mean[i])
		squares[i] = math.FMA(d, v-m, squares[i])
		mean[i] = m
	}
}

// Balance sets inverse = √(a/b), not below least and not above most, and root = 1/√inverse. Where √(a/b) is
// zero, infinite or not a number, neither is changed.
func Balance(n int, inverse, root, a, b []float64, least, most float64) {
	balance(active, n, inverse, root, a, b, least, most)
}

func balanceGo(n int, inverse, root, a, b []float64, least, most float64) {
	for i := range n {
		r := math.Sqrt(a[i] / b[i])
		if !(r > 0 && r < math.Inf(1)) {
			continue
		}
		r = min(max(r, least), most)
		inverse[i], root[i] = r, 1/math.Sqrt(r)
	}
}

// Raise sets inverse to share·a where that is finite and more, but not above most, and root to 1/√inverse
// there.
func Raise(n int, inverse, root, a []float64, share, most float64) {
	raise(active, n, inverse, root, a, share, most)
}

func raiseGo(n int, inverse, root, a []float64, share, most float64) {
	for i := range n {
		if x := share * a[i]; x > inverse[i] && x < math.Inf(1) {
			inverse[i] = min(x, most)
			root[i] = 1 / math.Sqrt(inverse[i])
		}
	}
}

// DenseStart is LeapfrogStart with a symmetric inverse mass matrix of n rows: p1 = p + half·d and x1 = x +
// eps·(matrix·p1). x1 and p1 may be the slices x and p.
func DenseStart(n int, p1, x1, p, x, d, matrix []float64, half, eps float64) {
	denseStart(active, n, p1, x1, p, x, d, matrix, half, eps)
}

func denseStartGo(n int, p1, x1, p, x, d, matrix []float64, half, eps float64) {
	for i := range n {
		p1[i] = math.FMA(half, d[i], p[i])
	}
	for i := range n {
		x1[i] = math.FMA(eps, columnOf(n, matrix, p1, i), x[i])
	}
}

// DenseEnd is LeapfrogEnd with a symmetric inverse mass matrix: it adds half·d to p, sets v = matrix·p, and
// returns Σ p·v, summed in eight lanes.
func DenseEnd(n int, p, v, d, matrix []float64, half float64) float64 {
	return denseEnd(active, n, p, v, d, matrix, half)
}

func denseEndGo(n int, p, v, d, matrix []float64, half float64) float64 {
	for i := range n {
		p[i] = math.FMA(half, d[i], p[i])
	}
	var s [lanes]float64
	for i := range n {
		v[i] = columnOf(n, matrix, p, i)
		s[i%lanes] = math.FMA(v[i], p[i], s[i%lanes])
	}
	return fold(&s)
}

// columnOf is the product of p with column i of a matrix, in order.
func columnOf(n int, matrix, p []float64, i int) float64 {
	s := 0.0
	for j, w := range p[:n] {
		s = math.FMA(matrix[j*n+i], w, s)
	}
	return s
}

// GivenTurns is Turns with the velocities v0 to v3 as arguments, in place of the momenta p0 and p3 and the
// masses. It adds to out.
func GivenTurns(n int, out *[6]float64, rho, left, right, p1, p2, v0, v1, v2, v3 []float64) {
	givenTurns(active, n, out, rho, left, right, p1, p2, v0, v1, v2, v3)
}

func givenTurnsGo(n int, out *[6]float64, rho, left, right, p1, p2, v0, v1, v2, v3 []float64) {
	var s [6][lanes]float64
	for i := range n {
		l := i % lanes
		whole, onLeft, onRight := left[i]+right[i], left[i]+p2[i], right[i]+p1[i]
		s[0][l] = math.FMA(v0[i], whole, s[0][l])
		s[1][l] = math.FMA(v3[i], whole, s[1][l])
		s[2][l] = math.FMA(v0[i], onLeft, s[2][l])
		s[3][l] = math.FMA(v2[i], onLeft, s[3][l])
		s[4][l] = math.FMA(v1[i], onRight, s[4][l])
		s[5][l] = math.FMA(v3[i], onRight, s[5][l])
		rho[i] = whole
	}
	for j := range out {
		out[j] += fold(&s[j])
	}
}

// PairTurns is Turns for two subtrees of one state each, with momenta left and right: of the six products
// three equal the first and three the second. It has 16 lanes.
func PairTurns(n int, out *[6]float64, rho, left, right, mass []float64) {
	var two [2]float64
	pairTurns(active, n, &two, rho, left, right, mass)
	l, r := two[0], two[1]
	*out = [6]float64{l, r, l, r, l, r}
}

func pairTurnsGo(n int, out *[2]float64, rho, left, right, mass []float64) {
	var s [2][2][lanes]float64
	for i := range n {
		l, r := left[i], right[i]
		whole := l + r
		v := whole * mass[i]
		group, lane := i/lanes%2, i%lanes
		s[0][group][lane] = math.FMA(l, v, s[0][group][lane])
		s[1][group][lane] = math.FMA(r, v, s[1][group][lane])
		rho[i] = whole
	}
	for j := range out {
		for lane, v := range s[j][1] {
			s[j][0][lane] += v
		}
		out[j] = fold(&s[j][0])
	}
}

// UnitTurns is Turns with unit masses. It adds to out.
func UnitTurns(n int, out *[6]float64, rho, left, right, p0, p1, p2, p3 []float64) {
	unitTurns(active, n, out, rho, left, right, p0, p1, p2, p3)
}

func unitTurnsGo(n int, out *[6]float64, rho, left, right, p0, p1, p2, p3 []float64) {
	givenTurnsGo(n, out, rho, left, right, p1, p2, p0, p1, p2, p3)
}

// UnitPairTurns is PairTurns with unit masses. It adds to out.
func UnitPairTurns(n int, out *[6]float64, rho, left, right []float64) {
	var two [2]float64
	unitPairTurns(active, n, &two, rho, left, right)
	for i := range out {
		out[i] += two[i%2]
	}
}

func unitPairTurnsGo(n int, out *[2]float64, rho, left, right []float64) {
	var s [2][2][lanes]float64
	for i := range n {
		l, r := left[i], right[i]
		whole := l + r
		group, lane := i/lanes%2, i%lanes
		s[0][group][lane] = math.FMA(l, whole, s[0][group][lane])
		s[1][group][lane] = math.FMA(r, whole, s[1][group][lane])
		rho[i] = whole
	}
	for j := range out {
		for lane, v := range s[j][1] {
			s[j][0][lane] += v
		}
		out[j] = fold(&s[j][0])
	}
}
