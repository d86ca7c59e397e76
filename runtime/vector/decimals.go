package vector

import "math"

// Decimals is a matrix of a Predictor whose columns are decimal fractions, stored as whole numbers in half the memory: element i, j is that of Whole divided by Scale[j], rounded once. The products are
// computed with the fraction itself.
type Decimals struct {
	Whole []int32   // in tiles of TileLength(k, true)
	Scale []float64 // of each column with which the matrix is stored: a power of ten
}

// mostDecimals is the largest number of decimals with which a column is stored as whole numbers: that of 2³¹.
const mostDecimals = 9

// Scales returns, for each of the columns with which a matrix is stored whose n rows have k columns, the least power of ten times which all its elements are whole numbers of 32 bits. It reports whether there is one for each: then
// each element is equal to the whole number divided by the power, so that nothing is lost but the sign of a zero, which no likelihood has a use for.
func Scales(x []float64, n, k int) ([]float64, bool) {
	scales := make([]float64, Columns(k))
	for j := range scales {
		scales[j] = 1
		if j < k && !scaleOf(x[j*n:][:n], &scales[j]) {
			return nil, false
		}
	}
	return scales, true
}

// scaleOf finds the scale of a column, beginning with 1. An element that is a fraction with few decimals is one with more too, so that each is looked at once.
func scaleOf(column []float64, scale *float64) bool {
	decimals, most := 0, 0.0
	for _, v := range column {
		for math.RoundToEven(v**scale)/(*scale) != v {
			if decimals++; decimals > mostDecimals {
				return false
			}
			*scale *= 10
		}
		most = max(most, math.Abs(v))
	}
	return most**scale < math.MaxInt32
}

// TileWhole is Tile for a matrix of decimals, given the scales.
func TileWhole(to []int32, x, scale []float64, rows, stride, k int) {
	for j := range k {
		at, step := inTile(j, k, true)
		for i, v := range x[j*stride:][:rows] {
			to[at+i*step] = int32(math.RoundToEven(v * scale[j]))
		}
	}
}
