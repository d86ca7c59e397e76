package linear

import "math"

// Products are the matrix products that the factorisations of large matrices are made of; without them, as
// for small matrices, they take column by column. Matrices are stored by columns, column j of X from x[j·xs]
// on, and element i, o of W is w[i·wk+o·wm].
type Products struct {
	// Add adds X·W to Y, of n rows and m columns, for X with k columns.
	Add func(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int)
	// Gradient adds Xᵀ·D to W, for X and D of n rows with k and m columns.
	Gradient func(n int, w []float64, wk, wm int, x []float64, xs int, d []float64, ds, k, m int)
}

// whole reports whether a matrix of n rows is taken column by column, where those of no more than most are.
func (p Products) whole(n, most int) bool { return n <= most || p.Add == nil }

// Matrices are halved until they have no more than this many rows or columns.
const (
	few    = 16
	narrow = 8
	// A product is computed by blocks that stay in the cache.
	block = 64
)

// half is where n rows are divided: at a multiple of 8.
func half(n int) int { return (n/2 + 7) / 8 * 8 }

// add is Add of matrices in arrays of k rows: x and w may be parts of the same one.
func (p Products) add(n int, y, x, w []float64, wk, wm, inner, m, k int) {
	for i := 0; i < n; i += 2 * block {
		for c := 0; c < inner; c += block {
			p.Add(min(2*block, n-i), y[i:], k, x[i+k*c:], k, w[c*wk:], wk, wm, min(block, inner-c), m)
		}
	}
}

// gradient is Gradient of such matrices.
func (p Products) gradient(n int, w, x, d []float64, inner, m, k int) {
	p.Gradient(n, w, 1, k, x, k, d, k, inner, m)
}

// Cholesky is that of the package.
func (p Products) Cholesky(l, a []float64, k int) bool { return p.factor(l, a, k, 0) }

// factor is Cholesky, with pivots above least. What is not factored yet is stored with its sign changed, so
// that products are added to it.
func (p Products) factor(l, a []float64, k int, least float64) bool {
	for j := range k {
		col := l[k*j:][:k]
		for i, v := range a[k*j+j : k*j+k] {
			col[j+i] = -v
		}
	}
	if !p.halve(l, k, k, least) {
		fill(l[:k*k], math.NaN())
		return false
	}
	for j := range k {
		clear(l[k*j:][:j])
	}
	return true
}

func (p Products) halve(l []float64, n, k int, least float64) bool {
	if p.whole(n, few) {
		return factorFew(l, n, k, least)
	}
	h := half(n)
	if !p.halve(l, h, k, least) {
		return false
	}
	below, rest := l[h:], l[h+k*h:]
	p.overTranspose(n-h, below, l, h, k)
	for j := 0; j < n-h; j += block {
		p.add(n-h-j, rest[j+k*j:], below[j:], below[j:], k, 1, h, min(block, n-h-j), k)
	}
	return p.halve(rest, n-h, k, least)
}

func factorFew(l []float64, n, k int, least float64) bool {
	for j := range n {
		col := l[k*j+j:][:n-j]
		combine(1, col, l[j:], l[j:], k, k, j)
		pivot := -col[0]
		if !(pivot > least) || math.IsInf(pivot, 1) {
			return false
		}
		divide(col, -math.Sqrt(pivot))
	}
	return true
}

// overTranspose overwrites x, n rows and h columns, with -X L⁻ᵀ.
func (p Products) overTranspose(n int, x, l []float64, h, k int) {
	if h <= narrow {
		for j := range h {
			if j > 0 {
				p.add(n, x[k*j:], x, l[j:], k, 1, j, 1, k)
			}
			divide(x[k*j:][:n], -l[j+k*j])
		}
		return
	}
	g := half(h)
	p.overTranspose(n, x, l, g, k)
	p.add(n, x[k*g:], x, l[g:], k, 1, g, h-g, k)
	p.overTranspose(n, x[k*g:], l[g+k*g:], h-g, k)
}

// over overwrites x, n rows and h columns, with -X L⁻¹.
func (p Products) over(n int, x, l []float64, h, k int) {
	if h <= narrow {
		for j := h - 1; j >= 0; j-- {
			if rest := h - 1 - j; rest > 0 {
				p.add(n, x[k*j:], x[k*(j+1):], l[j+1+k*j:], 1, k, rest, 1, k)
			}
			divide(x[k*j:][:n], -l[j+k*j])
		}
		return
	}
	g := half(h)
	p.over(n, x[k*g:], l[g+k*g:], h-g, k)
	p.add(n, x, x[k*g:], l[g:], 1, k, h-g, g, k)
	p.over(n, x, l, g, k)
}

// CholeskyBack adds to da the derivative by a, a symmetric matrix whose two triangles share it, given the
// derivative dl by l, of which it reads the lower triangle and which it overwrites. Murray (2016), section 4,
// with blocks that are halves.
func (p Products) CholeskyBack(da, dl, l []float64, k int) {
	p.back(dl, l, k, k)
	Mirror(dl, k, k)
	for i, v := range dl[:k*k] {
		da[i] -= float64(0.5 * v)
	}
}

// back overwrites the lower triangle of d, the derivative by L, with that of -(D + Dᵀ) for the derivative D
// by the lower triangle of A.
func (p Products) back(d, l []float64, n, k int) {
	if p.whole(n, few) {
		backFew(d, l, n, k)
		return
	}
	h := half(n)
	below, rest := d[h:], d[h+k*h:]
	p.back(rest, l[h+k*h:], n-h, k)
	Mirror(rest, n-h, k)
	p.add(n-h, below, rest, l[h:], 1, k, n-h, h, k)
	p.over(n-h, below, l, h, k)
	for j := 0; j < h; j += block {
		p.gradient(n-h, d[j+k*j:], below[k*j:], l[h+k*j:], h-j, min(block, h-j), k)
	}
	p.back(d, l, h, k)
}

// backFew is Murray's algorithm without blocks.
func backFew(d, l []float64, n, k int) {
	for j := n - 1; j >= 0; j-- {
		col, of := d[k*j:][:n], l[k*j:][:n]
		col[j] -= dot(of[j+1:], col[j+1:]) / of[j]
		divide(col[j:], of[j])
		for m := range j {
			left, by := d[k*m:][:n], l[k*m:][:n]
			left[j] -= dot(col[j:], by[j:])
			for i := j + 1; i < n; i++ {
				left[i] -= float64(col[i] * by[j])
			}
		}
		col[j] /= 2
	}
	for j := range n {
		d[j+k*j] *= 2
		for i := j; i < n; i++ {
			d[i+k*j] = -d[i+k*j]
		}
	}
}

// Mirror copies the lower triangle of n rows to the upper one, some columns at once.
func Mirror(a []float64, n, k int) {
	for j := 0; j < n; j += narrow {
		for i := j; i < n; i++ {
			row := a[k*i+j:][:min(narrow, i-j)]
			for m := range row {
				row[m] = a[i+k*(j+m)]
			}
		}
	}
}

// AddOuter adds u vᵀ to y.
func (p Products) AddOuter(y, u, v []float64, k int) {
	if !p.whole(k, few) {
		p.add(k, y, u, v, 1, 1, 1, k, k)
		return
	}
	for j := range k {
		combine(1, y[k*j:][:k], u, v[j:], k, 1, 1)
	}
}

// Inverse sets y to (L Lᵀ)⁻¹, MᵀM with M = L⁻¹.
func (p Products) Inverse(y, l []float64, k int) {
	clear(y[:k*k])
	p.invert(y, l, k, k)
	p.Gram(y, k, k)
	Mirror(y, k, k)
}

// invert sets the lower triangle of m, whose elements are 0, to L⁻¹.
func (p Products) invert(m, l []float64, n, k int) {
	if p.whole(n, narrow) {
		for j := n - 1; j >= 0; j-- {
			col := m[k*j:][:n]
			if rest := n - 1 - j; rest > 0 {
				combine(-1, col[j+1:], m[j+1+k*(j+1):], l[j+1+k*j:], k, 1, rest)
			}
			col[j] = 1
			divide(col[j:], l[j+k*j])
		}
		return
	}
	h := half(n)
	p.invert(m, l, h, k)
	p.invert(m[h+k*h:], l[h+k*h:], n-h, k)
	for i := h; i < n; i += block {
		rows := min(block, n-i)
		p.add(rows, m[i:], m[i+k*h:], l[h:], 1, k, i-h+rows, h, k)
	}
	p.over(n-h, m[h:], l, h, k)
}

// Gram overwrites a lower triangular M with the lower triangle of MᵀM.
func (p Products) Gram(m []float64, n, k int) {
	if p.whole(n, narrow) {
		for j := range n {
			for i := j; i < n; i++ {
				m[i+k*j] = dot(m[k*i+i:k*i+n], m[k*j+i:k*j+n])
			}
		}
		return
	}
	h := half(n)
	below, rest := m[h:], m[h+k*h:]
	p.Gram(m, h, k)
	for j := 0; j < h; j += block {
		p.gradient(n-h, m[j+k*j:], below[k*j:], below[k*j:], h-j, min(block, h-j), k)
	}
	p.transposeTimes(below, rest, n-h, h, k)
	p.Gram(rest, n-h, k)
}

// AddLower adds the lower triangle of L·S to y, and some of what is above, for a lower triangular L.
func (p Products) AddLower(y, l, s []float64, k int) {
	for i := 0; i < k; i += block {
		n := min(block, k-i)
		p.add(n, y[i:], l[i:], s, 1, k, i+n, i+n, k)
	}
}

// transposeTimes overwrites x, n rows and h columns, with TᵀX for a lower triangular T.
func (p Products) transposeTimes(x, t []float64, n, h, k int) {
	if n <= narrow {
		for j := range h {
			col := x[k*j:][:n]
			for i := range col {
				col[i] = dot(t[k*i+i:k*i+n], col[i:])
			}
		}
		return
	}
	g := half(n)
	p.transposeTimes(x, t, g, h, k)
	p.gradient(n-g, x, t[g:], x[g:], g, h, k)
	p.transposeTimes(x[g:], t[g+k*g:], n-g, h, k)
}
