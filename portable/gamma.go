package portable

import "math"

const halfLog2Pi = 0.91893853320467274178

// octave returns 2·exponent(x) plus the first bit of its fraction, minus from, modulo 8: the index of the
// piece of x.
func octave(x float64, from uint64) uint64 { return (math.Float64bits(x)>>51 - from) & 7 }

// pieces returns d·P(u). The constant of P has a high and a low part, and the centres are chosen so that its
// linear coefficient is nearly exact; apart from small terms the product is rounded once. Even and odd higher
// powers are summed separately.
func pieces(rows [][8]float64, piece uint64, d, u float64) float64 {
	const linear, from = 2, 3
	square := float64(u * u)
	last := len(rows) - 1
	sums := [2]float64{rows[last][piece], rows[last-1][piece]}
	for i := last - 2; i >= from; i-- {
		s := &sums[(last-i)%2]
		*s = math.FMA(*s, square, rows[i][piece])
	}
	rest := math.FMA(sums[(last-from+1)%2], u, sums[(last-from)%2])
	p := math.FMA(rest, square, rows[1][piece])
	p = math.FMA(u, rows[linear][piece], p)
	return math.FMA(d, rows[0][piece], float64(d*p))
}

// belowOne replaces 1 in 1+x when the piece is looked up, so that the sum is not rounded up into the next
// piece, which belongs to another root.
const belowOne = 0x1.fffffffffffffp-1

// Lgamma returns log Γ(x) for x ≥ 0, and NaN below. It is (x - root)·P(x) below 8, after one step of the
// recurrence below ½, and Stirling's series above.
func Lgamma(x float64) float64 {
	switch {
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(1)
	}
	lifted, extra := liftTiny(x)
	high, low := logParts(lifted, extra)
	if !(x < 8) {
		return stirling(x, high, low)
	}
	small := x < 0.5
	one := Where(small, 1, 0)
	piece := octave(x+Where(small, belowOne, 0), 2*0x3fe)
	root := Where(x < 1.5, 1, 2)
	// not -0 at the roots
	y := pieces(lgammaPieces[:], piece, x-(root-one), x-(lgammaPiecesCentre[piece]-one)) + 0
	if small {
		return (y - low) - high
	}
	return y
}

// stirling returns (x-½)(log x - 1) + (log(2π) - 1)/2 + S(1/x²)/x.
func stirling(x, high, low float64) float64 {
	l := high - 1
	low += (high - l) - 1
	a := x - 0.5
	p := float64(a * l)
	if !(p < math.Inf(1)) {
		return p
	}
	rest := float64(a*low) + math.FMA(a, l, -p)
	w := 1 / x
	s := math.FMA(StirlingSeries(float64(w*w)), w, halfLog2Pi-0.5)
	return p + (s + rest)
}

// Digamma returns ψ(x), the derivative of log Γ, for x ≥ 0, and NaN below. It is (x - root)·P(x) below 16,
// after one step of the recurrence below 1, and the asymptotic series above.
func Digamma(x float64) float64 {
	inverse := 1 / x
	switch {
	case x < 0:
		return math.NaN()
	case x < 0x1p-60:
		return -inverse
	case !(x < math.Inf(1)):
		return x
	case !(x < 16):
		high, low := logParts(x, 0)
		w := float64(inverse * inverse)
		s := math.FMA(inverse, 0.5, float64(DigammaSeries(w)*w))
		return high + (low - s)
	}
	small := x < 1
	one := Where(small, 1, 0)
	piece := octave(x+one, 2*0x3ff)
	d := (x - (digammaRoot - one)) - digammaRootLow
	y := pieces(digammaPieces[:], piece, d, x-(digammaPiecesCentre[piece]-one))
	if small {
		rest := float64(math.FMA(-inverse, x, 1) * inverse)
		return (y - rest) - inverse
	}
	return y
}

// StirlingSeries returns x·(log Γ(x) - (x-½)·log x + x - log(2π)/2) for square = 1/x² and x ≥ 8.
func StirlingSeries(square float64) float64 { return polynomial(square, stirlingTail[:]) }

// DigammaSeries returns x²·(log x - 1/(2x) - ψ(x)) for square = 1/x² and x ≥ 16.
func DigammaSeries(square float64) float64 { return polynomial(square, digammaTail[:]) }
