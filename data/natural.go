package data

import (
	"cmp"
	"strings"
)

// Natural compares texts with digits by value, so that lab2 comes before lab10, and the rest by bytes.
func Natural(a, b string) int {
	whole := cmp.Compare(a, b)
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m == 0 || n == 0 {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		if c := compareDigits(a[:m], b[:n]); c != 0 {
			return c
		}
		a, b = a[m:], b[n:]
	}
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return whole // 01 and 1: any fixed order does
}

// digits returns the number of digits that s starts with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// compareDigits compares numbers of any length.
func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}
