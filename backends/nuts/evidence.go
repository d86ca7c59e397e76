package nuts

import (
	"math"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/stdlib/linear"
)

// leastInformed is how many draws tell what data say of an effect, if any do.
const leastInformed = 10

// evidence has weighted moments, over draws, of effects v and of the derivatives of the log likelihood by
// them.
type evidence struct {
	v, slope, weight  []float64
	weights           []float64 // summed
	means             [2][]float64
	squares, products []float64 // of deviations
	precision         []float64 // h
}

func newEvidence(n int) evidence {
	v := make([]float64, 9*n)
	next := func() []float64 { m := v[:n:n]; v = v[n:]; return m }
	return evidence{next(), next(), next(), next(), [2][]float64{next(), next()}, next(), next(), next()}
}

// renewals is how often the weights of draws are renewed by the precision that was found.
const renewals = 2

// inform sets the anchors in c.at of effects that can be density.Informed, from the newest n draws: the
// weighted least-squares line through the derivatives of the log likelihood by an effect is that of a normal
// density with precision h. Where it rises data say nothing.
//
// A draw weighs as much as the effect can vary where its scale s is: 1/(1/s² + h). By s² alone few draws of a
// large scale would outweigh all others.
func (c *centring) inform(n int) {
	e := &c.evidence
	clear(e.precision)
	for range 1 + renewals {
		c.regress(n)
		for j, squares := range e.squares {
			h := -e.products[j] / squares
			if !(h > 0) || !finite(h) || n < leastInformed {
				h = 0
			}
			e.precision[j] = h
		}
	}
	anchors, j := c.at[len(c.effects):], 0
	for _, of := range c.effects {
		if of.Vector > 0 {
			c.informVectors(of, j, n, anchors)
			j += of.Len
		} else if !of.Anchored && of.Terms == nil {
			for i := range of.Len {
				h := e.precision[j]
				pull := float64(h*e.means[0][j]) + e.means[1][j]
				if h == 0 || !finite(pull) {
					h, pull = 0, 0
				}
				anchors[i], anchors[of.Len+i] = h, pull
				j++
			}
		}
		anchors = anchors[of.Anchors():]
	}
}

// informVectors sets the anchors of vectors, whose elements begin at from in the evidence: data tell of the
// elements of one together, by the regression of the derivatives on all of them over the newest n draws. Few
// draws tell of each element by itself.
func (c *centring) informVectors(of density.Effects, from, n int, anchors []float64) {
	e, k := &c.evidence, of.Vector
	vectors, squares := of.Len/k, k*k
	moments, products := make([]float64, of.Len*k), make([]float64, of.Len*k) // by vectors
	for i := range n {
		q, g := c.kept.newest(n - i)
		c.from.Evidence(q, g, e.v, e.slope, e.weight)
		for j := range vectors {
			for a := range k {
				at := from + j + vectors*a
				d, by := e.v[at]-e.means[0][at], e.slope[at]-e.means[1][at]
				for b := range k {
					other := from + j + vectors*b
					moments[squares*j+k*a+b] += float64(d * (e.v[other] - e.means[0][other]))
					products[squares*j+k*a+b] += float64(by * (e.v[other] - e.means[0][other]))
				}
			}
		}
	}
	for j := range vectors {
		h := told(moments[squares*j:][:squares], products[squares*j:][:squares], k)
		if h == nil || n < leastInformed*k {
			h = make([]float64, squares)
			for a := range k {
				h[(k+1)*a] = e.precision[from+j+vectors*a]
			}
		}
		for a := range k {
			at := from + j + vectors*a
			pull := e.means[1][at]
			for b := range k {
				anchors[j+vectors*(a+k*b)] = h[k*a+b]
				pull += float64(h[k*a+b] * e.means[0][from+j+vectors*b])
			}
			anchors[of.Len*k+j+vectors*a] = pull
		}
	}
	if slices.ContainsFunc(anchors[:of.Anchors()], func(v float64) bool { return !finite(v) }) {
		clear(anchors[:of.Anchors()])
	}
}

// told returns the precision matrix that k derivatives tell of as many elements, with the moments of these
// and the products of derivatives with them: symmetric, and without negative eigenvalues in units of the
// spread of each. It is nil where the moments have no inverse.
func told(moments, products []float64, k int) []float64 {
	h, root, spread := make([]float64, k*k), make([]float64, k*k), make([]float64, k)
	for a := range k {
		spread[a] = math.Sqrt(moments[(k+1)*a])
	}
	for a := range k {
		for b := range k {
			root[k*a+b] = moments[k*a+b] / spread[a] / spread[b]
		}
		root[(k+1)*a] += ridged
	}
	if !linear.Cholesky(root, root, k) {
		return nil
	}
	line := make([]float64, k)
	for a := range k {
		for b := range k {
			line[b] = -0.5 * products[k*a+b] * spread[a] / spread[b]
		}
		linear.SolveLower(line, root, k)
		linear.SolveUpper(line, root, k)
		for b, v := range line {
			h[k*a+b] += v
			h[k*b+a] += v
		}
	}
	if h = nonnegative(h, k); h == nil {
		return nil
	}
	for a := range k {
		for b := range k {
			h[k*a+b] /= float64(spread[a] * spread[b])
		}
	}
	return h
}

// regress sets the moments of effects and derivatives over the newest n draws.
func (c *centring) regress(n int) {
	e := &c.evidence
	for _, v := range [][]float64{e.weights, e.means[0], e.means[1], e.squares, e.products} {
		clear(v)
	}
	for i := range n {
		q, g := c.kept.newest(n - i)
		c.from.Evidence(q, g, e.v, e.slope, e.weight)
		for j, v := range e.v {
			w := e.weight[j]
			if w == 0 { // the scale is less than any number
				continue
			}
			w /= 1 + float64(w*e.precision[j])
			e.weights[j] += w
			share := w / e.weights[j]
			d, by := v-e.means[0][j], e.slope[j]-e.means[1][j]
			e.means[0][j] += float64(d * share)
			e.means[1][j] += float64(by * share)
			left := w * (v - e.means[0][j])
			e.squares[j] += float64(d * left)
			e.products[j] += float64(by * left)
		}
	}
}

// informative reports whether the anchors of effects k say anything of them.
func (c *centring) informative(k int) bool {
	anchors := c.at[len(c.effects):]
	for _, e := range c.effects[:k] {
		anchors = anchors[e.Anchors():]
	}
	return slices.ContainsFunc(anchors[:c.effects[k].Anchors()], func(v float64) bool { return v != 0 })
}
