// Package grouped writes whole numbers for people.
package grouped

import "strconv"

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
