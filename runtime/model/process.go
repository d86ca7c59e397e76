package model

import (
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/linear"
)

// products are those of matrices with vector functions.
var products = linear.Products{Add: vector.DenseAdd, Gradient: vector.DenseGradient}

// A process is the map between f = m + L·z, z standard normal, and coordinates u that are standard normal
// given all else, where data say h and y of each f + e. With
//
//	CCᵀ = I + LᵀHL and w = C⁻¹Lᵀh(y - e - m)
//
// it is z = C⁻ᵀ(w + u): f has the precision (LLᵀ)⁻¹ + H.
type process struct {
	*joint
	root       []float64 // L, by columns, as C is
	c          []float64
	z, w, t    []float64 // t = w + u
	pull       []float64 // h(y - e - m)
	toT, toSum []float64 // adjoints of t and Lᵀ·pull
	toRoot     []float64
	toC, toSq  []float64 // of C and I + LᵀHL
}

// allocate makes room at first use: it is as large as several roots.
func (p *process) allocate() {
	if p.c != nil {
		return
	}
	n := len(p.nothing) / 2
	for _, v := range []*[]float64{&p.z, &p.w, &p.t, &p.pull, &p.toT, &p.toSum} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&p.c, &p.toRoot, &p.toC, &p.toSq} {
		*v = make([]float64, n*n)
	}
}

// processTo takes f or z, as θ has it, to u, or back, and returns the log-Jacobian.
func (e *recentredEffects) processTo(from, to []float64, toTheta bool) float64 {
	p, n, sign := &e.process, e.Len, 1.0
	p.factor(e.location)
	logJacobian := -linear.LogDiagonal(p.c, n)
	if e.Centring == 1 {
		logJacobian += linear.LogDiagonal(p.root, n)
	}
	if toTheta {
		vector.Add(n, p.t, p.w, from)
		copy(p.z, p.t)
		linear.SolveUpper(p.z, p.c, n)
		copy(to, p.z)
		if e.Centring == 1 {
			e.elements(to)
		}
	} else {
		copy(p.z, from)
		if e.Centring == 1 {
			e.standard(p.z)
		}
		transposeTimes(p.t, p.c, p.z)
		vector.Sub(n, to, p.t, p.w)
		sign = -1
	}
	return sign * logJacobian
}

// elements sets f by the z of the process.
func (e *recentredEffects) elements(f []float64) {
	vector.MatVec(e.Len, f, e.process.root, e.Len, e.process.z, 1, e.Len)
	for i := range f {
		f[i] += e.location[i%len(e.location)]
	}
}

// standard overwrites f with its z.
func (e *recentredEffects) standard(f []float64) {
	for i := range f {
		f[i] -= e.location[i%len(e.location)]
	}
	linear.SolveLower(f, e.process.root, e.Len)
}

// transposeTimes sets y to Aᵀx.
func transposeTimes(y, a, x []float64) {
	clear(y)
	vector.MatTVecAdd(len(x), y, 1, a, len(x), x, len(y))
}

// factor sets C and w.
func (p *process) factor(location []float64) {
	p.allocate()
	n := len(p.z)
	h := p.t // scratch
	vector.Sqrt(n, h, p.anchors)
	for j := range n {
		vector.Mul(n, p.c[n*j:], p.root[n*j:], h)
		p.pull[j] = p.pulled(j) - float64(p.anchors[j]*location[j%len(location)])
	}
	products.Gram(p.c, n, n)
	for j := range n {
		p.c[j+n*j]++
	}
	products.Cholesky(p.c, p.c, n)
	transposeTimes(p.w, p.root, p.pull)
	linear.SolveLower(p.w, p.c, n)
}

// pullProcess is pullInformed of a process.
func (e *recentredEffects) pullProcess(g []float64, fromTheta bool) {
	p, n, sign := &e.process, e.Len, 1.0
	if fromTheta {
		copy(p.toT, g)
		if e.Centring == 1 {
			transposeTimes(p.toT, p.root, g)
		}
		linear.SolveLower(p.toT, p.c, n)
	} else {
		sign = -1
		copy(p.toT, g)
		vector.MatVec(n, g, p.c, n, p.toT, 1, n)
		if e.Centring == 1 {
			linear.SolveUpper(g, p.root, n)
		}
	}
	copy(p.toSum, p.toT)
	linear.SolveUpper(p.toSum, p.c, n)
	p.back()
	for j := range n {
		col := p.toRoot[n*j:][:n]
		vector.Mul(n, col, col, p.anchors)
		vector.Scale(n, col, col, 2)
		vector.Axpy(n, col, p.toSum[j], p.pull)
		if e.Centring == 1 {
			vector.Axpy(n, col, p.z[j], g)
			col[j] += 1 / p.root[j+n*j]
		}
		vector.Scale(n, col, col, sign)
	}
	clear(e.toLocation)
	clear(p.toAddend)
	vector.MatVec(n, p.t, p.root, n, p.toSum, 1, n)
	for i, v := range p.t {
		v = -float64(float64(sign*p.anchors[i]) * v)
		p.toAddend[i%len(p.toAddend)] += v
		if e.Centring == 1 {
			v += float64(sign * g[i])
		}
		e.toLocation[i%len(e.toLocation)] += v
	}
	if fromTheta {
		copy(g, p.toT)
	}
}

// backOfSquare sets toSq to the adjoint of CCᵀ where z = C⁻ᵀt and w = C⁻¹(…), with that of the log-Jacobian
// -log|C|; toC is workspace.
func backOfSquare(toSq, toC, c, z, w, toT, toSum []float64) {
	n := len(z)
	for j := range n {
		col := toC[n*j:][:n]
		vector.Scale(n, col, z, -toT[j])
		vector.Axpy(n, col, -w[j], toSum)
		col[j] -= 1 / c[j+n*j]
	}
	clear(toSq)
	products.CholeskyBack(toSq, toC, c, n)
}

// back sets toRoot to L times the adjoint of I + LᵀHL, with that of the log-Jacobian.
func (p *process) back() {
	n := len(p.z)
	backOfSquare(p.toSq, p.toC, p.c, p.z, p.w, p.toT, p.toSum)
	clear(p.toRoot)
	products.AddLower(p.toRoot, p.root, p.toSq, n)
}

// processEvidence is evidence of a process.
func (e *recentredEffects) processEvidence(theta, g, v, slope []float64) {
	p, n := &e.process, e.Len
	p.allocate()
	v, slope = v[:n], slope[:n]
	copy(p.z, theta)
	if e.Centring == 1 {
		e.standard(p.z)
		copy(v, theta)
		copy(slope, p.z)
	} else {
		e.elements(v)
		vector.Add(n, slope, p.z, g)
	}
	linear.SolveUpper(slope, p.root, n)
	for i := range v {
		v[i] += p.addend[i%len(p.addend)]
		if e.Centring == 1 {
			slope[i] += g[i]
		}
	}
}
