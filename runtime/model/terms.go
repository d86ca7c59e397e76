package model

import (
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/linear"
)

// terms are the map between θ and coordinates u of effects and constants of which data say together that v,
// all of them in turn, is normal with the precision matrix H and H·mean = b. With S the diagonal matrix of
// their scales, m their locations, J that of 1 for effects and 0 for constants (whose m is 0, and S 1) and
//
//	CCᵀ = J + SHS and w = C⁻¹S(b - Hm)
//
// v = m + Sz has z = C⁻ᵀ(w + u): the precision S⁻¹JS⁻¹ + H.
type terms struct {
	density.Effects
	of              []*recentredEffects // all, by number
	on              bool
	anchors         []float64 // H by columns, then b
	prior           []float64 // the diagonal of J
	scale, location []float64
	c, toC, toM     []float64 // by columns: C and adjoints of C and J + SHS
	z, w, t         []float64 // t = w + u
	pulled          []float64 // b - Hm
	toT, toSum      []float64 // adjoints of t and S(b - Hm)
	toScale, g      []float64
}

// has reports whether effects of a number are among them.
func (t *terms) has(number int) bool {
	return slices.ContainsFunc(t.Terms, func(of density.EffectTerm) bool { return of.Effects == number })
}

// allocate makes room at first use.
func (t *terms) allocate() {
	if t.c != nil {
		return
	}
	n := t.Len
	for _, v := range []*[]float64{&t.c, &t.toC, &t.toM} {
		*v = make([]float64, n*n)
	}
	for _, v := range []*[]float64{&t.prior, &t.scale, &t.location, &t.z, &t.w, &t.t, &t.pulled, &t.toT,
		&t.toSum, &t.toScale, &t.g} {
		*v = make([]float64, n)
	}
	t.each(func(at int, of density.EffectTerm) {
		prior, scale := 1.0, 0.0
		if of.Effects < 0 {
			prior, scale = 0, 1
		}
		vector.Fill(of.Len, t.prior[at:], prior)
		vector.Fill(of.Len, t.scale[at:], scale)
	})
}

// each calls f with each term and where it begins among all.
func (t *terms) each(f func(at int, of density.EffectTerm)) {
	at := 0
	for _, of := range t.Terms {
		f(at, of)
		at += of.Len
	}
}

// centred are the terms whose θ has v, not z, effects all of them.
func (t *terms) centred(f func(at int, e *recentredEffects)) {
	t.each(func(at int, of density.EffectTerm) {
		if of.Effects >= 0 && t.of[of.Effects].Centring == 1 {
			f(at, t.of[of.Effects])
		}
	})
}

// to takes terms from θ to u, or back, and returns the log-Jacobian.
func (t *terms) to(from, to []float64, toTheta bool) float64 {
	t.factor()
	logJacobian := -linear.LogDiagonal(t.c, t.Len)
	t.centred(func(_ int, e *recentredEffects) {
		scales := len(e.logScale)
		logJacobian += float64(float64(float64(e.Len)/float64(scales)) * vector.Sum(scales, e.logScale))
	})
	n := t.Len
	t.each(func(at int, of density.EffectTerm) { copy(t.z[at:][:of.Len], from[of.Offset:]) })
	if toTheta {
		vector.Add(n, t.z, t.z, t.w)
		copy(t.t, t.z)
		linear.SolveUpper(t.z, t.c, n)
		copy(t.g, t.z)
		t.centred(func(at int, e *recentredEffects) {
			vector.Mul(e.Len, t.g[at:], t.g[at:], t.scale[at:])
			vector.Add(e.Len, t.g[at:], t.g[at:], t.location[at:])
		})
	} else {
		t.centred(func(at int, e *recentredEffects) {
			vector.Sub(e.Len, t.z[at:], t.z[at:], t.location[at:])
			vector.Div(e.Len, t.z[at:], t.z[at:], t.scale[at:])
		})
		transposeTimes(t.t, t.c, t.z)
		vector.Sub(n, t.g, t.t, t.w)
		logJacobian = -logJacobian
	}
	t.each(func(at int, of density.EffectTerm) { copy(to[of.Offset:][:of.Len], t.g[at:]) })
	return logJacobian
}

// factor sets C and w.
func (t *terms) factor() {
	t.allocate()
	n := t.Len
	t.each(func(at int, of density.EffectTerm) {
		if of.Effects >= 0 {
			e := t.of[of.Effects]
			vector.Exp(len(e.logScale), t.scale[at:], e.logScale)
			repeat(t.scale[at:][:e.Len], t.scale[at:][:len(e.logScale)])
			repeat(t.location[at:][:e.Len], e.location)
		}
	})
	h, b := t.anchors[:n*n], t.anchors[n*n:][:n]
	copy(t.pulled, b)
	vector.MatVec(n, t.w, h, n, t.location, 1, n)
	vector.Sub(n, t.pulled, t.pulled, t.w)
	for j, s := range t.scale {
		col := t.c[n*j:][:n]
		vector.Mul(n, col, h[n*j:], t.scale)
		vector.Scale(n, col, col, s)
		col[j] += t.prior[j]
	}
	products.Cholesky(t.c, t.c, n)
	vector.Mul(n, t.w, t.scale, t.pulled)
	linear.SolveLower(t.w, t.c, n)
}

// pull is pullInformed of terms.
func (t *terms) pull(g []float64, fromTheta bool) {
	n, sign := t.Len, 1.0
	t.each(func(at int, of density.EffectTerm) { copy(t.g[at:][:of.Len], g[of.Offset:]) })
	copy(t.toT, t.g)
	if fromTheta {
		t.centred(func(at int, e *recentredEffects) {
			vector.Mul(e.Len, t.toT[at:], t.toT[at:], t.scale[at:])
		})
		linear.SolveLower(t.toT, t.c, n)
		t.each(func(at int, of density.EffectTerm) { copy(g[of.Offset:][:of.Len], t.toT[at:]) })
	} else {
		sign = -1
		vector.MatVec(n, t.g, t.c, n, t.toT, 1, n)
		t.centred(func(at int, e *recentredEffects) {
			vector.Div(e.Len, t.g[at:], t.g[at:], t.scale[at:])
		})
		t.each(func(at int, of density.EffectTerm) { copy(g[of.Offset:][:of.Len], t.g[at:]) })
	}
	copy(t.toSum, t.toT)
	linear.SolveUpper(t.toSum, t.c, n)
	backOfSquare(t.toM, t.toC, t.c, t.z, t.w, t.toT, t.toSum)
	h := t.anchors[:n*n]
	for j, s := range t.scale { // of log scales
		vector.Mul(n, t.t, t.toM[n*j:], h[n*j:])
		t.toScale[j] = s * (float64(2*vector.Dot(n, t.t, t.scale)) + float64(t.toSum[j]*t.pulled[j]))
	}
	vector.Mul(n, t.toSum, t.toSum, t.scale)
	vector.MatVec(n, t.t, h, n, t.toSum, 1, n)
	vector.Neg(n, t.t, t.t) // adjoint of locations
	t.centred(func(at int, e *recentredEffects) {
		for i, v := range t.g[at:][:e.Len] {
			t.t[at+i] += v
			t.toScale[at+i] += float64(v*t.scale[at+i]*t.z[at+i]) + 1
		}
	})
	t.each(func(at int, of density.EffectTerm) {
		if of.Effects >= 0 {
			e := t.of[of.Effects]
			fold(e.toLog, sign, t.toScale[at:][:of.Len])
			fold(e.toLocation, sign, t.t[at:][:of.Len])
		}
	})
}
