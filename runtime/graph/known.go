package graph

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/stdlib/linear"
)

// mostStretched bounds the condition of a Cholesky factor whose inverse is used: products with it are then
// exact to ten digits.
const mostStretched = 1e6

// knownScatter writes the normal density of vectors whose scatter is data, or data times a number, as that of
// independent numbers: with Sigma = s²LLᵀ those are z = L⁻¹(x - mu)/s. The inverse is found once.
func (b *Builder) knownScatter(term string, d *def.Dist, x ID, theta []ID, weights ID, power float64) bool {
	shape := b.nodes[x].shape
	if b.plain || d.Event.Scatter == def.NotNormal || weights != NoID || len(shape) < 1 || len(shape) > 2 {
		return false
	}
	number, matrix := b.timesMatrix(theta[1])
	k := shape[len(shape)-1]
	if matrix == nil || len(matrix) != k*k || number != NoID && !b.surelyPositive(number) {
		return false
	}
	root, logRoot, ok := whitening(d.Event.Scatter, matrix, k)
	if !ok {
		return false
	}
	z, err := b.whitened(b.Const("", Shape{k, k}, root), x, theta[0])
	if err != nil || !b.nodes[z].shape.equal(shape) {
		return false
	}
	times := float64(shape.Len() / k)
	b.constantPart(term, power*times*(logRoot-float64(float64(k)*halfLogTwoPi)))
	if number != NoID {
		half := 1.0
		switch d.Event.Scatter {
		case def.ByFactor:
			z = b.must("div", z, number)
		case def.ByCovariance:
			z, half = b.must("div", z, b.must("sqrt", number)), 0.5
		case def.ByPrecision:
			z, half = b.must("mul", z, b.must("sqrt", number)), -0.5
		}
		b.sum(term, b.must("log", number), -power*times*float64(float64(k)*half))
	}
	b.sum(term, b.must("mul", z, z), -0.5*power)
	return true
}

// sum is Add of what cannot be refused.
func (b *Builder) sum(term string, id ID, power float64) {
	if err := b.Add(term, id, power); err != nil {
		panic("graph: " + err.Error())
	}
}

// timesMatrix divides a matrix into a number, NoID for 1, and data; nil where it is not such a product.
func (b *Builder) timesMatrix(id ID) (number ID, matrix []float64) {
	number = NoID
	for {
		n := &b.nodes[id]
		if n.kind == constant && len(n.shape) == 2 {
			return number, n.values
		}
		if n.op != opMul && n.op != opDiv || len(n.shape) != 2 {
			return NoID, nil
		}
		by := n.in[1]
		if id = n.in[0]; n.op == opMul && len(b.nodes[id].shape) != 2 {
			by, id = id, by
		}
		switch {
		case len(b.nodes[by].shape) != 0:
			return NoID, nil
		case number != NoID:
			number = b.must(n.op.name, number, by)
		case n.op == opDiv:
			number = b.must("inv", by)
		default:
			number = by
		}
	}
}

// whitening returns, of a normal distribution with this scatter, the matrix A with which A(x - mu) is
// standard normal, by columns, and log|A|. It reports false where there is none, or products with it may lose
// more than six digits.
func whitening(of def.Scatter, scatter []float64, k int) (a []float64, logDet float64, ok bool) {
	l := make([]float64, k*k)
	if of == def.ByFactor {
		copy(l, scatter)
		ok = linear.CholeskyFactor(l, k)
	} else {
		ok = linear.Symmetric(scatter, k) && matrixProducts.Cholesky(l, scatter, k)
	}
	if !ok {
		return nil, 0, false
	}
	a = make([]float64, k*k)
	if of == def.ByPrecision {
		for j := range k {
			for i := range k {
				a[i*k+j] = l[j*k+i]
			}
		}
		return a, linear.LogDiagonal(l, k), true
	}
	for j := range k {
		a[j*k+j] = 1
		linear.SolveLower(a[j*k:][:k], l, k)
	}
	return a, -linear.LogDiagonal(l, k), largestRow(a, k)*largestRow(l, k) <= mostStretched
}

// largestRow is the largest sum of the absolute values of a row.
func largestRow(a []float64, k int) float64 {
	largest := 0.0
	for i := range k {
		sum := 0.0
		for j := range k {
			sum += math.Abs(a[j*k+i])
		}
		largest = max(largest, sum)
	}
	return largest
}

// whitened is A(x - mu), of each row of a matrix x.
func (b *Builder) whitened(a, x, mu ID) (ID, error) {
	off, err := b.Apply("sub", Attr{}, x, mu)
	if err != nil {
		return NoID, err
	}
	if len(b.nodes[off].shape) == 1 {
		return b.Apply("matmul", Attr{}, a, off)
	}
	return b.Apply("matmul", Attr{}, off, b.must("transpose", a))
}
