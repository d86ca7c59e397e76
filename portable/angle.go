package portable

import (
	"math"
	"math/bits"
)

// Sin returns the sine of x radians.
func Sin(x float64) float64 {
	if math.Abs(x) <= MostTurned {
		return SinNear(x)
	}
	return turnedFar(x, 0)
}

// Cos returns the cosine of x radians.
func Cos(x float64) float64 {
	if math.Abs(x) <= MostTurned {
		return CosNear(x)
	}
	return turnedFar(x, 1)
}

// Tan returns the tangent of x radians, to two units in the last place.
func Tan(x float64) float64 { return Sin(x) / Cos(x) }

// twoOverPi has 64 bits 0, and the first 1280 bits of 2/π.
var twoOverPi = [21]uint64{
	0,
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}

// turnedFar is turned for angles beyond MostTurned, by the method of Payne and Hanek (1983): those bits of
// 2/π whose product with x is a multiple of 4 are left out, and the next 192 are enough.
func turnedFar(x float64, ahead uint64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	b := math.Float64bits(x)
	m := b&mantissa | 1<<52
	from := uint(b>>52&0x7ff) - 1075 + 62
	word := func(i uint) uint64 {
		i += from / 64
		return twoOverPi[i]<<(from%64) | twoOverPi[i+1]>>(64-from%64)
	}
	carry2, p2 := bits.Mul64(m, word(2))
	carry1, p1 := bits.Mul64(m, word(1))
	p1, carry := bits.Add64(p1, carry2, 0)
	p0 := m*word(0) + carry1 + carry // in units of 2^-62, modulo 4
	quadrant := p0 >> 62
	f0, f1 := p0<<2|p1>>62, p1<<2|p2>>62
	sign := 1.0
	if f0>>63 == 1 {
		quadrant++
		f0, f1, sign = ^f0, ^f1, -1
	}
	zeros := bits.LeadingZeros64(f0)
	f0, f1 = f0<<zeros|f1>>(64-zeros), f1<<zeros
	unit := math.Ldexp(sign, -zeros)
	high := float64(f0>>11) * 0x1p-53 * unit
	low := float64(f0<<53|f1>>11) * 0x1p-117 * unit
	angle := float64(high * quarterTurn)
	rest := math.FMA(high, quarterTurn, -angle) + (float64(high*quarterTurnLow) + float64(low*quarterTurn))
	sum := angle + rest
	y := circular(sum, rest-(sum-angle), quadrant+ahead)
	if b>>63 == 1 && ahead == 0 {
		return -y
	}
	return y
}
