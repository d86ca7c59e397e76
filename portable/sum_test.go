package portable

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Sums are near those without rounding, for lengths on both sides of a block, and what they are made of are
// too.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		x, y := make([]float64, n), make([]float64, n)
		sum, dot := new(big.Float).SetPrec(200), new(big.Float).SetPrec(200)
		rounding := float64(n/lanes+4) * 0x1p-53
		var sizes, products float64
		for i := range x {
			x[i], y[i] = r.NormFloat64()+3, r.NormFloat64()
			sizes, products = sizes+math.Abs(x[i]), products+math.Abs(x[i]*y[i])
			sum.Add(sum, big.NewFloat(x[i]))
			dot.Add(dot, new(big.Float).SetPrec(200).Mul(big.NewFloat(x[i]), big.NewFloat(y[i])))
		}
		within(t, "sum", Sum(x), sum, rounding*sizes)
		within(t, "dot", Dot(x, y), dot, rounding*products)
		if n > 1 {
			centre := new(big.Float).Quo(sum, big.NewFloat(float64(n)))
			squares := new(big.Float).SetPrec(200)
			for _, v := range x {
				d := new(big.Float).SetPrec(200).Sub(big.NewFloat(v), centre)
				squares.Add(squares, d.Mul(d, d))
			}
			within(t, "variance", Variance(x), squares.Quo(squares, big.NewFloat(float64(n-1))),
				float64(n)*0x1p-50)
		}
	}
}

// within requires a value within a bound of another.
func within(t *testing.T, what string, got float64, want *big.Float, bound float64) {
	t.Helper()
	w, _ := want.Float64()
	if math.Abs(got-w) > bound {
		t.Errorf("%s %v, want %v", what, got, w)
	}
}

func TestLogSumExp(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{nil, math.Inf(-1)}, {[]float64{math.Inf(-1), math.Inf(-1)}, math.Inf(-1)},
		{[]float64{1, math.Inf(1)}, math.Inf(1)},
		{[]float64{1000, 1000}, 1000 + math.Ln2}, {[]float64{-1000, math.Inf(-1)}, -1000},
	} {
		if got := LogSumExp(c.x); got != c.want {
			t.Errorf("LogSumExp(%v) = %v, want %v", c.x, got, c.want)
		}
	}
	if !math.IsNaN(LogSumExp([]float64{math.NaN(), 1})) || !math.IsNaN(Mean(nil)) {
		t.Error("what is not a number is lost")
	}
}
