package nuts

import (
	"math"

	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/linear"
)

// A dense metric of n coordinates, matrices row-major.
type dense struct {
	n       int
	inverse []float64 // M⁻¹
	root    []float64 // a matrix R with RRᵀ = M
	misfit  float64   // of all coordinates, as nonlinear has it; infinite where it is not known
	work    workspace
}

// workspace holds matrices of the computation of a metric.
type workspace struct {
	a, b, c, v   []float64
	values, room []float64 // eigenvalues, and room for their computation
}

func newDense(n int) *dense {
	v := make([]float64, 2*n*n)
	return &dense{n: n, inverse: v[: n*n : n*n], root: v[n*n:], misfit: math.Inf(1), work: newWorkspace(n)}
}

func newWorkspace(n int) workspace {
	v := make([]float64, (4*n+1+vector.EigenRoom)*n)
	next := func(size int) []float64 { m := v[:size:size]; v = v[size:]; return m }
	square := func() []float64 { return next(n * n) }
	return workspace{square(), square(), square(), square(), next(n), next(vector.EigenRoom * n)}
}

// product sets y = Ax for a square row-major matrix.
func product(y, a, x []float64) {
	clear(y)
	vector.MatTVecAdd(len(y), y, 1, a, len(y), x, len(y))
}

// multiply sets c = ab.
func multiply(n int, c, a, b []float64) { vector.Dense(n, c, n, b, n, a, 1, n, n, n, nil) }

// multiplyT sets c = aᵀb.
func multiplyT(n int, c, a, b []float64) { vector.Dense(n, c, n, b, n, a, n, 1, n, n, nil) }

// set makes a the inverse mass, where it is positive definite; else the metric stays as it is. a is
// overwritten. With a = KKᵀ the root is K⁻ᵀ.
func (d *dense) set(a []float64) {
	n, w := d.n, &d.work
	copy(w.c, a)
	if !linear.CholeskyRows(a, n, 0) {
		return
	}
	identity(n, w.b)
	backSubstitute(n, w.b, a)
	d.take(w.c, w.b)
}

// take replaces the metric, unless something has overflowed.
func (d *dense) take(inverse, root []float64) {
	if allFinite(inverse) && allFinite(root) {
		copy(d.inverse, inverse)
		copy(d.root, root)
	}
}

// fromFisher minimises the Fisher divergence over dense metrics. Coordinates are scaled by the diagonal
// estimate first.
func (d *dense) fromFisher(inverse []float64, draws, gradients *covariance, least float64) {
	n, w := d.n, &d.work
	count := float64(draws.N)
	for i := range n {
		for j := range i + 1 {
			scale := math.Sqrt(inverse[i] * inverse[j])
			w.setMoments(n, i, j, count, draws.Products[i*n+j]/scale,
				float64(gradients.Products[i*n+j]*scale))
		}
	}
	d.misfit = math.Inf(1)
	if !w.mean(n, least) {
		return
	}
	d.misfit = 0
	for _, x := range w.values[:n] {
		d.misfit += math.Sqrt(x)
	}
	for i := range n {
		for j := range n {
			w.c[i*n+j] *= math.Sqrt(inverse[i] * inverse[j])
			w.v[i*n+j] /= math.Sqrt(inverse[i])
		}
	}
	d.take(w.c, w.v)
}

// unseen is added to the products of draws, and of gradients, in every scaled direction. Where neither has
// any, both are this small and their ratio is 1.
const unseen = 1e-4

// setMoments sets element (i, j), j ≤ i, of the covariances a of draws and b of gradients, given sums of
// products of deviations, scaled.
func (w *workspace) setMoments(n, i, j int, count, draws, gradients float64) {
	share := 1 / (count - 1)
	if i == j {
		draws += unseen
		gradients += unseen
	}
	w.a[i*n+j], w.a[j*n+i], w.b[i*n+j] = share*draws, share*draws, share*gradients
}

// mean sets c to A # B⁻¹, the geometric mean of a, the covariance of draws, and of the inverse of b, that of
// gradients (its lower triangle). It is the inverse mass that minimises the Fisher divergence (Seyboldt,
// Carlson and Carpenter 2024), and solves M⁻¹BM⁻¹ = A. For a Gaussian target it is the covariance as soon as
// both have full rank, however strong the correlations; with fewer draws it takes each gradient to its draw,
// as the estimates of quasi-Newton methods do, and leaves directions that neither have shown as they are. v
// becomes the root of M.
//
// With B = LLᵀ the mean is L⁻ᵀ(LᵀAL)^½L⁻¹ = FFᵀ and LᵀAL = VΛVᵀ, F = L⁻ᵀVΛ^¼; the root of M is F⁻ᵀ = LVΛ^-¼.
// Along each column of L⁻ᵀV the inverse mass is raised to a share of the draws' variance, where √Λ is less
// than that share of Λ.
//
// It reports whether there is one; all of the workspace is overwritten.
func (w *workspace) mean(n int, least float64) bool {
	if !linear.CholeskyRows(w.b, n, 0) {
		return false
	}
	multiply(n, w.c, w.a, w.b)
	multiplyT(n, w.v, w.b, w.c)
	if !w.eigen(n) {
		return false
	}
	for j, x := range w.values[:n] {
		quarter := math.Sqrt(max(math.Sqrt(x), least*x))
		for i := j; i < n*n; i += n {
			w.a[i], w.c[i] = w.v[i]*quarter, w.v[i]/quarter
		}
	}
	multiply(n, w.v, w.b, w.c)
	backSubstitute(n, w.a, w.b)
	clear(w.c[:n*n])
	for i := range n {
		vector.MatTVecAdd(n, w.c[i*n:], 1, w.a, n, w.a[i*n:], n)
	}
	return true
}

func identity(n int, a []float64) {
	clear(a)
	for i := range n {
		a[i*n+i] = 1
	}
}

func allFinite(a []float64) bool {
	s := 0.0
	for _, v := range a {
		s += v - v
	}
	return s == 0
}

// backSubstitute replaces x by L⁻ᵀx.
func backSubstitute(n int, x, l []float64) {
	for i := n - 1; i >= 0; i-- {
		row := x[i*n:][:n]
		for k := i + 1; k < n; k++ {
			vector.Axpy(n, row, -l[k*n+i], x[k*n:])
		}
		vector.Scale(n, row, row, 1/l[i*n+i])
	}
}

// eigen turns symmetric v into its eigenvectors, in columns, and sets values; c is overwritten. It reports
// whether all eigenvalues are finite and positive.
func (w *workspace) eigen(n int) bool {
	if !allFinite(w.v[:n*n]) || !vector.Eigen(n, w.v[:n*n], w.values[:n], w.c[:n*n], w.room) {
		return false
	}
	for _, x := range w.values[:n] {
		if !(x > 0) {
			return false
		}
	}
	return true
}
