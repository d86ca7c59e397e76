package vector

// Products for small dense layers. A layer with k inputs and m outputs over n rows has its inputs X and
// outputs Y stored by columns, so that each unit is a vector over rows: column j of X begins at x[j·xs]. The
// weight from input i to output o is w[i·wk+o·wm]. Calls are fastest for blocks of rows whose X and Y stay in
// the L1 cache: 64 rows for 16 units.

// Dense sets Y = c + X·W; c, one number an output, may be nil for zero. Inputs are added in order, each with
// one rounding.
func Dense(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int, c []float64) {
	switch {
	case m <= 0:
	case k > 0:
		dense(active, n, y, ys, x, xs, w, wk, wm, k, m, c)
	default:
		for o := range m {
			s := 0.0
			if c != nil {
				s = c[o]
			}
			Fill(n, y[o*ys:], s)
		}
	}
}

// DenseAdd adds X·W to Y. With the strides of W exchanged it adds D·Wᵀ: the derivative in the inputs, given
// D, that in the outputs.
func DenseAdd(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int) {
	if k > 0 && m > 0 {
		denseAdd(active, n, y, ys, x, xs, w, wk, wm, k, m)
	}
}

// DenseTanhBack sets Y = (X·W)·(1 - T²), where the last product is elementwise: given X, the derivative in
// the outputs of a layer, it is the derivative in the sums before the tanh of the layer below, whose
// activations T have the layout of Y. It is Dense without constants, then TanhBack, in one pass.
func DenseTanhBack(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int,
	t []float64) {
	switch {
	case m <= 0:
	case k > 0:
		denseTanhBack(active, n, y, ys, x, xs, w, wk, wm, k, m, t)
	default:
		Dense(n, y, ys, x, xs, w, wk, wm, k, m, nil)
	}
}

// DenseGradient adds Xᵀ·D to W: the derivative in the weights, given D, that in the outputs. Each sum has
// eight lanes, as in MatTVecAdd.
func DenseGradient(n int, w []float64, wk, wm int, x []float64, xs int, d []float64, ds, k, m int) {
	if k > 0 && m > 0 {
		denseGradient(active, n, w, wk, wm, x, xs, d, ds, k, m)
	}
}

// ColumnSumsAdd adds the sum of each of m columns to c: the derivative in the constants of a layer. It is
// MatTVecAdd with a vector of ones, for up to 256 rows at a time.
func ColumnSumsAdd(n int, c, d []float64, ds, m int) {
	for from := 0; from < n; from += len(ones) {
		MatTVecAdd(min(len(ones), n-from), c, 1, d[from:], ds, ones[:], m)
	}
}

// ones turns sums into products.
var ones = func() (o [256]float64) {
	for i := range o {
		o[i] = 1
	}
	return o
}()

// DenseTanh sets Y = tanh(c + X·W).
func DenseTanh(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int, c []float64) {
	Dense(n, y, ys, x, xs, w, wk, wm, k, m, c)
	columns(n, y, ys, m, func(n int, y []float64) { Tanh(n, y, y) })
}

// DenseRelu sets Y = max(c + X·W, 0).
func DenseRelu(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int, c []float64) {
	if k > 0 && m > 0 {
		denseRelu(active, n, y, ys, x, xs, w, wk, wm, k, m, c)
		return
	}
	Dense(n, y, ys, x, xs, w, wk, wm, k, m, c)
	columns(n, y, ys, m, func(n int, y []float64) { Relu(n, y, y) })
}

func denseReluGo(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int,
	c []float64) {
	denseGo(n, y, ys, x, xs, w, wk, wm, k, m, c)
	for o := range m {
		column := y[o*ys:][:n]
		reluGo(n, column, column)
	}
}

// columns applies an elementwise function to m columns, in one call where they are contiguous.
func columns(n int, y []float64, ys, m int, apply func(n int, y []float64)) {
	if ys == n {
		apply(n*m, y)
		return
	}
	for o := range m {
		apply(n, y[o*ys:])
	}
}

func denseGo(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int, c []float64) {
	for o := range m {
		s := 0.0
		if c != nil {
			s = c[o]
		}
		fillGo(n, y[o*ys:][:n], s)
	}
	denseAddGo(n, y, ys, x, xs, w, wk, wm, k, m)
}

func denseTanhBackGo(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int,
	t []float64) {
	denseGo(n, y, ys, x, xs, w, wk, wm, k, m, nil)
	for o := range m {
		column := y[o*ys:][:n]
		tanhBackGo(n, column, column, t[o*ys:][:n])
	}
}

func denseAddGo(n int, y []float64, ys int, x []float64, xs int, w []float64, wk, wm, k, m int) {
	for o := range m {
		matVecAddGo(n, y[o*ys:][:n], x, xs, w[o*wm:], wk, k)
	}
}

func denseGradientGo(n int, w []float64, wk, wm int, x []float64, xs int, d []float64, ds, k, m int) {
	for i := range k {
		for o := range m {
			w[i*wk+o*wm] += lanesDot(x[i*xs:][:n], d[o*ds:][:n])
		}
	}
}
