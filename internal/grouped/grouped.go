// Package grouped writes whole numbers for people.
package grouped

import (
	"strconv"
	"strings"
)

// Digits writes a whole number with a comma between groups of three digits: 1,934.
func Digits[N int | int64](n N) string {
	text := strconv.FormatInt(int64(n), 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for at := len(text) - 3; at > first; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Count writes a number of things, given the name of one of them: "1 row", "1,934 rows", "2 categories".
func Count[N int | int64](n N, noun string) string { return Digits(n) + " " + Noun(n, noun) }

// Noun is the name of one thing, or of several where there are: "row", "rows".
func Noun[N int | int64](n N, noun string) string {
	switch stem, y := strings.CutSuffix(noun, "y"); {
	case n == 1:
		return noun
	case y:
		return stem + "ies"
	}
	return noun + "s"
}
