package dist

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// Events with one scatter are taken together, column by column, at least leastTogether of them and at most
// mostTogether at a time, where vectors have at most widestTogether elements: of longer ones an event by
// itself has columns of its own.
const leastTogether, mostTogether, widestTogether = 4, 64, 32

// ellipticWork is the room of ellipticDensity.
func ellipticWork(k int) int {
	n := 3*k*k + 2*k
	if k <= widestTogether {
		n += 2 * k * mostTogether
	}
	return n
}

// ellipticTogether is ellipticDensity of events that have one scatter.
func ellipticTogether(b *def.Events, form def.Scatter, of radial) {
	k, at := b.X.Len, len(b.Theta)-2
	f := factored{events: b, l: b.Work[:k*k]}
	if !f.of(b.Theta[at+1], 0, k, form == def.ByFactor) {
		for i := range b.LP {
			b.LP[i] = math.Inf(-1)
		}
		return
	}
	cross, rows := b.Work[2*k*k:3*k*k], b.Work[3*k*k+2*k:]
	clear(cross)
	var q, weights [mostTogether]float64
	total := 0.0
	for from := 0; from < b.N; from += mostTogether {
		n := min(mostTogether, b.N-from)
		z, w := rows[:n*k], rows[mostTogether*k:][:n*k]
		residuals(z, b.X, b.Theta[at], from, n)
		logDet := whiten(z, w, &q, n, f, form, k)
		for i := range n {
			lp, g := of(b, from+i, q[i], k)
			if lp -= logDet; math.IsNaN(lp) {
				lp = math.Inf(-1)
			}
			if b.LP != nil {
				b.LP[from+i] = lp
			}
			if b.W != nil {
				weights[i] = float64(b.W[from+i] * g)
				total += b.W[from+i]
			}
		}
		if b.W == nil {
			continue
		}
		if form == def.ByPrecision {
			linear.TimesLowerRows(w, n, f.l, k)
		} else {
			linear.SolveUpperRows(w, n, f.l, k)
		}
		if form == def.ByCovariance {
			copy(z, w)
		}
		timesRows(w, w, weights[:n], k)
		give(b.DX, b.X, w, from, n, -1)
		give(b.DTheta[at], b.Theta[at], w, from, n, 1)
		if form == def.ByPrecision {
			timesRows(w, z, weights[:n], k)
		}
		if b.DTheta[at+1] != nil { // z is L⁻¹ r of a factor, Sigma⁻¹ r of a covariance, r of a precision
			b.Products.Cross(cross, w, z, n, k)
		}
	}
	if b.W != nil && b.DTheta[at+1] != nil {
		scatterTogether(cross, b.Work[k*k:2*k*k], f, form, total, k)
		b.Theta[at+1].Accumulate(b.DTheta[at+1], 0, 1, cross)
	}
}

// whiten sets q to the squared norms of n whitened residuals, z, and returns log|L|. For a precision z is
// left, and w is Lᵀ z; else both are L⁻¹ z.
func whiten(z, w []float64, q *[mostTogether]float64, n int, f factored, form def.Scatter, k int) float64 {
	logDet := f.logDet
	if form == def.ByPrecision {
		copy(w, z)
		linear.TimesUpperRows(w, n, f.l, k)
		logDet = -logDet
	} else {
		linear.SolveLowerRows(z, n, f.l, k)
		copy(w, z)
	}
	clear(q[:n])
	for j := range k {
		for i, v := range w[n*j:][:n] {
			q[i] += float64(v * v)
		}
	}
	return logDet
}

// residuals sets z to x - mu of n events, by columns.
func residuals(z []float64, x, mu def.EventArg, from, n int) {
	for j := range x.Len {
		z := z[n*j:][:n]
		copy(z, x.V[x.Index(from, j):][:n])
		of := mu.V[mu.Index(from, j):]
		if mu.Step == 0 {
			for i := range z {
				z[i] -= of[0]
			}
			continue
		}
		for i, v := range of[:n] {
			z[i] -= v
		}
	}
}

// give adds sign times the rows of w to a derivative.
func give(d []float64, a def.EventArg, w []float64, from, n int, sign float64) {
	if d == nil {
		return
	}
	for j := range a.Len {
		to, w := d[a.Index(from, j):], w[n*j:][:n]
		if a.Step == 0 {
			for _, v := range w {
				to[0] += float64(sign * v)
			}
			continue
		}
		for i, v := range w {
			to[i] += float64(sign * v)
		}
	}
}

// timesRows sets y to the rows of x times weights.
func timesRows(y, x, weights []float64, k int) {
	n := len(weights)
	for j := range k {
		y, x := y[n*j:][:n], x[n*j:][:n]
		for i, c := range weights {
			y[i] = float64(c * x[i])
		}
	}
}

// scatterTogether overwrites the sum of the products with the derivative by the scatter, as byScatter has it;
// total is the sum of the weights.
func scatterTogether(d, inverse []float64, f factored, form def.Scatter, total float64, k int) {
	if form == def.ByFactor {
		for j := range k {
			clear(d[k*j:][:j])
			d[j+k*j] -= total / f.l[j+k*j]
		}
		return
	}
	f.inverse(inverse, k)
	for e, v := range inverse {
		d[e] = 0.5 * (d[e] - float64(total*v))
		if form == def.ByPrecision {
			d[e] = -d[e]
		}
	}
}
