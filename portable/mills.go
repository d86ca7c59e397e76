package portable

// millsSteps of the continued fraction bring it to full precision at -2 and below.
const millsSteps = 110

// MillsExcess returns x + φ(x)/Phi(x), which is positive, φ the standard normal density: without cancellation
// far below 0, where it goes to 0 as -1/x. It is a part of the continued fraction of the Mills ratio, NIST
// DLMF 7.9.3.
func MillsExcess(x float64) float64 {
	if !(x < -2) {
		_, slope := LogPhiAndSlope(x)
		return x + slope
	}
	ratio := -x
	for k := float64(millsSteps); k > 1; k-- {
		ratio = k/ratio - x
	}
	return 1 / ratio
}

// LogMillsDiff returns log(Phi(b)/φ(b) - Phi(a)/φ(a)) for a < b ≤ 1 + (b-a)/2, without the cancellation where
// the two are near each other: the slope of the ratio is then integrated.
func LogMillsDiff(a, b float64) float64 {
	if width := b - a; width >= 1 && width >= -b/4 {
		high := LogMills(b)
		return high + Log1mExp(LogMills(a)-high)
	}
	return Log(Gauss(a, b, func(t float64) float64 {
		excess := MillsExcess(t)
		return excess / (excess - t)
	}))
}
