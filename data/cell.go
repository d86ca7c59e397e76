package data

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/types"
)

// An issue is an error in one cell; the zero issue means no error. text follows the cell in the message.
type issue struct {
	code diag.Code
	text string
}

func (i issue) bad() bool { return i.code != "" }

// missing recognises an empty cell, and NA as R writes it: as a category it would count missing values as an
// answer.
func missing(cell string) (issue, bool) {
	if cell != "" && cell != "NA" {
		return issue{}, false
	}
	return issue{diag.MissingCell, "is a missing value"}, true
}

// number reads a decimal number.
func number(cell string) (float64, issue) {
	if is, ok := missing(cell); ok {
		return 0, is
	}
	v, err := strconv.ParseFloat(cell, 64)
	switch {
	case err != nil && strings.Contains(cell, ","):
		return 0, issue{diag.NotNumber,
			"is not a number; write decimals with a point, and thousands without a separator"}
	case strings.ContainsAny(cell, "xX_"), err != nil && !math.IsInf(v, 0):
		return 0, issue{diag.NotNumber,
			"is not a number; correct it, or make the cell empty if it is missing"}
	case underflows(v, cell):
		return 0, issue{diag.OutOfRange,
			"is so small that only 0 is near it (the smallest number is 4.9e-324); write 0 if that " +
				"is meant, or another unit"}
	case math.IsNaN(v) || math.IsInf(v, 0):
		return 0, issue{diag.NonFinite,
			"is not a finite number; a model needs finite data: correct it, or make the " +
				"cell empty if it is missing"}
	}
	return v, issue{}
}

// underflows reports whether a number that was read as 0 is written as another one.
func underflows[T string | []byte](v float64, cell T) bool {
	if v != 0 {
		return false
	}
	for i := range len(cell) {
		switch c := cell[i]; {
		case c >= '1' && c <= '9':
			return true
		case c == 'e' || c == 'E':
			return false
		}
	}
	return false
}

// maxWhole is 2^53: a float64 does not hold every larger whole number, and 2^53+1 would be read as 2^53.
const maxWhole = 1 << 53

func whole(cell string) (float64, issue) {
	v, is := number(cell)
	switch {
	case is.bad():
	case v != math.Trunc(v):
		is = issue{diag.NotWhole, "is not a whole number"}
	case math.Abs(v) >= maxWhole:
		is = issue{diag.OutOfRange, "is too large to be read exactly (the limit is 2^53)"}
	}
	return v, is
}

func natural(cell string) (float64, issue) {
	v, is := whole(cell)
	if !is.bad() && v < 0 {
		is = issue{diag.OutOfRange, "is negative; a count is 0 or more"}
	}
	return v, is
}

func zeroOne(cell string) (float64, issue) {
	switch strings.ToLower(cell) {
	case "true":
		return 1, issue{}
	case "false":
		return 0, issue{}
	}
	v, is := number(cell)
	if (!is.bad() && v != 0 && v != 1) || is.code == diag.NotNumber {
		is = issue{diag.NotBinary, "is neither 0 nor 1 (nor true or false)"}
	}
	return v, is
}

// maxLevel bounds integer categories: the largest one is their number, and a parameter may have one element
// for each.
const maxLevel = 1e6

// level reads an integer category.
func level(cell string) (float64, issue) {
	v, is := whole(cell)
	switch {
	case is.bad():
	case v < 1:
		is = issue{diag.OutOfRange,
			"is less than 1; the categories of a level are 1, 2, …: add 1 to all, or write words"}
	case v > maxLevel:
		is = issue{diag.OutOfRange,
			"is too large for the number of a category, since the levels are 1 up to the " +
				"largest; write words, such as c" + cell}
	}
	return v, is
}

// admits returns a function that reports whether a number has an element type; NaN never has. It agrees with
// reading.
func admits(elem types.Elem) func(v float64) bool {
	whole := func(v float64) bool { return v == math.Trunc(v) && math.Abs(v) < maxWhole }
	switch elem {
	case types.Int:
		return whole
	case types.Count:
		return func(v float64) bool { return whole(v) && v >= 0 }
	case types.Binary:
		return func(v float64) bool { return v == 0 || v == 1 }
	case types.Level:
		return func(v float64) bool { return whole(v) && v >= 1 && v <= maxLevel }
	}
	return func(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }
}

// reading returns the function that reads cells of an element type as numbers.
func reading(elem types.Elem) func(cell string) (float64, issue) {
	switch elem {
	case types.Int:
		return whole
	case types.Count:
		return natural
	case types.Binary:
		return zeroOne
	case types.Level:
		return level
	}
	return number
}

// elemNamed is the inverse of types.Elem.String.
func elemNamed(name string) types.Elem {
	for e := types.Real; e < types.Level; e++ {
		if e.String() == name {
			return e
		}
	}
	return types.Level
}

// bounds checks a value against declared bounds.
func bounds(v float64, lower, upper *float64) issue {
	switch {
	case lower != nil && v < *lower:
		return issue{diag.OutOfRange, fmt.Sprintf("is below the declared lower bound %v", *lower)}
	case upper != nil && v > *upper:
		return issue{diag.OutOfRange, fmt.Sprintf("is above the declared upper bound %v", *upper)}
	}
	return issue{}
}
