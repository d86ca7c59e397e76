package nested

import (
	"cmp"
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// A search finds where the marginal density f of the hyperparameters is: its mode, by Newton's method with
// differences of values of f, all of a step in one message, and then f on a lattice of the principal axes
// there, as far as it is not small. Draws are from the function that is linear between the points of the
// lattice along each axis, and for a share of wide from a t, so that weights stay bounded.
type search struct {
	stage  int
	centre []float64
	steps  []float64 // of the differences
	gap    float64   // how far points of the lattice are apart, in standard deviations
	tails  float64   // share of draws that are of the t
	asks   int       // messages so far
	best   []float64
	top    float64 // f there
	from   []float64
	around int // points of the stencil in a message; what follows are candidates

	axes   []float64 // row i is the i-th axis
	sds    []float64
	logDet float64
	nodes  []node
	at     map[cell]int
	asked  []cell
	share  []float64 // of the nodes
}

// A cell is the place of a point on the lattice.
type cell [mostHyper]int

// A node is a point of the lattice, f there and where the mode of the predictors is, the log density of the
// hyperparameters and the coefficients of the covariance.
type node struct {
	cell
	f     float64
	x     []float64
	prior float64
	by    []float64
}

// The stages of a search.
const (
	locating = iota
	spreading
	sampling
)

const (
	mostAsks  = 25
	mostNodes = 1500
	firstStep = 0.5
	farthest  = 2.5 // a step of the mode
	wide      = 0.05
	wideSD    = 1.5
	freedom   = 5
	farAtOnce = 12  // cells along an axis in a message
	leastFall = 0.5 // of f from one cell to the next, beyond those that are known
)

// spacing is how far points of the lattice are apart, in standard deviations, by the number of
// hyperparameters, and depth how far below the mode f is followed; firstReach are cells on either side of the
// centre in the first message of them.
var (
	spacing    = [mostHyper + 1]float64{1, 0.75, 0.9, 1.1, 1.3}
	depth      = [mostHyper + 1]float64{0, 9, 7.5, 6.5, 6}
	firstReach = [mostHyper + 1]int{0, 4, 2, 1, 1}
)

func newSearch(centre []float64) search {
	s := search{centre: centre, gap: spacing[len(centre)], tails: wide, top: math.Inf(-1), at: map[cell]int{}}
	for range centre {
		s.steps = append(s.steps, firstStep)
	}
	return s
}

func (s *search) dim() int { return len(s.centre) }

// stencil are the points of a step: the centre, one on either side along each coordinate, and one for each
// pair of these.
func (s *search) stencil() (out [][]float64) {
	add := func(by ...float64) {
		p := slices.Clone(s.centre)
		for k := 0; k+1 < len(by); k += 2 {
			i := int(by[k])
			p[i] += float64(by[k+1] * s.steps[i])
		}
		out = append(out, p)
	}
	add()
	for i := range s.centre {
		add(float64(i), 1)
		add(float64(i), -1)
	}
	for i := range s.centre {
		for j := range i {
			add(float64(i), 1, float64(j), 1)
		}
	}
	if s.around = len(out); s.from != nil { // on the way to the centre, in case it is too far
		for _, by := range []float64{0.25, 0.5, 1.5} {
			p := make([]float64, s.dim())
			for i, c := range s.centre {
				p[i] = s.from[i] + float64(by*(c-s.from[i]))
			}
			out = append(out, p)
		}
	}
	return out
}

// located takes f at the points of a step. It reports false where f is finite nowhere.
func (s *search) located(points [][]float64, f []float64) bool {
	s.asks++
	top := 0
	for i, v := range f {
		if v > f[top] || !(f[top] > math.Inf(-1)) {
			top = i
		}
	}
	if !(f[top] > math.Inf(-1)) {
		return false
	}
	if f[top] > s.top {
		s.top, s.best = f[top], slices.Clone(points[top])
	}
	m := s.dim()
	hessian, gradient, ok := s.differences(f)
	if !ok || top >= s.around || s.asks == mostAsks-5 { // the centre is no place to step from: go to the best
		s.from, s.centre = nil, slices.Clone(s.best)
		if s.asks < mostAsks {
			return true
		}
	}
	values, ok := axesOf(m, hessian)
	if !ok {
		return false
	}
	step, gain, calm := make([]float64, m), 0.0, true
	for k := range m {
		v := hessian[k*m:][:m] // an axis
		along := vec.Dot(m, v, gradient)
		curve := max(math.Abs(values[k]), 0.05)
		by := max(-farthest, min(along/curve, farthest))
		gain += float64(0.5 * by * along)
		vec.Axpy(m, step, by, v)
		calm = calm && -values[k] > 0.05
	}
	for i := range m {
		variance := 0.0
		for k := range m {
			variance += hessian[k*m+i] * hessian[k*m+i] / max(math.Abs(values[k]), 0.05)
		}
		h := max(0.01, min(0.5*math.Sqrt(variance), 1))
		calm = calm && h < 2.5*s.steps[i] && h > 0.4*s.steps[i]
		s.steps[i] = h
	}
	if calm && gain < 0.1 || s.asks >= mostAsks {
		s.turn(hessian, values)
		return true
	}
	s.from = slices.Clone(s.centre)
	vec.Accumulate(m, s.centre, step)
	return true
}

// differences are the second and first derivatives of f at the centre.
func (s *search) differences(f []float64) (hessian, gradient []float64, ok bool) {
	m := s.dim()
	hessian, gradient = make([]float64, m*m), make([]float64, m)
	for _, v := range f[:s.around] {
		if v-v != 0 {
			return nil, nil, false
		}
	}
	for i, h := range s.steps {
		up, down := f[1+2*i], f[2+2*i]
		gradient[i] = (up - down) / (2 * h)
		hessian[i*m+i] = (up + down - float64(2*f[0])) / (h * h)
	}
	at := 1 + 2*m
	for i := range m {
		for j := range i {
			v := (f[at] - f[1+2*i] - f[1+2*j] + f[0]) / (s.steps[i] * s.steps[j])
			hessian[i*m+j], hessian[j*m+i] = v, v
			at++
		}
	}
	return hessian, gradient, true
}

// axesOf replaces a symmetric matrix by its eigenvectors, in rows, and returns the values.
func axesOf(m int, a []float64) (values []float64, ok bool) {
	values = make([]float64, m)
	if m == 0 {
		return values, true
	}
	if !vec.Eigen(m, a, values, make([]float64, m*m), make([]float64, vec.EigenRoom*m)) {
		return nil, false
	}
	for i := range m {
		for j := range i {
			a[i*m+j], a[j*m+i] = a[j*m+i], a[i*m+j]
		}
	}
	return values, true
}

// turn begins the lattice: around the best point so far, along the axes of the curvature there.
func (s *search) turn(axes, values []float64) {
	s.stage, s.axes, s.centre = spreading, axes, slices.Clone(s.best)
	s.sds = nil
	for _, v := range values {
		s.sds = append(s.sds, 1/math.Sqrt(max(math.Abs(v), 0.05)))
	}
	s.settle()
}

// settle finds what follows from the axes.
func (s *search) settle() {
	s.logDet = 0
	for _, v := range s.sds {
		s.logDet += portable.Log(v)
	}
}

// place is a point of the lattice, or between.
func (s *search) place(z []float64) []float64 {
	m := s.dim()
	out := slices.Clone(s.centre)
	for k, v := range z {
		vec.Axpy(m, out, v*s.sds[k], s.axes[k*m:])
	}
	return out
}

// standard undoes place.
func (s *search) standard(point []float64) []float64 {
	m := s.dim()
	z, d := make([]float64, m), make([]float64, m)
	vec.Sub(m, d, point, s.centre)
	for k := range z {
		z[k] = vec.Dot(m, s.axes[k*m:], d) / s.sds[k]
	}
	return z
}

func (s *search) on(c cell) []float64 {
	m := s.dim()
	z := make([]float64, m)
	for i := range z {
		z[i] = float64(s.gap * float64(c[i]))
	}
	return s.place(z)
}

// wanted are the cells of the lattice that come next, at most so many: at first those around its centre, then
// beyond those where f is not small as far as it seems not to be; none: it is done.
func (s *search) wanted(most int) (out []cell) {
	m := s.dim()
	seen := map[cell]bool{}
	add := func(c cell) {
		if _, known := s.at[c]; !known && !seen[c] && len(out) < most && len(s.nodes)+len(out) < mostNodes {
			seen[c] = true
			out = append(out, c)
		}
	}
	if len(s.nodes) == 0 {
		var c cell
		s.around1(c, 0, firstReach[m], add)
		return out
	}
	order := slices.Clone(s.nodes) // the highest first, as far as there is room
	slices.SortStableFunc(order, func(a, b node) int { return cmp.Compare(b.f, a.f) })
	for _, n := range order {
		if !(n.f >= s.top-depth[m]) {
			break
		}
		for i := range m {
			for _, sign := range []int{1, -1} {
				c := n.cell
				for range s.outward(n, i, sign) {
					c[i] += sign
					add(c)
				}
			}
		}
	}
	return out
}

// outward is how many cells from a node along an axis f is followed: until it is small, if it goes on as a
// parabola through the node and the two before, or as a line where that would rise.
func (s *search) outward(n node, axis, sign int) (cells int) {
	value := func(by int) float64 {
		c := n.cell
		if c[axis] += by * sign; by == 0 {
			return n.f
		}
		if i, known := s.at[c]; known {
			return s.nodes[i].f
		}
		return math.NaN()
	}
	f, fall, more := n.f, value(-1)-n.f, 0.0
	if before := value(-2) - value(-1); before-before == 0 {
		more = max(0, fall-before)
	}
	if value(1)-value(1) == 0 || !(fall-fall == 0) {
		return 1
	}
	for cells = 0; cells < farAtOnce && f >= s.top-depth[s.dim()]; cells++ {
		fall += more
		f -= max(fall, leastFall)
	}
	return cells
}

// around1 adds all cells within a reach of one along each axis from the k-th on.
func (s *search) around1(c cell, k, reach int, add func(cell)) {
	if k == s.dim() {
		add(c)
		return
	}
	for by := -reach; by <= reach; by++ {
		c[k] = by
		s.around1(c, k+1, reach, add)
	}
}

// finish makes the shares of the nodes.
func (s *search) finish() {
	s.stage, s.share = sampling, make([]float64, len(s.nodes))
	sum := 0.0
	for i, n := range s.nodes {
		s.share[i] = portable.Exp(n.f - s.top)
		sum += s.share[i]
	}
	vec.Scale(len(s.share), s.share, s.share, 1/sum)
}

// nearest is where the mode of the predictors was at the nearest node.
func (s *search) nearest(point []float64) []float64 {
	if len(s.nodes) == 0 {
		return nil
	}
	z := s.standard(point)
	at, least := 0, math.Inf(1)
	for i, n := range s.nodes {
		far := 0.0
		for k, v := range z {
			d := v - float64(s.gap*float64(n.cell[k]))
			far += float64(d * d)
		}
		if far < least && n.x != nil {
			at, least = i, far
		}
	}
	return s.nodes[at].x
}

// density is the logarithm of the density of the draws.
func (s *search) density(point []float64) float64 {
	m := s.dim()
	if m == 0 {
		return 0
	}
	z, h := s.standard(point), s.gap
	var low cell
	for i, v := range z {
		low[i] = int(math.Floor(v / h))
	}
	lattice := 0.0
	for corner := range 1 << m {
		c, by := low, 1.0
		for i, v := range z {
			d := v/h - float64(low[i])
			if corner>>i&1 == 1 {
				c[i]++
				d = 1 - d
			}
			by *= (1 - d) / h
		}
		if i, known := s.at[c]; known {
			lattice += float64(s.share[i] * by)
		}
	}
	return portable.Log(float64((1-s.tails)*lattice)+float64(s.tails*portable.Exp(tail(z)))) - s.logDet
}

// tail is the log density of the t, in standard deviations.
func tail(z []float64) float64 {
	const nu = freedom
	d := float64(len(z))
	square := vec.Dot(len(z), z, z) / (wideSD * wideSD)
	return portable.Lgamma((nu+d)/2) - portable.Lgamma(nu/2.0) -
		float64(d/2*portable.Log(nu*math.Pi*wideSD*wideSD)) - float64((nu+d)/2*portable.Log1p(square/nu))
}

// draw returns n points: from each node as many as its share demands, one more or less, the others from the
// t, in random order.
func (s *search) draw(n int, from density.Stream) (out [][]float64) {
	m := s.dim()
	if m == 0 {
		return make([][]float64, n)
	}
	far := int(math.Round(s.tails * float64(n)))
	normals := make([]float64, max(m, freedom))
	for range far {
		z := make([]float64, m)
		from.Normals(normals[:m])
		copy(z, normals)
		from.Normals(normals[:freedom])
		vec.Scale(m, z, z, wideSD*math.Sqrt(freedom/vec.Dot(freedom, normals, normals)))
		out = append(out, s.place(z))
	}
	near := n - far
	at, sum := from.Float64()/float64(max(1, near)), 0.0
	for i, w := range s.share {
		for sum += w; at < sum && len(out) < n; at += 1 / float64(near) {
			z := make([]float64, m)
			for k := range z {
				z[k] = float64(s.gap * (float64(s.nodes[i].cell[k]) + from.Float64() - from.Float64()))
			}
			out = append(out, s.place(z))
		}
	}
	for len(out) < n { // rounding
		out = append(out, slices.Clone(out[len(out)-1]))
	}
	from.Rand().Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
