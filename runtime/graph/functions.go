package graph

import (
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// A vectorFunc computes an elementwise function of the standard library by vector functions. back sets t,
// which may not be another argument, to dy·f'(x) given y = f(x).
type vectorFunc struct {
	forward func(n int, y, x []float64)
	back    func(n int, t, dy, x, y []float64)
	// fromValue is true where back does not read x.
	fromValue bool
}

// vectorFuncs holds the functions that have a vector form; the others run element by element. A test compares
// both.
var vectorFuncs = [...]*vectorFunc{
	def.ExpLoop:   {vector.Exp, func(n int, t, dy, _, y []float64) { vector.Mul(n, t, dy, y) }, false},
	def.Expm1Loop: {vector.Expm1, func(n int, t, dy, _, y []float64) { vector.FMA(n, t, dy, y, dy) }, false},
	def.LogLoop:   {vector.Log, func(n int, t, dy, x, _ []float64) { vector.Div(n, t, dy, x) }, false},
	def.Log1pLoop: {vector.Log1p, func(n int, t, dy, x, _ []float64) {
		vector.AddScalar(n, t, x, 1)
		vector.Div(n, t, dy, t)
	}, false},
	def.Log1mLoop: {func(n int, y, x []float64) {
		vector.Scale(n, y, x, -1)
		vector.Log1p(n, y, y)
	}, func(n int, t, dy, x, _ []float64) {
		vector.AddScalar(n, t, x, -1)
		vector.Div(n, t, dy, t)
	}, false},
	def.Log1mExpLoop: {vector.Log1mExp, func(n int, t, dy, x, _ []float64) {
		vector.Neg(n, t, x)
		vector.Expm1(n, t, t)
		vector.Neg(n, t, t)
		vector.Div(n, t, dy, t)
	}, false},
	def.SqrtLoop: {vector.Sqrt, func(n int, t, dy, _, y []float64) {
		vector.Div(n, t, dy, y)
		vector.Scale(n, t, t, 0.5)
	}, false},
	def.SquareLoop: {func(n int, y, x []float64) {
		vector.Mul(n, y, x, x)
	}, func(n int, t, dy, x, _ []float64) {
		vector.Mul(n, t, dy, x)
		vector.Scale(n, t, t, 2)
	}, false},
	def.InvLogitLoop: {vector.Sigmoid, func(n int, t, dy, _, y []float64) {
		vector.SigmoidBack(n, t, dy, y)
	}, true},
	def.TanhLoop: {vector.Tanh, func(n int, t, dy, _, y []float64) {
		vector.TanhBack(n, t, dy, y)
	}, true},
	def.ReluLoop: {vector.Relu, func(n int, t, dy, _, y []float64) {
		vector.ReluBack(n, t, dy, y)
	}, true},
	def.LgammaLoop: {vector.Lgamma, func(n int, t, dy, x, _ []float64) {
		vector.Digamma(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
	def.LogPhiLoop: {vector.LogPhi, func(n int, t, dy, x, _ []float64) {
		vector.LogPhiSlope(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
	def.SinLoop: {vector.Sin, func(n int, t, dy, x, _ []float64) {
		vector.Cos(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
	def.CosLoop: {vector.Cos, func(n int, t, dy, x, _ []float64) {
		vector.Sin(n, t, x)
		vector.Mul(n, t, t, dy)
		vector.Neg(n, t, t)
	}, false},
	def.SoftplusLoop: {vector.Log1pExp, func(n int, t, dy, x, _ []float64) {
		vector.Sigmoid(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
}
