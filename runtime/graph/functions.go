package graph

import "github.com/vflc/vflc/runtime/kernel"

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
	{"exp", kernel.Exp, func(n int, t, dy, _, y []float64) { kernel.Mul(n, t, dy, y) }, false},
	{"expm1", kernel.Expm1, func(n int, t, dy, _, y []float64) { kernel.FMA(n, t, dy, y, dy) }, false},
	{"log", kernel.Log, func(n int, t, dy, x, _ []float64) { kernel.Div(n, t, dy, x) }, false},
	{"log1p", kernel.Log1p, func(n int, t, dy, x, _ []float64) {
		kernel.AddScalar(n, t, x, 1)
		kernel.Div(n, t, dy, t)
	}, false},
	{"sqrt", kernel.Sqrt, func(n int, t, dy, _, y []float64) {
		kernel.Div(n, t, dy, y)
		kernel.Scale(n, t, t, 0.5)
	}, false},
	{"square", func(n int, y, x []float64) { kernel.Mul(n, y, x, x) }, func(n int, t, dy, x, _ []float64) {
		kernel.Mul(n, t, dy, x)
		kernel.Scale(n, t, t, 2)
	}, false},
	{"inv_logit", kernel.Sigmoid, func(n int, t, dy, _, y []float64) { kernel.SigmoidBack(n, t, dy, y) }, true},
	{"tanh", kernel.Tanh, func(n int, t, dy, _, y []float64) { kernel.TanhBack(n, t, dy, y) }, true},
	{"relu", kernel.Relu, func(n int, t, dy, _, y []float64) { kernel.ReluBack(n, t, dy, y) }, true},
	{"softplus", kernel.Log1pExp, func(n int, t, dy, x, _ []float64) {
		kernel.Sigmoid(n, t, x)
		kernel.Mul(n, t, t, dy)
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
