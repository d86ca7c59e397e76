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

// kick is the second half: p becomes the momentum after the full step. It returns pᵀM⁻¹p, twice the kinetic energy.
func kick(p, g, inverse []float64, eps float64) float64 {
	n := len(p)
	g, inverse = g[:n], inverse[:n]
	by := 0.5 * eps
	var s0, s1 float64
	i := 1
	for ; i < n; i += 2 {
		a, b := p[i-1]+float64(by*g[i-1]), p[i]+float64(by*g[i])
		p[i-1], p[i] = a, b
		s0 += float64(float64(inverse[i-1]*a) * a)
		s1 += float64(float64(inverse[i]*b) * b)
	}
	if i--; i < n {
		a := p[i] + float64(by*g[i])
		p[i] = a
		s0 += float64(float64(inverse[i]*a) * a)
	}
	return s0 + s1
}

// products is how many scalars Stan's criterion takes for two runs of states that meet.
const products = 6

// turns sets sum = left + right, the sums of momenta along two runs that meet, and adds to out { v0·sum, v3·sum, v0·(left+p2), v2·(left+p2),
// v1·(right+p1), v3·(right+p1) }: p0 and p1 are the momenta at the beginning and the end of the left run, p2 and p3 of the right one, v = M⁻¹p.
func turns(out *[products]float64, sum, left, right, p0, p1, p2, p3, inverse []float64) {
	n := len(sum)
	left, right, inverse = left[:n], right[:n], inverse[:n]
	p0, p1, p2, p3 = p0[:n], p1[:n], p2[:n], p3[:n]
	var a0, a1, b0, b1, c0, c1 float64
	for i := range sum {
		m, whole, begin, end := inverse[i], left[i]+right[i], left[i]+p2[i], right[i]+p1[i]
		sum[i] = whole
		v0, v3 := m*p0[i], m*p3[i]
		a0 += float64(v0 * whole)
		a1 += float64(v3 * whole)
		b0 += float64(v0 * begin)
		b1 += float64(float64(m*p2[i]) * begin)
		c0 += float64(float64(m*p1[i]) * end)
		c1 += float64(v3 * end)
	}
	out[0] += a0
	out[1] += a1
	out[2] += b0
	out[3] += b1
	out[4] += c0
	out[5] += c1
}

// turnsOfTwo is turns of runs of one state each, where the second and third pair of products are the first again.
func turnsOfTwo(out *[products]float64, sum, p, q, inverse []float64) {
	n := len(sum)
	p, q, inverse = p[:n], q[:n], inverse[:n]
	var first, last float64
	for i := range sum {
		s := p[i] + q[i]
		sum[i] = s
		s *= inverse[i]
		first += float64(p[i] * s)
		last += float64(q[i] * s)
	}
	for i := range products / 2 {
		out[2*i] += first
		out[2*i+1] += last
	}
}

// denseTurns is turns where velocities are stored.
func denseTurns(out *[products]float64, sum, left, right, p1, p2, v0, v1, v2, v3 []float64) {
	for i := range sum {
		whole, begin, end := left[i]+right[i], left[i]+p2[i], right[i]+p1[i]
		sum[i] = whole
		out[0] += float64(v0[i] * whole)
		out[1] += float64(v3[i] * whole)
		out[2] += float64(v0[i] * begin)
		out[3] += float64(v2[i] * begin)
		out[4] += float64(v1[i] * end)
		out[5] += float64(v3[i] * end)
	}
}

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
