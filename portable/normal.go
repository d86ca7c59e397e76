package portable

import "math"

const inverseRoot2Pi = 0.39894228040143267794

// A normalTail is what log Φ and its derivative have in common: with t = |x|, the Mills ratio (1 -
// Φ(t))/φ(t), the density times √(2π), and 1 - Φ(t); low is the rounding error of t².
type normalTail struct{ ratio, density, tail, low float64 }

func normalTailOf(x float64) normalTail {
	t := math.Abs(x)
	q := 1 - 10/(t+5)
	ratio := millsOf(q, float64(q*q)) / (t + 1)
	t = Smaller(0x1p500, t)
	s := float64(t * t)
	low := math.FMA(t, t, -s)
	z := Exp(s * -0.5)
	z = math.FMA(float64(z*low), -0.5, z)
	return normalTail{ratio, z, float64(z * float64(ratio*inverseRoot2Pi)), low}
}

// millsOf sums even and odd powers separately, as the assembly does.
func millsOf(q, square float64) float64 {
	last := len(millsSeries) - 1
	even, odd := millsSeries[last-1], millsSeries[last]
	for i := last - 2; i > 0; i -= 2 {
		even, odd = math.FMA(even, square, millsSeries[i-1]), math.FMA(odd, square, millsSeries[i])
	}
	return math.FMA(odd, q, even)
}

// LogPhi returns log Φ(x), the logarithm of the standard normal distribution function. It is -x²/2 +
// log(ratio/√(2π)) for x ≤ 0, and log(1 - tail) above.
func LogPhi(x float64) float64 {
	n := normalTailOf(x)
	if !(x > 0) {
		y := LogNormal(float64(n.ratio * inverseRoot2Pi))
		return math.FMA(float64(x*x), -0.5, math.FMA(n.low, -0.5, y))
	}
	if n.tail < 0.2928 {
		return logOf(0, -n.tail)
	}
	return LogNormal(1 - n.tail)
}

// LogPhiSlope returns φ(x)/Φ(x), the derivative of LogPhi. It is 1/ratio for x ≤ 0, and density/(1 - tail)
// above.
func LogPhiSlope(x float64) float64 {
	n := normalTailOf(x)
	if x > 0 {
		return float64(n.density*inverseRoot2Pi) / (1 - n.tail)
	}
	return 1 / n.ratio
}

// Phi returns the standard normal distribution function.
func Phi(x float64) float64 {
	n := normalTailOf(x)
	if x > 0 {
		return 1 - n.tail
	}
	return n.tail
}
