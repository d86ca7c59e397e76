package graph

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
	"github.com/vflc/vflc/stdlib/def"
)

// A vectorFunc computes an elementwise function of the standard library by vector functions. back sets t,
// which may not be another argument, to dy·f'(x) given y = f(x), with s for what it needs meanwhile.
type vectorFunc struct {
	// forward is nil where values are computed one by one, by the function of the library.
	forward func(n int, y, x []float64)
	back    func(n int, t, s, dy, x, y []float64)
	// fromValue is true where back does not read x, and needs no s.
	fromValue bool
}

// vectorFuncs holds the functions that have a vector form; the others run element by element. A test compares
// both.
var vectorFuncs = [...]*vectorFunc{
	def.AbsLoop: {func(n int, y, x []float64) {
		y = y[:n]
		for i := range y {
			y[i] = math.Abs(x[i])
		}
	}, func(n int, t, s, dy, x, _ []float64) {
		vector.Neg(n, s, x)
		vector.ReluBack(n, s, dy, s)
		vector.ReluBack(n, t, dy, x)
		vector.Sub(n, t, t, s)
	}, false},
	def.ExpLoop: {vector.Exp, func(n int, t, _, dy, _, y []float64) {
		vector.Weight(n, t, y, dy) // what nothing depends on has no slope, even where y is infinite
	}, false},
	def.Expm1Loop: {vector.Expm1, func(n int, t, _, dy, _, y []float64) {
		vector.FMA(n, t, dy, y, dy)
	}, false},
	def.LogLoop: {vector.Log, func(n int, t, _, dy, x, _ []float64) { vector.Div(n, t, dy, x) }, false},
	def.Log1pLoop: {vector.Log1p, func(n int, t, _, dy, x, _ []float64) {
		vector.AddScalar(n, t, x, 1)
		vector.Div(n, t, dy, t)
	}, false},
	def.Log1mLoop: {func(n int, y, x []float64) {
		vector.Scale(n, y, x, -1)
		vector.Log1p(n, y, y)
	}, func(n int, t, _, dy, x, _ []float64) {
		vector.AddScalar(n, t, x, -1)
		vector.Div(n, t, dy, t)
	}, false},
	def.SqrtLoop: {vector.Sqrt, func(n int, t, _, dy, _, y []float64) {
		vector.Div(n, t, dy, y)
		vector.Scale(n, t, t, 0.5)
	}, false},
	def.SquareLoop: {func(n int, y, x []float64) {
		vector.Mul(n, y, x, x)
	}, func(n int, t, _, dy, x, _ []float64) {
		vector.Mul(n, t, dy, x)
		vector.Scale(n, t, t, 2)
	}, false},
	def.InvLogitLoop: {vector.Sigmoid, func(n int, t, _, dy, _, y []float64) {
		vector.SigmoidBack(n, t, dy, y)
	}, true},
	def.TanhLoop: {vector.Tanh, func(n int, t, _, dy, _, y []float64) {
		vector.TanhBack(n, t, dy, y)
	}, true},
	def.ReluLoop: {vector.Relu, func(n int, t, _, dy, _, y []float64) {
		vector.ReluBack(n, t, dy, y)
	}, true},
	def.LgammaLoop: {vector.Lgamma, func(n int, t, _, dy, x, _ []float64) {
		vector.Digamma(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
	def.LogPhiLoop: {vector.LogPhi, func(n int, t, _, dy, x, _ []float64) {
		vector.LogPhiSlope(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
	def.SinLoop: {vector.Sin, func(n int, t, _, dy, x, _ []float64) {
		vector.Cos(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
	def.CosLoop: {vector.Cos, func(n int, t, _, dy, x, _ []float64) {
		vector.Sin(n, t, x)
		vector.Mul(n, t, t, dy)
		vector.Neg(n, t, t)
	}, false},
	def.SoftplusLoop: {vector.Log1pExp, func(n int, t, _, dy, x, _ []float64) {
		vector.Sigmoid(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
	def.LogInvLogitLoop: {func(n int, y, x []float64) {
		vector.Neg(n, y, x)
		vector.Log1pExp(n, y, y)
		vector.Neg(n, y, y)
	}, func(n int, t, _, dy, x, _ []float64) {
		vector.Neg(n, t, x)
		vector.Sigmoid(n, t, t)
		vector.Mul(n, t, t, dy)
	}, false},
	def.Log1mInvLogitLoop: {func(n int, y, x []float64) {
		vector.Log1pExp(n, y, x)
		vector.Neg(n, y, y)
	}, func(n int, t, _, dy, x, _ []float64) {
		vector.Sigmoid(n, t, x)
		vector.Mul(n, t, t, dy)
		vector.Neg(n, t, t)
	}, false},
	def.Log1mExpLoop: {func(n int, y, x []float64) { vector.Log1mExp(n, y, nil, x) },
		func(n int, t, _, dy, _, y []float64) { // the slope is 1 - e^-y
			vector.Neg(n, t, y)
			vector.Expm1(n, t, t)
			vector.Weight(n, t, t, dy) // a branch of where that is not taken gives 0
			vector.Neg(n, t, t)
		}, false},
	def.LogitLoop: {func(n int, y, x []float64) {
		vector.SubFrom(n, y, 1, x)
		vector.Div(n, y, x, y)
		vector.Log(n, y, y)
	}, func(n int, t, _, dy, x, _ []float64) {
		vector.SubFrom(n, t, 1, x)
		vector.Mul(n, t, t, x)
		vector.Div(n, t, dy, t)
	}, false},
	def.InvLoop: {func(n int, y, x []float64) { vector.DivInto(n, y, 1, x) },
		func(n int, t, _, dy, _, y []float64) {
			vector.Mul(n, t, y, y)
			vector.Mul(n, t, t, dy)
			vector.Neg(n, t, t)
		}, false},
	def.CloglogLoop: {func(n int, y, x []float64) {
		vector.Neg(n, y, x)
		vector.Log1p(n, y, y)
		vector.Neg(n, y, y)
		vector.Log(n, y, y)
	}, func(n int, t, s, dy, x, _ []float64) {
		vector.Neg(n, t, x)
		vector.Log1p(n, t, t)
		vector.AddScalar(n, s, x, -1)
		vector.Mul(n, t, t, s)
		vector.Div(n, t, dy, t)
	}, false},
	def.InvCloglogLoop: {func(n int, y, x []float64) {
		vector.Exp(n, y, x)
		vector.Neg(n, y, y)
		vector.Expm1(n, y, y)
		vector.Neg(n, y, y)
	}, func(n int, t, _, dy, x, _ []float64) {
		vector.Exp(n, t, x)
		vector.Sub(n, t, x, t)
		vector.Exp(n, t, t)
		vector.Mul(n, t, t, dy)
	}, false},
	def.PhiApproxLoop: {func(n int, y, x []float64) {
		cubic(n, y, x)
		vector.Sigmoid(n, y, y)
	}, func(n int, t, s, dy, x, y []float64) {
		cubic(n, s, x)
		vector.Neg(n, s, s)
		vector.Sigmoid(n, s, s)
		vector.Scale(n, t, x, 3*phiCubic)
		vector.Mul(n, t, t, x)
		vector.AddScalar(n, t, t, phiLinear)
		vector.Mul(n, t, t, y)
		vector.Mul(n, t, t, s)
		vector.Mul(n, t, t, dy)
	}, false},
	def.PhiLoop: {vector.Phi, func(n int, t, _, dy, x, y []float64) {
		vector.LogPhiSlope(n, t, x)
		vector.Weight(n, t, t, y) // the density
		vector.Mul(n, t, t, dy)
	}, false},
	def.GeluLoop: {func(n int, y, x []float64) {
		vector.Phi(n, y, x)
		vector.Weight(n, y, y, x)
	}, func(n int, t, s, dy, x, _ []float64) {
		vector.PhiAndSlope(n, t, s, x)
		vector.Weight(n, s, s, t) // the density
		vector.Mul(n, s, s, x)
		vector.Add(n, t, t, s)
		vector.Mul(n, t, t, dy)
	}, false},
	def.AtanLoop:       {arctangent, arctangentBack, false},
	def.AsinLoop:       {arcsine, arcsineBack(1), false},
	def.AcosLoop:       {arccosine, arcsineBack(-1), false},
	def.ErfLoop:        {nil, errorBack, false},
	def.InvPhiLoop:     {nil, inverseNormalBack, false},
	def.HalfNormalLoop: {logHalfNormal, logHalfNormalBack, false},
	def.BesselLoop:     {logBesselI0, logBesselI0Back, false},
	def.Log2Loop:       logToBase(math.Log2E, portable.Log2),
	def.Log10Loop:      logToBase(math.Log10E, portable.Log10),
	def.CauchyLoop:     {logCauchy, cauchyBack(1), false},
	def.HalfCauchyLoop: {logHalfCauchy, cauchyBack(2), false},
}

// The polynomial of Phi_approx.
const phiCubic, phiLinear = 0.07056, 1.5976

func cubic(n int, y, x []float64) {
	vector.Scale(n, y, x, phiCubic)
	vector.Mul(n, y, y, x)
	vector.AddScalar(n, y, y, phiLinear)
	vector.Mul(n, y, y, x)
}
