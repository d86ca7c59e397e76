package fn

import (
	"math"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/stdlib/def"
)

// everywhere: the value is monotone in each argument, or affine in it.
func everywhere(args []def.Range) []bool {
	out := make([]bool, len(args))
	for i := range out {
		out[i] = true
	}
	return out
}

// joined is the range of elements of any of the arguments.
func joined(args []def.Range) def.Range {
	out := args[0]
	for _, x := range args[1:] {
		out = out.Join(x)
	}
	return out
}

// extreme is the range of the least or greatest of two, or of the elements of one array.
func extreme(args []def.Range, of func(x, y float64) float64) def.Range {
	x := args[0]
	if len(args) == 1 {
		return x
	}
	y := args[1]
	out := def.Open(of(x.Lower, y.Lower), of(x.Upper, y.Upper))
	out.LowerIn = x.LowerIn && x.Lower == out.Lower || y.LowerIn && y.Lower == out.Lower
	out.UpperIn = x.UpperIn && x.Upper == out.Upper || y.UpperIn && y.Upper == out.Upper
	return out
}

// rangeOfLogSumExp: of an array the sum may have any number of elements, of two numbers it has two.
func rangeOfLogSumExp(args []def.Range) def.Range {
	x := args[0]
	if len(args) == 1 {
		return def.Range{Lower: x.Lower, Upper: math.Inf(1), LowerIn: x.LowerIn}
	}
	for _, y := range args[1:] {
		x.Lower, x.LowerIn = logSumExp(x.Lower, y.Lower), x.LowerIn && y.LowerIn
		x.Upper, x.UpperIn = logSumExp(x.Upper, y.Upper), x.UpperIn && y.UpperIn
	}
	return x
}

func logSumExp(a, b float64) float64 {
	m := max(a, b)
	if math.IsInf(m, 0) {
		return m
	}
	return m + portable.Log1p(portable.Exp(-math.Abs(a-b)))
}

// rangeOfLogMix: a mixture is between its parts; the share of the first is a probability.
func rangeOfLogMix(args []def.Range) def.Range {
	if !args[0].Within(def.UnitInterval) {
		return def.Open(math.NaN(), math.NaN())
	}
	return args[1].Join(args[2])
}
