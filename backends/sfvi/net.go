package sfvi

import (
	"math"

	"github.com/vflc/vflc/runtime/rng"
)

// width is the number of units of each of the two hidden layers.
const width = 16

type units = [width]float64

// A net is a multilayer perceptron, inputs–16–16–2 with tanh, applied to n elements alike: (f, h) = net(u). Its parameters are laid out as
// W1 (one row an input), b1, W2 (one row an output unit), b2, W3 (a row for f, a row for h), b3.
type net struct {
	n      int
	in     [][]float64 // in[k][i] is input k of element i
	f, h   []float64   // outputs
	first  []float64   // activations of the first hidden layer, element by element; padded to whole tiles
	second []float64
	across [width * width]float64 // W2 transposed
}

// tile is how many elements share one pass over the gradient of W2.
const tile = 4

func newNet(in [][]float64) *net {
	n := len(in[0])
	padded := (n + tile - 1) / tile * tile
	return &net{
		n: n, in: in, f: make([]float64, n), h: make([]float64, n), first: make([]float64, padded*width), second: make([]float64, padded*width),
	}
}

func (q *net) size() int { return len(q.in)*width + width + width*width + width + 2*width + 2 }

// weights are the parts of a vector of parameters, or of its gradient.
type weights struct {
	w1 []float64
	b1 *units
	w2 *[width * width]float64
	b2 *units
	w3 *[2 * width]float64
	b3 *[2]float64
}

func (q *net) weights(phi []float64) weights {
	at := len(q.in) * width
	w := weights{w1: phi[:at]}
	w.b1 = (*units)(phi[at:])
	w.w2 = (*[width * width]float64)(phi[at+width:])
	w.b2 = (*units)(phi[at+width+width*width:])
	w.w3 = (*[2 * width]float64)(phi[at+2*width+width*width:])
	w.b3 = (*[2]float64)(phi[at+4*width+width*width:])
	return w
}

// start draws the hidden layers so that units differ and none saturates, and makes the last layer zero: f = h = 0.
func (q *net) start(phi []float64, from *rng.Stream) {
	clear(phi)
	w := q.weights(phi)
	from.Normals(w.w1)
	from.Normals(w.w2[:])
	for i := range w.w1 {
		w.w1[i] /= math.Sqrt(float64(len(q.in)))
	}
	for i := range w.w2 {
		w.w2[i] /= math.Sqrt(width)
	}
	for i := range w.b1 {
		w.b1[i] = 2*from.Float64() - 1
	}
}

// forward sets f and h.
func (q *net) forward(phi []float64) {
	w := q.weights(phi)
	const block = 32 // elements whose activations are worked on while they are near
	for from := 0; from < q.n; from += block {
		to := min(from+block, q.n)
		for i := from; i < to; i++ {
			q.firstLayer(&w, i)
		}
		tanhs(q.first[from*width : to*width])
		for i := from; i < to; i++ {
			secondLayer(&w, (*units)(q.first[i*width:]), (*units)(q.second[i*width:]))
		}
		tanhs(q.second[from*width : to*width])
		for i := from; i < to; i++ {
			f, h := w.b3[0], w.b3[1]
			for k, x := range (*units)(q.second[i*width:]) {
				f += w.w3[k] * x
				h += w.w3[width+k] * x
			}
			q.f[i], q.h[i] = f, h
		}
	}
}

func (q *net) firstLayer(w *weights, i int) {
	out := (*units)(q.first[i*width:])
	*out = *w.b1
	for c, in := range q.in {
		u, row := in[i], (*units)(w.w1[c*width:])
		for k := range out {
			out[k] += row[k] * u
		}
	}
}

// secondLayer computes four units at a time, so that an activation is loaded once for four products.
func secondLayer(w *weights, in, out *units) {
	for j := 0; j < width; j += 4 {
		r0, r1, r2, r3 := (*units)(w.w2[j*width:]), (*units)(w.w2[(j+1)*width:]), (*units)(w.w2[(j+2)*width:]), (*units)(w.w2[(j+3)*width:])
		s0, s1, s2, s3 := w.b2[j], w.b2[j+1], w.b2[j+2], w.b2[j+3]
		for k, x := range in {
			s0 += r0[k] * x
			s1 += r1[k] * x
			s2 += r2[k] * x
			s3 += r3[k] * x
		}
		out[j], out[j+1], out[j+2], out[j+3] = s0, s1, s2, s3
	}
}

// seeds are derivatives of one scalar by the outputs: of two scalars in fact, since what the parameters climb and what the input feels differ.
type seeds struct {
	f, h   []float64 // for the parameters
	uf, uh []float64 // for input 0
}

// backward sets grad to the gradient of the parameters, and du to that of input 0, each from its own seeds.
func (q *net) backward(phi []float64, s seeds, grad, du []float64) {
	clear(grad)
	w, g := q.weights(phi), q.weights(grad)
	for j := range width {
		for k := range width {
			q.across[k*width+j] = w.w2[j*width+k]
		}
	}
	var deltas [tile]units
	for from := 0; from < q.n; from += tile {
		for t := range deltas {
			if i := from + t; i < q.n {
				du[i] = q.element(&w, &g, s, i, &deltas[t])
			} else {
				deltas[t] = units{}
			}
		}
		q.outer(&g, from, &deltas)
	}
}

// element carries the seeds of element i back. It adds to every part of g but W2, for which it leaves the delta of the second layer, and
// returns the gradient of input 0.
func (q *net) element(w, g *weights, s seeds, i int, delta *units) float64 {
	var input units // the delta for the input
	f, h, uf, uh := s.f[i], s.h[i], s.uf[i], s.uh[i]
	for k, x := range (*units)(q.second[i*width:]) {
		slope := 1 - x*x
		delta[k] = (w.w3[k]*f + w.w3[width+k]*h) * slope
		input[k] = (w.w3[k]*uf + w.w3[width+k]*uh) * slope
		g.w3[k] += f * x
		g.w3[width+k] += h * x
		g.b2[k] += delta[k]
	}
	g.b3[0] += f
	g.b3[1] += h
	var back units
	du := 0.0
	for k, x := range (*units)(q.first[i*width:]) {
		a, b := 0.0, 0.0
		for j, v := range (*units)(q.across[k*width:]) {
			a += v * delta[j]
			b += v * input[j]
		}
		slope := 1 - x*x
		back[k] = a * slope
		g.b1[k] += back[k]
		du += b * slope * w.w1[k]
	}
	for c, in := range q.in {
		u, row := in[i], (*units)(g.w1[c*width:])
		for k := range row {
			row[k] += back[k] * u
		}
	}
	return du
}

// outer adds Σ delta·activationᵀ over one tile to the gradient of W2.
func (q *net) outer(g *weights, from int, deltas *[tile]units) {
	x0, x1 := (*units)(q.first[from*width:]), (*units)(q.first[(from+1)*width:])
	x2, x3 := (*units)(q.first[(from+2)*width:]), (*units)(q.first[(from+3)*width:])
	for j := range width {
		d0, d1, d2, d3 := deltas[0][j], deltas[1][j], deltas[2][j], deltas[3][j]
		row := (*units)(g.w2[j*width:])
		for k := range row {
			row[k] += d0*x0[k] + d1*x1[k] + d2*x2[k] + d3*x3[k]
		}
	}
}
