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
	def.PhiLoop: {normalDistribution, func(n int, t, _, dy, x, _ []float64) {
		normalDensity(n, t, x)
		vector.Mul(n, t, t, dy)
	}, false},
	def.GeluLoop: {func(n int, y, x []float64) {
		normalDistribution(n, y, x)
		vector.Weight(n, y, y, x)
	}, func(n int, t, s, dy, x, _ []float64) {
		normalDensity(n, s, x)
		vector.Mul(n, s, s, x)
		normalDistribution(n, t, x)
		vector.Add(n, t, t, s)
		vector.Mul(n, t, t, dy)
	}, false},
	def.Log1pRatioLoop: {func(n int, y, x []float64) {
		vector.Log1p(n, y, x)
		vector.Div(n, y, y, x)
		for i, w := range x[:n] {
			switch {
			case w == 0:
				y[i] = 1
			case w <= -1:
				y[i] = 0
			}
		}
	}, func(n int, t, s, dy, x, y []float64) {
		log1pRatioSlope(n, t, s, x, y)
		vector.Mul(n, t, t, dy)
	}, false},
	def.AtanLoop:       {arctangent, arctangentBack, false},
	def.AsinLoop:       {arcsine, arcsineBack(1), false},
	def.AcosLoop:       {arccosine, arcsineBack(-1), false},
	def.ErfLoop:        {nil, errorBack, false},
	def.InvPhiLoop:     {nil, inverseNormalBack, false},
	def.Log2Loop:       logToBase(math.Log2E, portable.Log2),
	def.Log10Loop:      logToBase(math.Log10E, portable.Log10),
	def.CauchyLoop:     {logCauchy, cauchyBack(1), false},
	def.HalfCauchyLoop: {logHalfCauchy, cauchyBack(2), false},
}

// lowestPhi is the argument from which Phi is exp(log_Phi), whose error grows with |log_Phi|.
const lowestPhi = -1.5

func normalDistribution(n int, y, x []float64) {
	vector.LogPhi(n, y, x)
	vector.Exp(n, y, y)
	for i, v := range x[:n] {
		if !(v >= lowestPhi) {
			y[i] = portable.Phi(v)
		}
	}
}

// normalDensity is exp(-x²/2)/√(2π), by the function of one number where a rounding of x² would show.
func normalDensity(n int, t, x []float64) {
	vector.Mul(n, t, x, x)
	vector.Scale(n, t, t, -0.5)
	vector.Exp(n, t, t)
	vector.Scale(n, t, t, perRootTwoPi)
	for i, v := range x[:n] {
		if !(math.Abs(v) <= 2) {
			t[i] = portable.NormalDensity(v)
		}
	}
}

const perRootTwoPi = 0.39894228040143267793994605993438

// seriesWithin is the |w| within which the slope of log(1 + w)/w is a series, since its terms cancel: with
// v = w/(2 + w) the function is 2 atanh(v)/w.
const seriesWithin = 0.3

// slopeSeries has k/(2k + 1), from k = 11 to 1.
var slopeSeries = [...]float64{11. / 23, 10. / 21, 9. / 19, 8. / 17, 7. / 15, 6. / 13, 5. / 11, 4. / 9,
	3. / 7, 2. / 5, 1. / 3}

// singlySloped is how many slopes cost less one by one than by calls of vector functions.
const singlySloped = 32

func log1pRatioSlope(n int, t, s, x, y []float64) {
	var part, u, sum [64]float64
	for from := 0; from < n; from += len(u) {
		m := min(len(u), n-from)
		w, y, t, s := x[from:][:m], y[from:][:m], t[from:][:m], s[from:][:m]
		if m <= singlySloped {
			for i, v := range w {
				t[i] = log1pRatioSlopeAt(v, y[i])
			}
			continue
		}
		vector.AddScalar(m, part[:], w, 2)
		vector.DivInto(m, part[:], 1, part[:])
		vector.Mul(m, s, w, part[:])
		vector.Mul(m, u[:], s, s)
		vector.Fill(m, sum[:], slopeSeries[0])
		for _, c := range slopeSeries[1:] {
			vector.Mul(m, sum[:], sum[:], u[:])
			vector.AddScalar(m, sum[:], sum[:], c)
		}
		vector.Mul(m, s, s, part[:])
		vector.Mul(m, s, s, part[:])
		vector.Scale(m, s, s, 8)
		vector.Mul(m, s, s, sum[:])
		vector.Sub(m, s, s, y)
		vector.Mul(m, t, s, part[:])
		for i, v := range w {
			if !(math.Abs(v) < seriesWithin) {
				t[i] = log1pRatioSlopeAt(v, y[i])
			}
		}
	}
}

// log1pRatioSlopeAt is the slope at w, bit for bit the same as by vectors.
func log1pRatioSlopeAt(w, y float64) float64 {
	switch {
	case w <= -1:
		return 0
	case !(math.Abs(w) < seriesWithin):
		return (1/(1+w) - y) / w
	}
	part := 1 / (w + 2)
	v := float64(w * part)
	u, sum := float64(v*v), slopeSeries[0]
	for _, c := range slopeSeries[1:] {
		sum = float64(sum*u) + c
	}
	return (float64(float64(v*part)*part*8*sum) - y) * part
}

// The polynomial of Phi_approx.
const phiCubic, phiLinear = 0.07056, 1.5976

func cubic(n int, y, x []float64) {
	vector.Scale(n, y, x, phiCubic)
	vector.Mul(n, y, y, x)
	vector.AddScalar(n, y, y, phiLinear)
	vector.Mul(n, y, y, x)
}
