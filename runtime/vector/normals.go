package vector

import "math"

const halfPi = 1.57079632679489661923

// Normals sets y to n independent standard normals by the method of Box and Muller. It uses n random words, or n+1 if n is odd. The first half of y comes
// from the cosines, the second from the sines; no absolute value exceeds 8.5.
func Normals(n int, y []float64, words []uint64) {
	half := n / 2
	odd := n & 1
	u, v := words[:half+odd], words[half+odd:][:half+odd]
	boxMuller(active, half, y, y[min(half+odd, len(y)):], u, v)
	if odd == 1 {
		y[half], _ = normalPair(u[half], v[half])
	}
}

// unit turns the upper 52 bits of a random word into a number in [1, 2).
func unit(word uint64) float64 { return math.Float64frombits(word>>12 | oneBits) }

// normalPair splits the angle into quarter turns and a rest of at most an eighth of a turn.
func normalPair(u, v uint64) (c, s float64) {
	radius := math.Sqrt(float64(logNormal(2-unit(u)) * -2))
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

func boxMullerGo(n int, y, other []float64, u, v []uint64) {
	for i := range n {
		y[i], other[i] = normalPair(u[i], v[i])
	}
}
