package posterior

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Width is the number of columns of a terminal that a text takes: two for a wide character, none for a mark
// on the one before.
func Width(text string) int {
	n := 0
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return n + wideWidth(text[i:])
		}
		n++
	}
	return n
}

func wideWidth(text string) (n int) {
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Cut shortens a text to some columns of a terminal, with an ellipsis in its middle: names differ in their
// end as often as in their beginning.
func Cut(text string, most int) string {
	if Width(text) <= most {
		return text
	}
	runes := []rune(text)
	most = max(most, 3)
	head, tail := 0, len(runes)
	for room := most / 2; room >= runeWidth(runes[head]); head++ {
		room -= runeWidth(runes[head])
	}
	for room := most - 1 - most/2; room >= runeWidth(runes[tail-1]); tail-- {
		room -= runeWidth(runes[tail-1])
	}
	return string(runes[:head]) + "…" + string(runes[tail:])
}
