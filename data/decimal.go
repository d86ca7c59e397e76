package data

import (
	"math"
	"strconv"
	"unsafe"
)

// pow10 are the powers of ten that a float64 holds exactly.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// maxDigits is how many digits a uint64 holds, whatever they are.
const maxDigits = 19

// decimal reads a number as strconv.ParseFloat does, bit for bit, without allocation. It is false for what number refuses: words, missing
// cells, numbers that are not finite, and notations other than the decimal one.
//
// A mantissa up to 2^53 and a power of ten up to 10^22 are exact, so that one multiplication or division rounds correctly (Clinger 1990,
// How to read floating point numbers accurately). Longer numbers go to strconv.
func decimal(cell []byte) (float64, bool) {
	i := 0
	negative := i < len(cell) && cell[i] == '-'
	if negative || i < len(cell) && cell[i] == '+' {
		i++
	}
	mantissa := uint64(0)
	from := i
	for i < len(cell) && cell[i]-'0' < 10 {
		mantissa = 10*mantissa + uint64(cell[i]-'0')
		i++
	}
	digits, exponent := i-from, 0
	if i < len(cell) && cell[i] == '.' {
		i++
		from = i
		for i < len(cell) && cell[i]-'0' < 10 {
			mantissa = 10*mantissa + uint64(cell[i]-'0')
			i++
		}
		exponent = from - i
		digits += i - from
	}
	if i < len(cell) || digits == 0 || digits > maxDigits || mantissa > 1<<53 || -exponent >= len(pow10) {
		return slowDecimal(cell)
	}
	v := float64(mantissa) / pow10[-exponent]
	if negative {
		v = -v
	}
	return v, true
}

// slowDecimal reads what decimal does not.
func slowDecimal(cell []byte) (float64, bool) {
	for _, c := range cell {
		if c == 'x' || c == 'X' || c == '_' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(cell), len(cell)), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// serial reports whether a cell is a whole number as strconv writes one, of at most 15 digits, so that its value keeps how it is written.
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
