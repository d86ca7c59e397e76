package data

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

// maxDigits is the largest number of digits that always fit a uint64.
const maxDigits = 19

// powers holds the powers of ten, all exact in uint64 and float64.
var powers = [maxDigits + 1]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// decimal reads a number as strconv.ParseFloat does, bit for bit, without allocation. It is false for cells
// that number does not accept: words, missing cells, numbers that are not finite, and notations other than
// the decimal one.
//
// A number of at most 19 digits is a whole number over a power of ten. Where float64 holds both, their
// quotient is correctly rounded (Clinger 1990, How to read floating point numbers accurately). Other numbers
// of that length go to quotient, and the rest to strconv.
func decimal(cell []byte) (float64, bool) {
	i := 0
	negative := i < len(cell) && cell[i] == '-'
	if negative || i < len(cell) && cell[i] == '+' {
		i++
	}
	mantissa, n := digitsOf(cell[i:], 0)
	i += n
	fraction := 0
	if i < len(cell) && cell[i] == '.' {
		mantissa, fraction = digitsOf(cell[i+1:], mantissa)
		i += 1 + fraction
	}
	if i < len(cell) || n+fraction == 0 || n+fraction > maxDigits {
		return slowDecimal(cell)
	}
	var v float64
	if mantissa <= 1<<53 {
		v = float64(mantissa) / float64(powers[fraction])
	} else {
		v = quotient(mantissa, powers[fraction])
	}
	if negative {
		v = -v
	}
	return v, true
}

// digitsOf appends the digits that a text begins with to a number, and counts them. The number overflows if
// there are more than maxDigits.
func digitsOf(text []byte, number uint64) (uint64, int) {
	i := 0
	for i+8 <= len(text) {
		eight, ok := eightDigits(binary.LittleEndian.Uint64(text[i:]))
		if !ok {
			break
		}
		number = 1e8*number + eight
		i += 8
	}
	for i < len(text) && text[i]-'0' < 10 {
		number = 10*number + uint64(text[i]-'0')
		i++
	}
	return number, i
}

// eightDigits reads eight digits, the first in the lowest byte; it is false if one is not a digit. Adjacent
// digits are combined in pairs, all at once (Lemire 2021, Number parsing at a gigabyte per second).
func eightDigits(text uint64) (uint64, bool) {
	const sixes, zeros, high = 0x0606060606060606, 0x3030303030303030, 0xf0f0f0f0f0f0f0f0
	if text&high != zeros || (text+sixes)&high != zeros {
		return 0, false
	}
	v := text - zeros
	v = (v*10 + v>>8) & 0x00ff00ff00ff00ff
	v = (v*100 + v>>16) & 0x0000ffff0000ffff
	return (v*10000 + v>>32) & 0xffffffff, true
}

// quotient is a/b rounded to nearest, ties to even; neither is 0. It divides with the highest bits of both
// set, so that at least 63 bits of the quotient are known; the last bit is set if the remainder is not 0.
func quotient(a, b uint64) float64 {
	shiftA, shiftB := bits.LeadingZeros64(a), bits.LeadingZeros64(b)
	a, b = a<<shiftA, b<<shiftB
	q, rest := bits.Div64(a>>1, a<<63, b)
	q = q>>1 | q&1
	if rest != 0 {
		q |= 1
	}
	scale := math.Float64frombits(uint64(1023-62+shiftB-shiftA) << 52)
	return float64(int64(q)) * scale
}

// slowDecimal reads the cells that decimal cannot.
func slowDecimal(cell []byte) (float64, bool) {
	for _, c := range cell {
		if c == 'x' || c == 'X' || c == '_' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(cell), len(cell)), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) && !underflows(v, cell)
}

// serial reports whether a cell is a whole number as strconv writes one, of at most 15 digits, so that its
// text follows from its value.
func serial(cell []byte) bool {
	if len(cell) > 0 && cell[0] == '-' && (len(cell) < 2 || cell[1] != '0') {
		cell = cell[1:]
	}
	if len(cell) == 0 || len(cell) > 15 || cell[0] == '0' && len(cell) > 1 {
		return false
	}
	for _, c := range cell {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}
