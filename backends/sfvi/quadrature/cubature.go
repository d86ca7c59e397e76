package quadrature

import (
	"math"

	vec "github.com/vflc/vflc/runtime/vector"
)

// Rows that see several predictors, and likelihoods of many globals, are integrated over by McNamee and
// Stenger's (1967) rule of degree 5 in all these coordinates d at once: 2d² + 1 nodes, with 0, ±√(d+2) in one
// coordinate, and ±√(d/2+1) in two.

// cubature has the nodes for rows of width predictors and m globals. The middle one is the mean.
func cubature(width, m int) []node {
	d := width + m
	least := float64(d + 2)
	half := []node{}
	add := func(weight, far float64, i int, si float64, j int, sj float64) {
		n, t := newNode(weight, m), make([]float64, d)
		t[i], t[j] = si*far, sj*far
		n.eta = t[:width]
		copy(n.t, t[width:])
		half = append(half, n)
	}
	for i := range d {
		add(float64(4-d)/(2*least*least), math.Sqrt(least), i, 1, i, 1)
		for j := range i {
			add(1/(least*least), math.Sqrt(least/2), i, 1, j, 1)
			add(1/(least*least), math.Sqrt(least/2), i, 1, j, -1)
		}
	}
	n := len(half)
	add(2/least, 0, 0, 0, 0, 0)
	for k := range n {
		of := &half[n-1-k]
		opposite := newNode(of.weight, m)
		opposite.eta = make([]float64, width)
		vec.Neg(width, opposite.eta, of.eta)
		vec.Neg(m, opposite.t, of.t)
		half = append(half, opposite)
	}
	return half
}

// count is the number of rows.
func (r *rows) count() int { return r.n / r.Width }

// of is the part of a vector over the predictors that belongs to predictor a of the rows.
func (r *rows) of(a int, v []float64) []float64 { return v[a*r.count() : (a+1)*r.count()] }

// to places the predictors at a node of a cubature; without one they stay.
func (r *rows) to(t []float64) {
	for a, x := range t {
		vec.ScaleAdd(r.count(), r.of(a, r.eta), x, r.of(a, r.sd), r.of(a, r.mean))
	}
}

// second adds, for a node of this weight, what second derivatives follow from.
func (r *rows) second(w float64, g *node) {
	n := r.count()
	for a, t := range g.eta {
		if t == 0 {
			continue
		}
		vec.Axpy(n, r.of(a, r.curvature), -w*t, r.of(a, r.at))
		for b := range len(r.block) / r.n {
			vec.Axpy(n, r.block[(a*r.Width+b)*n:], -w*t, r.of(b, r.at))
		}
	}
	if len(r.mixed) == 0 {
		return
	}
	for k := range r.by {
		vec.Axpy(r.n, r.mixed[k*r.all:], -w*g.far[k], r.at)
	}
}

// divide completes them.
func (r *rows) divide() {
	vec.Div(r.n, r.curvature, r.curvature, r.sd)
	n := r.count()
	at := func(a, b int) []float64 { return r.block[(a*r.Width+b)*n:][:n] }
	for a := range len(r.block) / r.n {
		for b := range r.Width {
			vec.Div(n, at(a, b), at(a, b), r.of(a, r.sd))
		}
	}
	for a := range len(r.block) / r.n {
		for b := range a {
			for i, v := range at(a, b) {
				v = 0.5 * (v + at(b, a)[i])
				at(a, b)[i], at(b, a)[i] = v, v
			}
		}
	}
}

// weigh sets out to minus the expected second derivatives times v.
func (r *rows) weigh(v, out []float64) {
	if r.Width == 1 {
		vec.Mul(r.n, out, v, r.curvature)
		return
	}
	copy(out, v[:r.n])
	r.product(r.block, out)
}

// sound makes the second derivatives those of a concave function in each row, and returns, where a row has
// several predictors, their symmetric roots and the inverses of these, laid out as they are. A direction in
// which they are 0 has a very small one.
func (r *rows) sound() (root, inverse []float64) {
	positive(r.curvature)
	if r.Width == 1 {
		return nil, nil
	}
	k, n := r.Width, r.count()
	root, inverse = make([]float64, k*r.n), make([]float64, k*r.n)
	a, scratch := make([]float64, k*k), make([]float64, k*k)
	values, room := make([]float64, k), make([]float64, vec.EigenRoom*k)
	for i := range n {
		trace := 0.0
		for e := range a {
			a[e] = r.block[e*n+i]
		}
		for j := range k {
			trace += math.Abs(a[j*k+j])
		}
		vec.Eigen(k, a, values, scratch, room)
		for e := range a {
			r.block[e*n+i] = 0
		}
		for j, v := range values {
			v = max(v, float64(least*trace)+math.SmallestNonzeroFloat32)
			s := math.Sqrt(v)
			for e := range a {
				both := a[e/k*k+j] * a[e%k*k+j]
				r.block[e*n+i] += float64(v * both)
				root[e*n+i] += float64(s * both)
				inverse[e*n+i] += both / s
			}
		}
	}
	return root, inverse
}

// least is the smallest curvature of a row in a direction, relative to the sum of those of its predictors.
const least = 1e-9

// product overwrites v, over the predictors, with a matrix in each row times it.
func (r *rows) product(matrix, v []float64) {
	n, k := r.count(), r.Width
	out := make([]float64, r.n)
	for a := range k {
		for b := range k {
			vec.MulAdd(n, r.of(a, out), matrix[(a*k+b)*n:], r.of(b, v))
		}
	}
	copy(v, out)
}
