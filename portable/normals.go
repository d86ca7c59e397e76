package portable

import "math"

const halfPi = 1.57079632679489661923

// unit turns the upper 52 bits of a random word into a number in [1, 2).
func unit(word uint64) float64 { return math.Float64frombits(word>>12 | oneBits) }

// NormalPair returns two independent standard normals of two random words, by the method of Box and Muller.
// It splits the angle into quarter turns and a rest of at most an eighth of a turn.
func NormalPair(u, v uint64) (c, s float64) {
	radius := math.Sqrt(float64(LogNormal(2-unit(u)) * -2))
	turn := float64((unit(v) - 1.5) * 4)
	t := turn + magic
	rest := turn - (t - magic)
	z := float64(rest * rest)
	sine := float64(math.FMA(polynomial(z, sinTail[:]), z, halfPi) * rest)
	cosine := math.FMA(polynomial(z, cosTail[:]), z, 1)
	quarter := math.Float64bits(t)
	c, s = cosine, sine
	if quarter&1 == 1 {
		c, s = sine, cosine
	}
	c = flip(c, (quarter+1)<<62)
	s = flip(s, quarter<<62)
	return radius * c, radius * s
}

// flip changes the sign of x if the highest bit is set.
func flip(x float64, bit uint64) float64 {
	return math.Float64frombits(math.Float64bits(x) ^ bit&(1<<63))
}
