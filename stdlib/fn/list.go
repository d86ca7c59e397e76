// Package fn holds the functions, one file each: elementwise ones with their derivative, and structural ones
// with their shape rule. A new one is one file and one line in Elementwise or Structural.
package fn

import "github.com/vflc/vflc/stdlib/def"

// Elementwise returns the functions of one real argument that work element by element; the result is real
// with the shape of the argument.
func Elementwise() []def.Func {
	return []def.Func{
		Exp(),
		Log(),
		Log1p(),
		Expm1(),
		Sqrt(),
		Square(),
		Abs(),
		Neg(),
		InvLogit(),
		Logit(),
		Tanh(),
		Relu(),
		Softplus(),
		Inv(),
		Log10(),
		Log2(),
		Log1m(),
		Log1mExp(),
		Sin(),
		Cos(),
		Asin(),
		Acos(),
		Atan(),
		LogInvLogit(),
		Log1mInvLogit(),
		Cloglog(),
		InvCloglog(),
		Phi(),
		InvPhi(),
		PhiApprox(),
		LogPhi(),
		Erf(),
		Gelu(),
		Lgamma(),
		Digamma(),
		Trigamma(),
	}
}

// Structural returns the functions that change or combine shapes.
func Structural() []def.Structural {
	return []def.Structural{
		Sum(),
		Mean(),
		SD(),
		Dot(),
		RowDot(),
		Col(),
		Row(),
		ColMeans(),
		CumulativeSum(),
		CumulativeMax(),
		Where(),
		Pow(),
		Min(),
		Max(),
		Sort(),
		Rank(),
		Quantile(),
		RowSums(),
		RowMeans(),
		ColSums(),
		RowMax(),
		RowMin(),
		ColMax(),
		ColMin(),
		Outer(),
		Append(),
		Rep(),
		LogSumExp(),
		Softmax(),
		LogSoftmax(),
		LogMix(),
		Pi(),
		Cholesky(),
		Solve(),
		Diag(),
		QuadForm(),
		GPExpQuad(),
		GPMatern32(),
		GPMatern52(),
	}
}
