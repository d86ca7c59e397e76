package vector

import "math"

// π/2 in three parts, to 160 bits.
const (
	quarterTurn       = 0x1.921fb54442d18p+0
	quarterTurnLow    = 0x1.1a62633145c07p-54
	quarterTurnLowest = -0x1.f1976b7ed8fbcp-110
)

// mostTurned is the largest angle whose multiple of π/2 is subtracted exactly; greater ones go to package math.
const mostTurned = 0x1p20

const mostTurnedBits = (0x3ff + 20) << 52

// Sin sets y = sin(a), a in radians.
func Sin(n int, y, a []float64) { angles(n, y, a, sine, math.Sin) }

// Cos sets y = cos(a), a in radians.
func Cos(n int, y, a []float64) { angles(n, y, a, cosine, math.Cos) }

func angles(n int, y, a []float64, near func(on Set, n int, y, a []float64), far func(float64) float64) {
	var beyond uint64 // its first bit is set where an angle is
	for _, x := range a[:n] {
		beyond |= mostTurnedBits - math.Float64bits(x)&^(1<<63)
	}
	if int64(beyond) >= 0 {
		near(active, n, y, a)
		return
	}
	for i, x := range a[:n] {
		if math.Abs(x) <= mostTurned {
			near(active, 1, y[i:], a[i:])
		} else {
			y[i] = far(x)
		}
	}
}

// sineOf is x where that is tiny.
func sineOf(x float64) float64 {
	if math.Abs(x) < 0x1p-27 {
		return x
	}
	return turned(x, 0)
}

// turned is the sine of x, or of x + π/2: by the sine or the cosine of what is left of x after a multiple of π/2, in two parts (Cody and Waite).
func turned(x float64, ahead uint64) float64 {
	t := math.FMA(x, 2/math.Pi, magic)
	n := t - magic
	rest := math.FMA(-n, quarterTurn, x)
	p := float64(n * quarterTurnLow)
	high := rest - p
	back := high - rest
	low := (rest - (high - back)) - (p + back)
	low -= math.FMA(n, quarterTurnLow, -p)
	low = math.FMA(-n, quarterTurnLowest, low)
	z := float64(high * high)
	quadrant := math.Float64bits(t) + ahead
	var y float64
	if quadrant&1 == 0 {
		y = high + math.FMA(float64(high*z), polynomial(z, sineTail[:]), low)
	} else {
		half := float64(z * 0.5)
		w := 1 - half
		tail := (1 - w) - half
		c := math.FMA(-high, low, float64(float64(z*z)*polynomial(z, cosineTail[:])))
		y = w + (tail + c)
	}
	return math.Float64frombits(math.Float64bits(y) ^ quadrant<<62&(1<<63))
}

func sineGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = sineOf(x)
	}
}

func cosineGo(_ int, y, a []float64) {
	for i, x := range a {
		y[i] = turned(x, 1)
	}
}
