package nuts

import (
	"math"

	"github.com/vflc/vflc/backends/adapt"
	"github.com/vflc/vflc/runtime/kernel"
)

// A dense metric of n coordinates, matrices row-major.
type dense struct {
	n       int
	inverse []float64 // M⁻¹
	root    []float64 // a matrix R with RRᵀ = M
	work    workspace
}

// workspace holds matrices of the computation of a metric.
type workspace struct{ a, b, c, vectors []float64 }

func newDense(n int) *dense {
	v := make([]float64, 6*n*n)
	next := func() []float64 { m := v[: n*n : n*n]; v = v[n*n:]; return m }
	return &dense{n: n, inverse: next(), root: next(), work: workspace{next(), next(), next(), next()}}
}

// move sets v = M⁻¹p; M⁻¹ is symmetric, so that its rows are columns too.
func (d *dense) move(v, p []float64) { kernel.MatVec(d.n, v, d.inverse, d.n, p, 1, d.n) }

// velocity is move, and returns p·v.
func (d *dense) velocity(v, p []float64) float64 {
	d.move(v, p)
	return kernel.Dot(d.n, v, p)
}

// product sets y = Ax for a square row-major matrix.
func product(y, a, x []float64) {
	for i := range y {
		row, s := a[i*len(x):][:len(x)], 0.0
		for j, v := range x {
			s += float64(row[j] * v)
		}
		y[i] = s
	}
}

// set makes a the inverse mass, where it is positive definite; else the metric stays as it is. a is overwritten.
func (d *dense) set(a []float64) {
	n, v := d.n, d.work.vectors
	copy(d.work.c, a)
	if !eigen(n, a, v) {
		return
	}
	copy(d.inverse, d.work.c)
	for j := range n {
		r := 1 / math.Sqrt(a[j*n+j])
		for i := range n {
			d.root[i*n+j] = v[i*n+j] * r
		}
	}
}

// fromFisher minimises the Fisher divergence over dense metrics: M⁻¹ = A # B⁻¹, the geometric mean of the draws' covariance and the inverse of the
// gradients', so that M⁻¹BM⁻¹ = A. For a Gaussian target it is exact as soon as both have full rank, however few the draws and strong the
// correlations. Coordinates are scaled by the diagonal estimate first. With few draws for the dimension correlations are shrunk, by the factor
// 1/(1 + (dimension/draws)³): of several powers tried, and shares of a fixed number of draws, the one with the most effective draws per gradient (see
// docs/inference.md). With B = LLᵀ the mean is L⁻ᵀ(LᵀAL)^½L⁻¹.
func (d *dense) fromFisher(inverse []float64, draws, gradients *adapt.Covariance) {
	n, w := d.n, &d.work
	count := float64(draws.N)
	r := float64(n) / count
	keep := 1 / (1 + r*r*r)
	for i := range n {
		for j := range i + 1 {
			scale, by := math.Sqrt(inverse[i]*inverse[j]), keep/(count-1)
			if i == j {
				by = 1 / (count - 1)
			}
			a, b := by*draws.Products[i*n+j]/scale, by*gradients.Products[i*n+j]*scale
			w.a[i*n+j], w.a[j*n+i] = a, a
			w.b[i*n+j] = b
		}
	}
	if !cholesky(n, w.b) {
		return
	}
	congruence(n, w.c, w.a, w.b)
	if !eigen(n, w.c, w.vectors) {
		return
	}
	// F = L⁻ᵀV·Λ^¼, then M⁻¹ = S·FFᵀ·S with the scales S.
	for j := range n {
		quarter := math.Sqrt(math.Sqrt(w.c[j*n+j]))
		for i := n - 1; i >= 0; i-- {
			x := w.vectors[i*n+j] * quarter
			for k := i + 1; k < n; k++ {
				x -= w.b[k*n+i] * w.a[k*n+j]
			}
			w.a[i*n+j] = x / w.b[i*n+i]
		}
	}
	for i := range n {
		for j := range i + 1 {
			s := 0.0
			for k := range n {
				s += w.a[i*n+k] * w.a[j*n+k]
			}
			s *= math.Sqrt(inverse[i] * inverse[j])
			w.b[i*n+j], w.b[j*n+i] = s, s
		}
	}
	d.set(w.b)
}

// cholesky replaces the lower triangle of a by L, a = LLᵀ. It says whether a is positive definite.
func cholesky(n int, a []float64) bool {
	for j := range n {
		for i := j; i < n; i++ {
			s := a[i*n+j]
			for k := range j {
				s -= a[i*n+k] * a[j*n+k]
			}
			if i > j {
				a[i*n+j] = s / a[j*n+j]
				continue
			}
			if !(s > 0) || !finite(s) {
				return false
			}
			a[j*n+j] = math.Sqrt(s)
		}
	}
	return true
}

// congruence sets c = LᵀAL for symmetric a and lower triangular l. It overwrites a.
func congruence(n int, c, a, l []float64) {
	for i := range n { // a ← aL
		for j := range n {
			s := 0.0
			for k := j; k < n; k++ {
				s += a[i*n+k] * l[k*n+j]
			}
			a[i*n+j] = s
		}
	}
	for i := range n {
		for j := range n {
			s := 0.0
			for k := i; k < n; k++ {
				s += l[k*n+i] * a[k*n+j]
			}
			c[i*n+j] = s
		}
	}
}

// sweeps is how often the method of Jacobi goes through a matrix at most; it converges quadratically and needs about six.
const sweeps = 30

// eigen turns symmetric a into the diagonal matrix of its eigenvalues, with the eigenvectors in the columns of v, by the cyclic method of Jacobi. It
// says whether all are finite and positive.
func eigen(n int, a, v []float64) bool {
	clear(v)
	for i := range n {
		v[i*n+i] = 1
	}
	for range sweeps {
		off, diagonal := 0.0, 0.0
		for i := range n {
			diagonal += a[i*n+i] * a[i*n+i]
			for j := range i {
				off += a[i*n+j] * a[i*n+j]
			}
		}
		if !(off > 1e-30*diagonal) {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(n, a, v, p, q)
			}
		}
	}
	for i := range n {
		if x := a[i*n+i]; !(x > 0) || !finite(x) {
			return false
		}
	}
	return true
}

// rotate makes element (p, q) of a zero.
func rotate(n int, a, v []float64, p, q int) {
	x := a[p*n+q]
	if x == 0 {
		return
	}
	theta := (a[q*n+q] - a[p*n+p]) / (2 * x)
	t := 1 / (math.Abs(theta) + math.Sqrt(1+theta*theta))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(1+t*t)
	s := t * c
	for i := range n { // columns
		u, w := a[i*n+p], a[i*n+q]
		a[i*n+p], a[i*n+q] = c*u-s*w, s*u+c*w
		u, w = v[i*n+p], v[i*n+q]
		v[i*n+p], v[i*n+q] = c*u-s*w, s*u+c*w
	}
	for i := range n { // rows
		u, w := a[p*n+i], a[q*n+i]
		a[p*n+i], a[q*n+i] = c*u-s*w, s*u+c*w
	}
}
