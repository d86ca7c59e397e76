package portable

import "math"

// π/2 in three parts, to 160 bits.
const (
	quarterTurn       = 0x1.921fb54442d18p+0
	quarterTurnLow    = 0x1.1a62633145c07p-54
	quarterTurnLowest = -0x1.f1976b7ed8fbcp-110
)

// MostTurned is the largest angle whose multiple of π/2 is subtracted exactly in three parts.
const MostTurned = 0x1p20

// MostTurnedBits has the bits of MostTurned.
const MostTurnedBits = (0x3ff + 20) << 52

// SinNear returns sin x for |x| ≤ MostTurned, x where that is tiny.
func SinNear(x float64) float64 {
	if math.Abs(x) < 0x1p-27 {
		return x
	}
	return turned(x, 0)
}

// turned is the sine of x, or of x + π/2: by the sine or the cosine of what is left of x after a multiple of
// π/2, in two parts (Cody and Waite).
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
	return circular(high, low, math.Float64bits(t)+ahead)
}

// circular is the sine of high + low and quadrant quarter turns; high is between -π/4 and π/4, about.
func circular(high, low float64, quadrant uint64) float64 {
	z := float64(high * high)
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

// CosNear returns cos x for |x| ≤ MostTurned.
func CosNear(x float64) float64 { return turned(x, 1) }
