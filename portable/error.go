package portable

import "math"

// erfSeries has √π/2·erf(x)/x in powers of x², for x² up to 0.25.
var erfSeries = [...]float64{1, -1. / 3, 1. / 10, -1. / 42, 1. / 216, -1. / 1320, 1. / 9360, -1. / 75600,
	1. / 685440, -1. / 6894720, 1. / 76204800,
	-1. / 918086400, 1. / 11975040000, -1. / 168129561600}

// Erf returns the error function 2/√π·∫₀ˣ e^(-t²) dt.
func Erf(x float64) float64 {
	if math.Abs(x) < 0.5 {
		const twoOverRootPi = 2 / 1.77245385090551602729816748334114518
		square := float64(x * x)
		rest := polynomial(square, erfSeries[1:])
		return math.FMA(x, math.FMA(float64(square*rest), twoOverRootPi, twoOverRootPi-1), x)
	}
	return math.Copysign(1-Erfc(math.Abs(x)), x)
}

// Erfc returns 1 - Erf(x) without cancellation: for large x the density times the Mills ratio.
func Erfc(x float64) float64 {
	switch {
	case x < -0.5:
		return 2 - Erfc(-x)
	case x < 0.5:
		return 1 - Erf(x)
	}
	x = Smaller(30, x)
	t := float64(x * math.Sqrt2)
	q := 1 - 10/(t+5)
	ratio := millsOf(q, float64(q*q)) / (t + 1)
	square := float64(x * x)
	z := Exp(-square)
	z = math.FMA(-z, math.FMA(x, x, -square), z)
	return z * float64(ratio*(2*inverseRoot2Pi))
}
