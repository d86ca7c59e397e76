package nuts

// The passes over a block's vectors, each one loop. Slices have the length of the first; sums run in a fixed order, and products are rounded before
// they are added, so that every processor gives the same bits.

// drift is the first half of a leapfrog step of size eps from (q, p) with gradient g: half gets the momentum after half a step, q2 the position.
func drift(q2, half, q, p, g, inverse []float64, eps float64) {
	n := len(q2)
	half, q, p, g, inverse = half[:n], q[:n], p[:n], g[:n], inverse[:n]
	by := 0.5 * eps
	for i := range q2 {
		h := p[i] + float64(by*g[i])
		half[i] = h
		q2[i] = q[i] + float64(eps*float64(inverse[i]*h))
	}
}

// kick is the second half: p becomes the momentum after the full step, v its velocity M⁻¹p. It returns p·v, twice the kinetic energy.
func kick(p, v, g, inverse []float64, eps float64) float64 {
	n := len(p)
	v, g, inverse = v[:n], g[:n], inverse[:n]
	by := 0.5 * eps
	var s0, s1 float64
	i := 1
	for ; i < n; i += 2 {
		a, b := p[i-1]+float64(by*g[i-1]), p[i]+float64(by*g[i])
		u, w := inverse[i-1]*a, inverse[i]*b
		p[i-1], p[i], v[i-1], v[i] = a, b, u, w
		s0 += float64(a * u)
		s1 += float64(b * w)
	}
	if i--; i < n {
		a := p[i] + float64(by*g[i])
		p[i], v[i] = a, inverse[i]*a
		s0 += float64(a * v[i])
	}
	return s0 + s1
}

// velocity sets v = M⁻¹p and returns p·v.
func velocity(v, p, inverse []float64) float64 {
	n := len(v)
	p, inverse = p[:n], inverse[:n]
	s := 0.0
	for i := range v {
		v[i] = inverse[i] * p[i]
		s += float64(v[i] * p[i])
	}
	return s
}

// turnOfTwo sets sum = p + q, the momenta of two neighbouring states with velocities v and w, and returns v·sum and w·sum.
func turnOfTwo(sum, p, v, q, w []float64) (first, last float64) {
	n := len(sum)
	p, v, q, w = p[:n], v[:n], q[:n], w[:n]
	for i := range sum {
		s := p[i] + q[i]
		sum[i] = s
		first += float64(v[i] * s)
		last += float64(w[i] * s)
	}
	return first, last
}

// A half is what the criterion needs of one of two runs of states, left or right: sum of momenta; velocity at its outer end; momentum and velocity at
// the end that meets the other run.
type half struct{ sum, outer, p, v []float64 }

// turnOfRuns sets sum to that of both runs and returns the products of Stan's criterion: over the whole, over the left run and the first state of the
// right, and over the last state of the left and the right run; each with the velocities at both its ends.
func turnOfRuns(sum []float64, l, r half) (d [products]float64) {
	n := len(sum)
	lSum, lOuter, lp, lv := l.sum[:n], l.outer[:n], l.p[:n], l.v[:n]
	rSum, rOuter, rp, rv := r.sum[:n], r.outer[:n], r.p[:n], r.v[:n]
	var a0, a1, b0, b1, c0, c1 float64
	for i := range sum {
		whole, begin, end := lSum[i]+rSum[i], lSum[i]+rp[i], lp[i]+rSum[i]
		sum[i] = whole
		a0 += float64(lOuter[i] * whole)
		a1 += float64(rOuter[i] * whole)
		b0 += float64(lOuter[i] * begin)
		b1 += float64(rv[i] * begin)
		c0 += float64(lv[i] * end)
		c1 += float64(rOuter[i] * end)
	}
	return [products]float64{a0, a1, b0, b1, c0, c1}
}

// products is how many scalars the criterion of one merge takes.
const products = 6

// shift sets z = g + scale·e and returns Σe².
func shift(z, g, e []float64, scale float64) float64 {
	n := len(z)
	g, e = g[:n], e[:n]
	var s0, s1 float64
	i := 1
	for ; i < n; i += 2 {
		z[i-1], z[i] = g[i-1]+float64(scale*e[i-1]), g[i]+float64(scale*e[i])
		s0 += float64(e[i-1] * e[i-1])
		s1 += float64(e[i] * e[i])
	}
	if i--; i < n {
		z[i] = g[i] + float64(scale*e[i])
		s0 += float64(e[i] * e[i])
	}
	return s0 + s1
}

// unshift is its reverse: the seeds w on the cut, and the gradient grad of e with its standard normal prior.
func unshift(w, grad, adj, own, e []float64, scale float64) {
	n := len(w)
	grad, adj, own, e = grad[:n], adj[:n], own[:n], e[:n]
	for i := range w {
		w[i] = adj[i] + own[i]
		grad[i] = float64(scale*adj[i]) - e[i]
	}
}
