package vector

import "math"

// Decimals is a matrix of a Predictor whose columns are decimal fractions, as they are or standardised,
// stored as whole numbers in half the memory: element i, j is (Whole - Shift[j])/Scale[j]. The products are
// computed with this number itself, which is rounded nowhere.
type Decimals struct {
	Whole []int32 // in tiles of TileLength(k, true)
	// of each column with which the matrix is stored: a power of ten, times the scale by which the column was
	// standardised
	Scale []float64
	Shift []float64 // of each column, from -1/2 to 1/2; nil where all are 0
}

// A decimal is a column of (u/power - center)/scale for whole numbers u. What is stored in place of u is its
// difference from origin, the whole number that is nearest to the center, so that no column has a large mean
// that cancels in products.
type decimal struct{ center, scale, power, origin, by, shift float64 }

const (
	// mostDecimals is the largest number of decimals with which a column is stored as whole numbers: that of
	// 2³¹.
	mostDecimals = 9
	// mostOrigin bounds origins: sums of whole numbers are exact, and the roundings of an element, of which
	// that of the fraction is the largest, take it less than 1/4 from its whole number.
	mostOrigin = 1 << 50
)

// to sets the power of ten.
func (d *decimal) to(power float64) {
	d.power, d.by = power, power*d.scale
	d.origin = math.RoundToEven(power * d.center)
	// where the product was rounded to a half
	d.origin += math.RoundToEven(math.FMA(power, d.center, -d.origin))
	d.shift = math.FMA(power, d.center, -d.origin)
}

// holds reports whether a number equals, bit for bit, the standardised fraction of some whole number.
func (d *decimal) holds(v float64) bool {
	u := nearest(v, d.by, d.shift) + d.origin
	return (u/d.power-d.center)/d.scale == v
}

// nearest is the whole number that is stored for an element.
func nearest(v, scale, shift float64) float64 { return math.RoundToEven(float64(v*scale) + shift) }

// NewDecimals finds the scales and shifts of a matrix whose n rows have k columns; Tile stores its elements.
// It reports whether those of each column are decimal fractions, or such fractions from which center was
// subtracted and which were then divided by scale, as standard gives them for the column (0 and 1 where
// nothing is known): each element equals, to the last bit, what is so made of a whole number divided by a
// power of ten, and 32 bits are enough for the number's difference from the center. Nothing is lost but the
// sign of a zero, which no likelihood has a use for. The power of a column is the least for which this holds.
func NewDecimals(x []float64, n, k int, standard func(column int) (center, scale float64)) (Decimals, bool) {
	var out Decimals
	for j := range Columns(k) {
		d := decimal{scale: 1}
		d.to(1)
		if j < k && !d.find(x[j*n:][:n]) {
			d.center, d.scale = standard(j)
			if !d.find(x[j*n:][:n]) {
				return Decimals{}, false
			}
		}
		out.Scale = append(out.Scale, d.by)
		if d.shift != 0 && out.Shift == nil {
			out.Shift = make([]float64, Columns(k))
		}
		if out.Shift != nil {
			out.Shift[j] = d.shift
		}
	}
	return out, true
}

// find finds the power of a column, beginning with 1. A fraction with few decimals is one with more too, so
// that each element is looked at once.
func (d *decimal) find(column []float64) bool {
	d.to(1)
	decimals, most := 0, 0.0
	for _, v := range column {
		for !d.holds(v) {
			if decimals++; decimals > mostDecimals {
				return false
			}
			d.to(d.power * 10)
		}
		most = max(most, math.Abs(v))
	}
	return float64(most*d.by)+math.Abs(d.shift) < math.MaxInt32 && math.Abs(d.origin) < mostOrigin
}

// Tile is the function Tile for a matrix of decimals.
func (d *Decimals) Tile(to []int32, x []float64, rows, stride, k int) {
	for j := range k {
		at, step := inTile(j, k, true)
		shift := 0.0
		if d.Shift != nil {
			shift = d.Shift[j]
		}
		for i, v := range x[j*stride:][:rows] {
			to[at+i*step] = int32(nearest(v, d.Scale[j], shift))
		}
	}
}
