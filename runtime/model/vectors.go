package model

import (
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/linear"
)

// Vectors are processes of few elements, many of them with one root, as the intercept and slopes of groups
// are. Their map is that of process, for all of them at once: what is a number there is a column here, with
// one element for each vector. H has a precision matrix of each, since data of a group tell of its intercept
// and slope together. Matrices have K by K columns; of C and its adjoint the lower triangle is used.
type vectors struct {
	*joint
	n, k       int       // vectors and their elements
	root       []float64 // L, by columns
	c, toC     []float64
	hl         []float64 // HL
	z, w, t    []float64 // t = w + u
	pull       []float64 // H(y - e - m)
	toT, toSum []float64 // adjoints of t and Lᵀ·pull
	toRoot     []float64
	one        []float64 // a column of scratch
	back       []float64 // the gradient by f or z
}

func newVectors(k, n int, root []float64, j *joint) *vectors {
	v := &vectors{joint: j, n: n, k: k, root: root, toRoot: make([]float64, k*k),
		one: make([]float64, n)}
	for _, m := range []*[]float64{&v.c, &v.toC, &v.hl} {
		*m = make([]float64, n*k*k)
	}
	for _, m := range []*[]float64{&v.z, &v.w, &v.t, &v.pull, &v.toT, &v.toSum, &v.back} {
		*m = make([]float64, n*k)
	}
	return v
}

// column is column i of an array of K columns, and element of one of K by K.
func (v *vectors) column(a []float64, i int) []float64 { return a[v.n*i:][:v.n] }

func (v *vectors) element(a []float64, i, j int) []float64 { return v.column(a, i+v.k*j) }

// less subtracts a·b from y.
func (v *vectors) less(y, a, b []float64) {
	vector.Mul(v.n, v.one, a, b)
	vector.Sub(v.n, y, y, v.one)
}

// solveLower overwrites the vectors of x with C⁻¹x, solveUpper with C⁻ᵀx.
func (v *vectors) solveLower(x []float64) {
	for i := range v.k {
		y := v.column(x, i)
		for m := range i {
			v.less(y, v.element(v.c, i, m), v.column(x, m))
		}
		vector.Div(v.n, y, y, v.element(v.c, i, i))
	}
}

func (v *vectors) solveUpper(x []float64) {
	for i := v.k - 1; i >= 0; i-- {
		y := v.column(x, i)
		for m := i + 1; m < v.k; m++ {
			v.less(y, v.element(v.c, m, i), v.column(x, m))
		}
		vector.Div(v.n, y, y, v.element(v.c, i, i))
	}
}

// rootTransposed sets the vectors of y to Lᵀx.
func (v *vectors) rootTransposed(y, x []float64) {
	copy(y, x)
	linear.TimesUpperRows(y, v.n, v.root, v.k)
}

// factor sets C and w.
func (v *vectors) factor(location []float64) {
	at := v.t // scratch
	for i := range at {
		at[i] = v.addend[i%len(v.addend)] + location[i%len(location)]
	}
	copy(v.pull, v.anchors[v.n*v.k*v.k:])
	v.told(at, v.pull, -1)
	clear(v.hl)
	for j := range v.k {
		for r := range v.k {
			for q := j; q < v.k; q++ {
				vector.Axpy(v.n, v.element(v.hl, r, j), v.root[q+v.k*j], v.element(v.anchors, r, q))
			}
		}
	}
	clear(v.c)
	for j := range v.k {
		for i := j; i < v.k; i++ {
			c := v.element(v.c, i, j)
			for r := i; r < v.k; r++ {
				vector.Axpy(v.n, c, v.root[r+v.k*i], v.element(v.hl, r, j))
			}
			if i == j {
				vector.Shift(v.n, c, 1)
			}
			for m := range j {
				v.less(c, v.element(v.c, i, m), v.element(v.c, j, m))
			}
			if i == j {
				vector.Sqrt(v.n, c, c)
			} else {
				vector.Div(v.n, c, c, v.element(v.c, j, j))
			}
		}
	}
	v.rootTransposed(v.w, v.pull)
	v.solveLower(v.w)
}

// told adds to the vectors of y a number times Hx.
func (v *vectors) told(x, y []float64, by float64) {
	for i := range v.k {
		for m := range v.k {
			vector.Mul(v.n, v.one, v.element(v.anchors, i, m), v.column(x, m))
			vector.Axpy(v.n, v.column(y, i), by, v.one)
		}
	}
}

// vectorsTo is processTo.
func (e *recentredEffects) vectorsTo(from, to []float64, toTheta bool) float64 {
	v := e.vectors
	v.factor(e.location)
	logJacobian := 0.0
	for i := range v.k {
		vector.Log(v.n, v.one, v.element(v.c, i, i))
		logJacobian -= vector.Sum(v.n, v.one)
	}
	if e.Centring == 1 {
		logJacobian += float64(float64(v.n) * linear.LogDiagonal(v.root, v.k))
	}
	if toTheta {
		vector.Add(e.Len, v.t, v.w, from)
		copy(v.z, v.t)
		v.solveUpper(v.z)
		copy(to, v.z)
		if e.Centring == 1 {
			linear.TimesLowerRows(to, v.n, v.root, v.k)
			for i := range to {
				to[i] += e.location[i%len(e.location)]
			}
		}
		return logJacobian
	}
	copy(v.z, from)
	if e.Centring == 1 {
		e.standardVectors(v.z)
	}
	for i := range v.k {
		t := v.column(v.t, i)
		clear(t)
		for m := i; m < v.k; m++ {
			vector.MulAdd(v.n, t, v.element(v.c, m, i), v.column(v.z, m))
		}
	}
	vector.Sub(e.Len, to, v.t, v.w)
	return -logJacobian
}

// standardVectors overwrites vectors with their z.
func (e *recentredEffects) standardVectors(f []float64) {
	for i := range f {
		f[i] -= e.location[i%len(e.location)]
	}
	linear.SolveLowerRows(f, e.vectors.n, e.vectors.root, e.vectors.k)
}

// pullVectors is pullProcess.
func (e *recentredEffects) pullVectors(g []float64, fromTheta bool) {
	v, sign := e.vectors, 1.0
	copy(v.toT, g)
	if fromTheta {
		if copy(v.back, g); e.Centring == 1 {
			v.rootTransposed(v.toT, g)
		}
		v.solveLower(v.toT)
		copy(g, v.toT)
	} else {
		sign = -1
		clear(g)
		for i := range v.k {
			for m := range i + 1 {
				vector.MulAdd(v.n, v.column(g, i), v.element(v.c, i, m), v.column(v.toT, m))
			}
		}
		if e.Centring == 1 {
			linear.SolveUpperRows(g, v.n, v.root, v.k)
		}
		copy(v.back, g)
	}
	copy(v.toSum, v.toT)
	v.solveUpper(v.toSum)
	v.backC()
	v.pullRoot(e.Centring == 1, sign)
	clear(e.toLocation)
	clear(v.toAddend)
	linear.TimesLowerRows(v.toSum, v.n, v.root, v.k)
	clear(v.t)
	v.told(v.toSum, v.t, -sign)
	for i, x := range v.t {
		v.toAddend[i%len(v.toAddend)] += x
		if e.Centring == 1 {
			x += float64(sign * v.back[i])
		}
		e.toLocation[i%len(e.toLocation)] += x
	}
}

// backC sets toC to the adjoint of the lower triangle of I + LᵀHL, with that of the log-Jacobian: element by
// element of its Cholesky factor in reverse order.
func (v *vectors) backC() {
	for j := range v.k {
		for i := j; i < v.k; i++ {
			d := v.element(v.toC, i, j)
			clear(d)
			v.less(d, v.column(v.z, i), v.column(v.toT, j))
			v.less(d, v.column(v.toSum, i), v.column(v.w, j))
			if i == j {
				vector.DivInto(v.n, v.one, 1, v.element(v.c, j, j))
				vector.Sub(v.n, d, d, v.one)
			}
		}
	}
	for j := v.k - 1; j >= 0; j-- {
		of := v.element(v.c, j, j)
		for i := v.k - 1; i >= j; i-- {
			d := v.element(v.toC, i, j)
			vector.Div(v.n, d, d, of)
			if i == j {
				vector.Scale(v.n, d, d, 0.5)
			} else {
				v.less(v.element(v.toC, j, j), d, v.element(v.c, i, j))
			}
			for m := range j {
				v.less(v.element(v.toC, i, m), d, v.element(v.c, j, m))
				v.less(v.element(v.toC, j, m), d, v.element(v.c, i, m))
			}
		}
	}
}

// pullRoot sets the adjoint of the root: with that of I + LᵀHL, half of it off the diagonal on either side,
// it is twice HL times that.
func (v *vectors) pullRoot(centred bool, sign float64) {
	k := v.k
	clear(v.toRoot)
	for r := range k {
		for j := range r + 1 {
			to := &v.toRoot[r+k*j]
			for i := range k {
				by := vector.Dot(v.n, v.element(v.toC, max(i, j), min(i, j)), v.element(v.hl, r, i))
				if i == j {
					by *= 2
				}
				*to += by
			}
			*to += vector.Dot(v.n, v.column(v.pull, r), v.column(v.toSum, j))
			if centred {
				*to += vector.Dot(v.n, v.column(v.back, r), v.column(v.z, j))
			}
			if centred && j == r {
				*to += float64(v.n) / v.root[r+k*r]
			}
		}
	}
	vector.Scale(k*k, v.toRoot, v.toRoot, sign)
}

// vectorsEvidence is processEvidence.
func (e *recentredEffects) vectorsEvidence(theta, g, f, slope []float64) {
	v := e.vectors
	f, slope = f[:e.Len], slope[:e.Len]
	if copy(slope, theta); e.Centring == 1 {
		copy(f, theta)
		e.standardVectors(slope)
	} else {
		copy(f, theta)
		linear.TimesLowerRows(f, v.n, v.root, v.k)
		for i := range f {
			f[i] += e.location[i%len(e.location)]
		}
		vector.Accumulate(e.Len, slope, g)
	}
	linear.SolveUpperRows(slope, v.n, v.root, v.k)
	for i := range f {
		f[i] += v.addend[i%len(v.addend)]
		if e.Centring == 1 {
			slope[i] += g[i]
		}
	}
}
