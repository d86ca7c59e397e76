package parser

import (
	"unicode"
	"unicode/utf8"
)

// charClass classifies the characters that cannot begin a token.
type charClass int

const (
	otherCharacter charClass = iota
	notUTF8
	controlCharacter
	foreignLetter
)

// classify returns the class of the first character of s, which is not empty.
func classify(s string) charClass {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		return notUTF8
	case isControl(r):
		return controlCharacter
	case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)):
		return foreignLetter
	}
	return otherCharacter
}

// isControl reports whether r could make a program look different from what it does: a terminal control code,
// or a control of text direction (Boucher and Anderson, Trojan Source, 2021). People read programs to audit
// them, so these are refused in comments too.
func isControl(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return false
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069, r == 0x200E, r == 0x200F, r == 0x061C:
		return true
	}
	return unicode.IsControl(r)
}

func isForeignLetter(s string) bool { return classify(s) == foreignLetter }

// meant maps characters of other notations, keyboards and word processors to their spelling in vfl.
var meant = map[string]string{
	"“": `"`, "”": `"`, "„": `"`, "`": `"`, "’": "'", "‘": "'", "−": "-", "–": "-", "—": "-", "×": "*",
	"·": "*", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=",
	"∼": "~", "…": "..", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u200b": "", "\ufeff": "", "&": "&&",
	"#": "//",
}
