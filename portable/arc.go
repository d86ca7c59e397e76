package portable

import "math"

const (
	halfTurn    = 2 * quarterTurn
	halfTurnLow = 2 * quarterTurnLow
)

// arcs has atan(k/16) in two parts.
var arcs = [17][2]float64{
	{0, 0},
	{0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
	{0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
	{0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
	{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
	{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
	{0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
	{0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
}

// restArcs has π/2 - atan(k/16) in two parts.
var restArcs = [17][2]float64{
	{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
	{0x1.82250768ac529p+0, -0x1.e78c96d05afcbp-58},
	{0x1.7249faa996a21p+0, 0x1.a8cc1e7480c68p-54},
	{0x1.62acbeaca61b8p+0, 0x1.c6ac9f134fa91p-60},
	{0x1.5368c951e9cfdp+0, -0x1.96f47948a99f1p-54},
	{0x1.4495d86823225p+0, 0x1.4d29adbab2a62p-54},
	{0x1.3647503caf55cp+0, 0x1.17e21d9a42c9ap-55},
	{0x1.288bfa3512419p+0, 0x1.8e684e7a2281bp-56},
	{0x1.1b6e192ebbe44p+0, 0x1.b1b466a88828ep-54},
	{0x1.0ef3c09d694b0p+0, 0x1.8fcf88aed2e80p-54},
	{0x1.031f57e54adbep+0, 0x1.338b4259c0270p-54},
	{0x1.efe068bba2275p-1, 0x1.24a3b2e61a70bp-55},
	{0x1.dac670561bb4fp-1, 0x1.a2b7f222f65e2p-55},
	{0x1.c6e6d2171bf18p-1, 0x1.f4ba8d3373e1bp-55},
	{0x1.b434ee31013fdp-1, -0x1.0520d0701d877p-55},
	{0x1.a2a25f172cfe4p-1, -0x1.d700509dad6cep-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
}

// arcTail has (atan(t)/t - 1)/t² in powers of t².
var arcTail = [...]float64{-1. / 3, 1. / 5, -1. / 7, 1. / 9, -1. / 11, 1. / 13}

// Atan returns the angle whose tangent is x, between -π/2 and π/2.
func Atan(x float64) float64 {
	if x != x {
		return x
	}
	return math.Copysign(arc(math.Abs(x), 1), x)
}

// Atan2 returns the angle of the point (x, y), between -π and π, with the signs of zeros as math.Atan2 has
// them.
func Atan2(y, x float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	a := arc(math.Abs(y), math.Abs(x))
	if math.Signbit(x) {
		a = halfTurn - (a - halfTurnLow)
	}
	return math.Copysign(a, y)
}

// Asin returns the angle whose sine is x, and NaN outside [-1, 1].
func Asin(x float64) float64 { return Atan2(x, math.Sqrt(float64((1-x)*(1+x)))) }

// Acos returns the angle whose cosine is x, and NaN outside [-1, 1].
func Acos(x float64) float64 { return 2 * Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }

// arc returns the angle of the point (d, n) for n, d ≥ 0: of the nearest k/16 to the smaller quotient, and of
// what is left, by its series.
func arc(n, d float64) float64 {
	p, q := min(n, d), max(n, d)
	switch {
	case p == 0:
		if n > d {
			return quarterTurn
		}
		return 0
	case q == math.Inf(1):
		p, q = Where(p == q, 1, 0), 1
	case q > 0x1p1000:
		p, q = p*0x1p-100, q*0x1p-100
	case q < 0x1p-900:
		p, q = p*0x1p100, q*0x1p100
	}
	k := int(math.Floor(float64(p/q*16) + 0.5))
	c := float64(k) / 16
	t := math.FMA(-c, q, p) / math.FMA(c, p, q)
	square := float64(t * t)
	rest := float64(float64(t*square) * polynomial(square, arcTail[:]))
	if n > d {
		return restArcs[k][0] - (t + (rest - restArcs[k][1]))
	}
	return arcs[k][0] + (t + (rest + arcs[k][1]))
}
