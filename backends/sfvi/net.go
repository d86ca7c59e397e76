package sfvi

import (
	"math"

	"github.com/vflc/vflc/density"

	vec "github.com/vflc/vflc/runtime/vector"
)

// width is the number of units of each of the two hidden layers.
const width = 16

// rows is how many elements go through all layers together: their activations and deltas stay in the first
// cache.
const rows = 64

// A net is a multilayer perceptron, inputs–16–16–2 with tanh, applied to n elements alike: (f, h) = net(u).
// Its parameters are laid out as W1 (one row an input), b1, W2 (one row an output unit), b2, W3 (a row for f,
// a row for h), b3.
//
// Activations are kept tile by tile: those of the elements from to to (to − from ≤ rows) begin at from·width,
// unit after unit. A net that keeps none but those of the latest tile computes them again on the way back, to
// the same bits.
type net struct {
	n      int
	again  bool
	in     [][]float64 // in[k][i] is input k of element i
	out    []float64   // f of all elements, then h
	first  []float64   // activations of the first hidden layer
	second []float64
	delta  [2][]float64 // of one tile: of the layer above, and of that below
}

// newNet makes a net that computes activations again, or keeps them.
func newNet(in [][]float64, again bool) *net {
	n := len(in[0])
	kept := n
	if again {
		kept = min(n, rows)
	}
	v := make([]float64, (2*kept+2*rows)*width)
	q := &net{n: n, again: again, in: in, out: make([]float64, 2*n), first: v[:kept*width],
		second: v[kept*width : 2*kept*width]}
	q.delta[0], q.delta[1] = v[2*kept*width:][:rows*width], v[(2*kept+rows)*width:]
	return q
}

func (q *net) size() int { return len(q.in)*width + width + width*width + width + 2*width + 2 }

// weights are the parts of a vector of parameters, or of its gradient.
type weights struct {
	w1 []float64
	b1 []float64
	w2 []float64
	b2 []float64
	w3 []float64
	b3 []float64
}

func (q *net) weights(phi []float64) weights {
	cut := func(n int) []float64 {
		part := phi[:n:n]
		phi = phi[n:]
		return part
	}
	return weights{w1: cut(len(q.in) * width), b1: cut(width), w2: cut(width * width), b2: cut(width),
		w3: cut(2 * width), b3: cut(2)}
}

// start draws the hidden layers so that units differ and none saturates, and makes the last layer zero: f = h
// = 0.
func (q *net) start(phi []float64, from density.Stream) {
	clear(phi)
	w := q.weights(phi)
	from.Normals(w.w1)
	from.Normals(w.w2)
	for i := range w.w1 {
		w.w1[i] /= math.Sqrt(float64(len(q.in)))
	}
	for i := range w.w2 {
		w.w2[i] /= math.Sqrt(width)
	}
	for i := range w.b1 {
		w.b1[i] = float64(2*from.Float64()) - 1
	}
}

// A tile is m elements from number from on.
type tile struct{ from, m int }

// tile returns the tile that begins at an element.
func (q *net) tile(from int) tile { return tile{from, min(rows, q.n-from)} }

// activations are those of the units of both hidden layers in a tile.
func (q *net) activations(b tile) (first, second []float64) {
	at := b.from * width
	if q.again {
		at = 0
	}
	return q.first[at:][:b.m*width], q.second[at:][:b.m*width]
}

// forward sets the outputs.
func (q *net) forward(phi []float64) {
	w := q.weights(phi)
	for from := 0; from < q.n; from += rows {
		b := q.tile(from)
		q.hidden(b, &w)
		_, two := q.activations(b)
		vec.Dense(b.m, q.out[from:], q.n, two, b.m, w.w3, 1, width, width, 2, w.b3)
	}
}

// hidden sets the activations of a tile.
func (q *net) hidden(b tile, w *weights) {
	m := b.m
	one, two := q.activations(b)
	vec.Dense(m, one, m, q.in[0][b.from:], 0, w.w1, 0, 1, 1, width, w.b1)
	for c, in := range q.in[1:] {
		vec.DenseAdd(m, one, m, in[b.from:], 0, w.w1[(c+1)*width:], 0, 1, 1, width)
	}
	vec.Tanh(len(one), one, one)
	vec.DenseTanh(m, two, m, one, m, w.w2, 1, width, width, width, w.b2)
}

// backward sets grad to the gradient of the parameters and du to that of input 0, each from seeds of its own,
// derivatives by f of all elements and then by h: the gradients by parameters and by the input have different
// seeds.
func (q *net) backward(phi, seeds, inputSeeds, grad, du []float64) {
	clear(grad)
	w, g := q.weights(phi), q.weights(grad)
	for from := 0; from < q.n; from += rows {
		b := q.tile(from)
		if q.again {
			q.hidden(b, &w)
		}
		q.parameterGradient(b, &w, &g, seeds)
		q.inputGradient(b, &w, inputSeeds, du)
	}
}

// parameterGradient adds what a tile gives to the gradient of the parameters.
func (q *net) parameterGradient(b tile, w, g *weights, seeds []float64) {
	m := b.m
	one, two := q.activations(b)
	seeds = seeds[b.from:]
	vec.DenseGradient(m, g.w3, 1, width, two, m, seeds, q.n, width, 2)
	vec.ColumnSumsAdd(m, g.b3, seeds, q.n, 2)
	upper, lower := q.backpropagate(b, w, seeds)
	vec.DenseGradient(m, g.w2, 1, width, one, m, upper, m, width, width)
	vec.ColumnSumsAdd(m, g.b2, upper, m, width)
	for c, in := range q.in {
		vec.DenseGradient(m, g.w1[c*width:], 0, 1, in[b.from:], 0, lower, m, 1, width)
	}
	vec.ColumnSumsAdd(m, g.b1, lower, m, width)
}

// inputGradient sets du for a tile.
func (q *net) inputGradient(b tile, w *weights, seeds, du []float64) {
	_, lower := q.backpropagate(b, w, seeds[b.from:])
	vec.Dense(b.m, du[b.from:], 0, lower, b.m, w.w1, 1, 0, width, 1, nil)
}

// backpropagate takes seeds on the outputs back to the sums before the tanh of either layer.
func (q *net) backpropagate(b tile, w *weights, seeds []float64) (upper, lower []float64) {
	m := b.m
	one, two := q.activations(b)
	upper, lower = q.delta[0][:m*width], q.delta[1][:m*width]
	vec.DenseTanhBack(m, upper, m, seeds, q.n, w.w3, width, 1, 2, width, two)
	vec.DenseTanhBack(m, lower, m, upper, m, w.w2, width, 1, width, width, one)
	return upper, lower
}
