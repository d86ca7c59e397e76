package quadrature

import (
	"math"
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/backends/algebra"
	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/portable"
	vec "github.com/vflc/vflc/runtime/vector"
)

// mostGlobals is the largest number of globals, and globalNodes the nodes of each coordinate of the product
// rule that integrates over one or two, by how many there are.
const mostGlobals = 12

var globalNodes = [...]int{0, 9, 7}

// A globals is q(φ) = N(mean, precision⁻¹) of parameters φ at the server that the likelihood has beside its
// predictors, independent of all others. With φ = mean + L⁻ᵀt for the factor L of the precision, expectations
// are sums over nodes t of a product of Gauss and Hermite's rules, or of a cubature over them and a row's
// predictors.
type globals struct {
	density.Globals
	m         int
	full      bool
	mean      []float64
	precision algebra.Factor
	curvature algebra.Factor
	nodes     []node
	gradient  []float64
	before    []float64 // mean and precision that a step begins at
	sample    []float64 // draws, by column: the mean first
	fitted    []float64 // mean and precision to come back to; empty where they have not changed
}

// remember keeps mean and precision as they are.
func (g *globals) remember() {
	g.fitted = append(append(g.fitted[:0], g.mean...), g.precision.Matrix...)
}

// restore comes back to what was remembered, if anything.
func (g *globals) restore() {
	if len(g.fitted) > 0 {
		copy(g.mean, g.fitted)
		copy(g.precision.Matrix, g.fitted[g.m:])
		g.precision.Definite()
		g.fitted = g.fitted[:0]
	}
}

// A node is where φ is evaluated.
type node struct {
	weight float64
	t      []float64 // standardised
	phi    []float64
	by     []float64 // gradient there, of everything that depends on φ
	far    []float64 // L·t
	eta    []float64 // of a cubature: standardised predictors of a row
}

// sure is q(φ) of no parameters: one node.
var sure = []node{{weight: 1}}

func newGlobals(of density.Globals, full bool, width int) *globals {
	m := len(of.Index)
	g := &globals{
		Globals: of, m: m, full: full, mean: make([]float64, m), precision: algebra.NewFactor(m),
		curvature: algebra.NewFactor(m), gradient: make([]float64, m), before: make([]float64, m+m*m),
	}
	if width > 1 || m >= len(globalNodes) {
		g.nodes = cubature(width, m)
	} else {
		g.nodes = product(newRule(globalNodes[m]), m)
	}
	for i := range m {
		g.precision.Matrix[i*m+i] = 1 / (firstSD * firstSD)
	}
	g.precision.Definite()
	return g
}

// product is the product rule in m coordinates.
func product(r rule, m int) (nodes []node) {
	for k := range int(portable.Pow(float64(len(r.at)), float64(m)) + 0.5) {
		n := newNode(1, m)
		for i := range m {
			n.t[i] = r.at[k%len(r.at)]
			n.weight *= r.weight[k%len(r.at)]
			k /= len(r.at)
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func newNode(weight float64, m int) node {
	v := make([]float64, 4*m)
	return node{weight: weight, t: v[:m], phi: v[m : 2*m], by: v[2*m : 3*m], far: v[3*m:]}
}

// begin places the nodes, and returns the terms of the ELBO in φ alone, whose gradients are set there.
func (g *globals) begin() float64 {
	value := float64(0.5*float64(g.m)*(1+portable.Log(2*math.Pi))) - float64(0.5*g.precision.LogDet())
	for k := range g.nodes {
		n := &g.nodes[k]
		g.at(n.t, n.phi)
		for j := range n.far {
			n.far[j] = vec.Dot(j+1, g.precision.Lower[j*g.m:], n.t)
		}
		value += float64(n.weight * g.Density(n.phi, n.by))
	}
	return value
}

// at sets phi to the value at a standardised t.
func (g *globals) at(t, phi []float64) {
	copy(phi, t)
	g.precision.Backward(phi)
	vec.Accumulate(g.m, phi, g.mean)
}

// slopes sets the expected gradient, and the curvature to minus the expected second derivative, by Stein's
// identity E ∇²f = E ∇f·(Lt)ᵀ: half of that is the derivative in the covariance of what the nodes sum to.
// Where that is not positive definite it is raised.
func (g *globals) slopes() bool {
	m, h := g.m, g.curvature.Matrix
	clear(g.gradient)
	clear(h)
	for _, n := range g.nodes {
		vec.Axpy(m, g.gradient, n.weight, n.by)
		for j, lt := range n.far {
			for i := range m {
				h[i*m+j] -= float64(n.weight * n.by[i] * lt)
			}
		}
	}
	for i := range m {
		for j := range i {
			h[i*m+j] = 0.5 * (h[i*m+j] + h[j*m+i])
			if !g.full {
				h[i*m+j] = 0
			}
			h[j*m+i] = h[i*m+j]
		}
	}
	if g.curvature.Definite() {
		return true
	}
	if !g.curvature.Decompose() {
		return false
	}
	l := g.curvature.Lower
	for i := range m {
		for j := range m {
			h[i*m+j] = vec.Dot(min(i, j)+1, l[i*m:], l[j*m:])
		}
	}
	return true
}

// improve makes a natural gradient step in q(φ) (Khan and Rue 2023), as long as raises the ELBO, which is
// value at first and total later, the rest as it is. It returns the ELBO.
func (g *globals) improve(value float64, total func() float64) float64 {
	if !g.slopes() {
		return value
	}
	m := g.m
	copy(g.before, g.mean)
	copy(g.before[m:], g.precision.Matrix)
	step := make([]float64, m)
	for by := 1.0; by > 1e-6; by /= 2 {
		for i, h := range g.curvature.Matrix {
			g.precision.Matrix[i] = float64((1-by)*g.before[m+i]) + float64(by*h)
		}
		if g.precision.Definite() {
			copy(step, g.gradient)
			g.precision.Solve(step)
			vec.ScaleAdd(m, g.mean, by, step, g.before)
			if better := total(); better >= value {
				return better
			}
		}
	}
	copy(g.mean, g.before)
	copy(g.precision.Matrix, g.before[m:])
	g.precision.Definite()
	return total()
}

// climb makes steps until the ELBO rises no more.
func (g *globals) climb(total func() float64) {
	const most, enough = 100, 1e-9
	value := total()
	for range most {
		before := value
		if value = g.improve(value, total); !(value-before > enough*(1+math.Abs(value))) {
			return
		}
	}
}

// draw sets phi to a draw from q(φ).
func (g *globals) draw(from density.Stream, phi []float64) {
	t := make([]float64, g.m)
	from.FillNormals(t)
	g.at(t, phi)
}

// beginSample draws columns of which the first is the mean, and the others have the covariance of q exactly
// where there are many. beside is how much lower the standardised mean of each is.
func (g *globals) beginSample(columns int, beside []float64, noise density.Stream) {
	m := g.m
	g.sample = make([]float64, columns*m)
	sample := algebra.NewFactor(m)
	for c := 1; c < columns; c++ {
		t := g.column(c)
		noise.Round(uint64(c - 1))
		noise.FillNormals(t)
		for i := range m {
			for j := range m {
				sample.Matrix[i*m+j] += t[i] * t[j] / float64(columns-1)
			}
		}
	}
	if beside != nil { // the mean is that of column 0
		t := slices.Clone(beside[:m])
		g.precision.Backward(t)
		vec.Sub(m, g.mean, g.mean, t)
	}
	match := columns-1 >= perDimension*m && sample.Definite()
	for c := range columns {
		t := g.column(c)
		if match {
			sample.Forward(t)
		}
		for i := range len(beside) / columns {
			t[i] -= beside[c*m+i] - beside[i]
		}
		g.at(append([]float64(nil), t...), t)
	}
}

func (g *globals) column(c int) []float64 { return g.sample[c*g.m:][:g.m] }

// square is the squared length of φ − mean, standardised, plus beside.
func (g *globals) square(phi, beside []float64) float64 {
	m, squares := g.m, 0.0
	diff := make([]float64, m)
	vec.Sub(m, diff, phi, g.mean)
	for j, x := range beside {
		for i := j; i < m; i++ {
			x += float64(g.precision.Lower[i*m+j] * diff[i])
		}
		squares += float64(x * x)
	}
	return squares
}

func (g *globals) carry(c *backends.Codec) {
	c.Floats(g.mean)
	c.Floats(g.precision.Matrix)
	g.precision.Definite()
}
