package model

import (
	"math"
	"slices"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/linear"
)

// A known process has a root that is a number times a matrix which no parameter changes, L = s·L₀. With the
// eigenvectors Q and values λ of L₀ᵀHL₀ it needs no factor of its own at each s: in place of C and L stand
//
//	D² = I + s²Λ, w = D⁻¹s(L₀Q)ᵀh(y - e - m) and z = QD⁻¹(w + Qᵀu):
//
// C is then symmetric, so that coordinates change little where what data say does.
type known struct {
	*joint
	root      []float64 // L₀, by columns
	logRoot   float64   // log|L₀|
	of        []float64 // the h that turned and values belong to
	turned    []float64 // L₀Q, by columns
	vectors   []float64 // Q, by columns
	values    []float64
	s         float64
	d, w, a   []float64 // a = D⁻¹(w + Qᵀu)
	pull      []float64 // h(y - e - m)
	toA, toT  []float64 // adjoints of a and w + Qᵀu
	work, far []float64
}

func newKnown(n int, root []float64, j *joint) *known {
	k := &known{joint: j, root: root, logRoot: linear.LogDiagonal(root, n)}
	for _, v := range []*[]float64{&k.values, &k.d, &k.w, &k.a, &k.pull, &k.toA, &k.toT, &k.far} {
		*v = make([]float64, n)
	}
	return k
}

// turn finds Q and Λ for the anchors, where these have changed. Without finite ones it says so.
func (k *known) turn() {
	n := len(k.d)
	h := k.anchors[:n]
	if slices.Equal(k.of, h) {
		return
	}
	if k.of == nil {
		k.of, k.turned, k.vectors = make([]float64, n), make([]float64, n*n), make([]float64, n*n)
		k.work = make([]float64, (n+vector.EigenRoom)*n)
	}
	copy(k.of, h)
	vector.Sqrt(n, k.far, h)
	for j := range n {
		vector.Mul(n, k.vectors[n*j:], k.root[n*j:], k.far)
	}
	products.Gram(k.vectors, n, n)
	linear.Mirror(k.vectors, n, n)
	if !vector.Eigen(n, k.vectors, k.values, k.work[:n*n], k.work[n*n:]) {
		for i := range k.values {
			k.values[i] = math.NaN()
		}
	}
	copy(k.work, k.vectors) // Q by rows
	for i := range n {
		for j := range n {
			k.vectors[j*n+i] = k.work[i*n+j]
		}
	}
	clear(k.turned)
	vector.DenseAdd(n, k.turned, n, k.root, n, k.vectors, 1, n, n, n)
	for i, v := range k.values {
		k.values[i] = max(v, 0) // but for rounding none is below
	}
}

// factor sets D and w.
func (e *recentredEffects) factorKnown() {
	k, n := e.known, e.Len
	k.turn()
	k.s = portable.Exp(e.logScale[0])
	for j := range n {
		k.pull[j] = k.pulled(j) - float64(k.anchors[j]*e.location[j%len(e.location)])
	}
	transposeTimes(k.w, k.turned, k.pull)
	for i, v := range k.values {
		k.d[i] = math.Sqrt(1 + float64(float64(k.s*k.s)*v))
		k.w[i] *= k.s / k.d[i]
	}
}

// knownTo is processTo.
func (e *recentredEffects) knownTo(from, to []float64, toTheta bool) float64 {
	k, n := e.known, e.Len
	e.factorKnown()
	logJacobian := 0.0
	for _, v := range k.d {
		logJacobian -= portable.Log(v)
	}
	if e.Centring == 1 {
		logJacobian += float64(float64(n)*e.logScale[0]) + k.logRoot
	}
	if toTheta {
		transposeTimes(k.a, k.vectors, from)
		for i, u := range k.a {
			k.a[i] = (k.w[i] + u) / k.d[i]
		}
		if e.Centring == 0 {
			vector.MatVec(n, to, k.vectors, n, k.a, 1, n)
			return logJacobian
		}
		vector.MatVec(n, to, k.turned, n, k.a, 1, n)
		for i := range to {
			to[i] = e.location[i%len(e.location)] + float64(k.s*to[i])
		}
		return logJacobian
	}
	copy(k.far, from)
	if e.Centring == 1 {
		e.standardKnown(k.far)
	}
	transposeTimes(k.a, k.vectors, k.far)
	for i, a := range k.a {
		k.far[i] = float64(k.d[i]*a) - k.w[i]
	}
	vector.MatVec(n, to, k.vectors, n, k.far, 1, n)
	return -logJacobian
}

// standardKnown overwrites f with its z.
func (e *recentredEffects) standardKnown(f []float64) {
	for i := range f {
		f[i] = (f[i] - e.location[i%len(e.location)]) / e.known.s
	}
	linear.SolveLower(f, e.known.root, e.Len)
}

// pullKnown is pullProcess.
func (e *recentredEffects) pullKnown(g []float64, fromTheta bool) {
	k, n, sign, toLog := e.known, e.Len, 1.0, 0.0
	if fromTheta {
		if e.Centring == 1 {
			copy(k.far, g)
			transposeTimes(k.toA, k.turned, g)
			vector.Scale(n, k.toA, k.toA, k.s)
		} else {
			transposeTimes(k.toA, k.vectors, g)
		}
		vector.Div(n, k.toT, k.toA, k.d)
		vector.MatVec(n, g, k.vectors, n, k.toT, 1, n)
	} else {
		sign = -1
		transposeTimes(k.toT, k.vectors, g)
		vector.Mul(n, k.toA, k.toT, k.d)
		vector.MatVec(n, g, k.vectors, n, k.toA, 1, n)
		if e.Centring == 1 {
			linear.SolveUpper(g, k.root, n)
			vector.Scale(n, g, g, 1/k.s)
			copy(k.far, g)
		}
	}
	for i, v := range k.values {
		byD := -1 - float64(k.toA[i]*k.a[i]) - float64(k.toT[i]*k.w[i]) // by the logarithm of d
		rises := float64(k.s*k.s) * v / float64(k.d[i]*k.d[i])
		toLog += float64(byD*rises) + float64(k.toT[i]*k.w[i])
		if e.Centring == 1 {
			toLog += 1 + float64(k.toA[i]*k.a[i])
		}
		k.toT[i] *= k.s / k.d[i]
	}
	e.toLog[0] = sign * toLog
	vector.MatVec(n, k.pull, k.turned, n, k.toT, 1, n) // its adjoint takes its place
	clear(e.toLocation)
	clear(k.toAddend)
	for i, v := range k.pull {
		v = -float64(float64(sign*k.anchors[i]) * v)
		k.toAddend[i%len(k.toAddend)] += v
		if e.Centring == 1 {
			v += float64(sign * k.far[i])
		}
		e.toLocation[i%len(e.toLocation)] += v
	}
}

// knownEvidence is processEvidence.
func (e *recentredEffects) knownEvidence(theta, g, v, slope []float64) {
	k, n := e.known, e.Len
	k.s = portable.Exp(e.logScale[0])
	v, slope = v[:n], slope[:n]
	if copy(slope, theta); e.Centring == 1 {
		e.standardKnown(slope)
		copy(v, theta)
	} else {
		vector.MatVec(n, v, k.root, n, theta, 1, n)
		for i := range v {
			v[i] = e.location[i%len(e.location)] + float64(k.s*v[i])
		}
		vector.Accumulate(n, slope, g)
	}
	linear.SolveUpper(slope, k.root, n)
	for i := range v {
		v[i] += k.addend[i%len(k.addend)]
		if slope[i] /= k.s; e.Centring == 1 {
			slope[i] += g[i]
		}
	}
}
