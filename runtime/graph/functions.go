package graph

import "github.com/vflc/vflc/runtime/vector"

// A funcKernel is an elementwise function of the standard library by vector kernels. back sets t, which may not be another argument, to dy·f'(x) given y = f(x).
type funcKernel struct {
	name    string
	forward func(n int, y, x []float64)
	back    func(n int, t, dy, x, y []float64)
	// fromValue says that back does not read x.
	fromValue bool
}

// funcKernels lists the functions that have vector kernels; the others run by their own loops. A test holds both to the same values.
var funcKernels = []*funcKernel{
	{"exp", vector.Exp, func(n int, t, dy, _, y []float64) { vector.Mul(n, t, dy, y) }, false},
	{"expm1", vector.Expm1, func(n int, t, dy, _, y []float64) { vector.FMA(n, t, dy, y, dy) }, false},
	{"log", vector.Log, func(n int, t, dy, x, _ []float64) { vector.Div(n, t, dy, x) }, false},
	{"log1p", vector.Log1p, func(n int, t, dy, x, _ []float64) {
		vector.AddScalar(n, t, x, 1)
		vector.Div(n, t, dy, t)
	}, false},
	{"sqrt", vector.Sqrt, func(n int, t, dy, _, y []float64) {
		vector.Div(n, t, dy, y)
		vector.Scale(n, t, t, 0.5)
	}, false},
	{"square", func(n int, y, x []float64) { vector.Mul(n, y, x, x) }, func(n int, t, dy, x, _ []float64) {
		vector.Mul(n, t, dy, x)
		vector.Scale(n, t, t, 2)
	}, false},
	{"inv_logit", vector.Sigmoid, func(n int, t, dy, _, y []float64) { vector.SigmoidBack(n, t, dy, y) }, true},
	{"tanh", vector.Tanh, func(n int, t, dy, _, y []float64) { vector.TanhBack(n, t, dy, y) }, true},
	{"relu", vector.Relu, func(n int, t, dy, _, y []float64) { vector.ReluBack(n, t, dy, y) }, true},
	{"softplus", vector.Log1pExp, func(n int, t, dy, x, _ []float64) {
		vector.Sigmoid(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
}

// kernelOf is the vector kernel of a function, nil if it has none.
func kernelOf(name string) *funcKernel {
	for _, k := range funcKernels {
		if k.name == name {
			return k
		}
	}
	return nil
}
